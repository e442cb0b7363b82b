// Products of every kind, of operands of every dtype and layout: NumPy's values, of less precise dtypes within their rounding.
#include <doctest/doctest.h>

#include <complex>
#include <map>
#include <string>
#include <vector>

#include <sinter/linalg.hpp>
#include <sinter/sinter.hpp>
#include <sinter/vectors.hpp>

#include "test/support/golden_numbers.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

template <class T>
constexpr bool is_whole = std::is_integral_v<T>;

// `operand` of golden_products.py.
template <class T>
array<T> numbers(const shape& s, int seed = 1) {
  if constexpr (std::is_same_v<T, bool>) {
    return golden_numbers<double>(s, seed) > 0;
  } else if constexpr (is_whole<T>) {
    const array<std::int64_t> whole = astype<std::int64_t>(golden_numbers<double>(s, seed) * 8);
    return astype<T>(std::is_signed_v<T> ? lazy<std::int64_t>(whole) : lazy<std::int64_t>(abs(whole)));
  } else {
    return golden_numbers<T>(s, seed);
  }
}

template <class T>
operands_by_name<T> all_operands() {
  const auto n = [](const shape& s, int seed = 1) { return numbers<T>(s, seed); };
  return {
      {"1", n({1, 1})},
      {"3x4", n({3, 4})},
      {"4x3", n({4, 3}, 2)},
      {"4x4", n({4, 4}, 3)},
      {"17x33", n({17, 33})},
      {"33x9", n({33, 9}, 2)},
      {"4", n({4}, 5)},
      {"3", n({3}, 6)},
      {"batch 2x3x4", n({2, 3, 4})},
      {"batch 2x4x3", n({2, 4, 3}, 2)},
      {"batches 2x1x3x4", n({2, 1, 3, 4})},
      {"batches 3x4x2", n({3, 4, 2}, 2)},
      {"strided 3x4", n({6, 8})(slice(_, _, 2), slice(_, _, -2))},
      {"transposed 4x3", n({3, 4}, 2).T()},
      {"broadcast 3x4", broadcast_to(n({4}), {3, 4})},
      {"column 3x1", n({3, 1})},
      {"row 1x4", n({1, 4}, 2)},
      {"empty 3x0", n({3, 0})},
      {"empty 0x4", n({0, 4})},
  };
}

/// The operands in a text of their names, which have spaces in them; `name[:,:n]` has fewer columns.
template <class T>
std::vector<lazy<T>> named(const operands_by_name<T>& all, std::string names) {
  std::vector<lazy<T>> found;
  while (!names.empty()) {
    std::string longest;
    for (const auto& [name, of] : all) {
      const char next = names.starts_with(name) && names.size() > name.size() ? names[name.size()] : ' ';
      if (names.starts_with(name) && (next == ' ' || next == '[') && name.size() > longest.size()) longest = name;
    }
    REQUIRE_FALSE(longest.empty());
    lazy<T> x = all.at(longest);
    names.erase(0, longest.size());
    if (names.starts_with('[')) {
      const std::size_t end = names.find(']');
      x = x(ellipsis, slice(_, std::stoll(names.substr(4, end - 4))));
      names.erase(0, end + 1);
    }
    found.push_back(x);
    names.erase(0, names.starts_with(' '));
  }
  return found;
}

template <class T>
std::string kind_of() {
  return is_whole<T> ? name(dtype_of<T>) : golden_kind<T>;
}
template <class T>
double tolerance() {
  if (is_whole<T>) return 0;
  if (std::is_same_v<T, half>) return 4e-3;
  if (std::is_same_v<T, bfloat16>) return 4e-2;
  return sizeof(T) == (detail::complex_number<T> ? 8 : 4) ? 2e-6 : 1e-13;
}

// Each case is a kernel, or several, where it is compiled: of a dtype some, in turn.
template <class T>
bool is_for_this_device(const std::string& line) {
  std::size_t number = static_cast<std::size_t>(dtype_of<T>);
  for (const char c : line) number = number * 31 + static_cast<unsigned char>(c);
  return takes_all_cases() || turn_of(static_cast<unsigned>(number >> 2)) % 16 == 0;
}

// Every line of a name: `f` is given the operands.
template <class T, class F>
void check(const std::string& name, const operands_by_name<T>& all, F f) {
  static const auto lines = read_numpy_cases("products.txt", 3);
  const std::string start = name + '|' + kind_of<T>() + '|';
  int count = 0;
  for (auto at = lines.lower_bound(start); at != lines.end() && at->first.starts_with(start); ++at, ++count) {
    CAPTURE(at->first);
    if (is_for_this_device<T>(at->first))
      check_golden(at->second, f(named(all, at->first.substr(start.size()))), tolerance<T>());
  }
  CHECK(count > 0);
}

template <class T>
using list = std::vector<lazy<T>>;

template <class T>
lazy<T> einsum_of(const std::string& labels, const list<T>& x) {
  if (x.size() == 1) return einsum(labels, x[0]);
  if (x.size() == 2) return einsum(labels, x[0], x[1]);
  return einsum(labels, x[0], x[1], x[2]);
}

}  // namespace

#define OF(...) [](const list<T>& x) { return lazy<T>(__VA_ARGS__); }
#define CASES(...)                                                                                               \
  TEST_CASE_TEMPLATE(__VA_ARGS__, T, bool, std::int8_t, std::uint8_t, std::int16_t, int, unsigned, std::int64_t, \
                     std::uint64_t, half, bfloat16, float, double, std::complex<float>, std::complex<double>)

CASES("products: of matrices and vectors, as NumPy has them") {
  const operands_by_name<T> all = all_operands<T>();
  check("matmul", all, OF(matmul(x[0], x[1])));
  check("dot", all, OF(dot(x[0], x[1])));
  check("inner", all, OF(inner(x[0], x[1])));
  check("outer", all, OF(outer(x[0], x[1])));
  check("vdot", all, OF(vdot(x[0], x[1])));
  check("vecdot", all, OF(vecdot(x[0], x[1])));
  check("matvec", all, OF(matvec(x[0], x[1])));
  check("vecmat", all, OF(vecmat(x[0], x[1])));
}

CASES("products: over several axes, as NumPy has them") {
  const operands_by_name<T> all = all_operands<T>();
  check("tensordot 1", all, OF(tensordot(x[0], x[1], 1)));
  check("tensordot 0", all, OF(tensordot(x[0], x[1], 0)));
  check("tensordot lists", all, OF(tensordot(x[0], x[1], {{0, 2}, {0, 1}})));
  for (const char* labels :
       {"ij,jk",       "ij,kj->ik", "ij,jk->ki",    "ij->ji",   "ij->",         "ii",          "ii->i",
        "ij->j",       "i,i",       "i,j",          "ij,ij->i", "bij,bjk->bik", "bij,bjk->ik", "bij,jk->bik",
        "...ij,...jk", "i...,i...", "ij,jk,kl->il", "ij,i,j",   "abc,ca->b",    "ij,jk->"})
    check("einsum " + std::string(labels), all, [&](const list<T>& x) { return einsum_of<T>(labels, x); });
  if constexpr (!std::is_same_v<T, bool>) {
    check("kron", all, OF(kron(x[0], x[1])));
    check("multi_dot", all, OF(linalg::multi_dot(x[0], x[1], x[0], x[1])));
    for (const int power : {0, 1, 2, 5})
      check("matrix_power " + std::to_string(power), all,
            [&](const list<T>& x) { return lazy<T>(linalg::matrix_power(x[0], power)); });
  }
}
