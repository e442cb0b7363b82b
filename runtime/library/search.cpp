#include "runtime/library/search.hpp"

#include "codegen/ir/work.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/library/call.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

class search_call final : public library_call {
 public:
  search_call(dtype of, const shape& values, bool or_equal)
      : library_call(dtype::int64, values), of_(of), or_equal_(or_equal) {}

  std::string name() const override {
    return message("search for %s %s", sinter::name(of_), to_string(results[0].extents).c_str());
  }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    const std::int64_t count = results[0].extents.elements();
    if (count == 0) return;
    search_on_cpu({of_, or_equal_, operands[0]->data(), operands[0]->extents.elements(), operands[1]->data(), count,
                   reinterpret_cast<std::int64_t*>(made[0]->data())},
                  on);
    bump(counter::library_calls);
  }

 private:
  const dtype of_;
  const bool or_equal_;
};

}  // namespace

bool has_search_call(const term& sorted, const term& values) {
  const dtype of = promote(sorted.type(), values.type());
  if (is_complex(of) || is_short_floating(of)) return false;
  const device_impl* const on = codegen::device_below(typed(sorted.get()));
  return keeps_work(on ? on : codegen::device_below(typed(values.get())));
}

handle make_search_call(const term& sorted, const term& values, bool or_equal) {
  return make_call<search_call>({sorted.held(), values.held()}, values.type(), values.extents(), or_equal);
}

}  // namespace sinter::runtime
