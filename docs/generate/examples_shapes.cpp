// Examples of what makes arrays, and of what gives them other shapes.
#include <cmath>
#include <complex>
#include <list>

#include "docs/generate/examples.hpp"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace docs {
namespace {

void create(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(array, "np.array([[1, 2], [3, 4]], np.float32)", array<float>{{1, 2}, {3, 4}});
  EXAMPLE(array::view, "x.view(np.int64)", x.view<std::int64_t>());
  EXAMPLE(array::view, "f.view(np.uint8)[:4]", f.view<std::uint8_t>()(slice(4)));
  EXAMPLE(array::copy, "a.copy()", a.copy());
  EXAMPLE(array::strides, "", a.T().strides());
  EXAMPLE(array::is_contiguous, "a.flags.c_contiguous", a.is_contiguous());
  EXAMPLE_STORE(array::fill, "a.fill(7)", a, a.fill(7));
  EXAMPLE_STORE(array::operator(), "a[:, 0] = 0", a, a(_, 0) = 0);
  EXAMPLE_STORE(array::operator(), "a[k[:2], 1:] += 10", a, a(k(slice(2)), slice(1, _)) += 10);
  EXAMPLE_STORE(array::operator(), "a[a > 4] = 0", a, a(a > 4) = 0);
  EXAMPLE(empty, "np.empty((2, 3)).shape", sn::empty({2, 3}).shape());
  EXAMPLE(zeros, "np.zeros((2, 3))", sn::zeros({2, 3}));
  EXAMPLE(ones, "np.ones(3, np.float32)", sn::ones<float>({3}));
  EXAMPLE(full, "np.full((2, 2), 7)", sn::full({2, 2}, 7));
  EXAMPLE(zeros_like, "np.zeros_like(a)", sn::zeros_like(a));
  EXAMPLE(full_like, "np.full_like(a, 9)", sn::full_like(a, 9));
  EXAMPLE(arange, "np.arange(1, 10, 3)", sn::arange(1, 10, 3));
  EXAMPLE(arange, "np.arange(0, 1, 0.25)", sn::arange(0, 1, 0.25));
  EXAMPLE(linspace, "np.linspace(0, 1, 5)", sn::linspace(0, 1, 5));
  EXAMPLE(linspace, "np.linspace(f, 9, 3, axis=1)", sn::linspace(f, 9, 3, {.axis = 1}));
  EXAMPLE(logspace, "np.logspace(0, 3, 4, base=2)", sn::logspace(0, 3, 4, {.base = 2}));
  EXAMPLE(geomspace, "np.geomspace(1, 8, 4)", sn::geomspace(1, 8, 4));
  EXAMPLE(eye, "np.eye(2, 3, 1)", sn::eye(2, 3, 1));
  EXAMPLE(asarray, "np.reshape(v, (2, 2))", sn::asarray(v, {2, 2}));
  EXAMPLE(broadcast_to, "np.broadcast_to(f, (2, 3))", sn::broadcast_to(f, {2, 3}));
  EXAMPLE(reshape, "np.reshape(a, (3, -1))", sn::reshape(a, {3, -1}));
  EXAMPLE(reshape, "np.transpose(a)", sn::transpose(a));
  EXAMPLE(astype, "x.astype(np.int32)", sn::astype<int>(x));
  EXAMPLE(eval, "np.min(a), np.max(a)", sn::eval(sn::min(a), sn::max(a)));
  EXAMPLE(lazy, "a + 1", sn::lazy<double>(a + 1));
  EXAMPLE(name, "np.dtype(np.float32)", sn::name(sn::dtype_of<float>));
  EXAMPLE(itemsize, "np.dtype(np.float32).itemsize", sn::itemsize(sn::dtype_of<float>));
  EXAMPLE(slice, "a[:, ::-2]", a(_, slice(_, _, -2)));
  EXAMPLE(newaxis, "f[:, None]", f(_, sn::newaxis));
  EXAMPLE(ellipsis, "a[..., 0]", a(sn::ellipsis, 0));
}

void grids(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(meshgrid, "np.meshgrid(f, i[:2])", sn::meshgrid(f, i(slice(2))));
  EXAMPLE(mgrid, "list(np.mgrid[0:2, 0:3])", sn::mgrid(slice(0, 2), slice(0, 3)));
  EXAMPLE(ogrid, "np.ogrid[0:2, 0:3]", sn::ogrid(slice(0, 2), slice(0, 3)));
  EXAMPLE(points, "list(np.mgrid[0:1:5j,])", sn::mgrid(sn::points{0, 1, 5}));
  EXAMPLE(indices, "np.indices((2, 2))", sn::indices({2, 2}));
  EXAMPLE(fromfunction, "np.fromfunction(lambda i, j: i + j, (2, 3))",
          sn::fromfunction([](auto i, auto j) { return i + j; }, {2, 3}));
  EXAMPLE(tri, "np.tri(3, 4, 1)", sn::tri(3, 4, 1));
  EXAMPLE(identity, "np.identity(2)", sn::identity(2));
  EXAMPLE(vander, "np.vander(i)", sn::vander(i));
  EXAMPLE(bartlett, "np.bartlett(5)", sn::bartlett(5));
  EXAMPLE(bartlett, "np.hamming(5)", sn::hamming(5));
  EXAMPLE(kaiser, "np.kaiser(5, 8.6)", sn::kaiser(5, 8.6));
}

void views(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(squeeze, "np.squeeze(f[None])", sn::squeeze(f(sn::newaxis)));
  EXAMPLE(expand_dims, "np.expand_dims(f, (0, 2)).shape", sn::expand_dims(f, {0, 2}).shape());
  EXAMPLE(swapaxes, "np.swapaxes(a, 0, 1)", sn::swapaxes(a, 0, 1));
  EXAMPLE(moveaxis, "np.moveaxis(a[None], 0, -1).shape", sn::moveaxis(a(sn::newaxis), 0, -1).shape());
  EXAMPLE(rollaxis, "np.rollaxis(a[None], 2).shape", sn::rollaxis(a(sn::newaxis), 2).shape());
  EXAMPLE(permute_dims, "np.permute_dims(a, (1, 0))", sn::permute_dims(a, {1, 0}));
  EXAMPLE(matrix_transpose, "np.matrix_transpose(a)", sn::matrix_transpose(a));
  EXAMPLE(ravel, "np.ravel(a)", sn::ravel(a));
  EXAMPLE(copy, "np.size(np.copy(a))", sn::size(sn::copy(a)));
  EXAMPLE(atleast_1d, "np.atleast_2d(f)", sn::atleast_2d(f));
  EXAMPLE(broadcast_shapes, "np.broadcast_shapes((2, 3), (3,))", sn::broadcast_shapes({sn::shape{2, 3}, sn::shape{3}}));
  EXAMPLE(broadcast_arrays, "np.broadcast_arrays(a, f)", sn::broadcast_arrays(a, f));
  EXAMPLE(split, "np.split(a, 3, 1)", sn::split(a, 3, 1));
  EXAMPLE(split, "np.split(f, [1, 2])", sn::split(f, {1, 2}));
  EXAMPLE(array_split, "np.array_split(f, 2)", sn::array_split(f, 2));
  EXAMPLE(hsplit, "np.vsplit(a, 2)", sn::vsplit(a, 2));
  EXAMPLE(unstack, "np.unstack(a)", sn::unstack(a));
  EXAMPLE(as_strided, "np.lib.stride_tricks.as_strided(f, (2, 2), (4, 4))", sn::as_strided(f, {2, 2}, {1, 1}));
  EXAMPLE(sliding_window_view, "np.lib.stride_tricks.sliding_window_view(f, 2)", sn::sliding_window_view(f, 2));
  EXAMPLE(flip, "np.flip(a, 1)", sn::flip(a, 1));
  EXAMPLE(flipud, "np.flipud(a)", sn::flipud(a));
  EXAMPLE(fliplr, "np.fliplr(a)", sn::fliplr(a));
  EXAMPLE(rot90, "np.rot90(a)", sn::rot90(a));
  EXAMPLE(roll, "np.roll(a, 1, 1)", sn::roll(a, 1, 1));
  EXAMPLE(repeat, "np.repeat(a, [1, 0, 2], 1)", sn::repeat(a, {1, 0, 2}, 1));
  EXAMPLE(tile, "np.tile(f, (2, 2))", sn::tile(f, {2, 2}));
  EXAMPLE(tril, "np.tril(a)", sn::tril(a));
  EXAMPLE(triu, "np.triu(a, 1)", sn::triu(a, 1));
  EXAMPLE(diagonal, "np.diagonal(a, 1)", sn::diagonal(a, 1));
  EXAMPLE(diag, "np.diag(f)", sn::diag(f));
  EXAMPLE(diagflat, "np.diagflat(a[:, :1])", sn::diagflat(a(_, slice(1))));
  EXAMPLE(trace, "np.trace(a)", sn::trace(a));
}

void joins(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(concatenate, "np.concatenate((a, b), 1)", sn::concatenate({a, b}, 1));
  EXAMPLE(concatenate, "np.concatenate((a, b > 3))", sn::concatenate(sn::tuple(a, b > 3)));
  EXAMPLE(concatenate, "np.concatenate((f, i), dtype=float)", sn::concatenate<double>({f, i}));
  EXAMPLE(stack, "np.stack((f, f))", sn::stack({f, f}));
  EXAMPLE(hstack, "np.hstack((a, b))", sn::hstack({a, b}));
  EXAMPLE(vstack, "np.vstack((f, f))", sn::vstack({f, f}));
  EXAMPLE(column_stack, "np.column_stack((f, i))", sn::column_stack(sn::tuple(f, i)));
  EXAMPLE(dstack, "np.dstack((f, f))", sn::dstack({f, f}));
  EXAMPLE(concat, "np.concat((f, f))", sn::concat({f, f}));
  EXAMPLE(block, "np.block([[a, b], [b, a]])", sn::block({{a, b}, {b, a}}));
  EXAMPLE(append, "np.append(a, f)", sn::append(a, f));
  EXAMPLE(pad, "np.pad(f, 2, constant_values=7)", sn::pad(f, 2, 7));
  EXAMPLE(pad, "np.pad(f, 2, mode=\"wrap\")", sn::pad(f, 2, sn::pad_mode::wrap));
  EXAMPLE(pad, "np.pad(f, 2, mode=\"maximum\", stat_length=1)",
          sn::pad(f, 2, sn::pad_mode::maximum, {.stat_length = 1}));
  EXAMPLE(delete_, "np.delete(a, 1, 1)", sn::delete_(a, 1, 1));
  EXAMPLE(insert, "np.insert(f, 1, 9)", sn::insert(f, 1, 9));
  EXAMPLE(resize, "np.resize(f, (2, 4))", sn::resize(f, {2, 4}));
  EXAMPLE(trim_zeros, "np.trim_zeros(np.array([0, 0, 1, 2, 0]))", sn::trim_zeros(array{0, 0, 1, 2, 0}));
}

}  // namespace

void run_shapes(std::vector<example>& all) {
  create(all);
  grids(all);
  views(all);
  joins(all);
}

}  // namespace docs
