#include "codegen/source/loads.hpp"

#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

namespace {

std::string nothing(dtype t) { return std::string("nothing_") + detail::facts(t).short_name; }

// The note is written apart: it is rare, and the loop around a check stays small.
std::string check_definition(dialect to) {
  const bool cuda = to == dialect::cuda;
  const std::string rare = cuda ? "static __device__ __noinline__ " : "static __attribute__((cold, noinline)) ";
  const std::string often =
      cuda ? "static __device__ __forceinline__ " : "static inline __attribute__((always_inline)) ";
  const std::string first =
      cuda ? "atomicCAS_system(&t->noted, 0, 1) == 0" : "__atomic_exchange_n(&t->noted, 1, __ATOMIC_RELAXED) == 0";
  return "struct index_trouble {\n  int noted, axis;\n  long long index, extent;\n};\n" + rare +
         "void note(struct index_trouble* t, long long i, long long n, int axis) {\n"
         "  if (" +
         first + ") {\n    t->axis = axis;\n    t->index = i;\n    t->extent = n;\n  }\n}\n" + often +
         "long long checked(struct index_trouble* t, long long i, long long n, int axis) {\n"
         "  const long long at = i < 0 ? i + n : i;\n"
         "  if ((unsigned long long)at < (unsigned long long)n) return at;\n"
         "  note(t, i, n, axis);\n  return 0;\n}\n";
}

}  // namespace

// In C a guard chooses an address: where it chose whether to load, gcc 12 would make masked loads of several neighbours, some of
// them wrong.
std::string spell_access(const value& v, const std::vector<std::string>& names, dialect to) {
  const std::string guard = guard_of(v) ? names[*guard_of(v)] : "", first = names[v.args[0]];
  if (v.kind == value_kind::check) {
    const std::string checked =
        "checked(trouble, " + first + ", " + names[v.args[1]] + ", " + std::to_string(axis_of(v)) + ")";
    return guard.empty() ? checked : guard + " ? " + checked + " : 0";
  }
  const bool moves = v.index & with_offset;
  if (guard.empty() || to == dialect::cuda) {
    const std::string element = moves ? first + "[" + names[v.args[1]] + "]" : "*" + first;
    return guard.empty() ? element : guard + " ? " + element + " : 0";
  }
  return "*(" + guard + " ? " + first + (moves ? " + " + names[v.args[1]] : "") + " : &" + nothing(v.type) + ")";
}

std::string load_definitions(const kernel& k, dialect to) {
  std::string text = has_checks(k) ? check_definition(to) : "";
  std::vector<dtype> done;
  for (const value& v : k.values) {
    if (to == dialect::cuda || v.kind != value_kind::load || !guard_of(v)) continue;
    if (std::find(done.begin(), done.end(), v.type) != done.end()) continue;
    done.push_back(v.type);
    text += "static const " + std::string(spelling(v.type)) + " " + nothing(v.type) + " = 0;\n";
  }
  return text;
}

// Gathers into vector registers take longer than loads one by one. Vectors pay where there is much else to compute.
bool loads_one_by_one(const kernel& k) {
  const auto any = [&](auto is) { return std::any_of(k.values.begin(), k.values.end(), is); };
  return any([](const value& v) { return v.kind == value_kind::load; }) &&
         !any([](const value& v) { return v.kind == value_kind::apply && is_costly(v.code); });
}

}  // namespace sinter::codegen
