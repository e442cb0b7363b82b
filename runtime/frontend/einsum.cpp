// Sums of products by labels of axes. Two operands at a time: labels that both have and nothing else needs are what a product of
// matrices adds up over; where there is no such product, what is left is an elementwise product and a fold.
#include <sinter/products.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include <sinter/detail/rearrange.hpp>
#include <sinter/error.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/list.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/terms.hpp"
#include "runtime/library/products.hpp"

namespace sinter::detail {

using runtime::astype, runtime::fold, runtime::term, runtime::typed;

namespace {

// One label for each axis. Axes of an ellipsis have labels of their own, counted from the last: '\1', '\2', ...
using labels = std::string;

struct labelled {
  term value;
  labels axes;
};

bool has(const labels& all, char label) { return all.find(label) != labels::npos; }
bool is_of_ellipsis(char label) { return label <= max_rank; }

[[noreturn]] void refuse(const char* subscripts, const std::string& why) {
  throw shape_error(message("sinter: einsum(\"%.80s\"): %s", subscripts, why.c_str()).c_str());
}

// ---- what the string says

struct subscripts_list {
  runtime::list<labels> of;
  labels result;
};

labels labels_in(const char* whole, std::string_view text, int rank) {
  labels all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') {
      all += text[i];
      continue;
    }
    int letters = 0;
    for (char c : text) letters += c != '.';
    if (rank < letters) refuse(whole, "an operand has fewer axes than labels");
    for (int back = rank - letters; back > 0; --back) all += static_cast<char>(back);
    i += 2;
  }
  if (static_cast<int>(all.size()) != rank)
    refuse(whole, message("%d labels for an operand of %d axes", static_cast<int>(all.size()), rank));
  return all;
}

// Without an arrow: what an ellipsis stands for, and then the labels that occur once, in alphabetical order.
labels implied(const runtime::list<labels>& of) {
  labels everything, once, front;
  for (const labels& one : of) everything += one;
  for (char c : everything)
    if (is_of_ellipsis(c) ? !has(front, c) : std::count(everything.begin(), everything.end(), c) == 1)
      (is_of_ellipsis(c) ? front : once) += c;
  std::sort(front.rbegin(), front.rend());
  std::sort(once.begin(), once.end());
  return front + once;
}

subscripts_list parsed(const char* subscripts, node* const* operands, std::size_t count) {
  std::string text = subscripts;
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::string_view left = std::string_view(text).substr(0, arrow);
  subscripts_list all;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = std::min(left.find(',', begin), left.size());
    all.of.push_back(labels_in(subscripts, left.substr(begin, end - begin), typed(operands[i])->extents.size()));
    begin = end + 1;
  }
  if (arrow == std::string::npos) {
    all.result = implied(all.of);
    return all;
  }
  int deepest = 0;
  for (const labels& one : all.of)
    for (char c : one)
      if (is_of_ellipsis(c)) deepest = std::max(deepest, int{c});
  if (deepest > 0 && text.find('.', arrow) == std::string::npos)
    refuse(subscripts, "the result has no ellipsis for the axes that one stands for");
  for (std::size_t i = arrow + 2; i < text.size(); ++i) {
    if (text[i] != '.') all.result += text[i];
    else
      for (i += 2; deepest > 0; --deepest) all.result += static_cast<char>(deepest);
  }
  return all;
}

// ---- one operand

term summed(const term& t, const axis_list& axes) {
  if (t.type() == dtype::bool_) return fold(reduction::any, t, axes, false);
  return fold(reduction::sum, t, axes, false, t.type());
}

// A label that stands twice is a diagonal; one that nothing else needs is added up.
void reduce(labelled& one, const labels& needed) {
  for (std::size_t i = 0; i < one.axes.size(); ++i)
    for (std::size_t j = one.axes.find(one.axes[i], i + 1); j != labels::npos; j = one.axes.find(one.axes[i], i + 1)) {
      const char label = one.axes[i];
      if (one.value.extent(static_cast<int>(i)) != one.value.extent(static_cast<int>(j)))
        throw shape_error(message("sinter: einsum: axes of extents %lld and %lld have one label, '%c'",
                                  static_cast<long long>(one.value.extent(static_cast<int>(i))),
                                  static_cast<long long>(one.value.extent(static_cast<int>(j))), label)
                              .c_str());
      one.value = term::made(make_diagonal(one.value.get(), 0, static_cast<int>(i), static_cast<int>(j)));
      one.axes.erase(j, 1);
      one.axes.erase(i, 1);
      one.axes += label;
      i = 0;
    }
  axis_list unneeded{0, {}};
  labels left;
  for (std::size_t i = 0; i < one.axes.size(); ++i) {
    if (has(needed, one.axes[i])) left += one.axes[i];
    else unneeded.axes[unneeded.count++] = static_cast<std::int64_t>(i);
  }
  if (unneeded.count > 0) one.value = summed(one.value, unneeded);
  one.axes = left;
}

term in_order(const labelled& one, const labels& order) {
  std::int64_t axes[max_rank];
  for (std::size_t i = 0; i < order.size(); ++i) axes[i] = static_cast<std::int64_t>(one.axes.find(order[i]));
  if (order == one.axes) return one.value;
  return term::made(make_transpose(one.value.get(), axes, static_cast<int>(order.size())));
}

// With the axes of `order`, those that it lacks of extent one.
term spread(const labelled& one, const labels& order) {
  labels mine;
  for (char c : order)
    if (has(one.axes, c)) mine += c;
  term t = in_order(one, mine);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (!has(mine, order[i])) t = t.with_axis(static_cast<int>(i));
  return t;
}

// ---- two operands

std::int64_t extent_of(const labelled& one, char label) {
  const std::size_t at = one.axes.find(label);
  return at == labels::npos ? 1 : one.value.extent(static_cast<int>(at));
}

term with_groups(const labelled& one, const labels& batch, const labels& first, const labels& second) {
  std::int64_t extents[max_rank];
  int rank = 0;
  for (char c : batch) extents[rank++] = extent_of(one, c);
  for (const labels* group : {&first, &second}) {
    extents[rank] = 1;
    for (char c : *group) extents[rank] *= extent_of(one, c);
    ++rank;
  }
  return term::made(make_reshape(in_order(one, batch + first + second).get(), extents, rank));
}

labelled product(const labelled& a, const labelled& b, const labels& needed) {
  labels batch, inner, left, right;
  bool stretches = false;  // an axis that is summed over
  for (char c : a.axes) {
    const bool both = has(b.axes, c), stays = has(needed, c);
    stretches |= both && !stays && extent_of(a, c) != extent_of(b, c);
    (!both ? left : stays ? batch : inner) += c;
  }
  for (char c : b.axes)
    if (!has(a.axes, c)) right += c;
  const bool is_of_matrices = !inner.empty() && !left.empty() && !right.empty() && !stretches &&
                              batch.size() + 2 <= static_cast<std::size_t>(max_rank);
  const std::size_t axes = batch.size() + left.size() + right.size() + (is_of_matrices ? 0 : inner.size());
  if (axes > static_cast<std::size_t>(max_rank))
    throw shape_error(
        message("sinter: einsum over %d axes at once; arrays have at most %d", static_cast<int>(axes), max_rank)
            .c_str());
  if (!is_of_matrices) {
    const labels all = batch + left + right + inner;
    const dtype type = a.value.type(), wide = widened(type);  // numbers of 16 bits are multiplied and added up in float
    const term x = astype(spread(a, all), wide), y = astype(spread(b, all), wide);
    labelled result{type == dtype::bool_ ? x & y : x * y, all};
    reduce(result, needed);
    result.value = astype(result.value, type);
    return result;
  }
  const term x = with_groups(a, batch, left, inner), y = with_groups(b, batch, inner, right);
  const term of_matrices = term::made(make_matmul(x.held(), y.held()));
  std::int64_t extents[max_rank];
  int rank = 0;
  for (; rank < static_cast<int>(batch.size()); ++rank) extents[rank] = of_matrices.extent(rank);
  for (char c : left) extents[rank++] = extent_of(a, c);
  for (char c : right) extents[rank++] = extent_of(b, c);
  return {term::made(make_reshape(of_matrices.get(), extents, rank)), batch + left + right};
}

// What a product of two is likely to cost: the points that it goes through.
double cost_of(const labelled& a, const labelled& b) {
  double points = 1;
  for (char c : a.axes) points *= static_cast<double>(extent_of(a, c));
  for (char c : b.axes)
    if (!has(a.axes, c)) points *= static_cast<double>(extent_of(b, c));
  return points;
}

labels needed_beside(const runtime::list<labelled>& all, std::size_t i, std::size_t j, const labels& result) {
  labels needed = result;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k != i && k != j) needed += all[k].axes;
  return needed;
}

void multiply_cheapest(runtime::list<labelled>& all, const labels& result) {
  std::size_t first = 0, second = 1;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (cost_of(all[i], all[j]) < cost_of(all[first], all[second])) first = i, second = j;
  labelled made = product(all[first], all[second], needed_beside(all, first, second, result));
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(second));
  all[first] = std::move(made);
}

void require_extents(const char* subscripts, const runtime::list<labelled>& all) {
  for (const labelled& a : all)
    for (const labelled& b : all)
      for (char c : a.axes) {
        const std::int64_t x = extent_of(a, c), y = has(b.axes, c) ? extent_of(b, c) : x;
        if (x != y && x != 1 && y != 1)
          refuse(subscripts, message("the label '%c' has extents %lld and %lld", is_of_ellipsis(c) ? '.' : c,
                                     static_cast<long long>(x), static_cast<long long>(y)));
      }
}

}  // namespace

void throw_wrong_subscripts(const char* text, const char* what) {
  throw error(message("sinter: einsum(\"%.80s\"): %s", text, what).c_str());
}

node* make_einsum(const char* subscripts, node* const* operands, std::size_t count) try {
  const subscripts_list list = parsed(subscripts, operands, count);
  runtime::list<dtype> types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(typed(operands[i])->type);
  const dtype common =
      promote(types.data(), static_cast<int>(count));  // of all of them: two at a time might give another
  runtime::list<labelled> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({astype(term::of(operands[i]), common), list.of[i]});
  require_extents(subscripts, all);
  for (std::size_t i = 0; i < count; ++i) reduce(all[i], needed_beside(all, i, i, list.result));
  while (all.size() > 1) multiply_cheapest(all, list.result);
  reduce(all[0], list.result);
  for (std::size_t i = 0; i < list.result.size(); ++i)
    if (!has(all[0].axes, list.result[i]) || has(list.result.substr(i + 1), list.result[i]))
      refuse(subscripts, message("the result's label '%c' is in no operand, or stands twice", list.result[i]));
  return in_order(all[0], list.result).take();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
