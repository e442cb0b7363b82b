// einsum, tensordot and the other products: values beside products written out with broadcasting, shapes and refusals.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

#include <sinter/products.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;

// Small whole numbers: sums are exact, whatever their order.
template <class T = double>
array<T> some(const shape& s, int seed = 0) {
  return astype<T>((arange(s.elements()) * 7 + seed * 3) % 11 - 4).reshape(s);
}

template <class A, class B>
void same(const A& got, const B& wanted) {
  const array g(got);
  const array w(wanted);
  CHECK(g.shape() == w.shape());
  CHECK(g.get() == w.get());
}

}  // namespace

TEST_CASE("einsum: one operand") {
  const array<double> a = some({4, 4}), b = some({3, 4, 5});
  same(einsum("ij->ji", a), a.T());
  same(einsum("ji", a), a.T());
  same(einsum("ii", a), trace(a));
  same(einsum("ii->i", a), diagonal(a));
  same(einsum("ij->", a), sum(a));
  same(einsum("ij->i", a), sum(a, 1));
  same(einsum("kij->jk", b), sum(b, 1).T());
  same(einsum("i...->...", b), sum(b, 0));
  same(einsum("...j->j...", b), moveaxis(b, 2, 0));
  same(einsum("...ij->...ji", b), b.swapaxes(1, 2));
  same(einsum("iij->j", some({4, 4, 3})), sum(diagonal(some({4, 4, 3})), 1));
  same(
      einsum("iii->i", some({3, 3, 3})),
      array<double>{some({3, 3, 3})(0, 0, 0).item(), some({3, 3, 3})(1, 1, 1).item(), some({3, 3, 3})(2, 2, 2).item()});
}

TEST_CASE("einsum: two operands") {
  const array<double> a = some({12, 9}), b = some({9, 10}, 1), v = some({9}, 2);
  same(einsum("ij,jk->ik", a, b), matmul(a, b));
  same(einsum("ij,jk", a, b), matmul(a, b));
  same(einsum("ij,jk->ki", a, b), matmul(a, b).T());
  same(einsum("ji,jk->ik", a.T(), b), matmul(a, b));
  same(einsum("ij,kj->ik", a, b.T()), matmul(a, b));
  same(einsum("ij,j->i", a, v), matmul(a, v));
  same(einsum("j,j->", v, v), sum(v * v));
  same(einsum("i,j->ij", v, v), outer(v, v));
  same(einsum("ij,ij->ij", a, a), a * a);
  same(einsum("ij,ij->i", a, a), sum(a * a, 1));
  same(einsum("ij,ij", a, a), sum(a * a));
  same(einsum("ij,jk->i", a, b), sum(matmul(a, b), 1));
  same(einsum("ij,jk->k", a, b), sum(matmul(a, b), 0));
  same(einsum(" i j , j k -> i k ", a, b), matmul(a, b));
  const array<double> as = some({3, 12, 9}), bs = some({3, 9, 10}, 1);
  same(einsum("bij,bjk->bik", as, bs), matmul(as, bs));
  same(einsum("...ij,...jk->...ik", as, b), matmul(as, b));
  same(einsum("...ij,...jk", as, bs), matmul(as, bs));
  same(einsum("...ij,...jk->...ik", some({2, 1, 12, 9}), bs), matmul(some({2, 1, 12, 9}), bs));
  same(einsum("bij,bjk->ik", as, bs), sum(matmul(as, bs), 0));
  same(einsum("bij,bij->b", as, as), sum(as * as, {.axis = {1, 2}}));
  same(einsum("ijk,jil->kl", some({3, 4, 5}), some({4, 3, 2}, 1)),
       tensordot(some({3, 4, 5}), some({4, 3, 2}, 1), {1, 0}, {0, 1}));
  const array<double> many = some({2, 1, 2, 1, 1, 3, 4, 5}),
                      few = some({2, 1, 1, 5, 3}, 1);  // as many axes as there can be
  same(einsum("...ij,...jk->...ik", many, few), matmul(many, few));
  same(einsum("...ij,...kj->...ki", many, few.swapaxes(-1, -2)), matmul(many, few).swapaxes(-1, -2));
}

TEST_CASE("einsum: more operands, the cheapest product first") {
  const array<double> a = some({20, 2}), b = some({2, 30}, 1), c = some({30, 4}, 2), v = some({4}, 3);
  same(einsum("ij,jk,kl->il", a, b, c), matmul(matmul(a, b), c));
  same(einsum("ij,jk,kl,l->i", a, b, c, v), matmul(matmul(matmul(a, b), c), v));
  same(einsum("ij,ik,il->i", some({5, 2}), some({5, 3}), some({5, 4})),
       sum(some({5, 2}), 1) * sum(some({5, 3}), 1) * sum(some({5, 4}), 1));
  same(linalg::multi_dot(a, b, c), matmul(matmul(a, b), c));
  same(linalg::multi_dot(a, b, c, v), matmul(matmul(matmul(a, b), c), v));
  same(linalg::multi_dot(some({20}), a, b), matmul(matmul(some({20}), a), b));
}

TEST_CASE("einsum: dtypes") {
  const array<int> i = some<int>({12, 9});
  const array<float> f = some<float>({9, 10}, 1);
  static_assert(std::is_same_v<decltype(einsum("ij,jk->ik", i, f))::sinter_element, double>);
  same(einsum("ij,jk->ik", i, f), matmul(astype<double>(i), astype<double>(f)));
  same(einsum("ij,kj->ik", i, i), matmul(i, i.T()));
  // Promotion is of all operands at once.
  const array<std::int16_t> s16 = some<std::int16_t>({4});
  const array<std::uint16_t> u16 = some<std::uint16_t>({4});
  const array<float> f32 = some<float>({4});
  static_assert(std::is_same_v<decltype(einsum("i,i,i->i", s16, u16, f32))::sinter_element, float>);
  same(einsum("i,i,i->i", s16, u16, f32), astype<float>(s16) * astype<float>(u16) * f32);
  same(linalg::multi_dot(some<std::int16_t>({4, 4}), some<std::uint16_t>({4, 4}), some<float>({4, 4})),
       astype<float>(
           matmul(matmul(some<double>({4, 4}), astype<double>(some<std::uint16_t>({4, 4}))), some<double>({4, 4}))));
  same(einsum("ij,k->k", ones<bool>({2, 3}), ones<int>({4})), full<int>({4}, 6));
  const array<std::int8_t> hundred = full<std::int8_t>({1}, 100);
  same(einsum("i,i,i->i", hundred, hundred, ones<int>({1})), full<int>({1}, 10000));
  const array<half> h = {half(300.0f), half(-300.0f)}, g = {half(300.0f), half(300.0f)};
  CHECK(static_cast<float>(einsum("i,i->", h, g).item()) == 0);
  const array<bool> b = i > 3;
  same(einsum("ij,kj->ik", b, b), matmul(b, b.T()));
  same(einsum("ij->i", b), any(b, 1));
  using complex = std::complex<double>;
  const array<complex> z = make_complex(some({6, 7}), some({6, 7}, 1));
  same(einsum("ij,kj->ik", z, z), matmul(z, z.T()));
}

TEST_CASE("einsum: what it refuses") {
  const array<double> a = some({12, 9});
  const auto refused = [](auto work, const char* text) {
    std::string said;
    try {
      static_cast<void>(work());
    } catch (const error& e) {
      said = e.what();
    }
    CHECK(said == text);
  };
  refused([&] { return einsum("ij,jk->ik", a, a); },
          "sinter: einsum(\"ij,jk->ik\"): the label 'j' has extents 9 and 12");
  refused([&] { return einsum("ijk->k", a); }, "sinter: einsum(\"ijk->k\"): 3 labels for an operand of 2 axes");
  refused([&] { return einsum("ij->k", a); },
          "sinter: einsum(\"ij->k\"): the result's label 'k' is in no operand, or stands twice");
  refused([&] { return einsum(std::string("ij,jk"), a); },
          "sinter: einsum(\"ij,jk\"): as many lists of labels as operands are wanted");
  refused([&] { return einsum(std::string("i1"), a); },
          "sinter: einsum(\"i1\"): subscripts are letters, commas, an ellipsis and one arrow");
  CHECK_THROWS_AS(static_cast<void>(einsum("ii", a)), shape_error);
  const array<double> wide = ones<double>({1, 1, 1, 1, 1, 2});
  CHECK_THROWS_AS(static_cast<void>(einsum("abcdef,fghijk->abcdeghijk", wide, ones<double>({2, 1, 1, 1, 1, 1}))),
                  shape_error);
  CHECK_THROWS_AS(static_cast<void>(einsum("i...->i", a)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(tensordot(a, a, axes::all(), axes::all())), shape_error);
  CHECK_THROWS_AS(static_cast<void>(vecmat(ones<double>({1, 1, 1, 1, 1, 1, 1, 2}), ones<double>({2, 2}))), shape_error);
}

TEST_CASE("products: dot, tensordot, matvec, vecmat, powers") {
  const array<double> a = some({12, 9}), b = some({9, 10}, 1), v = some({9}, 2), w = some({12}, 3);
  same(dot(a, b), matmul(a, b));
  same(dot(a, v), matmul(a, v));
  same(dot(w, a), matmul(w, a));
  same(dot(v, v), sum(v * v));
  same(dot(v, v(0)), v * v(0));
  const array<double> as = some({3, 4, 9}), bs = some({2, 9, 5}, 1);
  same(dot(as, bs), einsum("ijk,lkm->ijlm", as, bs));
  same(dot(as, v), einsum("ijk,k->ij", as, v));
  same(tensordot(a, b, 1), matmul(a, b));
  same(tensordot(a, b, {{1}, {0}}), matmul(a, b));
  same(tensordot(a, a, {{1, 0}, {1, 0}}), sum(a * a));
  same(tensordot(a, a), sum(a * a));
  same(tensordot(v, w, 0), outer(v, w));
  same(tensordot(as, bs, {2}, {1}), einsum("ijk,lkm->ijlm", as, bs));
  same(tensordot(some({3, 4, 5}), some({4, 3, 2}), {0, 1}, {1, 0}),
       einsum("ijk,jil->kl", some({3, 4, 5}), some({4, 3, 2})));
  same(matvec(as, some({3, 9})), einsum("bij,bj->bi", as, some({3, 9})));
  same(matvec(as, v), matmul(as, v));
  same(vecmat(some({2, 9}), bs), einsum("bi,bij->bj", some({2, 9}), bs));
  const array<std::complex<double>> z = make_complex(v, v + 1);
  same(vecmat(z, astype<std::complex<double>>(b)), matmul(conj(z), astype<std::complex<double>>(b)));
  const array<double> q = some({12, 12}) / 8;
  same(linalg::matrix_power(q, 0), eye(12));
  same(linalg::matrix_power(q, 1), q);
  same(linalg::matrix_power(q, 2), matmul(q, q));
  CHECK(max(abs(linalg::matrix_power(q, 5) - matmul(matmul(matmul(matmul(q, q), q), q), q))).item() < 1e-9);
  CHECK(linalg::matrix_power(some({3, 5, 5}), 3).shape() == shape{3, 5, 5});
  CHECK_THROWS_AS(static_cast<void>(linalg::matrix_power(a, 2)), shape_error);
  CHECK(max(abs(matmul(linalg::matrix_power(q + eye(12), -2), linalg::matrix_power(q + eye(12), 2)) - eye(12))).item() <
        1e-9);
  CHECK_THROWS_AS(static_cast<void>(linalg::matrix_power(astype<int>(q), -1)), error);
  CHECK_THROWS_AS(static_cast<void>(tensordot(a, b, 2)), shape_error);
  CHECK_THROWS_AS(static_cast<void>(tensordot(a, a, {0, 0}, {0, 0})), shape_error);
  CHECK_THROWS_WITH(static_cast<void>(dot(a, a)),
                    "sinter: dot of arrays of shapes (12, 9) and (12, 9): axis 1 of the first has 9 elements, axis 0 "
                    "of the second 12");
}
