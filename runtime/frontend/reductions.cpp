// Making reductions and scans. mean, var and stddev are expressions over sums, so they fuse with what surrounds them and share its work.
#include <sinter/error.hpp>
#include <sinter/reduce.hpp>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <iterator>
#include <new>
#include <utility>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/masked_reductions.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/frontend/terms.hpp"

namespace sinter::detail {

using runtime::apply, runtime::astype, runtime::fold, runtime::term, runtime::typed;

std::uint32_t axis_mask(const axis_list& list, const shape& s) {
  const int rank = s.size();
  if (list.count < 0) return (1u << rank) - 1;
  std::uint32_t mask = 0;
  for (int i = 0; i < list.count; ++i) {
    const std::int64_t given = list.axes[i], axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      throw shape_error(message("sinter: a reduction over axis %lld of an array of shape %s",
                                static_cast<long long>(given), to_string(s).c_str())
                            .c_str());
    const std::uint32_t bit = 1u << axis;
    if (mask & bit)
      throw shape_error(message("sinter: a reduction names axis %lld twice", static_cast<long long>(axis)).c_str());
    mask |= bit;
  }
  return mask;
}

shape reduced_shape(const shape& from, std::uint32_t mask, bool keepdims) {
  shape to;
  int rank = 0;
  for (int d = 0; d < from.size(); ++d) {
    const bool gone = mask >> d & 1;
    if (gone && !keepdims) continue;
    to.set_size(rank + 1);
    to[rank++] = gone ? 1 : from[d];
  }
  return to;
}

namespace {

// The elements that come first along the reduced axes: somewhere to measure distances from.
term pivot_of(const term& of, std::uint32_t mask) {
  index_item items[max_rank];
  for (int d = 0; d < of.rank(); ++d) {
    if (mask >> d & 1) items[d] = to_index(slice(0, 1));
    else items[d] = to_index(_);
  }
  return term::made(make_view(of.get(), items, of.rank()));
}

void require_floating(dtype t, const char* what) {
  if (is_inexact(t)) return;
  throw dtype_error(message("sinter: %s in %s; choose float or double", what, name(t)).c_str());
}

}  // namespace

node* make_reduction(handle of, reduction what, dtype type, const axis_list& axes, bool keepdims) {
  const shape& from = typed(of.get())->extents;
  // NumPy lets the first axis of what has none pass, though not for mean and var.
  const bool of_scalar = from.size() == 0 && axes.count == 1 && (axes.axes[0] == 0 || axes.axes[0] == -1);
  const std::uint32_t mask = of_scalar ? 0 : axis_mask(axes, from);
  if (facts(what).takes_position() && axes.count >= 0 && axes.count != 1)
    throw shape_error(message("sinter: %s goes along one axis, or over all elements", facts(what).name).c_str());
  for (int d = 0; d < from.size(); ++d)
    if (facts(what).needs_element && (mask >> d & 1) && from[d] == 0)
      throw shape_error(message("sinter: %s over axis %d of shape %s, which has no element", facts(what).name, d,
                                to_string(from).c_str())
                            .c_str());
  auto* r = runtime::new_node<reduction_node>(type, reduced_shape(from, mask, keepdims));
  r->child = typed(of.take());
  r->what = what;
  r->axes = mask;
  return r;
}

node* make_reduction(handle of, reduction what, dtype type, const reduce_options& how) {
  if (how.where || how.initial) return runtime::make_chosen_reduction(std::move(of), what, type, how);
  return make_reduction(std::move(of), what, type, how.axis.list(), how.keepdims);
}

node* make_scan(node* n, reduction what, dtype type, std::int64_t axis) {
  const shape& s = typed(n)->extents;
  // As in NumPy, whose other scans refuse a number without axes.
  const bool lists = what == reduction::sum || what == reduction::prod;
  if (lists && s.size() == 0 && (axis == 0 || axis == -1)) return make_flat_scan(n, what, type);
  const int at = runtime::checked_axis(axis, s.size(), "a scan");
  auto* r = runtime::new_node<scan_node>(type, s);
  retain(n);
  r->child = typed(n);
  r->what = what;
  r->axis = at;
  return r;
}

node* make_flat_scan(node* n, reduction what, dtype type) {
  if (typed(n)->extents.size() == 1) return make_scan(n, what, type, 0);
  const std::int64_t all = typed(n)->extents.elements();
  const handle flat(make_reshape(n, &all, 1));
  return make_scan(flat.get(), what, type, 0);
}

std::int64_t reduced_count(node* n, const axis_list& axes) {
  const shape& s = typed(n)->extents;
  const std::uint32_t mask = axis_mask(axes, s);
  std::int64_t count = 1;
  for (int d = 0; d < s.size(); ++d)
    if (mask >> d & 1) count *= s[d];
  return count;
}

node* make_mean(handle of, dtype type, const axis_list& axes, bool keepdims) {
  require_floating(type, "mean");
  const auto count = static_cast<double>(reduced_count(of.get(), axes));
  return astype(fold(reduction::sum, std::move(of), axes, keepdims, widened(type)) / count, type).take();
}

namespace {

// An expression of several operations that always go together. A variance is made anew wherever it is evaluated, and a node for each
// of its dozen operations takes longer than folding some thousand elements. Casts to what a value is already are left out.
class operations {
 public:
  operations(std::initializer_list<instruction> steps) {
    table_ = {code_, 0, 0, 0, dtype::float64, &last_plan_};
    for (const instruction& step : steps) {
      if (step.code == instruction::cast && step.type == table_.type) continue;
      code_[table_.length++] = step;
      table_.type = step.type;
      table_.nodes += step.code == instruction::take_node;
      table_.scalars += step.code == instruction::take_scalar;
    }
  }
  operations(const operations&) = delete;
  operations& operator=(const operations&) = delete;

  term over(std::initializer_list<const term*> operands, std::initializer_list<double> numbers) const {
    node* nodes[most];
    scalar_bits scalars[most];
    std::transform(operands.begin(), operands.end(), nodes, [](const term* t) { return t->get(); });
    std::transform(numbers.begin(), numbers.end(), scalars, [](double x) { return scalar_bits{.as_double = x}; });
    term expression = term::made(make_expression({&table_, nodes, scalars}));
    for (const term* t : operands) retain(t->get());  // it takes its operands over
    return expression;
  }

 private:
  static constexpr std::size_t most = 13;
  instruction code_[most];
  void* last_plan_ = nullptr;
  fragment table_;
};

constexpr instruction next(dtype t) { return {instruction::take_node, t}; }
constexpr instruction number{instruction::take_scalar, dtype::float64};
constexpr instruction cast(dtype t) { return {instruction::cast, t}; }
constexpr instruction in_double(op o) { return {static_cast<std::uint8_t>(o), dtype::float64}; }

// One for each dtype, made when it is first asked for and never freed, as all tables that expressions point to.
template <class Make>
const operations& of_dtype(std::atomic<const operations*>* all, dtype t, Make make) {
  std::atomic<const operations*>& mine = all[static_cast<std::size_t>(t)];
  if (const operations* made = mine.load(std::memory_order_acquire)) return *made;
  const operations *fresh = make(), *before = nullptr;
  if (!fresh) throw_host_is_full();
  if (mine.compare_exchange_strong(before, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *before;
}
using tables = std::atomic<const operations*>[std::size(facts_of)];

const operations& distance(dtype t) {
  static constinit tables all{};
  constexpr dtype wide = dtype::float64;
  return of_dtype(all, t, [t] {
    return new (std::nothrow) operations{next(t), cast(wide), next(t), cast(wide), in_double(op::subtract)};
  });
}

// (squares - sum * sum / count) / (count - ddof), neither of the two below 0, or the root of it.
const operations& moment(dtype t, bool root) {
  static constinit tables variances{}, deviations{};
  static constexpr instruction value = next(dtype::float64);
  return of_dtype(root ? deviations : variances, t, [t, root] {
    const instruction last = root ? in_double(op::sqrt) : cast(dtype::float64);
    return new (std::nothrow) operations{value,
                                         value,
                                         value,
                                         in_double(op::multiply),
                                         number,
                                         in_double(op::divide),
                                         in_double(op::subtract),
                                         number,
                                         in_double(op::maximum),
                                         number,
                                         in_double(op::divide),
                                         last,
                                         cast(t)};
  });
}

// Distances are from one of the elements rather than from zero, in double: docs/decisions/0005 has the error bound.
term variance(const term& of, const axis_list& axes, bool keepdims, int ddof, dtype type, bool root) {
  const term pivot = pivot_of(of, axis_mask(axes, of.extents()));
  const term distances = distance(of.type()).over({&of, &pivot}, {});
  const term squares = fold(reduction::sum, distances * distances, axes, keepdims);
  const term sum = fold(reduction::sum, distances, axes, keepdims);
  const auto count = static_cast<double>(reduced_count(of.get(), axes));
  return moment(type, root).over({&squares, &sum, &sum}, {count, 0.0, count > ddof ? count - ddof : 0.0});
}

}  // namespace

node* make_variance(handle owned, dtype type, const axis_list& axes, bool keepdims, int ddof, bool root) {
  require_floating(type, "variance");
  const term of(std::move(owned));
  if (!is_complex(of.type())) return variance(of, axes, keepdims, ddof, type, root).take();
  const auto of_part = [&](op part) {
    return variance(apply(part, {of}), axes, keepdims, ddof, dtype::float64, false);
  };
  const term both = of_part(op::real) + of_part(op::imag);
  return astype(root ? apply(op::sqrt, {both}) : both, type).take();
}

node* make_mean(handle of, dtype type, const reduce_options& how) {
  if (!how.where) return make_mean(std::move(of), type, how.axis.list(), how.keepdims);
  require_floating(type, "mean");
  return runtime::make_masked_mean(std::move(of), type, how);
}

node* make_variance(handle of, dtype type, const reduce_options& how, bool root) {
  if (!how.where) return make_variance(std::move(of), type, how.axis.list(), how.keepdims, how.ddof, root);
  require_floating(type, "variance");
  return runtime::make_masked_variance(std::move(of), type, how, root);
}

}  // namespace sinter::detail
