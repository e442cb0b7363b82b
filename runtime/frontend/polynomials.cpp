#include <sinter/polynomial.hpp>

#include <algorithm>
#include <complex>

#include <sinter/error.hpp>

#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::index_of, runtime::joined, runtime::list, runtime::number_node,
    runtime::term;

namespace {

term coefficients(handle of) {
  const term p(std::move(of));
  if (p.rank() > 1)
    throw shape_error(
        message("sinter: a polynomial's coefficients of shape %s; they have one axis", to_string(p.extents()).c_str())
            .c_str());
  return p.flat();
}

term zeros(std::int64_t count, dtype type) { return number_node(0, type).broadcast_to(shape{count}); }

// What each coefficient's power is, from n - 1 + lowest down to `lowest`.
term powers(std::int64_t n, std::int64_t lowest) { return n - 1 + lowest - index_of(shape{n}, 0); }

template <class W>
list<W> coefficients_on_host(const term& p, dtype type) {
  list<W> all(static_cast<std::size_t>(p.extent(0)));
  read_all(astype(astype(p, type), dtype_of<W>).get(), all.data(), all.size(), {}, {});
  return all;
}

handle array_of(const list<double>& all, std::size_t from, dtype type) {
  return astype(term::made(make_from_host(dtype::float64, shape{all.size() - from}, &all[from])), type).held();
}
handle array_of(const list<std::complex<double>>& all, std::size_t from, dtype type) {
  return astype(term::made(make_from_host(dtype::complex128, shape{all.size() - from}, &all[from])), type).held();
}

// Long division. What NumPy takes for zero in front of the remainder is left out, but for one coefficient.
template <class W>
std::pair<handle, handle> divided(const term& u, const term& v, dtype type) {
  list<W> rest = coefficients_on_host<W>(u, type);
  const list<W> by = coefficients_on_host<W>(v, type);
  list<W> quotient(rest.size() >= by.size() ? rest.size() - by.size() + 1 : 1);
  const W scale = W(1) / by[0];
  for (std::size_t k = 0; k + by.size() <= rest.size(); ++k) {
    quotient[k] = scale * rest[k];
    for (std::size_t i = 0; i < by.size(); ++i) rest[k + i] -= quotient[k] * by[i];
  }
  std::size_t zeros = 0;
  while (zeros + 1 < rest.size() && std::abs(rest[zeros]) <= 1e-8) ++zeros;
  return {array_of(quotient, 0, type), array_of(rest, zeros, type)};
}

// A factor for each zero, as a convolution with 1 and its negative.
template <class W>
handle multiplied_out(const term& of, dtype type) {
  const list<W> at = coefficients_on_host<W>(of, type);
  list<W> all(at.size() + 1);
  all[0] = 1;
  for (std::size_t n = 0; n < at.size(); ++n)
    for (std::size_t i = n + 1; i > 0; --i) all[i] -= at[n] * all[i - 1];
  return array_of(all, 0, type);
}

}  // namespace

node* make_poly(handle of, dtype type) {
  const term at(std::move(of));
  if (at.rank() != 1)
    throw shape_error(
        message("sinter: poly of zeros of shape %s; they have one axis, and those of a matrix are its eigvals",
                to_string(at.extents()).c_str())
            .c_str());
  return (is_complex(type) ? multiplied_out<std::complex<double>>(at, type) : multiplied_out<double>(at, type)).take();
}

std::pair<handle, handle> make_polydiv(handle of, handle by, dtype type) {
  const term u = coefficients(std::move(of)), v = coefficients(std::move(by));
  if (u.extent(0) == 0 || v.extent(0) == 0) throw shape_error("sinter: polydiv of a polynomial without coefficients");
  return is_complex(type) ? divided<std::complex<double>>(u, v, type) : divided<double>(u, v, type);
}

node* make_polyval(handle of, handle at, dtype type) {
  const term p = coefficients(std::move(of)), x = astype(term(std::move(at)), type);
  const std::int64_t n = p.extent(0);
  if (n == 0) return number_node(0, type).broadcast_to(x.extents()).take();
  const auto coefficient = [&](std::int64_t i) { return astype(p.at(0, i), type); };
  term y = coefficient(0).broadcast_to(x.extents());
  for (std::int64_t i = 1; i < n; ++i) y = y * x + coefficient(i);
  return y.take();
}

node* make_polysum(handle first, handle second, bool subtracts) {
  term a = coefficients(std::move(first)), b = coefficients(std::move(second));
  const std::int64_t longer = std::max(a.extent(0), b.extent(0));
  const auto padded = [&](const term& p) {
    return p.extent(0) == longer ? p : joined({zeros(longer - p.extent(0), p.type()), p}, 0);
  };
  a = padded(a), b = padded(b);
  return (subtracts ? a - b : a + b).take();
}

node* make_polyder(handle of, std::int64_t times, dtype type) {
  if (times < 0) throw error("sinter: polyder takes derivatives no less than 0 times");
  term p = astype(coefficients(std::move(of)), type);
  for (; times > 0 && p.extent(0) > 0; --times) {
    const std::int64_t n = p.extent(0);
    p = astype(p.along(0, slice(_, -1)) * powers(n - 1, 1), type);
  }
  return p.take();
}

node* make_polyint(handle of, std::int64_t times, const double* constants, std::size_t count, dtype type) {
  if (times < 0) throw error("sinter: polyint takes integrals no less than 0 times");
  if (count > 1 && static_cast<std::int64_t>(count) != times)
    throw error(message("sinter: polyint %lld times with %zu constants", static_cast<long long>(times), count).c_str());
  term p = astype(coefficients(std::move(of)), type);
  for (std::int64_t i = 0; i < times; ++i) {
    const double constant = count == 0 ? 0 : constants[count == 1 ? 0 : i];
    const term last = number_node(constant, type).broadcast_to(shape{1});
    p = p.extent(0) == 0 ? last : joined({p / astype(powers(p.extent(0), 1), real_part_of(type)), last}, 0);
  }
  return p.take();
}

}  // namespace sinter::detail
