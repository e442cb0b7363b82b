#include "runtime/library/sparse.hpp"

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

namespace {

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

class scattered_product_call final : public library_call {
 public:
  scattered_product_call(const sparse_scattered& of, bool has_x, dtype t, const shape& to)
      : library_call(t, to),
        entries_(of.entries),
        majors_(of.majors),
        is_compressed_(of.is_compressed),
        has_values_(of.values),
        has_x_(has_x) {}

  std::string name() const override {
    const result_type& r = results[0];
    return detail::message("product of a transposed sparse %s of %lld entries, %s", sinter::name(r.type),
                           static_cast<long long>(entries_), detail::to_string(r.extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    detail::array_node& to = *made[0];
    const auto data = [&](std::size_t i) { return operands[i]->data(); };
    on.device.zero(to.data(), byte_size(to), on);
    add_products_on_cpu({.type = to.type,
                         .index = operands[0]->type,
                         .rows = to.extents[0],
                         .columns = to.extents.size() == 2 ? to.extents[1] : 1,
                         .entries = entries_,
                         .majors = majors_,
                         .is_compressed = is_compressed_,
                         .row = data(0),
                         .column = data(1),
                         .values = has_values_ ? data(2) : nullptr,
                         .x = has_x_ ? data(has_values_ ? 3 : 2) : nullptr,
                         .out = to.data()},
                        on);
  }

 private:
  const std::int64_t entries_, majors_;
  const bool is_compressed_, has_values_, has_x_;
};

}  // namespace

detail::handle make_scattered_call(const sparse_scattered& of, const term* x) {
  const dtype t = x ? x->type() : term(of.values).type();
  shape to = x ? x->extents() : shape{0};
  to[0] = of.rows;
  if (!x) return make_call<scattered_product_call>({of.row, of.column, of.values}, of, false, t, to);
  if (!of.values.get()) return make_call<scattered_product_call>({of.row, of.column, x->held()}, of, true, t, to);
  return make_call<scattered_product_call>({of.row, of.column, of.values, x->held()}, of, true, t, to);
}

detail::handle make_product_call(const sparse_rows& of, const term& x) {
  shape to = x.extents();
  to[0] = of.rows;
  if (!of.values.get()) return make_call<sparse_product_call>({of.minor, of.major, x.held()}, of, x.type(), to);
  return make_call<sparse_product_call>({of.minor, of.major, x.held(), of.values}, of, x.type(), to);
}

loaded_kernel kernel_of(const codegen::sparse_form& f, device_impl& on) {
  static auto& all = *new form_kernels<codegen::sparse_form>;
  return all.find(f, on, [&](const codegen::sparse_form& of) { return codegen::sparse_text(of, on.dialect()); });
}

}  // namespace sinter::runtime
