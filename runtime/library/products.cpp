#include "runtime/library/products.hpp"

#include <algorithm>
#include <optional>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/calls.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/eval.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/library/blas.hpp"
#include "runtime/library/call.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

// How the last two axes lie, if BLAS can read them; `data` and `step` are still to be filled in.
std::optional<blas_matrix> matrix_in(const array_node& a) {
  const int rank = a.extents.size();
  const std::int64_t rows = a.extents[rank - 2], columns = a.extents[rank - 1];
  const std::int64_t down = a.strides[rank - 2], across = a.strides[rank - 1];
  if ((across == 1 || columns == 1) && (down >= columns || rows == 1))
    return blas_matrix{nullptr, false, rows == 1 ? columns : down, 0};
  if ((down == 1 || rows == 1) && (across >= rows || columns == 1))
    return blas_matrix{nullptr, true, columns == 1 ? rows : across, 0};
  return std::nullopt;
}

// One axis of the batches, by elements.
struct batch_axis {
  std::int64_t extent, a, b, to;
};

std::int64_t stride_in(const array_node& m, int back, std::int64_t extent) {
  const int d = m.extents.size() - back;
  return d < 0 || m.extents[d] != extent ? 0 : m.strides[d];
}

// The axes before the last two, from the innermost on; those that lie one behind the other are one.
std::vector<batch_axis> batches_of(const array_node& a, const array_node& b, const array_node& to) {
  std::vector<batch_axis> axes;
  for (int back = 3; back <= to.extents.size(); ++back) {
    const int d = to.extents.size() - back;
    const std::int64_t extent = to.extents[d];
    if (extent == 1) continue;
    const batch_axis next{extent, stride_in(a, back, extent), stride_in(b, back, extent), to.strides[d]};
    if (!axes.empty()) {
      batch_axis& last = axes.back();
      if (next.a == last.a * last.extent && next.b == last.b * last.extent && next.to == last.to * last.extent) {
        last.extent *= extent;
        continue;
      }
    }
    axes.push_back(next);
  }
  return axes;
}

// Matrices that are all multiplied by the same one are rows of one matrix, where they lie one behind the other.
void join_rows(blas_product& p, std::vector<batch_axis>& axes) {
  if (axes.empty() || p.a.transposed || axes[0].b != 0 || axes[0].a != p.a.leading * p.rows) return;
  p.rows *= axes[0].extent;
  axes.erase(axes.begin());
}

// A factor as a call reads it: of a conjugate that lies turned over BLAS reads what it is the conjugate of.
struct factor {
  term of;
  bool conjugated = false;
};

const expression_node* conjugate_in(const typed_node* n) {
  if (n->kind != node_kind::expression) return nullptr;
  const auto* const e = static_cast<const expression_node*>(n);
  const bool is_conjugate =
      e->code->nodes == 1 && e->code->length == 2 && e->code->code[1].code == static_cast<std::uint8_t>(op::conjugate);
  return is_conjugate && is_complex(e->type) ? e : nullptr;
}

factor factor_of(const term& t) {
  const typed_node* n = typed(t.get());
  const bool is_turned = n->kind == node_kind::view && codegen::transposes(*static_cast<const view_node*>(n));
  if (is_turned) n = static_cast<const view_node*>(n)->child;
  const expression_node* const e = conjugate_in(n);
  if (!e || !as_array_node(e->children[0])) return {t};
  term of = term::of(e->children[0]);
  if (is_turned) of = term::made(make_moved(of.get(), {1, {-1}}, {1, {-2}}));
  const array_node* const a = as_array_node(of.get());
  const std::optional<blas_matrix> lies = a ? matrix_in(*a) : std::nullopt;
  if (!lies || !lies->transposed) return {t};
  return {of, true};
}

class product_call final : public library_call {
 public:
  product_call(const factor& a, const factor& b, const shape& to)
      : library_call(a.of.type(), to),
        a_(a.of.extents()),
        b_(b.of.extents()),
        conjugates_a_(a.conjugated),
        conjugates_b_(b.conjugated) {}

  std::string name() const override {
    const auto factor = [](const shape& s, bool conjugated) { return (conjugated ? "conjugate " : "") + to_string(s); };
    return std::string("product of ") + sinter::name(results[0].type) + " " + factor(a_, conjugates_a_) + " and " +
           factor(b_, conjugates_b_);
  }
  bool takes(const array_node& a, int) const override { return matrix_in(a).has_value(); }
  bool takes_transposes() const override { return true; }

  void enqueue(call_operands operands, call_results made, stream_state& on) const override {
    enqueue_ending(operands, {}, made, on);
  }
  bool ends_with(const call_ending&) const override { return true; }

  void enqueue_ending(call_operands operands, const call_ending& end, call_results made,
                      stream_state& on) const override {
    const array_node &a = *operands[0], &b = *operands[1];
    array_node& to = *made[0];
    if (is_short_floating(to.type) && !on.device.asynchronous()) return through_float(a, b, end, to);
    const int rank = to.extents.size();
    blas_product p{to.type, to.extents[rank - 2], to.extents[rank - 1], a.extents[a.extents.size() - 1],
                   1,       *matrix_in(a),        *matrix_in(b),        to.data()};
    p.a.data = a.data(), p.a.conjugated = conjugates_a_;
    p.b.data = b.data(), p.b.conjugated = conjugates_b_;
    std::vector<batch_axis> axes = batches_of(a, b, to);
    join_rows(p, axes);
    // The innermost axis of the batch lies in the result as a library writes it: one matrix behind the other.
    if (!axes.empty()) {
      p.batch = axes[0].extent, p.a.step = axes[0].a, p.b.step = axes[0].b;
      axes.erase(axes.begin());
    }
    p.scale = end.of_result, p.kept = end.of_addend;
    std::string why;
    if (end.addend && !lies_in(*end.addend, to)) {
      if (p.batch == 1 && multiply_and_add(p, *end.addend, to, on, why)) return bump(counter::library_calls);
      evaluate_into(shared(*end.addend).broadcast_to(to.extents), to);
    }
    if (multiply_each(p, axes, axes.size(), on, why)) return bump(counter::library_calls);
    log(1, "%s: %s; by a kernel of Sinter's own", name().c_str(), why.c_str());
    const call_ending onto_result{end.of_result, end.addend ? &to : nullptr, end.of_addend};
    const term left = conjugates_a_ ? apply(op::conjugate, {shared(a)}) : shared(a);
    const term right = conjugates_b_ ? apply(op::conjugate, {shared(b)}) : shared(b);
    evaluate_into(ended(product_as_fold(left, right), onto_result, to.type), to);
  }

 private:
  static term shared(const array_node& a) { return term::of(const_cast<array_node*>(&a)); }
  static bool lies_in(const array_node& a, const array_node& to) {
    return a.contiguous && a.data() == to.data() && a.extents == to.extents;
  }
  // What an ending makes of a product, as an expression of a dtype.
  static term ended(term product, const call_ending& end, dtype t) {
    if (end.of_result != 1) product = product * end.of_result;
    if (!end.addend) return product;
    const term addend = astype(shared(*end.addend), t);
    return product + (end.of_addend == 1 ? addend : addend * end.of_addend);
  }

  // Rows of the addend that lie as a library reads them. A batch's matrices were made rows of one where they can be.
  static bool multiply_and_add(const blas_product& p, const array_node& addend, const array_node& to, stream_state& on,
                               std::string& why) {
    if (!on.device.asynchronous()) return false;
    const term spread = shared(addend).broadcast_to(to.extents);
    const array_node* const all = as_array_node(spread.get());
    if (!all) return false;
    const int last = to.extents.size() - 1;
    std::int64_t rows = to.extents[last - 1], leading = all->strides[last - 1];
    for (int d = last - 2; d >= 0 && rows != p.rows; --d) {
      if (to.extents[d] != 1 && all->strides[d] != leading * rows) return false;
      rows *= to.extents[d];
    }
    if (rows != p.rows || all->strides[last] != 1 || (leading != 0 && leading < p.columns)) return false;
    return multiply_and_add_on_gpu(p, {all->data(), leading}, on, why);
  }

  // CPUs' libraries have no products of 16 bits.
  static void through_float(const array_node& a, const array_node& b, const call_ending& end, array_node& to) {
    const term wide[] = {astype(shared(a), dtype::float32), astype(shared(b), dtype::float32)};
    evaluate_into(astype(ended(term(make_product_call(wide[0], wide[1])), end, dtype::float32), to.type), to);
  }

  static bool multiply_each(blas_product p, const std::vector<batch_axis>& axes, std::size_t outer, stream_state& on,
                            std::string& why) {
    if (outer == 0) {
      switch (on.device.dialect()) {
        case codegen::dialect::cuda: return multiply_on_gpu(p, on, why);
        case codegen::dialect::c: return multiply_on_cpu(p, on, why);
        default: why = "kernels are interpreted there"; return false;
      }
    }
    const batch_axis& x = axes[outer - 1];
    const std::int64_t size = itemsize(p.type);
    for (std::int64_t i = 0; i < x.extent; ++i) {
      if (!multiply_each(p, axes, outer - 1, on, why)) return false;
      p.a.data += x.a * size, p.b.data += x.b * size, p.to += x.to * size;
    }
    return true;
  }

  const shape a_, b_;
  const bool conjugates_a_, conjugates_b_;
};

}  // namespace

namespace {

shape shape_of_product(const term& a, const term& b) {
  shape to = a.extents(), other = b.extents();
  to[a.rank() - 1] = other[b.rank() - 2] = 1;
  codegen::broadcast(to, other);
  return to;
}
// The matrices of all batches one after the other.
term in_one_batch(const term& t, const shape& of_product) {
  shape all = of_product;
  const int rank = all.size();
  const std::int64_t rows = all[rank - 2] = t.extent(t.rank() - 2), columns = all[rank - 1] = t.extent(t.rank() - 1);
  std::int64_t batches = 1;
  for (int d = 0; d < rank - 2; ++d) batches *= all[d];
  const std::int64_t to[] = {batches, rows, columns};
  return term::made(make_reshape(t.broadcast_to(all).get(), to, 3));
}

}  // namespace

handle make_product_call(const term& a, const term& b) {
  const factor left = factor_of(a), right = factor_of(b);
  return make_call<product_call>({left.of.held(), right.of.held()}, left, right, shape_of_product(a, b));
}

term product_as_fold(const term& a, const term& b) {
  if (std::max(a.rank(), b.rank()) == max_rank) {  // which leaves no axis to fold
    const shape to = shape_of_product(a, b);
    const term made = product_as_fold(in_one_batch(a, to), in_one_batch(b, to));
    return term::made(make_reshape(made.get(), to.begin(), to.size()));
  }
  const term rows = a.with_axis(a.rank() - 1);
  const term columns = term::made(make_moved(b.get(), {1, {-1}}, {1, {-2}})).with_axis(b.rank() - 2);
  return sum_of_products(rows, columns, -1);
}

term sum_of_products(const term& a, const term& b, int axis) {
  const dtype type = promote(a.type(), b.type());
  if (type == dtype::bool_) return fold(reduction::any, a & b, one_axis(axis), false);
  if (!is_short_floating(type)) return fold(reduction::sum, a * b, one_axis(axis), false, type);
  const term products = astype(a, dtype::float32) * astype(b, dtype::float32);
  return astype(fold(reduction::sum, products, one_axis(axis), false), type);
}

void throw_unequal(const char* what, const term& a, const term& b) {
  throw shape_error(detail::message("sinter: %s of arrays of shapes %s and %s", what, to_string(a.extents()).c_str(),
                                    to_string(b.extents()).c_str())
                        .c_str());
}

}  // namespace sinter::runtime
