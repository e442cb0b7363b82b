#include "runtime/library/recurrences.hpp"

#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

class recurrence_call final : public library_call {
 public:
  recurrence_call(dtype t, const shape& of, const shape& states) : library_call({{t, of}, {t, states}}) {}

  std::string name() const override {
    return message("filter of order %lld of %s %s", static_cast<long long>(order()), sinter::name(results[0].type),
                   to_string(results[0].extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    const shape& of = results[0].extents;
    recurrence r{results[0].type,
                 static_cast<int>(order()),
                 1,
                 of[of.size() - 1],
                 nullptr,
                 nullptr,
                 nullptr,
                 nullptr,
                 made[0]->data(),
                 made[1]->data()};
    for (int d = 0; d + 1 < of.size(); ++d) r.rows *= of[d];
    if (r.rows == 0) return;
    r.x = operands[0]->data(), r.b = operands[1]->data(), r.a = operands[2]->data();
    if (operands.size() > 3) r.zi = operands[3]->data();
    if (on.device.dialect() == codegen::dialect::cuda) filter_on_gpu(r, on);
    else filter_on_cpu(r, on);
    bump(counter::library_calls);
  }

 private:
  std::int64_t order() const { return results[1].extents[results[1].extents.size() - 1]; }
};

}  // namespace

result_handles make_recurrence(const term& x, const term& b, const term& a, const term* zi) {
  shape states = x.extents();
  states[x.rank() - 1] = b.extent(0) - 1;
  if (!zi) return make_calls<recurrence_call>({x.held(), b.held(), a.held()}, x.type(), x.extents(), states);
  return make_calls<recurrence_call>({x.held(), b.held(), a.held(), zi->broadcast_to(states).held()}, x.type(),
                                     x.extents(), states);
}

}  // namespace sinter::runtime
