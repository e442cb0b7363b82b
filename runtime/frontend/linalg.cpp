// Systems of equations, factorisations and eigenvalues: calls of LAPACK, and the expressions that make of what these give what NumPy
// and SciPy return.
#include <sinter/linalg.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/work.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/matrices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/exponential.hpp"
#include "runtime/library/products.hpp"
#include "runtime/library/solver_calls.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::choose, runtime::fold, runtime::index_of, runtime::make_solver_calls,
    runtime::one_axis, runtime::solver, runtime::solver_problem, runtime::term, runtime::throw_unequal, runtime::typed;

namespace {

term diagonal(const term& a) { return term::made(make_diagonal(a.get(), 0, -2, -1)); }
term triangle(const term& a, int offset, bool lower) { return term::made(make_triangle(a.get(), offset, lower)); }
term first_along(const term& a, int back, std::int64_t count) { return a.along(a.rank() - back, slice(0, count)); }
std::int64_t rows_of(const term& a) { return a.extent(a.rank() - 2); }
std::int64_t columns_of(const term& a) { return a.extent(a.rank() - 1); }

term matrices(handle h, dtype t, const char* what, bool square) {
  const term given(std::move(h));
  if (given.rank() < 2 || (square && rows_of(given) != columns_of(given)))
    throw shape_error(message("sinter: %s of an array of shape %s; %s", what, to_string(given.extents()).c_str(),
                              square ? "the last two axes have to be equal" : "it takes two axes at least")
                          .c_str());
  return astype(given, t);
}

solver_problem problem(solver what, const term& a) {
  solver_problem p{what, a.type()};
  p.rows = rows_of(a), p.columns = columns_of(a);
  return p;
}

// The right side of square matrices: a vector where it has one axis.
term right_side(solver_problem& p, const term& b, const char* what, const term& a) {
  p.is_vector = b.rank() == 1;
  if (b.rank() == 0 || (p.is_vector ? b.extent(0) : rows_of(b)) != p.columns) throw_unequal(what, a, b);
  p.right = p.is_vector ? 1 : columns_of(b);
  return astype(b, p.type);
}

struct factors {
  term lu, pivots;
};
factors factored(const term& a, bool of_transpose = false) {
  solver_problem p = problem(solver::lu, a);
  p.transposed = of_transpose;
  runtime::result_handles made = make_solver_calls(p, {a});
  return {term(std::move(made[0])), term(std::move(made[1]))};
}

term solved_by(const factors& f, const term& b, linalg::transposition trans, const char* what) {
  solver_problem p = problem(solver::lu_solve, f.lu);
  p.transposed = trans != linalg::transposition::none;
  p.conjugated = trans == linalg::transposition::conjugated;
  const term right = right_side(p, b, what, f.lu);
  return term(make_solver_calls(p, {f.lu, f.pivots, right})[0]);
}

// Are there as many right sides of matrices as there are matrices?
bool is_of_own_batch(const term& a, const term& b) {
  shape of_a = a.extents(), of_b = b.extents();
  of_a.set_size(of_a.size() - 2);
  of_b.set_size(std::max(of_b.size() - 2, 0));
  shape both = of_a;
  return codegen::broadcast(both, of_b) && both == of_a;
}

// What is solved for several right sides is factored once.
term solution(const term& a, const term& b, bool checked, const char* what) {
  solver_problem p = problem(solver::solve, a);
  p.checked = checked;
  const term right = right_side(p, b, what, a);
  if (is_of_own_batch(a, b)) return term(make_solver_calls(p, {a, right})[0]);
  p.what = solver::lu;
  runtime::result_handles made = make_solver_calls(p, {a});
  return solved_by({term(std::move(made[0])), term(std::move(made[1]))}, b, linalg::transposition::none, what);
}

term inverse(const term& a, bool checked) {
  return solution(a, runtime::identity(rows_of(a), a.type()), checked, "inv");
}

struct decomposition {
  term u, s, v;
};
decomposition decomposed(const term& a, bool full) {
  solver_problem p = problem(solver::svd, a);
  p.vectors = true;
  p.full = full;
  runtime::result_handles made = make_solver_calls(p, {a});
  return {term(std::move(made[1])), term(std::move(made[0])), term(std::move(made[2]))};
}

// The largest singular value along an axis of one; of none where there is none.
term largest(const term& s) { return first_along(s, 1, 1); }

}  // namespace

node* make_solve(handle first, handle second, dtype t) {
  const term a = matrices(std::move(first), t, "solve", true), b(std::move(second));
  return solution(a, b, true, "solve").take();
}

node* make_inverse(handle of, dtype t) { return inverse(matrices(std::move(of), t, "inv", true), true).take(); }

node* make_pseudoinverse(handle of, dtype t, double rtol) {
  const term a = matrices(std::move(of), t, "pinv", false);
  const auto [u, s, v] = decomposed(a, false);
  const term inverted = choose(s > largest(s) * rtol, 1 / s, 0);
  return matrix_product(adjoint(v), inverted.with_axis(s.rank()) * adjoint(u)).take();
}

// ---- determinants

namespace {

// Of a triangle, whose rows were exchanged: each with the sign of its exchange.
term signed_diagonal(const term& lu, const term& pivots) {
  const term along = diagonal(lu), own = runtime::index_of(pivots.extents(), pivots.rank() - 1);
  return choose(astype(pivots, dtype::int64) != own, -along, along);
}

term sum_of_logarithms(const term& along) {
  return fold(reduction::sum, apply(op::log, {apply(op::absolute, {along})}), one_axis(-1), false);
}
term multiplied_up(const term& along) { return fold(reduction::prod, along, one_axis(-1), false); }

}  // namespace

// The product, unless it left the range on its way, for which logarithms have room.
node* make_determinant(handle of, dtype t) {
  const auto [lu, pivots] = factored(matrices(std::move(of), t, "det", true), true);
  const term along = signed_diagonal(lu, pivots), plain = multiplied_up(along);
  const term signs = multiplied_up(apply(op::sign, {along}));
  const term by_logarithms = signs * apply(op::exp, {sum_of_logarithms(along)});
  const term is_in_range = apply(op::isfinite, {plain}) & (plain != 0);
  return choose(is_in_range, plain, by_logarithms).take();
}

void make_slogdet(handle of, dtype t, node** made) {
  const auto [lu, pivots] = factored(matrices(std::move(of), t, "slogdet", true), true);
  const term along = signed_diagonal(lu, pivots);
  term sign = multiplied_up(apply(op::sign, {along})), size = sum_of_logarithms(along);
  made[0] = sign.take();
  made[1] = size.take();
}

// ---- factors

node* make_cholesky(handle of, dtype t, bool lower, const char* what) {
  const term a = matrices(std::move(of), t, what, true);
  solver_problem p = problem(solver::cholesky, a);
  p.lower = lower;
  return make_solver_calls(p, {a})[0].take();
}

node* make_cholesky_solve(handle c, handle right, dtype t, bool lower) {
  const term a = matrices(std::move(c), t, "cho_solve", true);
  solver_problem p = problem(solver::cholesky_solve, a);
  p.lower = lower;
  const term b = right_side(p, term(std::move(right)), "cho_solve", a);
  return make_solver_calls(p, {a, b})[0].take();
}

namespace {

// cuBLAS squares the elements of a batch's columns as they are, and of those that leave the range then its factors are wrong or NaN.
// Graphs have one matrix of few rows from there, too.
bool may_square(const term& a) {
  const runtime::device_impl* const below = codegen::device_below(typed(a.get()));
  const bool is_on_gpu =
      below ? below->dialect() == codegen::dialect::cuda : device::current().type() == device::kind::cuda;
  const bool is_one = a.extents().elements() == rows_of(a) * columns_of(a);
  return is_on_gpu && a.extents().elements() > 0 && (!is_one || rows_of(a) <= runtime::most_rows_captured);
}

// A power of two for each matrix that takes its largest element near 1; 1 where that is no number to speak of.
term power_for(const term& a) {
  const dtype real = real_part_of(a.type());
  const auto size = [](const term& x) { return apply(op::absolute, {x}); };
  const term sizes =
      is_complex(a.type()) ? apply(op::maximum, {size(apply(op::real, {a})), size(apply(op::imag, {a}))}) : size(a);
  const term largest = fold(reduction::max, sizes, {2, {-2, -1}}, true);
  const double most = real == dtype::float32 ? 126 : 1022;
  const term up =
      apply(op::minimum, {apply(op::maximum, {-apply(op::floor, {apply(op::log2, {largest})}), -most}), most});
  return astype(choose(apply(op::isfinite, {largest}) & (largest > 0), apply(op::exp2, {up}), 1.0), real);
}

}  // namespace

void make_qr(handle of, dtype t, bool complete, bool raw, node** made) {
  const term a = matrices(std::move(of), t, "qr", false);
  solver_problem p = problem(solver::qr, a);
  const bool is_scaled = may_square(a);
  const term power = is_scaled ? power_for(a) : term(1.0);
  runtime::result_handles reflections = make_solver_calls(p, {is_scaled ? a * power : a});
  term packed(std::move(reflections[0])), tau(std::move(reflections[1]));
  // What lies in columns below the diagonal is of the reflections, which have no scale; here the rows are the columns.
  if (is_scaled) {
    const int last = packed.rank() - 1;
    const term is_of_r = index_of(packed.extents(), last) <= index_of(packed.extents(), last - 1);
    packed = choose(is_of_r, packed * (1.0 / power), packed);
  }
  if (raw) {
    made[0] = packed.take();
    made[1] = tau.take();
    return;
  }
  p.what = solver::orthogonal;
  p.right = complete ? p.rows : std::min(p.rows, p.columns);
  term q(make_solver_calls(p, {packed, tau})[0]), r = triangle(first_along(transpose(packed), 2, p.right), 0, false);
  made[0] = q.take();
  made[1] = r.take();
}

void make_svd(handle of, dtype t, bool full, node** made) {
  const term a = matrices(std::move(of), t, "svd", false);
  auto [u, s, v] = decomposed(a, full);
  // Libraries leave alone what belongs to no singular value at all.
  if (full && s.extent(s.rank() - 1) == 0)
    for (term* vectors : {&u, &v})
      *vectors = runtime::identity(vectors->extent(vectors->rank() - 1), a.type()).broadcast_to(vectors->extents());
  made[0] = u.take();
  made[1] = s.take();
  made[2] = v.take();
}

node* make_singular_values(handle of, dtype t) {
  return runtime::singular_values(matrices(std::move(of), t, "svdvals", false)).take();
}

void make_lu_factors(handle of, dtype t, node** made) {
  auto [lu, pivots] = factored(matrices(std::move(of), t, "lu_factor", false));
  made[0] = lu.take();
  made[1] = pivots.take();
}

void make_lu(handle of, dtype t, node** made) {
  const auto [packed, pivots] = factored(matrices(std::move(of), t, "lu", false));
  const std::int64_t m = rows_of(packed), k = std::min(m, columns_of(packed));
  solver_problem p = problem(solver::permutation, packed);
  p.type = dtype::float64;  // of nothing
  const term from(make_solver_calls(p, {pivots})[0]);
  const term here = runtime::index_of(shape{m, m}, 0);
  term l = triangle(first_along(packed, 1, k), -1, true) + runtime::unit_diagonal(shape{m, k}, t);
  term exchanges = astype(here == from.with_axis(from.rank() - 1), real_part_of(t));
  term u = triangle(first_along(packed, 2, k), 0, false);
  made[0] = exchanges.take();
  made[1] = l.take();
  made[2] = u.take();
}

node* make_lu_solve(handle lu, handle pivots, handle right, dtype t, linalg::transposition trans) {
  const term packed = matrices(std::move(lu), t, "lu_solve", true), p(std::move(pivots)), b(std::move(right));
  if (p.rank() == 0 || columns_of(p) != columns_of(packed)) throw_unequal("lu_solve", packed, p);
  return solved_by({packed, astype(p, dtype::int32)}, b, trans, "lu_solve").take();
}

node* make_triangular_solve(handle of, handle right, dtype t, const linalg::triangular_options& how) {
  const term a = matrices(std::move(of), t, "solve_triangular", true);
  solver_problem p = problem(solver::triangular_solve, a);
  p.lower = how.lower;
  p.unit_diagonal = how.unit_diagonal;
  p.transposed = how.trans != linalg::transposition::none;
  p.conjugated = how.trans == linalg::transposition::conjugated;
  const term b = right_side(p, term(std::move(right)), "solve_triangular", a);
  return make_solver_calls(p, {a, b})[0].take();
}

node* make_banded_solve(handle diagonals, handle right, dtype t, const linalg::band& of) {
  const term a = matrices(std::move(diagonals), t, "solve_banded", false);
  if (of.lower < 0 || of.upper < 0 || of.lower + of.upper + 1 != rows_of(a))
    throw shape_error(message("sinter: solve_banded of %lld diagonals below and %lld above takes as many rows and one, "
                              "and not an array of shape %s",
                              static_cast<long long>(of.lower), static_cast<long long>(of.upper),
                              to_string(a.extents()).c_str())
                          .c_str());
  solver_problem p = problem(solver::banded_solve, a);
  p.below = of.lower;
  p.above = of.upper;
  const term b = right_side(p, term(std::move(right)), "solve_banded", a);
  return make_solver_calls(p, {a, b})[0].take();
}

// ---- eigenvalues

void make_symmetric_eigen(handle of, dtype t, char which, bool vectors, node** made) {
  if (which != 'L' && which != 'U' && which != 'l' && which != 'u') throw error("sinter: a triangle is 'L' or 'U'");
  const term a = matrices(std::move(of), t, vectors ? "eigh" : "eigvalsh", true);
  solver_problem p = problem(solver::eigh, a);
  p.lower = which == 'L' || which == 'l';
  p.vectors = vectors;
  runtime::result_handles all = make_solver_calls(p, {a});
  made[0] = all[0].take();
  if (vectors) made[1] = all[1].take();
}

void make_eigen(handle of, dtype t, bool vectors, node** made) {
  const term a = matrices(std::move(of), t, vectors ? "eig" : "eigvals", true);
  solver_problem p = problem(solver::eig, a);
  p.vectors = vectors;
  runtime::result_handles all = make_solver_calls(p, {a});
  made[0] = all[0].take();
  if (vectors) made[1] = all[1].take();
}

// ---- by singular values

namespace {

struct equations {
  term a, b;
};

// Of a tall system the triangle of [a b] says as much: its first rows are a square system with the same singular values and solutions.
equations shortened(const term& a, const term& b) {
  constexpr std::int64_t tall = 2;
  const std::int64_t n = columns_of(a), right = columns_of(b);
  if (a.rank() != 2 || b.rank() != 2 || n == 0 || rows_of(a) < std::max(tall * n, n + right)) return {a, b};
  const term both = runtime::joined({a, b}, 1);
  const term packed = transpose(term(make_solver_calls(problem(solver::qr, both), {both})[0]).along(1, slice(0, n)));
  return {triangle(packed.along(1, slice(0, n)), 0, false), packed.along(1, slice(n, n + right))};
}

}  // namespace

void make_least_squares(handle first, handle second, dtype t, double rcond, node** made) {
  const term given = matrices(std::move(first), t, "lstsq", false);
  term right = astype(term(std::move(second)), t);
  const bool is_vector = right.rank() == 1;
  if (right.rank() == 0 || (is_vector ? right.extent(0) : rows_of(right)) != rows_of(given))
    throw_unequal("lstsq", given, right);
  if (is_vector) right = right.with_axis(1);
  const auto [a, b] = shortened(given, right);
  const auto [u, s, v] = decomposed(a, false);
  const auto sides = static_cast<double>(std::max(rows_of(given), columns_of(given)));
  const term is_large = s > largest(s) * (rcond < 0 ? sides * runtime::precision(t) : rcond);
  const term weights = choose(is_large, 1 / s, 0).with_axis(s.rank());
  const term x = matrix_product(adjoint(v), weights * matrix_product(adjoint(u), b));
  const term left = apply(op::absolute, {matrix_product(given, x) - right});
  const term sums = fold(reduction::sum, left * left, one_axis(-2), false);
  const bool has_rest = rows_of(given) > columns_of(given);
  term residuals = has_rest ? sums : sums.along(sums.rank() - 1, slice(0, 0));
  term rank = fold(reduction::sum, is_large, one_axis(-1), false, dtype::int64);
  term solution = is_vector ? x.at(x.rank() - 1, 0) : x, values = s;
  made[0] = solution.take();
  made[1] = residuals.take();
  made[2] = rank.take();
  made[3] = values.take();
}

node* make_matrix_rank(handle of, dtype t, const linalg::rank_options& how) {
  if (typed(of.get())->extents.size() < 2)
    return astype(fold(reduction::any, astype(term(std::move(of)), t) != 0, {}, false), dtype::int64).take();
  const term a = matrices(std::move(of), t, "matrix_rank", false), s = runtime::singular_values(a);
  const auto sides = static_cast<double>(std::max(rows_of(a), columns_of(a)));
  const term is_large =
      how.tol >= 0 ? s > how.tol : s > largest(s) * (how.rtol >= 0 ? how.rtol : sides * runtime::precision(t));
  return fold(reduction::sum, is_large, one_axis(-1), false, dtype::int64).take();
}

node* make_condition(handle of, dtype t, const linalg::norm_order& p) {
  const bool by_values =
      p.what == linalg::norm_order::none || (p.what == linalg::norm_order::number && std::abs(p.power) == 2);
  const term a = matrices(std::move(of), t, "cond", !by_values);
  if (rows_of(a) == 0 || columns_of(a) == 0) throw shape_error("sinter: cond of matrices without elements");
  term ratio = a;
  if (by_values) {
    const term s = runtime::singular_values(a);
    const term most = s.at(s.rank() - 1, 0), least = s.at(s.rank() - 1, -1);
    ratio = p.what == linalg::norm_order::number && p.power < 0 ? least / most : most / least;
  } else {
    const auto norm = [&](const term& x) {
      return term::made(make_norm(x.held(), norm_of::matrices, {.ord = p, .axis = {-2, -1}}));
    };
    ratio = norm(a) * norm(inverse(a, false));
  }
  // What is not there is infinite, unless the matrix has none itself.
  const term given = fold(reduction::any, apply(op::isnan, {a}), {2, {-2, -1}}, false);
  return choose(apply(op::isnan, {ratio}) & !given, std::numeric_limits<double>::infinity(), ratio).take();
}

node* make_matrix_exponential(handle of, dtype t) {
  return runtime::make_exponential_call(matrices(std::move(of), t, "expm", true)).take();
}

// ---- of blocks

node* make_block_diagonal(node* const* blocks, std::size_t count) {
  std::int64_t columns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const term b = term::of(blocks[i]);
    if (b.rank() > 2)
      throw shape_error(message("sinter: block_diag of an array of shape %s", to_string(b.extents()).c_str()).c_str());
    columns += b.extent(1);
  }
  runtime::list<handle> rows;
  runtime::list<node*> parts;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const term b = term::of(blocks[i]);
    const auto zeros = [&](std::int64_t wide) {
      return runtime::number_node(0, b.type()).broadcast_to(shape{b.extent(0), wide});
    };
    const std::int64_t behind = columns - before - b.extent(1);
    rows.push_back(runtime::joined({zeros(before), b, zeros(behind)}, 1).held());
    before += b.extent(1);
  }
  for (const handle& row : rows) parts.push_back(row.get());
  return make_joined(parts.data(), parts.size(), 0);
}

// ---- of tensors

node* make_tensor_solve(handle first, handle second, dtype t, const axis_list& last) {
  term a = astype(term(std::move(first)), t);
  const term b = astype(term(std::move(second)), t);
  if (last.count > 0) {
    axis_list to{last.count, {}};
    for (int i = 0; i < last.count; ++i) to.axes[i] = i - last.count;
    a = term::made(make_moved(a.get(), last, to));
  }
  const std::int64_t n = b.extents().elements();
  if (b.rank() > a.rank() || a.extents().elements() != n * n) throw_unequal("tensorsolve", a, b);
  const int rest = a.rank() - b.rank();
  const term x = term::made(make_solve(a.reshaped({n, n}).held(), b.flat().held(), t));
  return make_reshape(x.get(), a.extents().begin() + b.rank(), rest);
}

node* make_tensor_inverse(handle of, dtype t, std::int64_t count) {
  const term a = astype(term(std::move(of)), t);
  if (count < 1) throw error("sinter: tensorinv takes a number of axes above 0");
  std::int64_t extents[max_rank], n = 1;
  const int first = static_cast<int>(std::min<std::int64_t>(count, a.rank())), rest = a.rank() - first;
  for (int d = 0; d < rest; ++d) n *= extents[d] = a.extent(first + d);
  for (int d = 0; d < first; ++d) extents[rest + d] = a.extent(d);
  if (a.extents().elements() != n * n)
    throw shape_error(message("sinter: tensorinv of an array of shape %s", to_string(a.extents()).c_str()).c_str());
  return make_reshape(inverse(a.reshaped({n, n}), true).get(), extents, a.rank());
}

}  // namespace sinter::detail
