// Says what is wrong with a kernel. Called between passes in debug builds and by tests. Invariant: a kernel that passes
// can be spelled in both dialects and interpreted, on every path through the emitter; but for one that compresses or counts, which is
// for CUDA alone.
#include <algorithm>
#include <string>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/kernel.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {
namespace {

class checker {
 public:
  explicit checker(const kernel& k) : kernel_(k), needs_(k.values.size()) {}

  void check() {
    for (std::size_t n = 0; n < kernel_.inputs.size(); ++n) check_input(n);
    for (std::size_t n = 0; n < kernel_.values.size(); ++n) check_value(n);
    for (std::size_t n = 0; n < kernel_.accumulators.size(); ++n) check_accumulator(n);
    require(!kernel_.outputs.empty(), "the kernel", "it has no output");
    require(kernel_.everywhere <= (kernel_.reduces() ? kernel_.outputs.size() : 0), "the kernel",
            "it has not so many outputs at every point of a row");
    require(!kernel_.scans() || kernel_.everywhere == kernel_.outputs.size(), "the kernel",
            "outputs of a scan or a transform are written at every point");
    require(!kernel_.compresses || (kernel_.scans() && !kernel_.transforms() && kernel_.outputs.size() == 2),
            "the kernel", "one that compresses is a scan, of an element and its place");
    require(!kernel_.counts || (!kernel_.reduces() && kernel_.outputs.size() == 1 &&
                                kernel_.values[kernel_.outputs[0]].type == dtype::int32),
            "the kernel", "one that counts is a map, of int32");
    for (std::size_t n = 0; n < kernel_.outputs.size(); ++n)
      require(kernel_.outputs[n] < kernel_.values.size(), "output " + std::to_string(n), "there is no such value");
  }

 private:
  void require(bool holds, const std::string& what, const char* complaint) const {
    if (holds) return;
    throw internal_error(("malformed kernel: " + what + ": " + complaint + "\n" + print(kernel_)).c_str());
  }

  void check_input(std::size_t n) const {
    const input& in = kernel_.inputs[n];
    const std::string what = "input " + std::to_string(n);
    require(!in.iota || in.type == dtype::int64, what, "positions are int64");
    require(!in.iota || !in.indexed, what, "positions are not loaded");
  }

  void check_value(std::size_t n) {
    const value& v = kernel_.values[n];
    const std::string what = "v" + std::to_string(n);
    switch (v.kind) {
      case value_kind::input:
        require(v.index < kernel_.inputs.size(), what, "there is no such input");
        require(v.type == kernel_.inputs[v.index].type, what, "its dtype is not the input's");
        break;
      case value_kind::scalar:
        require(v.index < kernel_.scalars.size(), what, "there is no such scalar");
        require(v.type == kernel_.scalars[v.index], what, "its dtype is not the scalar's");
        break;
      case value_kind::cast: check_arguments(n, 1); break;
      case value_kind::apply: check_apply(n); break;
      case value_kind::reduced:
      case value_kind::scanned:
        require(v.index < kernel_.accumulators.size(), what, "there is no such accumulator");
        require(kernel_.accumulators[v.index].running == (v.kind == value_kind::scanned), what,
                "only running accumulators have a value at every point");
        require(v.type == kernel_.accumulators[v.index].result_type(), what, "its dtype is not the accumulator's");
        needs_[n] = v.index + 1;
        break;
      case value_kind::load: check_load(n); break;
      case value_kind::check: check_check(n); break;
      case value_kind::call: check_call(n); break;
      default: require(false, what, "there is no such kind of value");
    }
  }

  void check_arguments(std::size_t n, int arity) {
    const value& v = kernel_.values[n];
    for (int a = 0; a < arity; ++a) {
      require(v.args[a] < n, "v" + std::to_string(n), "it comes before what it is made of");
      const bool takes_place = v.kind == value_kind::call ? v.called->is_raw(a) : v.kind == value_kind::load && a == 0;
      require(takes_place || !is_place(v.args[a]), "v" + std::to_string(n), "it computes with a place");
      needs_[n] = std::max(needs_[n], needs_[v.args[a]]);
    }
  }

  void check_load(std::size_t n) {
    const value& v = kernel_.values[n];
    const std::string what = "v" + std::to_string(n);
    check_arguments(n, arity(v));
    require(is_place(v.args[0]), what, "it does not load from a place");
    require(v.type == kernel_.values[v.args[0]].type, what, "its dtype is not that of what it loads");
    if (v.index & with_offset) require(type_of(v.args[1]) == dtype::int64, what, "offsets are int64");
    if (guard_of(v)) require(type_of(*guard_of(v)) == dtype::bool_, what, "guards are bool");
  }

  void check_check(std::size_t n) {
    const value& v = kernel_.values[n];
    const std::string what = "v" + std::to_string(n);
    check_arguments(n, arity(v));
    require(v.type == dtype::int64 && type_of(v.args[0]) == v.type && type_of(v.args[1]) == v.type, what,
            "indices and extents are int64");
    if (guard_of(v)) require(type_of(*guard_of(v)) == dtype::bool_, what, "guards are bool");
  }

  void check_call(std::size_t n) {
    const value& v = kernel_.values[n];
    const std::string what = "v" + std::to_string(n);
    check_arguments(n, arity(v));
    for (int a = 0; a < v.called->arguments(); ++a) {
      require(type_of(v.args[a]) == v.called->argument_type(a), what,
              "its arguments are not of the parameters' dtypes");
      require(!v.called->is_raw(a) || is_place(v.args[a]), what, "a raw argument is a place");
    }
    if (guard_of(v)) require(type_of(*guard_of(v)) == dtype::bool_, what, "guards are bool");
    const auto result = static_cast<std::size_t>(number_of(v));
    require(result < v.called->results.size(), what, "the function has no such result");
    require(v.type == v.called->results[result].type, what, "its dtype is not that of the function's result");
  }

  dtype type_of(std::uint16_t v) const { return kernel_.values[v].type; }
  // Of a value that an indexed input is: nothing but a load has a use for it.
  bool is_place(std::uint16_t v) const {
    const value& at = kernel_.values[v];
    return at.kind == value_kind::input && kernel_.inputs[at.index].indexed;
  }

  void check_apply(std::size_t n) {
    const value& v = kernel_.values[n];
    const std::string what = "v" + std::to_string(n);
    require(static_cast<int>(v.code) < detail::op_count, what, "there is no such operation");
    const auto& [name, arity, rule] = detail::facts(v.code);
    check_arguments(n, arity);
    const bool chooses = rule == detail::rule::choice;
    const dtype computed = kernel_.values[v.args[arity - 1]].type;
    for (int a = 0; a < arity; ++a) {
      const dtype wanted = chooses && a == 0 ? dtype::bool_ : computed;
      require(kernel_.values[v.args[a]].type == wanted, what, "its arguments are not of the dtype it computes in");
    }
    require(detail::computed_in(v.code, computed) == computed || is_of_sign(v.code), what, "it computes in 16 bits");
    require(detail::accepts(rule, computed) && detail::compute_dtype(rule, computed) == computed, what,
            "the operation does not compute in that dtype");
    require(v.type == detail::result_dtype(rule, computed), what, "its dtype is not what the operation gives");
  }

  void check_accumulator(std::size_t n) const {
    const accumulator& a = kernel_.accumulators[n];
    const std::string what = "a" + std::to_string(n);
    require(static_cast<int>(a.what) < detail::reduction_count, what, "there is no such reduction");
    const bool truth = detail::facts(a.what).gives == detail::folded_dtype::truth;
    require(a.running == kernel_.scans(), what, "it is not running, as the others are, or the other way round");
    require((a.what == reduction::text) == (a.called != nullptr), what, "a text folds, or what has none");
    require(a.what != reduction::logaddexp || detail::is_floating(a.type), what, "logarithms are floating");
    require(a.value < kernel_.values.size(), what, "there is no such value");
    require(a.type == kernel_.values[a.value].type, what, "its dtype is not that of what it folds");
    require(!truth || a.type == dtype::bool_, what, "any and all fold bool");
    const bool transforms = a.transform != fourier::none;
    require(transforms == kernel_.transforms(), what, "it is a transform, and others are not, or the other way round");
    require(!transforms || (a.running && detail::is_complex(a.type)), what, "it cannot be transformed");
    require(!transforms || a.type == kernel_.accumulators[0].type, what, "transforms of one kernel are of one dtype");
    require(!a.running || transforms || (needs_[a.value] == 0 && a.members() == 1), what, "it cannot be scanned");
    require(needs_[a.value] <= static_cast<int>(n), what, "it folds what only itself or a later one gives");
    if (a.members() == 1) return;
    require(a.position < kernel_.values.size(), what, "there is no such value");
    require(kernel_.values[a.position].type == dtype::int64, what, "positions are int64");
    require(needs_[a.position] == 0, what, "positions need no reduction");
  }

  const kernel& kernel_;
  std::vector<int> needs_;  // per value: how many accumulators, the first ones, are folded before it is there
};

}  // namespace

void verify(const kernel& k) { checker(k).check(); }

}  // namespace sinter::codegen
