// Stores through indices whose last axes are taken whole: rows that lie in memory as they are stored are copied as such.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <sinter/sinter.hpp>

namespace {

using namespace sinter;

/// Stores through a list of indices, and the same one by one: by the places that the list has in an array of places.
template <class T, class Pick, class V>
void check_store(const char* what, const array<T>& before, Pick pick, const V& values) {
  INFO(what);
  const array<std::int64_t> places = arange(before.size()).reshape(before.shape()).copy();
  const array<std::int64_t> at = pick(places);
  const array<T> all = array<T>(values + zeros<T>(at.shape()));
  const auto where = at.get();
  const auto from = all.get();
  const auto check = [&](auto store, auto fold) {
    array<T> to = before.copy();
    std::vector<T> wanted = to.get();
    store(to);
    for (std::size_t i = 0; i < where.size(); ++i) {
      T& one = wanted[static_cast<std::size_t>(where[i])];
      one = fold(one, from[i]);
    }
    CHECK(to.get() == wanted);
  };
  check([&](array<T>& to) { pick(to) = values; }, [](T, T b) { return b; });
  check([&](array<T>& to) { scatter_add(pick(to), values); }, [](T a, T b) { return static_cast<T>(a + b); });
  check([&](array<T>& to) { scatter_max(pick(to), values); }, [](T a, T b) { return std::max(a, b); });
}

template <class T>
void check_stores_of_rows() {
  const array<T> z = astype<T>((arange(4 * 5 * 6) * 7) % 23).reshape(4, 5, 6);
  const array<std::int64_t> i{2, -1, 2, 0}, j{1, 4, 4}, k{{0, 3}, {3, -2}};
  const auto of = [](const shape& s) { return astype<T>((arange(s.elements()) * 5) % 17).reshape(s).copy(); };
  check_store(
      "z(i)", z, [&](auto& a) { return a(i); }, of({4, 5, 6}));
  check_store(
      "z(i) of a number", z, [&](auto& a) { return a(i); }, astype<T>(full({}, 3)).copy());
  check_store(
      "z(i) of a row", z, [&](auto& a) { return a(i); }, of({6}));
  check_store(
      "z(i) of a column", z, [&](auto& a) { return a(i); }, of({5, 1}));
  check_store(
      "z(i) of a plane", z, [&](auto& a) { return a(i); }, of({5, 6}));
  check_store(
      "z(i, _)", z, [&](auto& a) { return a(i, _); }, of({4, 5, 6}));
  check_store(
      "z(_, j)", z, [&](auto& a) { return a(_, j); }, of({4, 3, 6}));
  check_store(
      "z(_, j, _) of a row", z, [&](auto& a) { return a(_, j, _); }, of({6}));
  check_store(
      "z(_, _, j)", z, [&](auto& a) { return a(_, _, j); }, of({4, 5, 3}));
  check_store(
      "z(ellipsis, j)", z, [&](auto& a) { return a(ellipsis, j); }, of({1}));
  check_store(
      "z(j, ellipsis)", z, [&](auto& a) { return a(j - 1, ellipsis); }, of({3, 5, 6}));
  check_store(
      "z(k)", z, [&](auto& a) { return a(k); }, of({2, 2, 5, 6}));
  check_store(
      "z(k, k)", z, [&](auto& a) { return a(k, k); }, of({2, 6}));
  check_store(
      "z(i, slice)", z, [&](auto& a) { return a(i, slice(1, 4)); }, of({4, 3, 6}));
  check_store(
      "z(1, j)", z, [&](auto& a) { return a(1, j); }, of({3, 6}));
  check_store(
      "z(j, _, 2)", z, [&](auto& a) { return a(j - 1, _, 2); }, of({5}));
  const array<T> line = z.reshape(20, 6)(_, slice(1, 5)).copy();
  check_store(
      "rows", line, [&](auto& a) { return a(i); }, of({4}));
}

}  // namespace

TEST_CASE("scatters: rows that are taken whole, and one row for all of them") {
  check_stores_of_rows<float>();
  check_stores_of_rows<std::uint8_t>();
  check_stores_of_rows<std::int64_t>();
}

TEST_CASE("scatters: parts of rows, columns, and rows in steps") {
  array<double> z = arange<double>(0, 120).reshape(10, 12).copy();
  const array<std::int64_t> i{3, 0, 3};
  std::vector<double> wanted = z.get();
  const auto at = [&](std::int64_t r, std::int64_t c) -> double& {
    return wanted[static_cast<std::size_t>(r * 12 + c)];
  };
  z(i, slice(2, 8)) = -1.0;
  for (const int r : {3, 0})
    for (int c = 2; c < 8; ++c) at(r, c) = -1;
  z(_, i) = arange<double>(0, 10)(_, newaxis);
  for (const int c : {3, 0})
    for (int r = 0; r < 10; ++r) at(r, c) = r;
  z(array<std::int64_t>{7}) = 7.0;
  for (int c = 0; c < 12; ++c) at(7, c) = 7;
  z(i, slice(_, _, 3)) += 100.0;
  for (const int r : {3, 0})
    for (int c = 0; c < 12; c += 3) at(r, c) += 100;
  CHECK(z.get() == wanted);
}
