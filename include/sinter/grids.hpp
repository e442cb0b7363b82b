// Arrays that follow from a shape alone: grids of coordinates, triangles, windows, and what a function makes of indices. Lazy: they
// are computed in the kernel of what uses them.
#pragma once

#include <array>

#include <sinter/create.hpp>
#include <sinter/join.hpp>

namespace sinter {

/// Which of two axes the first of several vectors runs along: the second, as coordinates of a plane do, or the first.
enum class indexing : unsigned char { xy, ij };
/// How to make a mesh: `meshgrid({.indexing = indexing::ij, .sparse = true}, x, y)`.
struct mesh_options {
  sinter::indexing indexing = sinter::indexing::xy;
  bool sparse = false;  ///< axes of extent one, which broadcast, in place of repeated elements
};
/// So many numbers from start to stop, both included: NumPy's `start:stop:5j` in a grid.
struct points {
  double start, stop;
  std::int64_t count;
};

namespace detail {
/// The elements along one axis of a mesh.
SINTER_API node* make_mesh(node*, int axis, int axes, const shape& whole, bool sparse);
/// The numbers of a slice along an axis; of points.
SINTER_API node* make_slice_range(const index_item&);
SINTER_API node* make_point_range(double start, double stop, std::int64_t count);
SINTER_API std::vector<handle> make_indices(const shape&);
constexpr int mesh_axis(int i, int axes, indexing how) { return how == indexing::xy && axes > 1 && i < 2 ? 1 - i : i; }

template <class X>
concept grid_range = std::same_as<X, slice> || std::same_as<X, points>;
template <class T>
handle range_of(const slice& s) {
  return part_of<T>(lazy<std::int64_t>(make_slice_range(s.item())));
}
template <class T>
handle range_of(const points& p) {
  return handle(make_point_range(p.start, p.stop, p.count));
}
template <class... Range>
auto grid_of(bool sparse, const Range&... ranges) {
  using T = std::conditional_t<(std::same_as<Range, slice> && ...), std::int64_t, double>;
  constexpr int axes = sizeof...(Range);
  static_assert(axes > 0 && axes <= max_rank, "sinter: a mesh has 1 to 8 axes");
  const handle each[] = {range_of<T>(ranges)...};
  shape whole;
  whole.set_size(axes);
  for (int d = 0; d < axes; ++d) whole[d] = shape_of(each[d].get()).elements();
  return [&]<std::size_t... d>(std::index_sequence<d...>) {
    return std::array<lazy<T>, sizeof...(d)>{
        lazy<T>(make_mesh(each[d].get(), static_cast<int>(d), axes, whole, sparse))...};
  }
  (std::index_sequence_for<Range...>());
}
}  // namespace detail

/// Vectors as the coordinates of a grid: `auto [x, y] = meshgrid(a, b);`, lazily, as a tuple. Shapes: an axis for each vector, the
/// first two exchanged unless `indexing` is ij; what has more axes is flattened. Source: numpy.meshgrid.
template <detail::expression... E>
std::tuple<lazy<detail::element_in<E>>...> meshgrid(mesh_options how, E&&... e) {
  constexpr int axes = sizeof...(E);
  static_assert(axes > 0 && axes <= max_rank, "sinter: a mesh has 1 to 8 axes");
  const std::int64_t extents[] = {e.size()...};
  shape whole;
  whole.set_size(axes);
  for (int i = 0; i < axes; ++i) whole[detail::mesh_axis(i, axes, how.indexing)] = extents[i];
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple<lazy<detail::element_in<E>>...>{lazy<detail::element_in<E>>(
        detail::make_mesh(detail::node_of(std::forward<E>(e)).get(),
                          detail::mesh_axis(static_cast<int>(i), axes, how.indexing), axes, whole, how.sparse))...};
  }
  (std::index_sequence_for<E...>());
}
template <detail::expression... E>
auto meshgrid(E&&... e) {
  return meshgrid(mesh_options{}, std::forward<E>(e)...);
}
/// The coordinates of the points of a grid, one array for each axis: `auto [y, x] = mgrid(slice(0, 3), slice(0, 5));`. A range is a
/// slice of integers, or `points{0.0, 1.0, 5}`. Dtypes: int64, or double where there are points. `stack` makes one array of them,
/// as NumPy has it. Errors: `shape_error` for a slice without an end. Source: numpy.mgrid.
template <detail::grid_range... Range>
auto mgrid(const Range&... ranges) {
  return detail::grid_of(false, ranges...);
}
/// The same with axes of extent one in place of repeated elements. Source: numpy.ogrid.
template <detail::grid_range... Range>
auto ogrid(const Range&... ranges) {
  return detail::grid_of(true, ranges...);
}
/// The index along each axis, as the first axis of one expression: `indices({2, 3})` has shape (2, 2, 3). Dtypes: int64. Errors:
/// `shape_error` for as many axes as there can be. Source: numpy.indices.
template <element T = std::int64_t>
auto indices(const shape& s) {
  auto along = detail::make_indices(s);
  std::vector<lazy<T>> each;
  for (detail::handle& i : along) each.emplace_back(detail::part_of<T>(lazy<std::int64_t>(i.take())).take());
  return each.empty() ? lazy<T>(detail::make_zeros(dtype_of<T>, shape{0})) : stack(each);
}
/// An expression for each axis: `auto [i, j] = indices<2>({2, 3});`. Errors: `shape_error` for a shape of another number of axes.
template <std::size_t axes>
std::array<lazy<std::int64_t>, axes> indices(const shape& s) {
  return detail::each_of<axes>(s, detail::each_as<lazy<std::int64_t>>(detail::make_indices(s)));
}
/// How to make indices.
struct indices_options {
  detail::truth sparse = false;  ///< axes of extent one, which broadcast, in place of repeated elements
};
/// A list of them, an expression for each axis: `auto along = indices({2, 3}, {.sparse = true});`.
template <element T = std::int64_t>
std::vector<lazy<T>> indices(const shape& s, const indices_options& how) {
  std::vector<lazy<T>> along;
  for (int d = 0; d < s.size(); ++d) {
    shape of = s;
    for (int other = 0; how.sparse && other < s.size(); ++other)
      if (other != d) of[other] = 1;
    along.emplace_back(detail::part_of<T>(lazy<std::int64_t>(detail::make_iota(of, d))).take());
  }
  return along;
}
/// What a function makes of the index along each axis: `fromfunction([](auto i, auto j) { return i + j; }, {3, 4})`. It is called
/// once, with expressions. Dtypes: the indices are double, or as chosen. Source: numpy.fromfunction.
template <element T = double, class F, std::size_t axes>
auto fromfunction(F&& f, const std::int64_t (&extents)[axes]) {
  auto along = detail::make_indices(shape(extents, axes));
  return [&]<std::size_t... d>(std::index_sequence<d...>) {
    return f(lazy<T>(detail::part_of<T>(lazy<std::int64_t>(along[d].take())).take())...);
  }
  (std::make_index_sequence<axes>());
}
/// Ones on and below a diagonal, zeros above. Source: numpy.tri.
template <element T = double>
auto tri(std::int64_t rows, std::int64_t columns = -1, std::int64_t k = 0) {
  return tril(broadcast_to(lazy<T>(detail::part_of<T>(1).take()), {rows, columns < 0 ? rows : columns}), k);
}
/// Ones on the main diagonal of a square. Source: numpy.identity.
template <element T = double>
array<T> identity(std::int64_t n, detail::where at = detail::where::current()) {
  return eye<T>(n, n, 0, at);
}
/// The powers of a vector as columns, the highest first, as many as it has elements, or so many; the lowest first where they are to
/// increase. Dtypes: that of the elements and int64 together. Errors: `shape_error` unless it has one axis. Source: numpy.vander.
template <detail::expression E>
auto vander(E&& e, std::int64_t columns = -1, bool increasing = false) {
  using T = result_type<detail::element_in<E>, std::int64_t>;
  const lazy<T> x(detail::part_of<T>(std::forward<E>(e)).take());
  const auto [n] = x.template shape<1>();
  const shape s{n, columns < 0 ? n : columns};
  const lazy<std::int64_t> j(detail::make_iota(s, 1));
  lazy<T> powers = cumprod<T>(where(j == 0, strong(T(1)), x(_, newaxis)), 1);
  return increasing ? powers : lazy<T>(flip(std::move(powers), 1));
}

/// Windows of so many points; one point is 1: a triangle that is 0 at its ends, three terms of cosines, and raised cosines of 0.54
/// and 0.46, and of halves. Lazy. Source: numpy.bartlett, blackman, hamming, hanning.
SINTER_API lazy<double> bartlett(std::int64_t points);
SINTER_API lazy<double> blackman(std::int64_t points);
SINTER_API lazy<double> hamming(std::int64_t points);
SINTER_API lazy<double> hanning(std::int64_t points);
/// A window of so many points made of the Bessel function i0; the larger beta is, the narrower it is. Lazy. Source: numpy.kaiser.
SINTER_API lazy<double> kaiser(std::int64_t points, double beta);

}  // namespace sinter
