// Which elements: masks, places, choices and the stores that they name. NumPy's values and refusals, of arrays of every layout.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

#include <sinter/dlpack.hpp>
#include <sinter/memory_hooks.hpp>
#include <sinter/sinter.hpp>

#include "test/support/layouts.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::ellipsis;
using sn::index_mode;
using sn::lazy;
using sn::newaxis;
using sn::slice;
using sn::tuple;
using sn::test::check_layouts;

namespace {

const array<int>& row() {
  static const array<int> of{10, 11, 12, 13};
  return of;
}
const array<int>& few() {
  static const array<int> of{50, 60};
  return of;
}
const array<std::int64_t>& i() {
  static const array<std::int64_t> of{1, 0, -1};
  return of;
}
using mask = array<bool>;

/// The first elements along an axis, as far as there are such.
template <class T>
lazy<T> edge(const lazy<T>& x, bool along_last) {
  std::vector<sn::any_index> at(static_cast<std::size_t>(x.ndim()), 0);
  if (at.empty()) throw sn::index_error("sinter: no axis");
  (along_last ? at.back() : at.front()) = _;
  return x(at);
}

}  // namespace

#define CASES(...) TEST_CASE_TEMPLATE(__VA_ARGS__, T, std::int16_t, double)
#define OF(...) [](const lazy<T>& x) { return __VA_ARGS__; }
#define STORED(...)                  \
  [](const lazy<T>& x) {             \
    array<T> a = array<T>(x).copy(); \
    __VA_ARGS__;                     \
    sn::synchronize();               \
    return a;                        \
  }

CASES("selections: masks that are read") {
  check_layouts<T>("mask", OF(x(x % 3 == 0)));
  check_layouts<T>("mask", [](const lazy<T>& x) {
    const array<T> a = x;
    return a[a % 3 == 0];
  });
  check_layouts<T>("mask", [](const lazy<T>& x) {
    array<T> a = x;
    return lazy<T>(a(a % 3 == 0));
  });
  check_layouts<T>("mask plus", OF(x(x > 2) + 1));
  check_layouts<T>("mask of rows", OF(x.ndim() > 1 ? x(x(ellipsis, 0) % 2 == 1) : x(x % 2 == 1)));
  check_layouts<T>("mask behind", OF(x(ellipsis, edge(x, true) > 3)));
  check_layouts<T>("mask before", OF(x(edge(x, false) < 9, ellipsis)));
  check_layouts<T>("mask and integer", OF(x(_, 0, x(0, 0, _) < 9)));
  check_layouts<T>("mask and slice", OF(x(x(_, 0, 0) < 9, slice(_, _, -1), newaxis)));
  check_layouts<T>("mask and indices", OF(x(x(_, 0, 0) < 0, _, i()(slice(0, 0)))));
  check_layouts<T>("mask twice", OF(x(x(_, 0, 0) >= 0, _, x(0, 0, _) >= 0)));
  check_layouts<T>("mask too short", OF(x(mask{true})));
  check_layouts<T>("mask of more axes", OF(x(sn::ones<bool>({1, 1, 1, 1}))));
}

CASES("selections: places") {
  check_layouts<T>("nonzero 0", OF(sn::nonzero(x).front()));
  check_layouts<T>("nonzero -1", OF(sn::nonzero(x).back()));
  check_layouts<T>("where", OF(sn::where(x > 4).at(0)));
  check_layouts<T>("flatnonzero", OF(sn::flatnonzero(x)));
  check_layouts<T>("argwhere", OF(sn::argwhere(x)));
  check_layouts<T>("nonzero as indices", OF(x(sn::nonzero(x))));
  check_layouts<T>("extract", OF(sn::extract(x % 2 == 1, x)));
  check_layouts<T>("compress", OF(sn::compress(mask{false, true}, x)));
  check_layouts<T>("compress -1", OF(sn::compress(mask{true, false, true}, x, -1)));
  check_layouts<T>("compress far", OF(sn::compress(sn::arange(31) == 30, x, 0)));
}

CASES("selections: choices") {
  const auto k = [](const lazy<T>& x) { return astype<int>(x); };
  check_layouts<T>("choose", [k](const lazy<T>& x) { return sn::choose(k(x) % 3, tuple(x, x * 2, x + 1)); });
  check_layouts<T>("choose rows", [k](const lazy<T>& x) {
    return sn::choose(k(x) % 2, {array<int>(sn::full<int>({}, 7)), row()});
  });
  check_layouts<T>("choose wrong", [k](const lazy<T>& x) { return sn::choose(k(x), tuple(x, x + 1)); });
  check_layouts<T>("choose wrap",
                   [k](const lazy<T>& x) { return sn::choose(k(x) - 2, tuple(x, x + 1), index_mode::wrap); });
  check_layouts<T>("choose clip",
                   [k](const lazy<T>& x) { return sn::choose(k(x) - 2, tuple(x, x + 1), index_mode::clip); });
  check_layouts<T>("select", OF(sn::select({x<4, x> 9}, tuple(x, x + 1), 2)));
  check_layouts<T>("select one", OF(sn::select({x < 4}, {array<T>(x)})));
  check_layouts<T>("select fewer", OF(sn::select({x<4, x> 9}, tuple(x))));
  check_layouts<T>("piecewise", OF(sn::piecewise(
                                    x, {x < 9, x < 4}, [](const auto& y) { return y + 1; }, 2)));
  check_layouts<T>("piecewise otherwise", OF(sn::piecewise(x, {x < 9}, 5, [](const auto& y) { return y * 2; })));
}

CASES("selections: indices") {
  check_layouts<T>("unravel_index", OF(sn::unravel_index(astype<int>(x), {4, 8}).at(1)));
  check_layouts<T>("unravel_index far", OF(sn::unravel_index(astype<int>(x), {2, 2}).at(0)));
  const auto raveled = [](const lazy<T>& x, int by, index_mode mode) {
    const array<std::int64_t> k = astype<std::int64_t>(x);
    return sn::ravel_multi_index(tuple(k, k % by), {23, 3}, mode);
  };
  check_layouts<T>("ravel_multi_index", [&](const lazy<T>& x) { return raveled(x, 3, index_mode::raise); });
  check_layouts<T>("ravel_multi_index far", [&](const lazy<T>& x) { return raveled(x, 99, index_mode::raise); });
  check_layouts<T>("ravel_multi_index clip", [&](const lazy<T>& x) { return raveled(x, 99, index_mode::clip); });
  check_layouts<T>("ravel_multi_index wrap", [&](const lazy<T>& x) { return raveled(x, 99, index_mode::wrap); });
  check_layouts<T>("ix_", OF(x(sn::ix_(array<int>{1, 0}, mask{true, false, true}, array<int>{-1}))));
  check_layouts<T>("tril_indices", OF(x(0)(sn::tril_indices(3))));
  check_layouts<T>("triu_indices", OF(x(0)(sn::triu_indices_from(x(0), 1))));
  check_layouts<T>("diag_indices", OF(x(0)(sn::diag_indices(2))));
  check_layouts<T>("mask_indices", OF(x(0)(sn::mask_indices(
                                       3, [](const auto& m, int k) { return sn::triu(m, k); }, 1))));
}

CASES("selections: stores") {
  check_layouts<T>("store mask", STORED(a(a % 3 == 0) = 8));
  check_layouts<T>("store mask values", STORED(a(a % 2 == 1) = a(a % 2 == 1) + 1));
  check_layouts<T>("store mask wrong", STORED(a(a >= 0) = sn::arange(5)));
  check_layouts<T>("store mask add", STORED(a(a % 2 == 1) += a(a % 2 == 1)));
  check_layouts<T>("store mask rows", STORED(a(a(_, 0, 0) >= 0) = row()));
  check_layouts<T>("store mask behind", STORED(a(ellipsis, a(0, 0, _) > 3) = 9));
  check_layouts<T>("store places", STORED(a(sn::nonzero(a)) = 9));
  check_layouts<T>("store ix_", STORED(a(sn::ix_(array<int>{1, 0}, array<int>{0, 2}, array<int>{-1})) += 9));
  check_layouts<T>("put", STORED(sn::put(a, array<int>{0, -1, 2}, few())));
  check_layouts<T>("put far", STORED(sn::put(a, array<int>{99}, 5)));
  check_layouts<T>("put wrap", STORED(sn::put(a, array<int>{99, -3}, few(), index_mode::wrap)));
  check_layouts<T>("put clip", STORED(sn::put(a, array<int>{99, -3}, few(), index_mode::clip)));
  check_layouts<T>("put_along_axis", STORED(sn::put_along_axis(a, astype<int>(a(ellipsis, slice(1)) % 2), 70, -1)));
  check_layouts<T>("put_along_axis wrong", STORED(sn::put_along_axis(a, array<int>{{{{0}}}}, 70, -1)));
  check_layouts<T>("putmask", STORED(sn::putmask(a, a > 4, few())));
  check_layouts<T>("place", STORED(sn::place(a, a > 4, few())));
  check_layouts<T>("copyto", STORED(sn::copyto(a, row())));
  check_layouts<T>("copyto where", STORED(sn::copyto(a, row(), a > 4)));
  check_layouts<T>("fill_diagonal", STORED(sn::fill_diagonal(a, 7)));
  for (const bool turned : {false, true}) {  // of an array that shares its elements, laid out in any order
    array<T> a = sn::astype<T>(sn::arange(6)).reshape({2, 3});
    if (turned) a = array<T>(a.T()(_, slice(_, _, -1)));
    const std::vector<T> before = a.get();
    const array<T> kept = a;
    sn::fill_diagonal(a, 7);
    CHECK(kept.get() == before);
    CHECK(a.get() == (turned ? std::vector<T>{T(7), T(0), T(4), T(7), T(5), T(2)}
                             : std::vector<T>{T(7), T(1), T(2), T(3), T(7), T(5)}));
  }
  check_layouts<T>("fill_diagonal values", [](const lazy<T>& x) {
    array<T> a = array<T>(x(ellipsis, slice(2))).copy();
    sn::fill_diagonal(a, few());
    return a;
  });
}

TEST_CASE("selections: a mask is read as the array was, and a store through it copies nothing") {
  array<int> a{1, -2, 3, -4};
  auto negative = a(a < 0);
  a(ellipsis) = 7;
  CHECK(negative.get() == std::vector<int>{-2, -4});
  array<float> x = sn::linspace<float>(-1, 1, 1000);
  x(x < 0) = 0;
  const auto before = sn::counters().bytes_copied;
  x(x > 0.5) += 1;
  CHECK(sn::counters().bytes_copied == before);
  CHECK(sn::test::kept_launches_of([&] { x(x > 1) = 0; }) == 1);
  [](sn::array_ref<int> v) {
    CHECK(array<int>(v(v > 7)).size() == 0);
    v(v == 7) = array<int>{1, 2};
  }(a(slice(1, 3)));
  CHECK(a.get() == std::vector<int>{7, 1, 2, 7});
}

TEST_CASE("selections: what is a pure function of shapes is one launch with its user") {
  const array<float> x = sn::linspace<float>(0, 1, 600).reshape(20, 30);
  const array<std::int64_t> k(sn::arange(30) % 3);
  const auto is_one_launch = [](auto f) { CHECK(sn::test::kept_launches_of(f) == 1); };
  is_one_launch([&] { array<float> r = sn::choose(k, tuple(x, x + 1, x * 2)) * 2; });
  is_one_launch([&] { array<float> r = sn::select({x<0.2, x> 0.5}, tuple(x * 2, x + 1), 5) * 2; });
  is_one_launch([&] {
    array<float> r = sn::piecewise(
                         x, {x < 0.5}, [](const auto& y) { return y * y; }, 1) *
                     2;
  });
  is_one_launch([&] { array<float> r = x(sn::ix_(k, k)) * 2; });
  is_one_launch([&] { array<std::int64_t> r = sn::ravel_multi_index(sn::unravel_index(k, {3, 5}), {3, 5}) * 2; });
}

TEST_CASE("selections: many places, of every device") {
  const array<std::int64_t> n(sn::arange(100'000) * 7 % 1001);
  const array<std::int64_t> found = sn::flatnonzero(n < 100);
  CHECK(found.size() == sn::count_nonzero(n < 100).item());
  CHECK(sn::all(n(found) < 100).item());
  CHECK(sn::all(found(slice(1, _)) > found(slice(_, -1))).item());
  CHECK(sn::flatnonzero(n < 0).shape() == sn::shape{0});
  CHECK(sn::where(sn::array{0, 7, 0, -1})[0].get() == std::vector<std::int64_t>{1, 3});
  CHECK(sn::sum(n(n >= 100)).item() + sn::sum(n(n < 100)).item() == sn::sum(n).item());
}

TEST_CASE("selections: put into one element") {
  array<int> a{{1, 2}, {3, 4}};
  sn::put(a, 2, 7);
  sn::put(a, -1, array<int>{8, 9});
  sn::put(a, 4, 5, index_mode::wrap);
  CHECK(a.get() == std::vector<int>{5, 2, 7, 8});
}

TEST_CASE("selections: an array of places for each of so many axes") {
  const array<int> a{{0, 7, 0}, {5, 0, 9}};
  auto [row, column] = sn::nonzero<2>(a);
  CHECK(row.get() == std::vector<std::int64_t>{0, 1, 1});
  CHECK(column.get() == std::vector<std::int64_t>{1, 0, 2});
  auto [high_row, high_column] = sn::where<2>(a > 6);
  CHECK(a(high_row, high_column).get() == std::vector<int>{7, 9});
  auto [i, j] = sn::unravel_index<2>(sn::argmax(a), a.shape());
  CHECK(i.item() == 1);
  CHECK(j.item() == 2);
  CHECK_THROWS_AS((void)sn::nonzero<1>(a), sn::shape_error);
  CHECK_THROWS_AS((void)sn::unravel_index<3>(sn::argmax(a), a.shape()), sn::shape_error);
}

namespace {

template <class T>
array<T> numbers(std::int64_t n) {
  if constexpr (std::is_same_v<T, bool>) return sn::arange(n) % 3 == 0;
  else return sn::astype<T>(sn::arange(n) % 113);
}

/// How a mask of n places is true, in four ways.
lazy<bool> pattern(int which, std::int64_t n) {
  const lazy<std::int64_t> k(sn::arange(n));
  if (which == 0) return k >= 0;
  if (which == 1) return k < 0;
  if (which == 2) return k == n - 1;
  return k * 7 % 5 < 2;
}

/// Sizes about the 16 bytes that a thread of a GPU has of a mask, and about the 8192 of a block.
constexpr std::int64_t sizes[] = {0, 1, 15, 16, 17, 8191, 8192, 8193, 3 * 8192 + 5};

}  // namespace

TEST_CASE_TEMPLATE("selections: elements of every size, of masks of every length", T, bool, std::int8_t, sn::half,
                   float, double, std::complex<double>) {
  const std::int64_t most = sizes[std::size(sizes) - 1] + 8;
  const std::vector<T> all = numbers<T>(most).get();
  for (const std::int64_t n : sizes)
    for (int which = 0; which < 4; ++which) {
      INFO(n);
      INFO(which);
      const auto is_true = [&](std::int64_t k) {
        return which == 0 || (which == 2 && k == n - 1) || (which == 3 && k * 7 % 5 < 2);
      };
      std::vector<T> want, from_odd;
      std::vector<std::int64_t> where;
      for (std::int64_t k = 0; k < n; ++k)
        if (is_true(k)) {
          where.push_back(k);
          want.push_back(all[static_cast<std::size_t>(k)]);
          from_odd.push_back(all[static_cast<std::size_t>(k + 3)]);
        }
      const array<T> long_one = numbers<T>(most), x = long_one(slice(n));
      CHECK(array<T>(x(pattern(which, n))).get() == want);
      CHECK(sn::flatnonzero(pattern(which, n)).get() == where);
      // A mask that does not begin where vectors do, and elements that do not.
      const array<bool> longer =
          sn::concatenate({array<bool>{true, true, true, true, true}, array<bool>(pattern(which, n))}, 0);
      const array<bool> odd = longer(slice(5, _));
      CHECK(array<T>(long_one(slice(3, 3 + n))(odd)).get() == from_odd);
      CHECK(sn::flatnonzero(odd).get() == where);
      // Elements that are computed, or lie apart.
      CHECK(array<bool>((x == x)(odd)).size() == static_cast<std::int64_t>(want.size()));
      const array<T> apart = sn::repeat(x, 2)(slice(_, _, 2));
      CHECK(array<T>(apart(odd)).get() == want);
    }
}

TEST_CASE("selections: masks of several axes keep elements in C order") {
  const array<float> x = sn::arange<float>(120 * 173).reshape(120, 173);
  const array<bool> truth(sn::astype<std::int64_t>(x) % 11 < 4);
  std::vector<float> want, columns;
  for (int k = 0; k < 120 * 173; ++k)
    if (k % 11 < 4) want.push_back(static_cast<float>(k));
  for (int j = 0; j < 173; ++j)
    for (int i = 0; i < 120; ++i)
      if ((i * 173 + j) % 11 < 4) columns.push_back(static_cast<float>(i * 173 + j));
  CHECK(array<float>(x(truth)).get() == want);
  CHECK(array<float>(x(sn::astype<std::int64_t>(x) % 11 < 4)).get() == want);
  CHECK(array<float>(x.T()(truth.T())).get() == columns);
  CHECK(array<float>(array<float>(x.T().copy())(truth.T())).get() == columns);
  CHECK(array<float>(x(truth(_, 0))).shape() == sn::shape{sn::count_nonzero(truth(_, 0)).item(), 173});
  const std::vector<array<std::int64_t>> at = sn::nonzero(truth);
  CHECK(array<float>(x(at[0], at[1])).get() == want);
}

TEST_CASE("selections: more tiles than a warp of a GPU looks back over at once") {
  const std::int64_t n = 600'001;
  std::vector<float> values(static_cast<std::size_t>(n)), want;
  std::vector<std::int64_t> where;
  for (std::int64_t k = 0; k < n; ++k) {
    const float v = static_cast<float>(k * 7919 % 10'007);
    values[static_cast<std::size_t>(k)] = v;
    if (v > 6000) {
      want.push_back(v);
      where.push_back(k);
    }
  }
  const array<float> x = sn::asarray(values);
  for (int again = 0; again < 3; ++again) CHECK(array<float>(x(x > 6000)).get() == want);
  CHECK(sn::flatnonzero(x > 6000).get() == where);
}

TEST_CASE("selections: what is kept holds no more memory than that, and is found where there is no more") {
  const std::int64_t n = 1 << 20;
  const array<float> x = sn::linspace<float>(0, 1, n);
  const auto is_right = [&](const array<float>& kept) {
    CHECK(kept.size() == n / 4);
    CHECK(kept(-1).item() == x(n / 4 - 1).item());
  };
  sn::memory_pool pool;
  const sn::using_allocator from(pool);
  const array<float> kept = x(x < 0.25f);
  is_right(kept);
  const sn::device now = sn::device::current();
  const bool is_on_gpu = now != sn::device::cpu() && now != sn::device::interpreter();
  if (is_on_gpu) {
    CHECK(sn::test::kept_launches_of([&] { array<float> again = x(x < 0.25f); }) == 1);
    CHECK(sn::test::kept_launches_of([&] { array<std::int64_t> places = sn::flatnonzero(sn::sin(x) < 0.25f); }) == 1);
  }
  const auto bytes = static_cast<std::size_t>(n);
  CHECK(pool.used_bytes() == bytes);
  const array<float> none = x(x > 2), one = x(x == 1);
  CHECK(none.size() == 0);
  CHECK(one.get() == std::vector<float>{1});
  CHECK(pool.used_bytes() <= bytes + 1024);
  {
    sn::memory_statistics_hook counts;
    const sn::hook_scope watched(counts);
    is_right(array<float>(x(x < 0.25f)));
    is_right(array<float>(x(array<bool>(x < 0.25f))));
  }
  if (!is_on_gpu) return;
  const array<bool> mask(x < 0.25f);
  pool.free_all_blocks();
  pool.set_limit({.bytes = pool.total_bytes() + 2 * bytes});  // all elements would be four times as many
  is_right(array<float>(x(mask)));
}

TEST_CASE("selections: bytes of a mask that came from elsewhere may be any") {
  const std::int64_t n = 20'000;
  const array<std::uint8_t> bytes = sn::astype<std::uint8_t>(sn::arange(n) % 5 * 51);
  auto* const lent = sn::to_dlpack(bytes);
  lent->dl_tensor.dtype = {6, 8, 1};  // bool
  const array<bool> mask = sn::from_dlpack<bool>(lent);
  CHECK(array<std::uint8_t>(bytes(mask)).get() == array<std::uint8_t>(bytes(bytes != 0)).get());
  CHECK(sn::flatnonzero(mask).get() == sn::flatnonzero(bytes != 0).get());
}

TEST_CASE("selections: places that are plain numbers") {
  const auto place = sn::unravel_index(99, {6, 7, 8});
  CHECK(place.size() == 3);
  CHECK(place[0].shape() == sn::shape());
  CHECK(int(place[0]) == 1);
  CHECK(int(place[1]) == 5);
  CHECK(int(place[2]) == 3);
  const auto [row, column] = sn::unravel_index<2>(4, {2, 3});
  CHECK(int(row) * 10 + int(column) == 11);
  CHECK(sn::ravel_multi_index({1, 2}, {2, 3}).item() == 5);
  CHECK(sn::ravel_multi_index({1, 7}, {2, 3}, index_mode::clip).item() == 5);
  CHECK_THROWS_AS(
      [] {
        static_cast<void>(sn::unravel_index(6, {2, 3})[0].item());
        sn::synchronize();
      }(),
      sn::index_error);
}

TEST_CASE("selections: take wraps and clips, and takes a list") {
  const array<int> a{{1, 2, 3}, {4, 5, 6}};
  using ints = std::vector<int>;
  CHECK(sn::take(a, array{-7, 99}, 1, index_mode::clip).get() == ints{1, 3, 4, 6});
  CHECK(sn::take(a, array{-7, 99}, 1, index_mode::wrap).get() == ints{3, 1, 6, 4});
  CHECK(sn::take(a, array{-7, 99}, index_mode::wrap).get() == ints{6, 4});
  CHECK(sn::take(a, 99, index_mode::clip).item() == 6);
  CHECK(a.take(5, -1, index_mode::wrap).get() == ints{3, 6});
  CHECK_THROWS_AS((void)sn::take(a, 5, 2, index_mode::wrap), sn::shape_error);
  CHECK(sn::take(a, {0, 5}).get() == ints{1, 6});
  CHECK(sn::take(a, {1}, 0).shape() == sn::shape{1, 3});
  CHECK(sn::compress({false, true}, a, 0).get() == ints{4, 5, 6});
}
