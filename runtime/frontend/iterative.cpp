// Iterations, in terms: each step is a few evaluations, and what is only a number stays on the device as an array without axes.
#include <sinter/iterative.hpp>

#include <algorithm>
#include <cmath>
#include <complex>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/eval.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/matrices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::fold, runtime::list, runtime::term, runtime::typed;

namespace {

using complex = std::complex<double>;

// Evaluates expressions together; each is an array then.
void settle(std::initializer_list<term*> all) {
  constexpr std::size_t most = 4;
  runtime::request requests[most];
  term* of[most];
  int count = 0;
  for (term* t : all) {
    if (typed(t->get())->kind == node_kind::array) continue;
    requests[count] = {typed(t->get()), &t->extents(), nullptr};
    of[count++] = t;
  }
  if (count == 0) return;
  runtime::evaluate(requests, count);
  for (int i = 0; i < count; ++i) *of[i] = term(handle(requests[i].into));
}

double value_of(const term& number) {
  double value = 0;
  read_item(astype(number, dtype::float64).get(), &value, {});
  return value;
}
void read_complex(const term& numbers, complex* to, std::size_t count) {
  read_all(astype(numbers, dtype::complex128).get(), to, count, {}, {});
}

term dot(const term& a, const term& b) { return fold(reduction::sum, conjugated(a) * b, {}, false, a.type()); }
// Of a dot product with itself.
double root_of(const term& square) {
  return std::sqrt(value_of(is_complex(square.type()) ? apply(op::real, {square}) : square));
}
double length_of(const term& a) { return root_of(dot(a, a)); }

term zeros_like(const term& a) { return runtime::number_node(0, a.type()).broadcast_to(a.extents()); }
// A number, which is the same program whatever it is.
term times(const complex& by, const term& a) {
  if (is_complex(a.type())) return runtime::number_node(term(by), a.type()) * a;
  return runtime::number_node(term(by.real()), a.type()) * a;
}

// What the methods have in common: both sides, and when to stop.
struct system {
  template <class Options>
  system(const linear_map& by, const linear_map& with, handle right, handle guess, dtype t, const Options& how)
      : a(by), m(with), b(astype(term(std::move(right)), t)), x(b), residuals(how.residuals) {
    settle({&b});
    steps = how.maxiter < 0 ? 10 * b.extents().elements() : how.maxiter;
    limit = std::max(how.atol, how.rtol * length_of(b));
    has_guess = static_cast<bool>(guess);
    x = has_guess ? astype(term(std::move(guess)), t) : zeros_like(b);
    if (!(x.extents() == b.extents()))
      throw shape_error(message("sinter: a first guess of shape %s for a right side of shape %s",
                                to_string(x.extents()).c_str(), to_string(b.extents()).c_str())
                            .c_str());
    settle({&x});
    if (residuals) residuals->clear();
  }

  term applied(const linear_map& map, const term& to) const {
    const term made = term::made(map.apply(to.get()));
    if (!(made.extents() == b.extents()))
      throw shape_error(message("sinter: an operator gives shape %s for shape %s", to_string(made.extents()).c_str(),
                                to_string(b.extents()).c_str())
                            .c_str());
    return made;
  }
  term by_a(const term& v) const { return applied(a, v); }
  term by_m(const term& v) const { return applied(m, v); }
  term first_residual() const { return has_guess ? b - by_a(x) : b; }

  bool is_done(double residual) const {
    if (residuals) residuals->push_back(residual);
    return residual <= limit;
  }
  iterated result(std::int64_t info) const { return {x.held(), info}; }

  const linear_map &a, &m;
  term b, x;
  std::vector<double>* residuals;
  std::int64_t steps;
  double limit;
  bool has_guess;
};

constexpr std::int64_t no_next_step = -10;

}  // namespace

// Y. Saad, Iterative Methods for Sparse Linear Systems, 9.2.
iterated iterate_cg(const linear_map& a, const linear_map& m, handle right, handle x0, dtype t,
                    const sparse::linalg::iteration_options& how) {
  system s(a, m, std::move(right), std::move(x0), t, how);
  term r = s.first_residual();
  settle({&r});
  term z = s.by_m(r), rho = dot(r, z), square = dot(r, r);
  settle({&z, &rho, &square});
  term p = z;
  for (std::int64_t step = 0;; ++step) {
    const double size = root_of(square);
    if (s.is_done(size)) return s.result(0);
    if (!std::isfinite(size)) return s.result(no_next_step);
    if (step == s.steps) return s.result(s.steps);
    term q = s.by_a(p), pq = dot(p, q);
    settle({&q, &pq});
    const term alpha = rho / pq;
    r = r - alpha * q, square = dot(r, r);
    settle({&r, &square});
    z = s.by_m(r);
    term next = z.get() == r.get() ? square : dot(r, z);
    settle({&z, &next});
    s.x = s.x + alpha * p, p = z + next / rho * p;
    settle({&s.x, &p});
    rho = next;
  }
}

// H. van der Vorst, Bi-CGSTAB, 1992.
iterated iterate_bicgstab(const linear_map& a, const linear_map& m, handle right, handle x0, dtype t,
                          const sparse::linalg::iteration_options& how) {
  system s(a, m, std::move(right), std::move(x0), t, how);
  term r = s.first_residual();
  settle({&r});
  const term shadow = r;
  term rho = dot(shadow, r), square = rho, p = r;
  settle({&rho});
  square = rho;
  for (std::int64_t step = 0;; ++step) {
    const double size = root_of(square);
    if (s.is_done(size)) return s.result(0);
    if (!std::isfinite(size)) return s.result(no_next_step);
    if (step == s.steps) return s.result(s.steps);
    term p_hat = s.by_m(p);
    settle({&p_hat});
    term v = s.by_a(p_hat), rv = dot(shadow, v);
    settle({&v, &rv});
    const term alpha = rho / rv;
    term half = r - alpha * v, half_square = dot(half, half);
    settle({&half, &half_square});
    if (!std::isfinite(root_of(half_square))) return s.result(no_next_step);  // there is no alpha; x is what it was
    if (root_of(half_square) <= s.limit) {                                    // the second half would divide by nothing
      s.x = s.x + alpha * p_hat;
      settle({&s.x});
      s.is_done(root_of(half_square));
      return s.result(0);
    }
    term half_hat = s.by_m(half);
    settle({&half_hat});
    term w = s.by_a(half_hat), along = dot(w, half), ww = dot(w, w);
    settle({&w, &along, &ww});
    const term omega = along / ww, before = s.x;
    s.x = s.x + alpha * p_hat + omega * half_hat;
    r = half - omega * w;
    term next = dot(shadow, r);
    square = dot(r, r);
    settle({&s.x, &r, &next, &square});
    if (!std::isfinite(root_of(square))) s.x = before;
    p = r + next / rho * (alpha / omega) * (p - omega * v);
    settle({&p});
    rho = next;
  }
}

namespace {

// Least squares of the small matrix that GMRES makes, by rotations, a column at a time.
class rotated_columns {
 public:
  rotated_columns(std::int64_t columns, double first) : right_(static_cast<std::size_t>(columns) + 1) {
    right_[0] = first;
  }

  /// Takes a column, of two elements more than those before are many. Returns the residual.
  double add(list<complex> h) {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i) turn(rotations_[i], h[i], h[i + 1]);
    const double size = std::hypot(std::abs(h[k]), std::abs(h[k + 1]));
    const rotation last = size == 0 ? rotation{1, 0} : rotation{h[k] / size, h[k + 1] / size};
    turn(last, h[k], h[k + 1]);
    turn(last, right_[k], right_[k + 1]);
    rotations_.push_back(last);
    columns_.push_back(std::move(h));
    return std::abs(right_[k + 1]);
  }
  list<complex> solution() const {
    const std::size_t count = columns_.size();
    list<complex> y(count);
    for (std::size_t i = count; i-- > 0;) {
      complex sum = right_[i];
      for (std::size_t j = i + 1; j < count; ++j) sum -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] == 0.0 ? 0 : sum / columns_[i][i];
    }
    return y;
  }

 private:
  struct rotation {
    complex c, s;
  };
  static void turn(const rotation& by, complex& a, complex& b) {
    const complex first = std::conj(by.c) * a + std::conj(by.s) * b;
    b = by.c * b - by.s * a;
    a = first;
  }

  list<complex> right_;
  list<list<complex>> columns_;
  list<rotation> rotations_;
};

// The next direction, made orthogonal to those before and of length 1; gives what it had along each, and its length.
list<complex> orthogonalised(term& w, const list<term>& basis) {
  list<term> along;
  term h = dot(basis[0], w);
  settle({&w, &h});
  for (std::size_t j = 0; j < basis.size(); ++j) {
    along.push_back(h);
    w = w - h * basis[j];
    h = j + 1 < basis.size() ? dot(basis[j + 1], w) : dot(w, w);
    settle({&w, &h});
  }
  list<node*> nodes;
  for (const term& t : along) nodes.push_back(t.get());
  list<complex> all(along.size() + 1);
  read_complex(term::made(make_stacked(nodes.data(), nodes.size(), 0)), all.data(), nodes.size());
  all.back() = root_of(h);
  const double length = all.back().real();
  if (length > 0) w = times(1 / length, w);
  settle({&w});
  return all;
}

}  // namespace

// Y. Saad, Iterative Methods for Sparse Linear Systems, 6.5 and 9.3.
iterated iterate_gmres(const linear_map& a, const linear_map& m, handle right, handle x0, dtype t,
                       const sparse::linalg::gmres_options& how) {
  if (how.restart < 1) throw error("sinter: gmres keeps one vector at least");
  system s(a, m, std::move(right), std::move(x0), t, how);
  term r = s.first_residual();
  double size = length_of(r);
  if (s.is_done(size)) return s.result(0);
  const std::int64_t most = std::min(how.restart, s.b.extents().elements());
  for (std::int64_t step = 0; step < s.steps && std::isfinite(size);) {
    term first = times(1 / size, r);
    settle({&first});
    list<term> basis;
    basis.push_back(first);
    rotated_columns small(most, size);
    bool is_done = false;
    for (std::int64_t k = 0; k < most && step < s.steps && !is_done; ++k, ++step) {
      term v = s.by_m(basis.back());
      settle({&v});
      term w = s.by_a(v);
      list<complex> h = orthogonalised(w, basis);
      const double length = h.back().real();
      is_done = s.is_done(small.add(std::move(h))) || length == 0;
      basis.push_back(w);
    }
    const list<complex> y = small.solution();
    term sum = zeros_like(s.b);
    for (std::size_t j = 0; j < y.size(); ++j) {
      sum = sum + times(y[j], basis[j]);
      settle({&sum});
    }
    s.x = s.x + s.by_m(sum);
    settle({&s.x});
    r = s.b - s.by_a(s.x);
    settle({&r});
    const double before = size;
    size = length_of(r);
    // What the rotations say may be less than what there is by rounding.
    if (size <= s.limit || (is_done && size <= s.limit * 1.01)) return s.result(0);
    if (is_done && size >= before) return s.result(no_next_step);
  }
  return s.result(std::isfinite(size) ? s.steps : no_next_step);
}

namespace {

term orthonormal(const term& a) {
  node* made[2];
  make_qr(a.held(), a.type(), false, false, made);
  const term unused = term::made(made[1]);
  term q = term::made(made[0]);
  settle({&q});
  return q;
}
// Without what it has along others.
term beside(const term& a, const term& others) {
  return a - matrix_product(others, matrix_product(adjoint(others), a));
}

}  // namespace

// A. Knyazev, Toward the optimal preconditioned eigensolver, 2001, with a basis that is made orthonormal.
void iterate_lobpcg(const linear_map& a, const linear_map& m, handle guess, dtype t,
                    const sparse::linalg::lobpcg_options& how, handle* made) {
  term x = astype(term(std::move(guess)), t);
  if (x.rank() != 2 || x.extent(1) < 1 || x.extent(0) < x.extent(1))
    throw shape_error(message("sinter: lobpcg takes columns, not more than they are long, and not an array of shape %s",
                              to_string(x.extents()).c_str())
                          .c_str());
  const std::int64_t n = x.extent(0), k = x.extent(1);
  const double limit = how.tol < 0 ? std::sqrt(runtime::precision(t)) * static_cast<double>(n) : how.tol;
  const auto by = [](const linear_map& map, const term& v) { return term::made(map.apply(v.get())); };
  term w = x, ax = x, p = x;
  // The best k vectors of a basis.
  const auto choose_from = [&](const term& basis) {
    term image = by(a, basis);
    settle({&image});
    const term small = matrix_product(adjoint(basis), image);
    node* both[2];
    make_symmetric_eigen(((small + adjoint(small)) * 0.5).held(), t, 'L', true, both);
    term values = term::made(both[0]), vectors = term::made(both[1]);
    const std::int64_t all = values.extent(0);
    if (how.largest)
      values = term::made(make_flip(values.get(), {1, {0}})), vectors = term::made(make_flip(vectors.get(), {1, {1}}));
    w = all > k ? values.along(0, slice(0, k)) : values;
    vectors = all > k ? vectors.along(1, slice(0, k)) : vectors;
    settle({&w, &vectors});
    const term before = x;
    x = matrix_product(basis, vectors), ax = matrix_product(image, vectors);
    settle({&x, &ax});
    return before;
  };
  choose_from(orthonormal(x));
  bool has_direction = false;
  for (std::int64_t step = 0; step < how.maxiter; ++step) {
    term r = ax - x * astype(w, t);
    settle({&r});
    const term sizes = fold(reduction::sum, apply(op::square, {apply(op::absolute, {r})}), runtime::one_axis(0), false);
    if (std::sqrt(value_of(fold(reduction::max, sizes, {}, false))) <= limit) break;
    const term next = beside(by(m, r), x);
    const term parts = has_direction ? runtime::joined({x, next, p}, 1) : runtime::joined({x, next}, 1);
    const term before = choose_from(orthonormal(parts));
    p = beside(x, before);
    settle({&p});
    has_direction = true;
  }
  settle({&w, &x});
  made[0] = w.held();
  made[1] = x.held();
}

}  // namespace sinter::detail
