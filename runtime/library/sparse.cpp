#include "runtime/library/sparse.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/modules.hpp"
#include "runtime/library/call.hpp"

namespace sinter::runtime {

namespace {

using form_key = std::tuple<unsigned, dtype, dtype, bool, codegen::sparse_share, bool, int, int, int>;

form_key key_of(const codegen::sparse_form& f, const device_impl& on) {
  return {on.index, f.type, f.index, f.has_values, f.share, f.is_matrix, f.group, f.lanes, f.registers};
}

class sparse_product_call final : public library_call {
 public:
  sparse_product_call(const sparse_rows& of, dtype t, const shape& to)
      : library_call(t, to), entries_(of.entries), longest_(of.longest), has_values_(of.values) {}

  std::string name() const override {
    const result_type& r = results[0];
    return detail::message("product of sparse %s of %lld rows and %lld entries, %s", sinter::name(r.type),
                           static_cast<long long>(r.extents[0]), static_cast<long long>(entries_),
                           detail::to_string(r.extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    detail::array_node& to = *made[0];
    const auto data = [&](int i) { return operands[static_cast<std::size_t>(i)]->data(); };
    const bool is_matrix = to.extents.size() == 2;
    const sparse_product p{.type = to.type,
                           .index = operands[0]->type,
                           .rows = to.extents[0],
                           .columns = is_matrix ? to.extents[1] : 1,
                           .entries = entries_,
                           .longest = longest_,
                           .is_matrix = is_matrix,
                           .values = has_values_ ? data(3) : nullptr,
                           .minor = data(0),
                           .major = data(1),
                           .x = data(2),
                           .out = to.data()};
    (on.device.dialect() == codegen::dialect::cuda ? multiply_on_gpu : multiply_on_cpu)(p, on);
  }

 private:
  const std::int64_t entries_, longest_;
  const bool has_values_;
};

}  // namespace

detail::handle make_product_call(const sparse_rows& of, const term& x) {
  shape to = x.extents();
  to[0] = of.rows;
  if (!of.values.get()) return make_call<sparse_product_call>({of.minor, of.major, x.held()}, of, x.type(), to);
  return make_call<sparse_product_call>({of.minor, of.major, x.held(), of.values}, of, x.type(), to);
}

loaded_kernel kernel_of(const codegen::sparse_form& f, device_impl& on) {
  static auto& looking = *new std::mutex;
  static auto& all = *new std::map<form_key, loaded_kernel>;
  const form_key key = key_of(f, on);
  {
    const std::lock_guard hold(looking);
    if (const auto at = all.find(key); at != all.end()) return at->second;
  }
  codegen::image_origin from{};
  const loaded_kernel code = kernel_of(codegen::sparse_text(f, on.dialect()), {}, {}, *on.compiler(), on, from);
  if (from != codegen::image_origin::memory)
    bump(from == codegen::image_origin::disk ? counter::disk_hits : counter::compiles);
  const std::lock_guard hold(looking);
  return all.emplace(key, code).first->second;
}

}  // namespace sinter::runtime
