#include "codegen/source/loads.hpp"

#include <algorithm>

#include "codegen/ir/values.hpp"
#include "codegen/source/borders.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

namespace {

std::string nothing(dtype t) { return std::string("nothing_") + detail::facts(t).short_name; }

constexpr const char* trouble = "struct index_trouble {\n  int noted, axis;\n  long long index, extent;\n};\n";

// A thread takes what it finds along and tells it when it ends: a branch between loads would make each wait for the one before.
constexpr const char* check_in_cuda =
    "struct index_watch {\n"
    "  index_trouble* const to;\n"
    "  int noted = 0, axis = 0;\n"
    "  long long index = 0, extent = 0;\n"
    "  __device__ __forceinline__ ~index_watch() {\n"
    "    if (!noted || atomicCAS_system(&to->noted, 0, 1) != 0) return;\n"
    "    to->axis = axis;\n"
    "    to->index = index;\n"
    "    to->extent = extent;\n"
    "  }\n"
    "};\n"
    "static __device__ __forceinline__ long long checked(index_watch& watch, long long i, long long n, int axis) {\n"
    "  const long long at = i < 0 ? i + n : i;\n"
    "  const bool inside = (unsigned long long)at < (unsigned long long)n;\n"
    "  watch.noted = inside ? watch.noted : 1;\n"
    "  watch.axis = inside ? watch.axis : axis;\n"
    "  watch.index = inside ? watch.index : i;\n"
    "  watch.extent = inside ? watch.extent : n;\n"
    "  return inside ? at : 0;\n"
    "}\n";

constexpr const char* check_in_c =
    "static __attribute__((cold, noinline)) void note(struct index_trouble* t, long long i, long long n, int axis) {\n"
    "  if (__atomic_exchange_n(&t->noted, 1, __ATOMIC_RELAXED) != 0) return;\n"
    "  t->axis = axis;\n"
    "  t->index = i;\n"
    "  t->extent = n;\n"
    "}\n"
    "static inline __attribute__((always_inline)) long long checked(\n"
    "    struct index_trouble* t, long long i, long long n, int axis) {\n"
    "  const long long at = i < 0 ? i + n : i;\n"
    "  if ((unsigned long long)at < (unsigned long long)n) return at;\n"
    "  note(t, i, n, axis);\n"
    "  return 0;\n"
    "}\n";

}  // namespace

std::string nothing_row(dtype t) { return nothing(t) + "_row"; }

std::string_view spell_elements(dtype t, dialect to) {
  return t == dtype::bool_ && to == dialect::c ? "unsigned char" : spelling(t);
}

// In C a guard chooses an address: where it chose whether to load, gcc 12 would make masked loads of several neighbours, some of
// them wrong.
std::string spell_access(const value& v, const std::vector<std::string>& names, dialect to) {
  const std::string guard = guard_of(v) ? names[*guard_of(v)] : "", first = names[v.args[0]];
  if (v.kind == value_kind::check) {
    const std::string checked = std::string(to == dialect::cuda ? "checked(watch, " : "checked(trouble, ") + first +
                                ", " + names[v.args[1]] + ", " + std::to_string(number_of(v)) + ")";
    return guard.empty() ? checked : guard + " ? " + checked + " : 0";
  }
  const bool moves = v.index & with_offset;
  if (guard.empty() || to == dialect::cuda) {
    const std::string element = moves ? first + "[" + names[v.args[1]] + "]" : "*" + first;
    if (guard.empty()) return element;
    return guard + " ? " + element + " : " + spell_zero(v.type);
  }
  return "*(" + guard + " ? " + first + (moves ? " + " + names[v.args[1]] : "") + " : &" + nothing(v.type) + ")";
}

std::string load_definitions(const kernel& k, dialect to, bool in_stretches) {
  std::string text;
  if (has_checks(k)) text = trouble + std::string(to == dialect::cuda ? check_in_cuda : check_in_c);
  std::vector<dtype> done;
  for (const value& v : k.values) {
    if (to == dialect::cuda || v.kind != value_kind::load || !guard_of(v)) continue;
    if (std::find(done.begin(), done.end(), v.type) != done.end()) continue;
    done.push_back(v.type);
    const std::string type(spell_elements(v.type, to));
    text += "static const " + type + " " + nothing(v.type) + (detail::is_complex(v.type) ? " = {0};\n" : " = 0;\n");
    if (in_stretches)
      text += "static " + type + " " + nothing_row(v.type) + "[" + std::to_string(longest_stretch) + "];\n";
  }
  return text;
}

bool is_search(const kernel& k) {
  std::vector<int> before(k.values.size());
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const value& at = k.values[i];
    for (int a = 0; a < arity(at); ++a) before[i] = std::max(before[i], before[at.args[a]]);
    if (at.kind == value_kind::load && ++before[i] >= 3) return true;
  }
  return false;
}

// Gathers into vector registers take longer than loads one by one. Vectors pay where there is much else to compute, and in
// searches; but of short rows, whose elements the text spells out, and of complex numbers, of which only one part may be used, gcc
// 12 makes masked loads of neighbours all the same, some of them wrong.
bool loads_one_by_one(const kernel& k, const variant& v) {
  const auto any = [&](auto is) { return std::any_of(k.values.begin(), k.values.end(), is); };
  const auto loads = [](const value& at) { return at.kind == value_kind::load; };
  const auto reads = [&](const value& at) {
    return loads(at) || (at.kind == value_kind::call && at.called->has_raw());
  };
  const std::vector<settled_load> settled = v.map.stretches ? stretches_of(k, v).loads : std::vector<settled_load>{};
  const auto is_settled = [&](const value& at) {
    return std::ranges::any_of(settled, [&](const settled_load& l) { return &k.values[l.value] == &at; });
  };
  const bool short_row = v.map.short_row || v.fold.short_row;
  if (any([&](const value& at) {
        return reads(at) && guard_of(at) && !is_settled(at) && (short_row || !loads(at) || detail::is_complex(at.type));
      }))
    return true;
  // What is loaded at a position lies side by side, or is one element.
  const std::vector<int> steps = steps_of(k, [&](int input) { return k.inputs[input].iota ? 1 : unsteady; });
  const auto gathers = [&](const value& at) {
    return loads(at) && !is_settled(at) && (!(at.index & with_offset) || guard_of(at) || steps[at.args[1]] == unsteady);
  };
  return any(gathers) && !is_search(k) && !any([](const value& at) { return is_costly(at); });
}

}  // namespace sinter::codegen
