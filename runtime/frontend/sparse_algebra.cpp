// Sparse arrays of two: sums, products by elements and of matrices. Where their entries are is found on the host, of places alone; the
// values are gathers of the operands' values there.
#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <sinter/error.hpp>
#include <sinter/sparse.hpp>

#include "runtime/frontend/indices.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/sparse_entries.hpp"
#include "runtime/library/sparse.hpp"

namespace sinter::detail {

using runtime::at, runtime::entries_ref, runtime::list, runtime::pair_kind, runtime::pairing, runtime::pairing_ref,
    runtime::place_list, runtime::read_places, runtime::size_of, runtime::structure_of, runtime::term,
    runtime::values_at;
using sparse::format;

namespace {

// Compressed, each row in order, no place twice.
struct canonical {
  sparse_parts parts;
  const entries_ref& entries() const { return structure_of(parts.structure).entries; }
};
canonical canonical_of(const sparse_parts& p, format f) { return {sum_duplicates(convert(p, f))}; }

const runtime::sparse_entries& wider(const runtime::sparse_entries& a, const runtime::sparse_entries& b) {
  return b.index() == dtype::int64 ? b : a;
}

// Of each place of two arrays together, or of each that both have, which entry of each it is; -1: none.
struct matched_places {
  place_list starts{0}, minor, left, right;
  void add(std::int64_t place, std::int64_t l, std::int64_t r) {
    minor.push_back(place);
    left.push_back(l);
    right.push_back(r);
  }
};
matched_places match_rows(const runtime::sparse_entries& a, const runtime::sparse_entries& b, bool both) {
  const place_list a_starts = read_places(a.major), a_minor = read_places(a.minor);
  const place_list b_starts = read_places(b.major), b_minor = read_places(b.minor);
  matched_places m;
  for (std::size_t r = 0; r + 1 < a_starts.size(); ++r) {
    std::int64_t i = a_starts[r], j = b_starts[r];
    const std::int64_t i_end = a_starts[r + 1], j_end = b_starts[r + 1];
    while (i < i_end || j < j_end) {
      const std::int64_t mine = i < i_end ? a_minor[at(i)] : std::numeric_limits<std::int64_t>::max();
      const std::int64_t other = j < j_end ? b_minor[at(j)] : std::numeric_limits<std::int64_t>::max();
      const bool has_left = mine <= other, has_right = other <= mine;
      if (!both || (has_left && has_right)) m.add(std::min(mine, other), has_left ? i : -1, has_right ? j : -1);
      i += has_left;
      j += has_right;
    }
    m.starts.push_back(size_of(m.minor));
  }
  return m;
}

struct host_places {
  explicit host_places(const runtime::sparse_entries& e) : starts(read_places(e.major)), minor(read_places(e.minor)) {}
  place_list starts, minor;
};

// The entries of a product: each is the sum of a segment of products of an entry of the left with one of the right.
template <class I>
struct product_places {
  place_list starts{0}, minor;
  list<I> segments, left, right;
};

template <class I>
class product_finder {
 public:
  product_finder(const host_places& a, const host_places& b, std::int64_t minors)
      : a_starts_(a.starts), a_minor_(a.minor), b_starts_(b.starts), b_minor_(b.minor), next_(at(minors), -1) {}

  product_places<I> found(std::int64_t products) {
    p_.left.resize(at(products));
    p_.right.resize(at(products));
    for (std::size_t row = 0; row + 1 < a_starts_.size(); ++row) find(row);
    p_.segments.push_back(static_cast<I>(end_));
    return std::move(p_);
  }

 private:
  template <class F>
  void of_each_product(std::size_t row, F f) {
    for (std::int64_t i = a_starts_[row]; i < a_starts_[row + 1]; ++i) {
      const std::size_t k = at(a_minor_[at(i)]);
      for (std::int64_t j = b_starts_[k]; j < b_starts_[k + 1]; ++j) f(at(b_minor_[at(j)]), i, j);
    }
  }
  // A place's number of products, then where its next one goes; -1 between rows.
  void find(std::size_t row) {
    const auto begin = static_cast<std::ptrdiff_t>(p_.minor.size());
    of_each_product(row, [&](std::size_t place, std::int64_t, std::int64_t) {
      if (next_[place] < 0) {
        p_.minor.push_back(static_cast<std::int64_t>(place));
        next_[place] = 0;
      }
      ++next_[place];
    });
    std::sort(p_.minor.begin() + begin, p_.minor.end());
    for (auto place = p_.minor.begin() + begin; place != p_.minor.end(); ++place) {
      p_.segments.push_back(static_cast<I>(end_));
      end_ += std::exchange(next_[at(*place)], end_);
    }
    of_each_product(row, [&](std::size_t place, std::int64_t i, std::int64_t j) {
      const std::size_t to = at(next_[place]++);
      p_.left[to] = static_cast<I>(i);
      p_.right[to] = static_cast<I>(j);
    });
    for (auto place = p_.minor.begin() + begin; place != p_.minor.end(); ++place) next_[at(*place)] = -1;
    p_.starts.push_back(size_of(p_.minor));
  }

  const place_list &a_starts_, &a_minor_, &b_starts_, &b_minor_;
  place_list next_;
  product_places<I> p_;
  std::int64_t end_ = 0;
};

template <class I>
pairing_ref paired_by(const host_places& a, const host_places& b, const runtime::sparse_entries& like,
                      std::int64_t minors, std::int64_t products) {
  const product_places<I> p = product_finder<I>(a, b, minors).found(products);
  pairing made;
  made.to = runtime::make_compressed(p.starts, p.minor, minors, true, true, like);
  made.left = runtime::make_index_array(p.left);
  made.right = runtime::make_index_array(p.right);
  made.segments = runtime::make_index_array(p.segments);
  made.products = products;
  for (std::size_t k = 0; k + 1 < p.segments.size(); ++k)
    made.longest = std::max<std::int64_t>(made.longest, p.segments[k + 1] - p.segments[k]);
  return std::make_shared<const pairing>(std::move(made));
}

pairing_ref product_of(const runtime::sparse_entries& a, const runtime::sparse_entries& b) {
  const runtime::sparse_entries& like = wider(a, b);
  const device_scope on(like.device());
  const host_places left(a), right(b);
  std::int64_t products = 0;
  for (const std::int64_t k : left.minor) products += right.starts[at(k) + 1] - right.starts[at(k)];
  const bool is_narrow = runtime::index_for(a.count, b.count, products) == dtype::int32;
  return is_narrow ? paired_by<std::int32_t>(left, right, like, b.minors, products)
                   : paired_by<std::int64_t>(left, right, like, b.minors, products);
}

// Of places that either has, or that both have.
pairing_ref matched(const runtime::sparse_entries& a, const runtime::sparse_entries& b, bool both) {
  const runtime::sparse_entries& like = wider(a, b);
  const device_scope on(like.device());
  const matched_places m = match_rows(a, b, both);
  const dtype index = runtime::index_for(a.count, b.count, 0);
  pairing made;
  made.to = runtime::make_compressed(m.starts, m.minor, like.minors, true, true, like);
  made.left = runtime::make_index_array(m.left, index);
  made.right = runtime::make_index_array(m.right, index);
  made.has_gaps = !both;
  return std::make_shared<const pairing>(std::move(made));
}

template <class F>
pairing_ref kept(const entries_ref& a, const entries_ref& b, pair_kind kind, F find) {
  pairing_ref p = a->kept_pairing(b, kind);
  if (p) return p;
  p = find(*a, *b);
  a->keep(b, kind, p);
  return p;
}

void require_equal_shapes(const sparse_parts& a, const sparse_parts& b, const char* what) {
  const shape s = structure_of(a.structure).extents(), t = structure_of(b.structure).extents();
  if (s == t) return;
  throw shape_error(
      message("sinter: %s sparse arrays of shapes %s and %s", what, to_string(s).c_str(), to_string(t).c_str())
          .c_str());
}

}  // namespace

matched_parts match_sparse(const sparse_parts& a, const sparse_parts& b, bool both, const char* what) try {
  require_equal_shapes(a, b, what);
  const format f = runtime::made_format(a);
  const canonical x = canonical_of(a, f), y = canonical_of(b, f);
  if (x.entries() == y.entries()) return {x.parts.structure, x.parts.data, y.parts.data};
  const pairing_ref p = kept(x.entries(), y.entries(), both ? pair_kind::both : pair_kind::either,
                             [&](const auto& l, const auto& r) { return matched(l, r, both); });
  return {runtime::make_structure(f, p->to), values_at(term(x.parts.data), p->left, p->has_gaps).held(),
          values_at(term(y.parts.data), p->right, p->has_gaps).held()};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void refuse_dense_comparison(const char* symbol) {
  throw error(message("sinter: sparse %s is true where there is no entry: compare toarray()", symbol).c_str());
}

void check_sparse_extreme(const char* name, const shape& s, std::int64_t axis) {
  const int at = runtime::checked_axis(axis, 2, "an extreme of a sparse array");
  if (s[at] == 0 && s[1 - at] > 0)
    throw shape_error(
        message("sinter: %s over axis %d of shape %s, which has no element", name, at, to_string(s).c_str()).c_str());
}

sparse_parts make_product_of_sparse(const sparse_parts& a, const sparse_parts& b) try {
  const shape s = structure_of(a.structure).extents(), t = structure_of(b.structure).extents();
  if (s[1] != t[0])
    throw shape_error(
        message("sinter: matmul of sparse arrays of shapes %s and %s", to_string(s).c_str(), to_string(t).c_str())
            .c_str());
  const format f = runtime::made_format(a);
  // Column by column a product is that of the transposes, the other way round.
  const canonical x = canonical_of(f == format::csr ? a : b, f), y = canonical_of(f == format::csr ? b : a, f);
  const pairing_ref p = kept(x.entries(), y.entries(), pair_kind::product, product_of);
  const term left(x.parts.data), right(y.parts.data);
  if (p->products == 0)
    return {runtime::make_structure(f, p->to),
            runtime::number_node(term(0), left.type()).broadcast_to(shape{0}).held()};
  // The values are those of a matrix, which has a row for each entry of the product, times the right operand's values.
  const term values(runtime::make_product_call(
      {values_at(left, p->left, false).held(), p->right, p->segments, p->to->count, p->products, p->longest}, right));
  return {runtime::make_structure(f, p->to), runtime::evaluated(values).held()};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
