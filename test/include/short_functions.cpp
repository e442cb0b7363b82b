// Every function of one number of 16 bits, of all 2^16 of them, against the function of double, rounded once.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/interpret_ops.hpp"
#include "test/codegen/ir/op_rows.hpp"
#include "test/include/made_at_run_time.hpp"
#include "test/numpy/golden.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using detail::handle;
using detail::instruction;

constexpr int all = 1 << 16;

template <class T>
const std::vector<T>& numbers() {
  static const std::vector<T> made = [] {
    std::vector<T> of(all);
    for (int bits = 0; bits < all; ++bits)
      of[static_cast<std::size_t>(bits)] = T::from_bits(static_cast<std::uint16_t>(bits));
    return of;
  }();
  return made;
}

/// Rows that compute of one operand that a number of 16 bits can be.
std::vector<op> functions() {
  std::vector<op> found;
  for (int row = 0; row < detail::op_count; ++row)
    if (op_rows[row].arity == 1 && detail::accepts(op_rows[row].of, dtype::float16) &&
        op_rows[row].of != detail::rule::logic)
      found.push_back(static_cast<op>(row));
  return found;
}

/// The expression of one function; the table's address is its identity.
handle expression_of(op code, detail::node* x, dtype of) {
  struct table {
    instruction code[2];
    void* plan = nullptr;
    detail::fragment made{};
  };
  static auto* tables = new std::deque<table>;
  const dtype gives = detail::result_dtype(detail::facts(code).of, of);
  table& t = tables->emplace_back();
  t.code[0] = {instruction::take_node, of};
  t.code[1] = {static_cast<std::uint8_t>(code), gives};
  t.made = {t.code, 2, 1, 0, gives, &t.plan};
  return made_at_run_time({&t.made, &x, nullptr});
}

/// What the interpreter's loop of double gives, of every number.
template <class T>
std::vector<double> in_double(op code) {
  std::vector<double> x(all), y(all);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(numbers<T>()[i]);
  const void* const args[3] = {x.data(), nullptr, nullptr};
  const bool truth = detail::result_dtype(detail::facts(code).of, dtype::float64) == dtype::bool_;
  std::vector<char> told(truth ? all : 0);
  codegen::find_apply(code, dtype::float64)(args, truth ? static_cast<void*>(told.data()) : y.data(), all);
  for (std::size_t i = 0; i < told.size(); ++i) y[i] = told[i];
  // The distance to the neighbour is one of this dtype.
  if (code == op::spacing)
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t at = x[i] == 0 ? 0 : i;  // of either zero that of the positive one
      const T from = numbers<T>()[at], next = T::from_bits(static_cast<std::uint16_t>(at + 1));
      y[i] = std::isfinite(x[i]) ? static_cast<double>(next) - static_cast<double>(from) : std::nan("");
    }
  return y;
}

template <class T>
void check(op code, const std::vector<T>& got) {
  const std::vector<double> wanted = in_double<T>(code);
  const double ulp = op_rows[static_cast<int>(code)].ulp, bound = std::min(ulp, 1.0);
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const T rounded = static_cast<T>(wanted[i]);
    const double x = std::fabs(static_cast<double>(numbers<T>()[i]));
    const bool other_zero =
        rounded == T(0) && got[i] == T(0) && std::signbit(wanted[i]) != std::signbit(static_cast<float>(got[i]));
    const double scale = cancels(op_rows[static_cast<int>(code)].name) ? std::max(1.0, std::isfinite(x) ? x : 1.0) : 0;
    if (code == op::signbit && std::isnan(x)) continue;  // which is open
    const double off = other_zero && ulp == 0 ? 1 : ulps_apart<T>(got[i], rounded, static_cast<T>(scale));
    if (off > worst) worst = off, at = i;
  }
  CAPTURE(std::string(name(dtype_of<T>)));
  CAPTURE(std::string(op_rows[static_cast<int>(code)].name));
  CAPTURE(static_cast<double>(numbers<T>()[at]));
  CAPTURE(static_cast<double>(got[at]));
  CAPTURE(wanted[at]);
  CHECK(worst <= bound);
}

template <class T>
void check(op code, detail::node* result) {
  const auto read = [&](auto one) {
    std::vector<decltype(one)> elements(all);
    detail::read_all(result, elements.data(), elements.size(), {}, {});
    return elements;
  };
  if (detail::result_dtype(detail::facts(code).of, dtype_of<T>) != dtype::bool_) return check<T>(code, read(T()));
  const std::vector<char> told = read(char());
  check<T>(code, std::vector<T>(told.begin(), told.end()));
}

}  // namespace

TEST_CASE("short functions: of all 2^16 numbers the function of double, rounded") {
  const std::vector<op> rows = functions();
  CHECK(rows.size() > 70);
  const array<half> x = asarray(numbers<half>());
  const array<bfloat16> y = asarray(numbers<bfloat16>());
  const handle nodes[] = {handle(x.share()), handle(y.share())};
  constexpr std::size_t together = 8;  // functions of a kernel, of both dtypes
  for (std::size_t first = 0; first < rows.size(); first += together) {
    const std::size_t count = std::min(together, rows.size() - first);
    std::vector<handle> held;
    std::vector<detail::node*> roots, results(2 * count);
    for (std::size_t i = 0; i < 2 * count; ++i) {
      const dtype of = i % 2 ? dtype::bfloat16 : dtype::float16;
      held.push_back(expression_of(rows[first + i / 2], nodes[i % 2].get(), of));
      roots.push_back(held.back().get());
    }
    detail::evaluate_all(roots.data(), results.data(), static_cast<int>(roots.size()), {});
    for (std::size_t i = 0; i < 2 * count; ++i) {
      const handle result(results[i]);
      if (i % 2) check<bfloat16>(rows[first + i / 2], result.get());
      else check<half>(rows[first + i / 2], result.get());
    }
  }
}
