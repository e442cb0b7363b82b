// Integers that wrap round and are used as something else in the same kernel. C promotes narrow integers to int, and a
// compiler that keeps more bits than the dtype has gives 32768 for minus the int16 -32768. Every integer operation of
// every dtype over edge values, followed by every conversion, against the plain steps of scalar.hpp.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "codegen/ir/interpret_ops.hpp"
#include "test/codegen/source/sweep.hpp"
#include "test/fuzz/nodes.hpp"

namespace {

using namespace sinter;
using namespace sinter::fuzz;
using namespace sinter::test;
using bytes = std::vector<std::byte>;
using detail::rule;

/// Every pair of numbers at which something happens.
template <class T>
void edges(bytes& left, bytes& right) {
  using limits = std::numeric_limits<T>;
  const int width = 8 * sizeof(T);
  const T some[] = {limits::min(),
                    static_cast<T>(limits::min() + 1),
                    static_cast<T>(-2),
                    static_cast<T>(-1),
                    0,
                    1,
                    2,
                    3,
                    static_cast<T>(width - 1),
                    static_cast<T>(width),
                    static_cast<T>(limits::max() / 2 + 1),
                    static_cast<T>(limits::max() - 1),
                    limits::max()};
  const auto append = [](bytes& to, const T& x) {
    const auto* raw = reinterpret_cast<const std::byte*>(&x);
    to.insert(to.end(), raw, raw + sizeof x);
  };
  for (const T& x : some)
    for (const T& y : some) append(left, x), append(right, y);
}

void edges(dtype t, bytes& left, bytes& right) {
  switch (t) {
    case dtype::int8: return edges<std::int8_t>(left, right);
    case dtype::uint8: return edges<std::uint8_t>(left, right);
    case dtype::int16: return edges<std::int16_t>(left, right);
    case dtype::uint16: return edges<std::uint16_t>(left, right);
    case dtype::int32: return edges<std::int32_t>(left, right);
    case dtype::uint32: return edges<std::uint32_t>(left, right);
    case dtype::int64: return edges<std::int64_t>(left, right);
    default: return edges<std::uint64_t>(left, right);
  }
}

/// A value left lazy, and what it must be.
struct expected {
  std::string name;
  handle lazy;
  bytes value;
};

/// Operands of one dtype, and steps on values over them.
class steps {
 public:
  explicit steps(dtype t) : type_(t) {
    edges(t, left_, right_);
    count_ = static_cast<int>(left_.size()) / itemsize(t);
    x_ = handle(detail::make_from_host(t, shape(count_), left_.data()));
    y_ = handle(detail::make_from_host(t, shape(count_), right_.data()));
  }

  expected apply(op code) const {
    const dtype gives = detail::result_dtype(detail::facts(code).of, type_);
    std::vector<handle> operands = {x_, y_, x_};
    operands.resize(detail::facts(code).arity);
    expected e{name(type_) + std::string(" ") + detail::facts(code).name, fuzz::apply(code, operands), room(gives)};
    const void* args[3] = {left_.data(), right_.data(), left_.data()};
    codegen::find_apply(code, type_)(args, e.value.data(), count_);
    return e;
  }

  expected cast(const expected& from, dtype to) const {
    expected e{from.name + " as " + name(to), fuzz::cast(from.lazy, to), room(to)};
    codegen::find_cast(to, type_of(from.lazy))(from.value.data(), e.value.data(), count_);
    return e;
  }

  /// Does it come before the other operand? Comparisons promote as casts do.
  expected less(const expected& from) const {
    expected e{from.name + " < y", fuzz::apply(op::less, {from.lazy, y_}), room(dtype::bool_)};
    const void* args[3] = {from.value.data(), right_.data(), nullptr};
    codegen::find_apply(op::less, type_)(args, e.value.data(), count_);
    return e;
  }

 private:
  bytes room(dtype t) const { return bytes(static_cast<std::size_t>(count_ * itemsize(t))); }

  dtype type_;
  int count_;
  bytes left_, right_;
  handle x_, y_;
};

/// Evaluates all of them in one kernel.
void check(const std::vector<expected>& all) {
  std::vector<detail::node*> roots, results(all.size());
  for (const expected& e : all) roots.push_back(e.lazy.get());
  detail::evaluate_all(roots.data(), results.data(), static_cast<int>(all.size()), {});
  std::string wrong;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const handle result(results[i]);
    if (bytes_of(result) != all[i].value) wrong += "\n  " + all[i].name;
  }
  CHECK_MESSAGE(wrong.empty(), wrong);
}

/// Operations that give integers; choosing between two is none of arithmetic.
bool gives_integer(op code, dtype t) {
  const rule r = detail::facts(code).of;
  return computes_in(code, t) && r != rule::choice && detail::result_dtype(r, t) == t;
}

/// Calls f with each integer operation's result over edge values of a dtype.
template <class F>
void each_result(const steps& s, dtype t, F f) {
  for (int i = 0; i < detail::op_count; ++i)
    if (gives_integer(static_cast<op>(i), t)) f(s.apply(static_cast<op>(i)));
}

constexpr dtype integers[] = {dtype::int8,  dtype::uint8,  dtype::int16, dtype::uint16,
                              dtype::int32, dtype::uint32, dtype::int64, dtype::uint64};

}  // namespace

// A kernel for each conversion: a result that is used twice may be computed otherwise.
TEST_CASE("narrow integers: what wraps has wrapped when it is converted or compared in the same kernel") {
  for (dtype t : integers) {
    const steps s(t);
    for (dtype to : element_dtypes) {
      std::vector<expected> all;
      each_result(s, t, [&](const expected& result) {
        if (to != t) all.push_back(s.cast(result, to));
        else all.push_back(s.less(result));
      });
      check(all);
    }
  }
}

TEST_CASE("narrow integers: the low bits of a wider result are a number of their own") {
  for (dtype t : {dtype::int32, dtype::uint64}) {
    const steps s(t);
    for (dtype to : {dtype::int8, dtype::uint8, dtype::int16, dtype::uint16}) {
      std::vector<expected> all;
      each_result(s, t, [&](const expected& result) { all.push_back(s.cast(s.cast(result, to), dtype::int64)); });
      check(all);
    }
  }
}

TEST_CASE("narrow integers: sums and products kept in a narrow dtype wrap") {
  const array<std::int16_t> a = full<std::int16_t>({2, 40}, 1000), b = full<std::int16_t>({2, 40}, 3);
  const array<std::int64_t> sums = astype<std::int64_t>(sum<std::int16_t>(a, 1)),
                            products = astype<std::int64_t>(prod<std::int16_t>(b, 1));
  const auto wrapped = static_cast<std::int16_t>(40'000);
  std::uint32_t product = 1;
  for (int i = 0; i < 40; ++i) product *= 3;
  CHECK(sums.get() == std::vector<std::int64_t>(2, wrapped));
  CHECK(products.get() == std::vector<std::int64_t>(2, static_cast<std::int16_t>(product)));
  CHECK(array<std::int64_t>(max(-full<std::int16_t>({3}, -32768)).astype<std::int64_t>()).item() == -32768);
}
