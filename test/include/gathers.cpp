// Indexing by arrays of integers, and what moves elements: NumPy's values, shapes and placement of axes, in one kernel with what
// is around it.
#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "test/support/numpy_cases.hpp"

namespace sn = sinter;
using sn::_;
using sn::array;
using sn::ellipsis;
using sn::newaxis;
using sn::slice;
using sn::test::check_case;
using sn::test::kept_launches_of;
using namespace sn::test::operands;

namespace {

std::string message_of(void (*f)()) {
  try {
    f();
    sn::synchronize();
  } catch (const sn::index_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("gathers: indices out of range by choice") {
  const sn::array<int> a = sn::arange<int>(12).reshape({3, 4});
  CHECK(sn::array_equal(sn::take(a, {-1, 0}, 1, sn::index_mode::raise), sn::take(a, {-1, 0}, 1)));
  CHECK(sn::array_equal(sn::take(a, {5, -1}, 1, sn::index_mode::wrap), sn::take(a, {1, 3}, 1)));
  CHECK(sn::array_equal(sn::take(a, {5, -1}, 1, sn::index_mode::clip), sn::take(a, {3, 0}, 1)));
  CHECK(sn::array_equal(sn::take(a, -1, 0, sn::index_mode::raise), a(2)));
}

TEST_CASE("gathers: index lists with arrays of integers are NumPy's") {
  const array<std::int64_t> two = i()(slice(0, 2));
  check_case("first", a()(one()));
  check_case("last", a()(ellipsis, i()));
  check_case("middle", a()(_, j()));
  check_case("two, adjacent", a()(_, i(), i()));
  check_case("two, apart", a()(two, _, j()));
  check_case("with an integer before", a()(0, _, i()));
  check_case("with an integer beside", a()(_, 0, i()));
  check_case("with an integer in front", a()(0, i()));
  check_case("with a slice", a()(_, i(), slice(_, _, -2)));
  check_case("with new axes", a()(newaxis, two, newaxis, _, two));
  check_case("with a new axis behind", a()(_, j(), newaxis));
  check_case("with an ellipsis apart", a()(two, ellipsis, two));
  check_case("with an ellipsis of no axes", a()(_, i(), ellipsis, i()));
  check_case("all three", a()(one(), i(), i()));
  check_case("broadcast", a()(_, i()(_, newaxis), i()(newaxis)));
  check_case("no indices", a()(_, sn::zeros<std::int64_t>({0})));
  check_case("0-d", a()(_, sn::sum(one())));
}

TEST_CASE("gathers: of anything, and within anything") {
  check_case("of an expression", (a() * 2 + 1)(_, i()));
  check_case("of a gather", m()(i())(_, i()));
  check_case("of a view", m().T()(i()));
  check_case("of a broadcast", sn::broadcast_to(row(), {3, 4})(i(), i()));
  check_case("of positions", astype<int>(sn::arange(12).reshape(3, 4))(i()));
  check_case("of a sum", sn::sum(a(), 1)(_, i()));
  check_case("summed", sn::sum(m()(i()), 0));
  check_case("summed along rows", sn::sum(m()(i()), 1));
  check_case("beside a sum", sn::sum(m()(i()), 1) + v()(i()));
  check_case("slice of a gather", m()(i())(slice(1, _), slice(_, _, 2)));
  check_case("transposed gather", m()(i()).T());
  check_case("gather by an expression", m()((i() + 1) % 3));
  check_case("gather by a gather", v()(v()(v() - 1) - 1));
}

TEST_CASE("gathers: take, take_along_axis") {
  const array<int> along{{3, 0}, {1, 1}, {-1, 2}}, down{{2, 0, 1, -1}}, wide{{{1, 0}}};
  check_case("take", sn::take(m(), j() + 3));
  check_case("take 0", sn::take(m(), j(), 0));
  check_case("take -1", sn::take(a(), i(), -1));
  const array<int> table{{1, 2, 3}, {4, 5, 6}};
  CHECK(sn::take(table, 4).shape() == sn::shape{});
  CHECK(sn::take(table.T(), 1).item() == 4);
  CHECK(sn::take(table * 2, -1).item() == 12);
  CHECK(sn::take(table, 1, 0).get() == std::vector<int>{4, 5, 6});
  CHECK(sn::take(table + 1, -1, -1).get() == std::vector<int>{4, 7});
  CHECK_THROWS_AS((void)sn::take(table, 6), sn::index_error);
  CHECK_THROWS_AS((void)sn::take(table, 2, 0), sn::index_error);
  CHECK_THROWS_AS((void)sn::take(table, 0, 2), sn::shape_error);
  check_case("take_along_axis 1", sn::take_along_axis(m(), along, 1));
  check_case("take_along_axis 0", sn::take_along_axis(m(), down, 0));
  check_case("take_along_axis broadcast", sn::take_along_axis(a(), wide, 2));
}

TEST_CASE("gathers: an index out of range is an error at the next wait, and reads nothing") {
  const auto gather = [] {
    const array<std::int64_t> wrong{0, 4, -1};
    const array<int> r = m()(_, wrong);
    (void)r.get();
  };
  CHECK(message_of(gather).find("index 4 is out of range for axis 1, which has 4 elements") != std::string::npos);
  CHECK(message_of([] { (void)array<int>(m()(slice(0, 1))(array<int>{1})).get(); }).find("which has 1 element;") !=
        std::string::npos);
  CHECK(message_of([] { (void)array<int>(v()(array<int>{-6}) + 1).get(); }).find("index -6") != std::string::npos);
  CHECK(message_of([] { (void)sn::sum(v()(array<int>{1, 5})).item(); }).find("index 5") != std::string::npos);
  CHECK(m()(_, i()).get().size() == 9);  // it is told once
  CHECK_THROWS_AS((void)sn::zeros<int>({0})(i()), sn::index_error);
  CHECK_THROWS_AS((void)m()(i(), i(), i()), sn::index_error);
  CHECK_THROWS_AS((void)m()(i(), array<int>{0, 1}), sn::shape_error);
  CHECK_THROWS_AS((void)sn::take(m(), i(), 2), sn::shape_error);
  CHECK_THROWS_AS((void)sn::take_along_axis(m(), i(), 0), sn::shape_error);
}

TEST_CASE(
    "gathers: on the host an index out of range is an error of the thread that gave it, and of the one that launches a "
    "graph") {
  if (sn::device::current().type() == sn::device::kind::cuda) return;  // there it is the next wait's
  const array<float> x = sn::ones<float>({5});
  const array<int> wrong{7};
  std::atomic<bool> done{false};
  std::atomic<int> told{0}, missed{0};
  std::thread other([&] {
    while (!done) {
      try {
        const array<float> r = x(wrong);
        ++missed;
      } catch (const sn::index_error&) {
        ++told;
      }
    }
  });
  array<float> y = sn::zeros<float>({4});
  for (int i = 0; i < 20'000 || (told < 1000 && missed == 0); ++i) y(slice(0, 2)) += 1;
  done = true;
  other.join();
  CHECK(missed == 0);

  array<float> r = sn::zeros<float>({1});
  std::optional<sn::graph> g;
  std::thread([&] { g = sn::capture([&] { r(ellipsis) = x(wrong); }); }).join();
  CHECK_THROWS_AS(g->launch(), sn::index_error);
}

TEST_CASE("gathers: counts of repeat may be an array") {
  const sn::array<int> three{1, 2, 3}, counts{2, 0, 1};
  CHECK(sn::array<int>(sn::repeat(three, counts)).get() == std::vector<int>{1, 1, 3});
  CHECK(sn::array_equal(sn::repeat(sn::eye(3), counts + 1, 1), sn::repeat(sn::eye(3), {3, 1, 2}, 1)).item());
  CHECK_THROWS_AS((void)sn::repeat(three, counts(sn::slice(2))), sn::shape_error);
  CHECK_THROWS_AS((void)sn::repeat(three, counts - 1), sn::shape_error);
}

TEST_CASE("gathers: extents that would wrap are refused, and a list has a square for a triangle") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS((void)sn::pad(v(), most), sn::shape_error);
  CHECK_THROWS_AS((void)sn::pad(v(), most, sn::pad_mode::wrap), sn::shape_error);
  CHECK_THROWS_AS((void)sn::repeat(v(), most / 2), sn::shape_error);
  CHECK_THROWS_AS((void)sn::tile(v(), most / 2), sn::shape_error);
  CHECK_THROWS_AS((void)m().transpose((std::int64_t{1} << 32) + 1, 0), sn::shape_error);
  CHECK(sn::tril(array<int>{1, 2, 3}).get() == std::vector<int>{1, 0, 0, 1, 2, 0, 1, 2, 3});
  CHECK(sn::triu(array<int>{1, 2}, 1).get() == std::vector<int>{0, 2, 0, 0});
}

TEST_CASE("gathers: where a kernel has no point, no index is looked at") {
  const array<float> rows = sn::linspace<float>(0, 1, 40).reshape(5, 8),
                     columns = sn::linspace<float>(0, 1, 1480).reshape(40, 37);
  const auto along_rows = sn::argmax(rows, {.axis = 1, .keepdims = true});
  const auto along_columns = sn::argmax(columns, {.axis = 0, .keepdims = true});
  const array<float> r = rows - sn::take_along_axis(rows, along_rows, 1);
  const array<float> c = columns - sn::take_along_axis(columns, along_columns, 0);
  CHECK(r(4, 7).item() == 0);
  CHECK(c(39, 36).item() == 0);
  const array<std::int64_t> k{-105, -104, -103, -102, -101};
  sn::random::generator g(7);
  const auto draws = g.random<double>({10});
  const array<double> sums = sn::cumsum(draws(k + 106), 0), drawn = draws;
  CHECK(sums(4).item() == doctest::Approx(sn::sum(drawn(slice(1, 6))).item()));
}

TEST_CASE("gathers: they are one launch with their user") {
  const array<float> x = sn::linspace<float>(0, 1, 1000), y = sn::linspace<float>(1, 2, 1000);
  const array<int> k(sn::arange<int>(1000) * 7 % 1000);
  CHECK(kept_launches_of([&] { array<float> r = sn::sqrt((x * 2 + y)(k)) * y; }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = sn::roll(x + y, 3, 0) * 2 + y; }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = sn::pad(x + y, 3) * 2; }) == 1);
  CHECK(kept_launches_of([&] { array<float> r = sn::sum(x(k) * y); }) == 1);
}

TEST_CASE("gathers: a store reads what was there before") {
  array<int> r{0, 1, 2, 3};
  r(ellipsis) = r(array<int>{3, 2, 1, 0});
  CHECK(r.get() == std::vector<int>{3, 2, 1, 0});
  r(slice(1, _)) = sn::roll(r, 1, 0)(slice(1, _)) + r(slice(1, _));
  CHECK(r.get() == std::vector<int>{3, 5, 3, 1});
}

TEST_CASE("gathers: roll along several axes") {
  const array<int> a{{1, 2, 3}, {4, 5, 6}};
  CHECK(sn::roll(a, 1, {0, 1}).get() == std::vector<int>{6, 4, 5, 3, 1, 2});
  CHECK(sn::roll(a, {1, -1}, {0, -1}).get() == std::vector<int>{5, 6, 4, 2, 3, 1});
  CHECK(sn::roll(a + 1, {1, 2}, {1, 1}).get() == (a + 1).get());
  CHECK_THROWS_AS((void)sn::roll(a, {1, 2, 3}, {0, 1}), sn::shape_error);
  CHECK_THROWS_AS((void)sn::roll(a, 1, {0, 2}), sn::shape_error);
}

TEST_CASE("gathers: roll, flip, rot90, repeat, tile") {
  check_case("roll", sn::roll(m(), 5));
  check_case("roll 0", sn::roll(m(), 1, 0));
  check_case("roll 1", sn::roll(m(), -7, 1));
  check_case("roll of an expression", sn::roll(m() + row(), 2, 1) * 2);
  check_case("flip", sn::flip(a()));
  check_case("flip 1", sn::flip(a(), 1));
  check_case("flip several", sn::flip(a(), {0, 2}));
  check_case("fliplr", sn::fliplr(m()));
  check_case("flipud", sn::flipud(m() + 1));
  check_case("rot90", sn::rot90(m()));
  check_case("rot90 2", sn::rot90(m(), 2));
  check_case("rot90 -1", sn::rot90(m() + 1, -1));
  check_case("repeat", sn::repeat(m(), 2));
  check_case("repeat 0", sn::repeat(m(), 3, 0));
  check_case("repeat 1", sn::repeat(m() + 1, 2, 1));
  check_case("repeat none", sn::repeat(m(), 0, 1));
  check_case("repeat several", sn::repeat(m(), {2, 0, 1}, 0));
  check_case("repeat several 1", sn::repeat(m() + 1, std::vector<std::int64_t>{0, 3, 1, 2}, -1));
  check_case("repeat several flat", sn::repeat(v(), {1, 0, 0, 2, 1}));
  check_case("repeat several none", sn::repeat(m(), {0, 0, 0}, 0));
  CHECK(sn::repeat(m(), {2}, 1).shape() == sn::shape{3, 8});
  CHECK_THROWS_AS(sn::repeat(m(), {1, 2}, 0), sn::shape_error);
  CHECK_THROWS_AS(sn::repeat(m(), {1, -2, 1}, 0), sn::shape_error);
  check_case("tile", sn::tile(v(), 3));
  check_case("tile 2", sn::tile(m(), {2, 3}));
  check_case("tile more", sn::tile(v(), {2, 1, 2}));
  check_case("tile fewer", sn::tile(a(), {2}));
}

TEST_CASE("gathers: repeat, tile and masks among as many axes as there can be") {
  const sn::array<int> x = sn::arange<int>(24).reshape({1, 2, 1, 1, 3, 1, 2, 2});
  const sn::array<int> few = x.reshape({2, 3, 4});
  for (const auto& [axis, of_few] : {std::pair{1, 0}, {4, 1}}) {
    CAPTURE(axis);
    CHECK(sn::array_equal(sn::repeat(x, 2, axis).ravel(), sn::repeat(few, 2, of_few).ravel()));
    CHECK(sn::array_equal(sn::repeat(x + 1, 2, axis).ravel(), sn::repeat(few + 1, 2, of_few).ravel()));
  }
  CHECK(sn::repeat(x, 3, 0).shape() == sn::shape{3, 2, 1, 1, 3, 1, 2, 2});
  CHECK(sn::array_equal(sn::repeat(x, 2, 7).ravel(), sn::repeat(x.ravel(), 2)));
  CHECK(sn::array_equal(sn::tile(x, {2, 1, 1}).ravel(), sn::tile(few.reshape({6, 4}), {1, 2}).ravel()));
  CHECK(sn::tile(x, {2, 1, 1, 1, 1, 1, 1, 1}).shape() == sn::shape{2, 2, 1, 1, 3, 1, 2, 2});
  CHECK(sn::array_equal(sn::tile(x, {2, 1, 1, 1, 1, 1, 1, 1}).ravel(), sn::tile(x.ravel(), 2)));

  sn::array<int> stored = x + 0;
  const sn::array<bool> whether = sn::array(sn::all(x >= 0));
  stored(whether) = 7;
  CHECK(sn::all(stored == 7).item());
  stored(!whether) = 8;
  CHECK(sn::all(stored == 7).item());
}

TEST_CASE("gathers: pad") {
  check_case("pad", sn::pad(m(), 1));
  check_case("pad value", sn::pad(m(), {{1, 0}, {0, 2}}, 7));
  check_case("pad edge", sn::pad(m(), {{2, 1}, {0, 3}}, sn::pad_mode::edge));
  check_case("pad wrap", sn::pad(v(), {{7, 8}}, sn::pad_mode::wrap));
  check_case("pad reflect", sn::pad(v(), {{9, 10}}, sn::pad_mode::reflect));
  check_case("pad symmetric", sn::pad(v(), {{11, 3}}, sn::pad_mode::symmetric));
  check_case("pad reflect 2", sn::pad(m() + 1, 2, sn::pad_mode::reflect));
  check_case("pad one", sn::pad(one(), 2, sn::pad_mode::reflect));
  check_case("pad nothing", sn::pad(m(), 0));
  CHECK_THROWS_AS((void)sn::pad(m(), {{1, 1}, {1, 1}, {1, 1}}), sn::shape_error);
  CHECK_THROWS_AS((void)sn::pad(m(), -1), sn::shape_error);
  CHECK_THROWS_AS((void)sn::pad(m()(slice(0, 0)), 1, sn::pad_mode::wrap), sn::shape_error);
}

TEST_CASE("gathers: triangles and diagonals") {
  check_case("tril", sn::tril(m()));
  check_case("tril 1", sn::tril(a(), 1));
  check_case("triu", sn::triu(m() + 1));
  check_case("triu -1", sn::triu(a(), -1));
  check_case("diagonal", sn::diagonal(m()));
  check_case("diagonal 1", sn::diagonal(m(), 1));
  check_case("diagonal -1", sn::diagonal(m() + 1, -1));
  check_case("diagonal beyond", sn::diagonal(m(), 9));
  check_case("diagonal axes", sn::diagonal(a(), 1, 2, 0));
  check_case("trace", sn::trace(m()));
  check_case("trace of an expression", sn::trace(a() + 1, 0, 1, 2));
  check_case("trace of an expression", sn::trace(a() + 1, {.axis1 = 1, .axis2 = 2}));
}
