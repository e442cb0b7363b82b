#include "runtime/library/sparse_factors.hpp"

#include <utility>

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/call.hpp"
#include "runtime/stream/capture.hpp"

namespace sinter::runtime {

namespace {

class sparse_solution_call final : public library_call {
 public:
  sparse_solution_call(std::shared_ptr<gpu_factors> by, const shape& s, bool transposed)
      : library_call(by->kind().type, s), by_(std::move(by)), transposed_(transposed) {}

  std::string name() const override {
    const result_type& r = results[0];
    return detail::message("solution by factors of sparse %s, %s", sinter::name(r.type),
                           detail::to_string(r.extents).c_str());
  }
  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    if (made[0]->extents.elements() == 0) return;
    if (capture_state* const c = capture_of(on))
      hold(*c, new std::shared_ptr<gpu_factors>(by_),
           [](void* held) noexcept { delete static_cast<std::shared_ptr<gpu_factors>*>(held); });
    by_->solve(*operands[0], *made[0], transposed_, on);
    bump(counter::library_calls);
  }

 private:
  const std::shared_ptr<gpu_factors> by_;
  const bool transposed_;
};

}  // namespace

term solved_by(const std::shared_ptr<gpu_factors>& factors, const term& b, bool transposed) {
  return term(make_call<sparse_solution_call>({b.held()}, factors, b.extents(), transposed));
}

}  // namespace sinter::runtime
