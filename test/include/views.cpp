// Views of arrays and of expressions against a plain implementation of NumPy's indexing, over every combination of a
// list of indices; transposes, reshapes and broadcasts; and what a wrong index says and leaves alone.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "test/include/looking.hpp"
#include "test/include/reference.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using detail::index_item;

array<int> numbers(const shape& s) { return arange<int>(s.elements()).reshape(s); }

/// Python's range of a slice, written from its documentation: positions start, start + step, ... before stop.
std::vector<std::int64_t> positions(const index_item& item, std::int64_t extent) {
  std::vector<std::int64_t> at;
  if (item.what == index_item::integer) return {item.start < 0 ? item.start + extent : item.start};
  if (item.what != index_item::range && item.what != index_item::steps) {
    for (std::int64_t i = 0; i < extent; ++i) at.push_back(i);
    return at;
  }
  const auto from_end = [&](std::int64_t i) { return i < 0 ? i + extent : i; };
  std::int64_t start = item.has_start ? from_end(item.start) : item.step > 0 ? 0 : extent - 1;
  if (item.step > 0) {
    const std::int64_t stop = item.has_stop ? from_end(item.stop) : extent;
    for (start = std::max<std::int64_t>(start, 0); start < std::min(stop, extent); start += item.step)
      at.push_back(start);
  } else {
    const std::int64_t stop = item.has_stop ? std::max<std::int64_t>(from_end(item.stop), -1) : -1;
    for (start = std::min(start, extent - 1); start > stop; start += item.step) at.push_back(start);
  }
  return at;
}

/// a[items] of a tensor.
tensor indexed(const tensor& t, std::vector<any_index> items) {
  const int rank = t.extents.size();
  int consumed = 0;
  for (const any_index& i : items)
    consumed += i.item().what != index_item::new_axis && i.item().what != index_item::rest;
  std::vector<any_index> full;
  bool rest = false;
  for (const any_index& i : items) {
    if (i.item().what == index_item::rest)
      full.insert(full.end(), static_cast<std::size_t>(rank - consumed), _), rest = true;
    else full.push_back(i);
  }
  if (!rest) full.insert(full.end(), static_cast<std::size_t>(rank - consumed), _);
  tensor out;
  std::vector<std::size_t> offsets{0};
  int axis = 0, made = 0;
  for (const any_index& index : full) {
    const index_item& item = index.item();
    std::vector<std::int64_t> at{0};
    if (item.what != index_item::new_axis) at = positions(item, t.extents[axis]);
    if (item.what != index_item::integer) {
      out.extents.set_size(made + 1);
      out.extents[made++] = static_cast<std::int64_t>(at.size());
    }
    std::size_t step = 1;
    if (item.what != index_item::new_axis) {
      for (int d = axis + 1; d < rank; ++d) step *= static_cast<std::size_t>(t.extents[d]);
      ++axis;
    }
    std::vector<std::size_t> more;
    for (std::size_t o : offsets)
      for (std::int64_t i : at) more.push_back(o + static_cast<std::size_t>(i) * step);
    offsets = more;
  }
  for (std::size_t o : offsets) out.at.push_back(t.at[o]);
  return out;
}

struct first_and_last {  // constants that have no address
  static const int first = 0, last = -1;
};

std::string spelled(const std::vector<any_index>& items) {
  std::string text;
  for (const any_index& index : items) {
    const index_item& i = index.item();
    text += text.empty() ? "[" : ", ";
    if (i.what == index_item::integer) text += std::to_string(i.start);
    if (i.what == index_item::all) text += ":";
    if (i.what == index_item::new_axis) text += "None";
    if (i.what == index_item::rest) text += "...";
    if (i.what == index_item::range || i.what == index_item::steps)
      text += (i.has_start ? std::to_string(i.start) : "") + ":" + (i.has_stop ? std::to_string(i.stop) : "") + ":" +
              std::to_string(i.step);
  }
  return text + "]";
}

/// The same index list into an array, an expression, and an expression over a strided array.
void check(const array<int>& a, const std::vector<any_index>& items) {
  INFO(spelled(items));
  const auto view = [list = detail::index_list(items)](detail::node* n) {
    return handle(detail::make_view(n, list.items, list.count));
  };
  const tensor wanted = indexed(value_of(a), items);
  CHECK(worst(value_of(view(a.node()).get()), wanted) == 0);
  auto e = a + 0;
  CHECK(worst(value_of(view(handle(e.share()).get()).get()), wanted) == 0);
  const array<int> turned = array<int>(a.T()).copy();
  auto f = turned.T() * 1;
  CHECK(worst(value_of(view(handle(f.share()).get()).get()), wanted) == 0);
}

template <class F>
std::string message_of(F f) {
  try {
    const auto made = f();
    static_cast<void>(made);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("views: slices of one axis, of every start, stop and step") {
  const array<int> a = numbers({5});
  const int bounds[] = {-9, -6, -5, -1, 0, 2, 4, 5, 8};
  for (int step : {1, 2, 5, -1, -2, -7})
    for (int start = -1; start < 9; ++start)
      for (int stop = -1; stop < 9; ++stop) {
        const auto bound = [&](int which) { return which < 0 ? slice::bound(_) : slice::bound(bounds[which]); };
        const slice s(bound(start), bound(stop), step);
        INFO(spelled({s}));
        CHECK(worst(value_of(a(s)), indexed(value_of(a), {s})) == 0);
      }
}

TEST_CASE("views: index lists, of arrays and of expressions") {
  const array<int> a = numbers({3, 4, 2});
  const any_index some[] = {1, -1, _, newaxis, slice(1, _), slice(_, _, -1), slice(_, _, 2), slice(2, 0, -1), ellipsis};
  const auto is_rest = [](const any_index& i) { return i.item().what == index_item::rest; };
  for (const any_index& i : some) {
    check(a, {i});
    for (const any_index& j : some) {
      if (is_rest(i) && is_rest(j)) continue;
      check(a, {i, j});
      check(a, {i, slice(_, _, -1), j});
      check(a, {j, i, newaxis, slice(3, _, -2)});
    }
  }
  check(a, {});
  check(a, {slice(7, 2)});  // nothing left
  check(a, {_, slice(2, 2), slice(_, _, -1)});
}

TEST_CASE("views: the public spelling makes the same lists") {
  using sinter::operator""_s;
  const array<int> a = numbers({3, 4, 2});
  const tensor t = value_of(a);
  CHECK(worst(value_of(a(1, slice(2, 4), newaxis, ellipsis, 0)), indexed(t, {1, slice(2, 4), newaxis, ellipsis, 0})) ==
        0);
  // All in one file: g++ 12 took those with the same numbers for one.
  const array<std::int64_t> ten = arange(10);
  const auto is = [&](const slice& literal, const slice& same) {
    CHECK(array<std::int64_t>(ten(literal)).get() == array<std::int64_t>(ten(same)).get());
  };
  is("2:"_s, slice(2, _)), is(":2"_s, slice(_, 2)), is("::2"_s, slice(_, _, 2)), is("-1:"_s, slice(-1, _));
  is(":-1"_s, slice(_, -1)), is("::-1"_s, slice(_, _, -1)), is("1:5"_s, slice(1, 5)), is("1::5"_s, slice(1, _, 5));
  is(":1:5"_s, slice(_, 1, 5)), is("0:"_s, slice(0, _)), is(":0"_s, slice(_, 0)), is(":"_s, slice(_, _));
  CHECK(worst(value_of(a("::2"_s, "-1:0:-2"_s)), indexed(t, {slice(_, _, 2), slice(-1, 0, -2)})) == 0);
  CHECK(worst(value_of(a(slice(2))), indexed(t, {slice(_, 2)})) == 0);
  CHECK(worst(value_of((a + 1)[2][0]), indexed(value_of(array<int>(a + 1)), {2, 0})) == 0);
  CHECK(a(2, 3, 1).item() == 23);
  CHECK(a(2, 3, 1).shape().size() == 0);
  CHECK(static_cast<int>(a(std::size_t{0}, short{1}, 0L)) == 2);
  CHECK(a(first_and_last::first, 0, 0).item() == 0);
  CHECK(a[first_and_last::last].get() == a(2).get());
}

TEST_CASE("views: a slice and a list of indices are objects that a program holds and passes on") {
  array<int> a = numbers({3, 4, 2});
  const slice tail(1, _), every_other(_, _, 2), first = slice(2);
  CHECK(a(tail, every_other).get() == a(slice(1, _), slice(_, _, 2)).get());
  CHECK(a(first).get() == a(slice(_, 2)).get());
  CHECK(tail.start().value_or(-7) == 1);
  CHECK_FALSE(tail.stop().given());
  CHECK(every_other.step() == 2);
  const std::size_t n = 3;
  CHECK(a(_, slice(n - 2, n)).shape() == shape{3, 2, 2});

  std::vector<any_index> list{-1, tail};
  list.push_back(newaxis);
  CHECK(a(list).get() == a(-1, slice(1, _), newaxis).get());
  CHECK((a + 1)(list).shape() == shape{3, 1, 2});
  CHECK(std::as_const(a)(list).shape() == shape{3, 1, 2});
  CHECK(numbers({3, 4, 2})[list].shape() == shape{3, 1, 2});
  CHECK(a(list, 0).shape() == shape{3, 1});  // a list among others is that much of them
  CHECK(a(std::vector<any_index>{}).shape() == a.shape());
  a(list) = 100;
  a[list] += 1;
  CHECK(sum(a == 101).item() == 6);
  CHECK_THROWS_AS(a(std::vector<any_index>(40, newaxis)), index_error);
  const auto row_of = [](auto& of, int axis, any_index i) {  // NumPy's take along an axis that is known at run time
    std::vector<any_index> all(static_cast<std::size_t>(of.ndim()), _);
    all[static_cast<std::size_t>(axis)] = i;
    return array<int>(of(all));
  };
  CHECK(row_of(a, 1, 3).get() == a(_, 3).get());
  CHECK(row_of(a, 2, slice(_, _, -1)).get() == a(ellipsis, slice(_, _, -1)).get());
}

TEST_CASE("views: a shape is unpacked into names") {
  const array<int> a = numbers({3, 4});
  const auto [rows, columns] = a.shape<2>();
  CHECK(rows == 3);
  CHECK(columns == 4);
  const auto [n] = (a + 1)(0).shape<1>();
  CHECK(n == 4);
  CHECK(has(message_of([&] { return a.shape<3>()[0]; }), "shape<3>() of an array of shape (3, 4)"));
}

TEST_CASE("views: of views") {
  const array<int> a = numbers({6, 8});
  const tensor t = value_of(a);
  const auto twice = a(slice(_, _, -2), slice(1, _, 3))(slice(1, _), slice(_, _, -1));
  CHECK(worst(value_of(twice),
              indexed(indexed(t, {slice(_, _, -2), slice(1, _, 3)}), {slice(1, _), slice(_, _, -1)})) == 0);
  auto lazily = (a * 1)(slice(_, _, -2), slice(1, _, 3))(slice(1, _), slice(_, _, -1)).T()(1);
  CHECK(worst(value_of(lazily), indexed(value_of(twice.T()), {1})) == 0);
  auto of_broadcast = (a(0) + a(_, slice(0, 1)))(slice(_, _, -1), 3);
  for (int i = 0; i < 6; ++i) CHECK(value_of(of_broadcast).at[static_cast<std::size_t>(i)] == 3 + 8 * (5 - i));
  CHECK(launches_of([&] { array<int> r = lazily; }) == 1);
}

TEST_CASE("views: parts that a program names") {
  const array<int> a = arange<int>(24).reshape({2, 3, 4});
  const auto [x, y, z] = split<3>(a, 1);
  CHECK(z.get() == array<int>(a(_, slice(2, 3))).get());
  CHECK(array<int>(x + y).shape() == shape{2, 1, 4});
  const auto [first, second] = unstack<2>(a);
  CHECK(second.get() == a(1).get());
  CHECK(array<int>(std::get<1>(unstack<2>(a * 2))).get() == array<int>(a(1) * 2).get());
  CHECK_THROWS_AS(unstack<2>(a, 1), shape_error);
  CHECK(diagonal(a, {.axis1 = 1, .axis2 = 2}).get() == diagonal(a, 0, 1, 2).get());
  CHECK(diagonal(a, {.offset = 1, .axis2 = 2}).get() == diagonal(a, 1, 0, 2).get());
}

TEST_CASE("views: transposes") {
  const array<int> a = numbers({2, 3, 4});
  const auto reference = [&](int x, int y, int z) {
    tensor t{shape{a.shape()[x], a.shape()[y], a.shape()[z]}, {}};
    const int steps[] = {12, 4, 1};
    for (int i = 0; i < t.extents[0]; ++i)
      for (int j = 0; j < t.extents[1]; ++j)
        for (int k = 0; k < t.extents[2]; ++k) t.at.push_back(i * steps[x] + j * steps[y] + k * steps[z]);
    return t;
  };
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& [x, y, z] : orders) {
    CHECK(worst(value_of(a.transpose({x, y, z})), reference(x, y, z)) == 0);
    CHECK(worst(value_of((a + 0).transpose({x - 3, y, z - 3})), reference(x, y, z)) == 0);
    array<int> stored = zeros<int>({a.shape()[x], a.shape()[y], a.shape()[z]});
    stored(ellipsis) = a.transpose({x, y, z}) + 1;
    CHECK(worst(value_of(stored - 1), reference(x, y, z)) == 0);
  }
  CHECK(worst(value_of(a.T()), reference(2, 1, 0)) == 0);
  CHECK(worst(value_of((a * 2 - a).T()), reference(2, 1, 0)) == 0);
  CHECK(a.transpose(1, 2, 0).get() == a.transpose({1, 2, 0}).get());
  CHECK((a + 0).transpose(-1, 0, 1).get() == a.transpose({2, 0, 1}).get());
  CHECK(array<int>(a.T()).shape() == shape{4, 3, 2});
  CHECK(place_of(array<int>(a.T())) == place_of(a));  // no copy
  CHECK(numbers({7}).T().get() == numbers({7}).get());
  CHECK_THROWS_AS(a.transpose({0, 1}), shape_error);
  CHECK_THROWS_AS(a.transpose({0, 1, 1}), shape_error);
  CHECK_THROWS_AS(a.transpose({0, 1, 3}), shape_error);
}

TEST_CASE("views: reshapes keep C order, whatever the order in memory") {
  const array<int> a = numbers({4, 6});
  CHECK(a.reshape({2, 12}).shape() == shape{2, 12});
  CHECK(place_of(a.reshape({3, -1})) == place_of(a));  // contiguous: no copy
  CHECK(a.reshape({3, -1}).shape() == shape{3, 8});
  CHECK(a.reshape(2, 12).shape() == shape{2, 12});
  CHECK((a + 1).reshape(3, -1).shape() == shape{3, 8});
  CHECK(a.reshape(std::size_t{2}, 3L, 4).shape() == shape{2, 3, 4});
  CHECK(a.reshape(-1).shape() == shape{24});
  CHECK(a.reshape(std::vector<int>{4, 6}).shape() == shape{4, 6});
  CHECK(reshape(a, {8, -1}).shape() == shape{8, 3});
  CHECK(a.ravel().get() == a.get());
  CHECK(a.flatten().shape() == shape{a.size()});
  auto filled = a;
  filled.fill(2.6);  // stored as any number is
  CHECK(filled.get() == sinter::full_like(a, 2.6).get());
  CHECK(a.reshape({-1, 1, 2, 1}).shape() == shape{12, 1, 2, 1});
  const std::vector<int> down = a.T().get();
  CHECK(a.T().ravel().get() == down);
  CHECK(a.T().reshape({8, 3}).get() == down);
  CHECK((a + 1).T().reshape({2, 2, 6}).get() == array<int>(a.T() + 1).get());
  CHECK(a(slice(_, _, -1)).reshape({12, 2}).get() == a(slice(_, _, -1)).get());
  CHECK((a(_, slice(_, _, 2)) * 10).reshape({2, 6}).get() == array<int>(a(_, slice(_, _, 2)) * 10).get());
  // In the middle of an expression, twice, and broadcast afterwards.
  auto e = (a.T().reshape({4, 6}) + a).reshape({2, 12}) - 1;
  const std::vector<int> got = e.get();
  for (std::size_t i = 0; i < 24; ++i) CHECK(got[i] == down[i] + static_cast<int>(i) - 1);
  auto table = a.T().reshape({24})(newaxis) + numbers({2})(_, newaxis);
  CHECK(table.get()[24 + 5] == down[5] + 1);
  CHECK(sum(a).reshape({1, 1}).shape() == shape{1, 1});
  CHECK(array<int>(numbers({1}).reshape(shape(std::initializer_list<int>{}))).item() == 0);
  CHECK(zeros<int>({0, 3}).reshape({3, -1}).shape() == shape{3, 0});
  CHECK(has(message_of([&] { return a.reshape({5, 5}); }), "24 elements of shape (4, 6) do not reshape to (5, 5)"));
  CHECK_THROWS_AS(a.reshape({-1, 5}), shape_error);
  CHECK_THROWS_AS(a.reshape({-1, -1}), shape_error);
  CHECK_THROWS_AS(a.reshape({-2, 12}), shape_error);
}

TEST_CASE("views: broadcasts") {
  const array<int> row = numbers({3}), column = numbers({2, 1}), one = numbers({1});
  CHECK(broadcast_to(row, {2, 3}).get() == std::vector<int>{0, 1, 2, 0, 1, 2});
  CHECK(broadcast_to(column, {2, 3}).get() == std::vector<int>{0, 0, 0, 1, 1, 1});
  CHECK(broadcast_to(column * 5, {2, 2, 2}).get() == std::vector<int>{0, 0, 5, 5, 0, 0, 5, 5});
  CHECK(broadcast_to(one, {0, 4}).shape() == shape{0, 4});
  CHECK((broadcast_to(row, {2, 3}) + broadcast_to(column, {2, 3})).get() == (row + column).get());
  CHECK(broadcast_to(sum(row), {2, 2}).get() == std::vector<std::int64_t>{3, 3, 3, 3});
  CHECK((row + column + numbers({4, 1, 1})).shape() == shape{4, 2, 3});
  CHECK((row + column + numbers({4, 1, 1})).get()[23] == 2 + 1 + 3);
  CHECK((numbers({3, 1, 2}) * numbers({4, 1})).get()[(1 * 4 + 3) * 2 + 1] == 3 * 3);
  CHECK(has(message_of([&] { return broadcast_to(row, {3, 2}); }), "shape (3,) does not broadcast to (3, 2)"));
  CHECK_THROWS_AS(broadcast_to(numbers({2, 3}), {3}), shape_error);
  CHECK_THROWS_AS(array<int>(row + numbers({2})), shape_error);
  CHECK(has(message_of([&] { return array<int>(row + numbers({2, 2})); }), "(3,) and (2, 2)"));
}

TEST_CASE("views: no axes, and no elements") {
  const array<int> scalar = numbers({3})(1);
  CHECK(scalar.ndim() == 0);
  CHECK(scalar.size() == 1);
  CHECK(scalar.get() == std::vector<int>{1});
  CHECK(scalar(newaxis, newaxis).shape() == shape{1, 1});
  CHECK(scalar(ellipsis).item() == 1);
  CHECK((scalar + numbers({2})).get() == std::vector<int>{1, 2});
  CHECK((scalar * scalar + 1).shape() == shape(std::initializer_list<int>{}));
  CHECK(scalar.T().item() == 1);
  array<int> written = numbers({3})(2);
  written(ellipsis) = 7;
  written += 1;
  CHECK(written.item() == 8);
  const array<float> none = zeros<float>({3, 0, 2});
  CHECK(none.get().empty());
  CHECK((none + 1).shape() == shape{3, 0, 2});
  CHECK((none + ones<float>({2})).get().empty());
  CHECK(none.T().shape() == shape{2, 0, 3});
  CHECK(none(slice(1, _), _, 0).shape() == shape{2, 0});
  CHECK(launches_of([&] { array<float> r = exp(none) * 2; }) == 0);
  array<float> stored = zeros<float>({3, 0, 2});
  stored(1) = 5;
  stored += none;
  CHECK(stored.shape() == shape{3, 0, 2});
  CHECK(array<float>().shape() == shape{0});
  CHECK((array<float>() + 1).get().empty());
}

TEST_CASE("views: a wrong index is refused by name, and changes nothing") {
  array<int> a = numbers({3, 4});
  auto e = a + 1;
  CHECK(has(message_of([&] { return a(3).ndim(); }), "index 3 is out of range for axis 0 of an array of shape (3, 4)"));
  CHECK(has(message_of([&] { return a(0, -5).ndim(); }),
            "index -5 is out of range for axis 1 of an array of shape (3, 4)"));
  CHECK(has(message_of([&] { return e(ellipsis, 4); }),
            "index 4 is out of range for axis 1 of an array of shape (3, 4)"));
  CHECK(has(message_of([&] { return a(0, 0, 0).ndim(); }), "3 indices for an array of shape (3, 4)"));
  CHECK(has(message_of([&] { return a(0, 0)(0); }), "1 index for an array of shape ()"));
  CHECK(has(message_of([&] { return a(0, 0)(array<int>{0}); }), "1 index for an array of shape ()"));
  CHECK(has(message_of([&] { return e(_, _, newaxis, slice(1, _)); }), "3 indices for an array of shape (3, 4)"));
  CHECK(has(message_of([&] { return a(slice(_, _, 0)).ndim(); }), "step of zero"));
  CHECK(has(message_of([&] { return a(ellipsis, ellipsis).ndim(); }), "ellipsis"));
  CHECK_THROWS_AS(a(newaxis, newaxis, newaxis, newaxis, newaxis, newaxis, newaxis), index_error);
  CHECK_THROWS_AS(array<int>()(0), index_error);
  CHECK_THROWS_AS(a(3) = 1, index_error);
  CHECK_THROWS_AS(a(0, 4) += 1, index_error);
  CHECK_THROWS_AS(a(_, slice(0, 2)) = numbers({3}), shape_error);
  CHECK(a.get() == numbers({3, 4}).get());
  CHECK(holders_of(a) == 1);
  CHECK(e.get()[0] == 1);
}
