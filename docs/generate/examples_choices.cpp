// Examples of which elements are read and written, of random numbers, of text.
#include <cmath>
#include <complex>

#include <sinter/dlpack.hpp>
#include <sinter/format.hpp>
#include <sinter/quasi.hpp>
#include <sinter/text.hpp>

#include "docs/generate/examples.hpp"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

namespace docs {
namespace {

void reads(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(take, "np.take(a, k, 1)", sn::take(a, k, 1));
  EXAMPLE(take_along_axis, "np.take_along_axis(a, k[None], 1)", sn::take_along_axis(a, k(sn::newaxis), 1));
  EXAMPLE(nonzero, "np.nonzero(a > 4)", sn::nonzero(a > 4));
  EXAMPLE(where, "np.where(a > 4)", sn::where(a > 4));
  EXAMPLE(flatnonzero, "np.flatnonzero(a > 4)", sn::flatnonzero(a > 4));
  EXAMPLE(argwhere, "np.argwhere(a > 4)", sn::argwhere(a > 4));
  EXAMPLE(extract, "np.extract(a > 4, a)", sn::extract(a > 4, a));
  EXAMPLE(compress, "np.compress([True, False], a, 0)", sn::compress(array<bool>{true, false}, a, 0));
  EXAMPLE(choose, "np.choose([1, 0, 1], (f, -f))", sn::choose(array{1, 0, 1}, sn::tuple(f, -f)));
  EXAMPLE(select, "np.select([a < 2, a > 4], [a, b + 1], 9)", sn::select({a<2, a> 4}, sn::tuple(a, b + 1), 9));
  EXAMPLE(piecewise, "np.piecewise(a, [a < 3], [lambda x: -x, 0])",
          sn::piecewise(
              a, {a < 3}, [](auto x) { return -x; }, 0));
  EXAMPLE(unravel_index, "np.unravel_index([5, 1], (2, 3))", sn::unravel_index(array{5, 1}, {2, 3}));
  EXAMPLE(ravel_multi_index, "np.ravel_multi_index(([1, 0], [2, 1]), (2, 3))",
          sn::ravel_multi_index({array{1, 0}, array{2, 1}}, {2, 3}));
  EXAMPLE(ix_, "a[np.ix_([0, 1], [2, 0])]", a(sn::ix_(array{0, 1}, array{2, 0})));
  EXAMPLE(tril_indices, "np.tril_indices(3)", sn::tril_indices(3));
  EXAMPLE(tril_indices_from, "np.tril_indices_from(a)", sn::tril_indices_from(a));
  EXAMPLE(mask_indices, "np.mask_indices(2, np.triu)", sn::mask_indices(2, [](const auto& e) { return sn::triu(e); }));
  EXAMPLE(diag_indices, "np.diag_indices(3)", sn::diag_indices(3));
}

void writes(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE_STORE(put, "np.put(a, [0, -1], [8, 9])", a, sn::put(a, array{0, -1}, array{8, 9}));
  EXAMPLE_STORE(put_along_axis, "np.put_along_axis(a, k[None], 0, 1)", a, sn::put_along_axis(a, k(sn::newaxis), 0, 1));
  EXAMPLE_STORE(putmask, "np.putmask(a, a > 4, 0)", a, sn::putmask(a, a > 4, 0));
  EXAMPLE_STORE(place, "np.place(a, a > 4, [8, 9])", a, sn::place(a, a > 4, array<double>{8, 9}));
  EXAMPLE_STORE(copyto, "np.copyto(a, b, where=a < b)", a, sn::copyto(a, b, a < b));
  EXAMPLE_STORE(fill_diagonal, "np.fill_diagonal(a, 0)", a, sn::fill_diagonal(a, 0));
  EXAMPLE_STORE(scatter_add, "np.add.at(f, [0, 2, 2], 10)", f, sn::scatter_add(f, array{0, 2, 2}, 10));
  EXAMPLE_STORE(scatter_max, "np.maximum.at(f, [0, 2], 2.5)", f, sn::scatter_max(f, array{0, 2}, 2.5));
  EXAMPLE_STORE(scatter_min, "np.minimum.at(f, [0, 2], 2.5)", f, sn::scatter_min(f, array{0, 2}, 2.5));
  EXAMPLE_STORE(store_where, "np.copyto(a, f, where=a > 3)", a, sn::store_where(a, a > 3, sn::astype<double>(f)));
}

void texts(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(array_repr, "np.array_repr(f)", sn::array_repr(f));
  EXAMPLE(array_str, "np.array_str(a)", sn::array_str(a));
  EXAMPLE(array2string, "np.array2string(x / 3, precision=2, separator=\", \")",
          sn::array2string(x / 3, {.precision = 2, .separator = ", "}));
  EXAMPLE_THEN(save, "np.save(\"a.npy\", a)", sn::load<double>("a.npy"), sn::save("a.npy", a));
  EXAMPLE(load, "np.load(\"a.npy\", mmap_mode=\"c\")", sn::load<double>("a.npy", sn::mmap_mode::c));
  EXAMPLE_THEN(savez, "np.savez(\"a.npz\", a=a, f=f)", sn::load<float>("a.npz", "f"),
               sn::savez("a.npz", {{"a", a}, {"f", f}}));
  EXAMPLE_THEN(savetxt, "np.savetxt(\"a.txt\", a, fmt=\"%.1f\")", sn::loadtxt("a.txt"),
               sn::savetxt("a.txt", a, {.fmt = "%.1f"}));
  EXAMPLE(loadtxt, "np.loadtxt(\"a.txt\", usecols=(0, 2))", sn::loadtxt("a.txt", {.usecols = {0, 2}}));
  EXAMPLE(genfromtxt, "np.genfromtxt(\"a.txt\", max_rows=1)", sn::genfromtxt("a.txt", {.max_rows = 1}));
  EXAMPLE_THEN(tofile, "a.tofile(\"a.raw\")", sn::fromfile<double>("a.raw"), sn::tofile("a.raw", a));
  EXAMPLE(fromfile, "np.fromfile(\"a.raw\", count=2)", sn::fromfile<double>("a.raw", 2));
  EXAMPLE(fromstring, "np.fromstring(\"1 2.5\", sep=\" \")", sn::fromstring("1 2.5"));
  EXAMPLE(frombuffer, "np.frombuffer(v)", sn::frombuffer<double>(v));
  EXAMPLE(from_dlpack, "np.from_dlpack(a)", sn::from_dlpack<double>(sn::to_dlpack(a)));
  EXAMPLE(to_dlpack, "np.from_dlpack(a + 1)",
          sn::from_dlpack<double>(sn::to_dlpack<sn::dlpack::DLManagedTensor>(a + 1)));
  EXAMPLE(fromiter, "np.fromiter(v, float)", sn::fromiter(v));
}

// NumPy's generator of this seed gives other numbers.
void draws(std::vector<example>& all) {
  DOCS_OPERANDS
  EXAMPLE(random::generator::random, "", sn::random::generator(42).random({3}));
  EXAMPLE(random::generator::uniform, "", sn::random::generator(42).uniform({3}, -1, 1));
  EXAMPLE(random::generator::normal, "", sn::random::generator(42).normal({3}, 10, 2));
  EXAMPLE(random::generator::standard_normal, "", sn::random::generator(42).standard_normal<float>({3}));
  EXAMPLE(random::generator::standard_exponential, "", sn::random::generator(42).standard_exponential({3}));
  EXAMPLE(random::generator::exponential, "", sn::random::generator(42).exponential({3}, 2));
  EXAMPLE(random::generator::gamma, "", sn::random::generator(42).gamma({3}, 2, 0.5));
  EXAMPLE(random::generator::poisson, "", sn::random::generator(42).poisson({2, 2}, array{1.0, 100.0}));
  EXAMPLE(random::generator::dirichlet, "", sn::random::generator(42).dirichlet({2}, x));
  EXAMPLE(random::generator::multinomial, "", sn::random::generator(42).multinomial({2}, 10, x));
  EXAMPLE(random::generator::multivariate_hypergeometric, "",
          sn::random::generator(42).multivariate_hypergeometric({2}, array{6, 3, 1}, 5));
  EXAMPLE(qmc::sobol, "", sn::qmc::sobol(2).random(4));
  EXAMPLE(random::generator::multivariate_normal, "",
          sn::random::generator(42).multivariate_normal({2}, array{0.0, 10.0}, array<double>{{1, 0}, {2, 1}}));
  EXAMPLE_STORE(random::generator::shuffle, "", f, sn::random::generator(42).shuffle(f));
  EXAMPLE(random::generator::spawn, "", sn::random::generator(42).spawn(2)[1].random({2}));
  EXAMPLE(random::generator::generator, "", sn::random::generator(7).random({2}));
  EXAMPLE(random::generator::integers, "", sn::random::generator(42).integers({5}, 0, 10));
  EXAMPLE(random::generator::bernoulli, "", sn::random::generator(42).bernoulli({3}, 0.25));
  EXAMPLE(random::generator::permutation, "", sn::random::generator(42).permutation(6));
  EXAMPLE(random::generator::choice, "", sn::random::generator(42).choice(f, {5}));
  EXAMPLE(random::generator::choice, "", sn::random::generator(42).choice(3, {5}, array{0.1, 0.0, 0.9}));
}

}  // namespace

void run_choices(std::vector<example>& all) {
  reads(all);
  writes(all);
  texts(all);
  draws(all);
}

}  // namespace docs
