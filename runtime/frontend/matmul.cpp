// Products of matrices. Where they are bound by memory, or small, they are folds, in the kernel of what surrounds them; else calls of
// a library.
#include <sinter/products.hpp>

#include <algorithm>
#include <limits>

#include <sinter/detail/linalg.hpp>
#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "runtime/device/device.hpp"
#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/products.hpp"
#include "runtime/library/thin_products.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::term, runtime::throw_unequal;

namespace {

shape before_last(const term& t, int axes) {
  shape s;
  s.set_size(t.rank() - axes);
  for (int d = 0; d < s.size(); ++d) s[d] = t.extent(d);
  return s;
}

// Of a matrix with a vector nothing is read twice, so that a fold is as fast as memory.
term product_with_vector(const term& a, const term& b) {
  if (b.rank() == 1) return runtime::sum_of_products(a, b, -1);
  return runtime::sum_of_products(a.with_axis(1), b, -2);
}

// `batches`: what the axes before the last two broadcast to.
bool is_for_library(const term& a, const term& b, const shape& batches, dtype type) {
  const std::int64_t columns = b.extent(b.rank() - 1), inner = a.extent(a.rank() - 1);
  // Of matrices that are all multiplied by the same one the rows are those of one matrix.
  const std::int64_t rows = b.rank() == 2 && inner > 0 ? a.extents().elements() / inner : a.extent(a.rank() - 2);
  constexpr std::int64_t few = 512;  // products to a matrix: the library's call takes longer
  // So do those of rows with a small matrix on a GPU, where a fold is bound by memory: of 10^7 x 3 with 3 x 3 241 us and 477.
  const bool is_on_gpu = runtime::current_device().dialect() == codegen::dialect::cuda;
  if (is_on_gpu && b.rank() == 2 && columns <= 4 && inner * columns <= 32) return false;
  // On a core many small matrices go through registers.
  const bool are_small = !is_on_gpu && (type == dtype::float32 || type == dtype::float64) &&
                         std::min({rows, columns, inner}) >= runtime::least_of_small_matrix &&
                         batches.elements() * a.extent(a.rank() - 2) >= runtime::least_rows;
  // An outer product is a map, which reads nothing twice; cuBLAS 13.0 ends the process on one of complex128, 100 by 100.
  return is_inexact(type) && rows > 1 && columns > 1 && inner > 1 && (are_small || rows * columns * inner > few) &&
         a.extents().elements() > 0 && b.extents().elements() > 0;
}

// The axes that are multiplied and added up have one length.
void require_equal(const char* what, const term& a, int of_a, const term& b, int of_b) {
  if (a.extent(of_a) == b.extent(of_b)) return;
  throw shape_error(
      message("sinter: %s of arrays of shapes %s and %s: axis %d of the first has %lld elements, axis %d of "
              "the second %lld",
              what, to_string(a.extents()).c_str(), to_string(b.extents()).c_str(), of_a,
              static_cast<long long>(a.extent(of_a)), of_b, static_cast<long long>(b.extent(of_b)))
          .c_str());
}

// A factor of which a fold reads each element so many times: what an expression makes of it is made once where that is often. Products
// of 200 x 200 integers took 1.6 to 2.7 times as long where each made its own. Of up to 8 columns, x + 1 times y, the fold with the
// expression in it took 0.86 of what both kernels did, in the median; of 15 and more they took the same.
term made_once(const term& t, std::int64_t times) {
  constexpr std::int64_t often = 16, worth_a_kernel = 1 << 14;  // products
  const bool stays = times < often || t.extents().elements() * times < worth_a_kernel;
  return stays || runtime::as_array_node(t.get()) ? t : runtime::computed(t);
}

// Of operands that have axes.
node* product(const char* what, const term& a, const term& b) {
  require_equal(what, a, a.rank() - 1, b, b.rank() == 1 ? 0 : b.rank() - 2);
  if (a.rank() == 1 || b.rank() == 1) return product_with_vector(a, b).take();
  shape batches = before_last(a, 2);
  if (!codegen::broadcast(batches, before_last(b, 2))) throw_unequal(what, a, b);
  const dtype type = promote(a.type(), b.type());
  // Is any of them true, that is, how many are? A float that counts goes on to 2^24, and is not zero behind that.
  constexpr std::int64_t worth_counting = 1 << 13;  // products
  const bool counts = type == dtype::bool_ && is_for_library(a, b, batches, dtype::float32) &&
                      a.extents().elements() * b.extent(b.rank() - 1) > worth_counting;
  if (counts) {
    const term many(runtime::make_product_call(astype(a, dtype::float32), astype(b, dtype::float32)));
    return (many != 0).take();
  }
  if (!is_for_library(a, b, batches, type)) {
    const std::int64_t columns = b.extent(b.rank() - 1), rows = a.extent(a.rank() - 2);
    return runtime::product_as_fold(made_once(a, columns), made_once(b, rows)).take();
  }
  return runtime::make_product_call(astype(a, type), astype(b, type)).take();
}

term product(const term& a, const term& b) { return term::made(product("a product", a, b)); }

}  // namespace

node* make_matmul(handle first, handle second) {
  const term a(std::move(first)), b(std::move(second));
  if (a.rank() == 0 || b.rank() == 0) throw_unequal("matmul", a, b);
  return product("matmul", a, b);
}

node* make_dot(handle first, handle second) {
  const term a(std::move(first)), b(std::move(second));
  if (a.rank() == 0 || b.rank() == 0) return (a * b).take();
  if (b.rank() == 1 || (a.rank() <= 2 && b.rank() == 2)) return product("dot", a, b);
  if (a.extent(a.rank() - 1) != b.extent(b.rank() - 2)) throw_unequal("dot", a, b);
  return make_tensordot(a.held(), b.held(), {1, {-1}}, {1, {-2}});
}

node* make_matvec(handle matrices, handle vectors) {
  const term a(std::move(matrices)), x(std::move(vectors));
  if (a.rank() < 2 || x.rank() == 0) throw_unequal("matvec", a, x);
  require_equal("matvec", a, a.rank() - 1, x, x.rank() - 1);
  return runtime::sum_of_products(a, x.with_axis(x.rank() - 1), -1).take();
}

node* make_vecmat(handle vectors, handle matrices) {
  const term x(std::move(vectors)), a(std::move(matrices));
  if (a.rank() < 2 || x.rank() == 0) throw_unequal("vecmat", x, a);
  require_equal("vecmat", x, x.rank() - 1, a, a.rank() - 2);
  const term left = is_complex(x.type()) ? apply(op::conjugate, {x}) : x;
  return runtime::sum_of_products(left.with_axis(x.rank()), a, -2).take();
}

// ---- over several axes

namespace {

// Listed axes as one, after the others as one, or before them.
struct unfolded {
  term matrix;
  shape others;
};

unfolded unfold(const term& t, const axis_list& over, bool over_last) {
  std::int64_t order[max_rank], extents[2] = {1, 1};
  bool is_over[max_rank] = {};
  const int others = t.rank() - over.count;
  shape left;
  left.set_size(others);
  for (int i = 0; i < over.count; ++i) {
    const int axis = runtime::checked_axis(over.axes[i], t.rank(), "tensordot");
    if (is_over[axis]) throw shape_error("sinter: tensordot names an axis twice");
    is_over[axis] = true;
    order[over_last ? others + i : i] = axis;
    extents[over_last] *= t.extent(axis);
  }
  for (int d = 0, at = 0; d < t.rank(); ++d) {
    if (is_over[d]) continue;
    order[over_last ? at : over.count + at] = d;
    extents[!over_last] *= left[at++] = t.extent(d);
  }
  const handle turned(make_transpose(t.get(), order, t.rank()));
  return {term::made(make_reshape(turned.get(), extents, 2)), left};
}

bool fit(const term& a, const axis_list& of_a, const term& b, const axis_list& of_b) {
  if (of_a.count != of_b.count || of_a.count < 0 || of_a.count > a.rank() || of_b.count > b.rank()) return false;
  for (int i = 0; i < of_a.count; ++i)
    if (a.extent(runtime::checked_axis(of_a.axes[i], a.rank(), "tensordot")) !=
        b.extent(runtime::checked_axis(of_b.axes[i], b.rank(), "tensordot")))
      return false;
  return true;
}

}  // namespace

node* make_tensordot(handle first, handle second, const axis_list& of_first, const axis_list& of_second) {
  const term a(std::move(first)), b(std::move(second));
  if (!fit(a, of_first, b, of_second)) throw_unequal("tensordot", a, b);
  if (a.rank() + b.rank() - 2 * of_first.count > max_rank) throw_unequal("tensordot", a, b);
  if (a.rank() == 0 && b.rank() == 0) return (a * b).take();
  const unfolded x = unfold(a, of_first, true), y = unfold(b, of_second, false);
  std::int64_t extents[2 * max_rank];
  std::copy_n(y.others.begin(), y.others.size(), std::copy_n(x.others.begin(), x.others.size(), extents));
  return make_reshape(product(x.matrix, y.matrix).get(), extents, x.others.size() + y.others.size());
}

node* make_tensordot(handle first, handle second, std::int64_t count) {
  const term a(std::move(first)), b(std::move(second));
  if (count < 0 || count > a.rank() || count > b.rank()) throw_unequal("tensordot", a, b);
  axis_list of_a{static_cast<int>(count), {}}, of_b = of_a;
  for (int i = 0; i < of_a.count; ++i) of_a.axes[i] = a.rank() - of_a.count + i, of_b.axes[i] = i;
  return make_tensordot(a.held(), b.held(), of_a, of_b);
}

// ---- of several matrices

node* make_matrix_power(handle of, std::int64_t n) {
  term base(std::move(of));
  const int rank = base.rank();
  if (rank < 2 || base.extent(rank - 1) != base.extent(rank - 2))
    throw shape_error(
        message("sinter: matrix_power of an array of shape %s", to_string(base.extents()).c_str()).c_str());
  if (n < 0) {
    if (!is_inexact(base.type()))
      throw dtype_error(
          "sinter: matrix_power of integers takes no negative exponent: its inverse has fractions; astype<double>(a)");
    const dtype type = base.type();
    base = astype(term::made(make_inverse(base.held(), widened(type))), type);
    n = -n;
  }
  if (n == 0) {
    const term row = runtime::index_of(base.extents(), rank - 2), column = runtime::index_of(base.extents(), rank - 1);
    return astype(row == column, base.type()).broadcast_to(base.extents()).take();
  }
  for (; n % 2 == 0; n /= 2) base = product(base, base);
  term result = base;
  for (n /= 2; n > 0; n /= 2) {
    base = product(base, base);
    if (n % 2 != 0) result = product(result, base);
  }
  return result.take();
}

namespace {

// A chain of products, and where each part of it is best cut.
struct chain {
  runtime::list<term> all;
  runtime::list<std::size_t> cuts;

  std::size_t& cut(std::size_t begin, std::size_t end) { return cuts[begin * (all.size() + 1) + end]; }
  term multiplied(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return all[begin];
    const std::size_t middle = cut(begin, end);
    return product(multiplied(begin, middle), multiplied(middle, end));
  }
};

// sides[i] x sides[i + 1] is what each is: a vector is a row at the beginning, and a column at the end.
runtime::list<double> sides_of(const runtime::list<term>& all) {
  runtime::list<double> sides;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == all.size();
    if (all[i].rank() != 2 && !(all[i].rank() == 1 && (is_first || is_last)))
      throw_unequal("multi_dot", all[0], all[i]);
    sides.push_back(all[i].rank() == 1 && is_first ? 1 : static_cast<double>(all[i].extent(0)));
  }
  sides.push_back(all.back().rank() == 1 ? 1 : static_cast<double>(all.back().extent(1)));
  return sides;
}

// T. Cormen et al., Introduction to Algorithms, 15.2.
void find_cuts(chain& c) {
  const runtime::list<double> sides = sides_of(c.all);
  const std::size_t count = c.all.size(), width = count + 1;
  c.cuts.assign(width * width, 0);
  runtime::list<double> cost(width * width, 0);
  for (std::size_t length = 2; length <= count; ++length)
    for (std::size_t begin = 0, end = length; end <= count; ++begin, ++end) {
      double& least = cost[begin * width + end];
      least = std::numeric_limits<double>::infinity();
      for (std::size_t cut = begin + 1; cut < end; ++cut) {
        const double here =
            cost[begin * width + cut] + cost[cut * width + end] + sides[begin] * sides[cut] * sides[end];
        if (here < least) least = here, c.cut(begin, end) = cut;
      }
    }
}

}  // namespace

node* make_multi_dot(node* const* operands, std::size_t count) {
  constexpr std::size_t most = 32;
  if (count < 2 || count > most) throw shape_error("sinter: multi_dot takes two to 32 arrays");
  chain c;
  dtype types[most];
  for (std::size_t i = 0; i < count; ++i) {
    c.all.push_back(term::of(operands[i]));
    types[i] = c.all[i].type();
  }
  find_cuts(c);
  return astype(c.multiplied(0, count), promote(types, static_cast<int>(count))).take();
}

}  // namespace sinter::detail
