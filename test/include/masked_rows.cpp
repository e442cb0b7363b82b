// Rows with masks: of every length up to some lanes and more, against loops; and what they share is computed once.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/foreign.hpp>
#include <sinter/inspect.hpp>
#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

constexpr std::int64_t rows = 5;

struct masked {
  std::int64_t columns;
  array<float> x;
  array<bool> mask;
  std::vector<float> values;
  std::vector<char> truths;
};

masked make(std::int64_t columns) {
  masked m{columns, array<float>(), array<bool>(), {}, {}};
  m.x = astype<float>((arange(rows * columns) * 29) % 23).reshape(rows, columns) / 4.f - 2.f;
  m.mask = (arange(rows * columns) * 7 % 5 < 3).reshape(rows, columns);
  for (std::int64_t k = 0; k < rows * columns; ++k) {
    m.values.push_back(static_cast<float>(k * 29 % 23) / 4.f - 2.f);
    m.truths.push_back(k * 7 % 5 < 3);
  }
  return m;
}

/// Softmax of rows, what `seen` says is masked out being left out.
template <class F>
std::vector<double> softmax_of(const masked& m, F seen) {
  std::vector<double> all(m.values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t c = 0; c < m.columns; ++c)
      if (seen(r, c)) most = std::max<double>(most, m.values[static_cast<std::size_t>(r * m.columns + c)]);
    for (int pass = 0; pass < 2; ++pass)
      for (std::int64_t c = 0; c < m.columns; ++c) {
        const auto k = static_cast<std::size_t>(r * m.columns + c);
        const double e = seen(r, c) ? std::exp(m.values[k] - most) : 0;
        pass == 0 ? void(total += e) : void(all[k] = e / total);
      }
  }
  return all;
}

void check_close(const array<float>& got, const std::vector<double>& wanted) {
  const std::vector<float> found = got.get();
  REQUIRE(found.size() == wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(found[k] == doctest::Approx(wanted[k]).epsilon(1e-5));
}

void check_length(std::int64_t columns) {
  INFO("rows of " << columns);
  const masked m = make(columns);
  const auto masked_in = [&](std::int64_t r, std::int64_t c) {
    return m.truths[static_cast<std::size_t>(r * columns + c)] != 0;
  };
  // A row has at least one that is not masked out: the first column is none.
  array<bool> mask = m.mask;
  mask(_, 0) = true;
  const auto in = [&](std::int64_t r, std::int64_t c) { return c == 0 || masked_in(r, c); };
  check_close(special::softmax(where(mask, m.x, -1e9f), 1), softmax_of(m, in));
  check_close(special::softmax(m.x + astype<float>(where(mask, 0., -1e9)), 1), softmax_of(m, in));
  check_close(special::softmax(where(tril(ones<bool>({rows, columns})), m.x, -1e9f), 1),
              softmax_of(m, [](std::int64_t r, std::int64_t c) { return c <= r; }));
  std::vector<double> shares = softmax_of(m, in);
  check_close(where(mask, exp(m.x), 0.f) / sum(where(mask, exp(m.x), 0.f), {.axis = 1, .keepdims = true}), shares);

  std::vector<double> sums(rows), most(rows, -9), logs(rows);
  std::vector<std::int64_t> counts(rows);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const double x = m.values[static_cast<std::size_t>(r * columns + c)];
      if (in(r, c)) sums[static_cast<std::size_t>(r)] += x;
      if (in(r, c)) most[static_cast<std::size_t>(r)] = std::max(most[static_cast<std::size_t>(r)], x);
      if (in(r, c)) logs[static_cast<std::size_t>(r)] += std::log(3 + x);
      counts[static_cast<std::size_t>(r)] += in(r, c);
    }
  check_close(sum(where(mask, m.x, 0.f), 1), sums);
  check_close(max(where(mask, m.x, -9.f), 1), most);
  check_close(sum(where(mask, log(3.f + m.x), 0.f), 1), logs);
  CHECK(count_nonzero(mask, 1).get() == counts);
}

TEST_CASE("rows with masks, of any length") {
  for (std::int64_t columns = 1; columns <= 70; ++columns) check_length(columns);
  for (std::int64_t columns : {96, 97, 127, 300, 515, 2050}) check_length(columns);
}

TEST_CASE("a choice between truth values, and of two scalars that are cast") {
  const masked m = make(33);
  const array<bool> a = m.x > 0.f;
  const std::vector<bool> got = where(m.mask, a, m.x < -1.f).get();
  const std::vector<float> numbers = astype<float>(where(m.mask, 0.1, 2.5)).get();
  const std::vector<half> halves = astype<half>(where(m.mask, 0.1, 2.5)).get();
  const std::vector<bool> truths = astype<bool>(where(m.mask, 0., 2.)).get();
  for (std::size_t k = 0; k < m.values.size(); ++k) {
    CHECK(got[k] == (m.truths[k] ? m.values[k] > 0 : m.values[k] < -1));
    CHECK(numbers[k] == (m.truths[k] ? 0.1f : 2.5f));
    CHECK(float(halves[k]) == float(m.truths[k] ? half(0.1) : half(2.5)));
    CHECK(truths[k] == (m.truths[k] == 0));
  }
}

TEST_CASE("a choice between bytes from elsewhere, which are neither 0 nor 1") {
  std::vector<unsigned char> mask, of, other;
  for (int k = 0; k < 40; ++k) {
    mask.push_back(static_cast<unsigned char>(k % 3 == 0 ? 0 : 4 * k));
    of.push_back(static_cast<unsigned char>(k % 2 == 0 ? 0 : 1));
    other.push_back(static_cast<unsigned char>(k % 5 == 0 ? 0 : 1));
  }
  if (!(device::current() == device::cpu())) return;  // whose memory that is
  const auto truths = [](std::vector<unsigned char>& bytes) {
    return from_memory<bool>(reinterpret_cast<bool*>(bytes.data()), {40});
  };
  const std::vector<bool> got = where(truths(mask), truths(of), truths(other)).get();
  for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == ((mask[k] != 0 ? of[k] : other[k]) != 0));
}

// What an expression takes besides arrays does not keep a kernel from seeing that it is met again.
TEST_CASE("a row's exponential is computed once, also of a choice with scalars") {
  const masked m = make(96);
  const auto once = [](const auto& e) {
    const std::string told = std::string(explain(e).c_str());
    const std::size_t formula = told.find("kernels: 1");
    REQUIRE(formula != std::string::npos);
    const std::size_t first = told.find("exp(", formula);
    REQUIRE(first != std::string::npos);
    return told.find("exp(", first + 1) == std::string::npos;
  };
  CHECK(once(special::softmax(m.x, 1)));
  CHECK(once(special::softmax(where(m.mask, m.x, -1e9f), 1)));
  CHECK(once(special::softmax(m.x * 3.f + 1.f, 1)));
  CHECK(once(special::softmax(where(tril(ones<bool>({rows, std::int64_t{96}})), m.x, -1e9f), 1)));
}

}  // namespace
