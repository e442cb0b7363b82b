// Products of vectors and matrices.
#include <cmath>

#include <sinter/products.hpp>
#include <sinter/vectors.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

scale sums_of(double terms) { return {terms, terms, true}; }
std::vector<std::int64_t> extents_of(const outline& o) { return {o.extents.begin(), o.extents.end()}; }
maybe outline_from(dtype type, const std::vector<std::int64_t>& extents) {
  if (extents.size() > std::size_t{max_rank}) return {};
  return outline{type, listed(extents)};
}
/// The axes before the last ones of both, broadcast, and others behind them.
maybe batched(const outlines& of, int last_of_a, int last_of_b, const std::vector<std::int64_t>& behind) {
  shape to = listed({of[0].extents.begin(), of[0].extents.end() - last_of_a});
  if (!codegen::broadcast(to, listed({of[1].extents.begin(), of[1].extents.end() - last_of_b}))) return {};
  std::vector<std::int64_t> all(to.begin(), to.end());
  all.insert(all.end(), behind.begin(), behind.end());
  return outline_from(promoted(of), all);
}

// ---- matmul: by a number of the step either operand is turned first

bool turns(const step& s, int operand) { return small(s, 0) >> operand & 1; }
template <class Operand>
Operand turned_for(const step& s, int operand, const Operand& o) {
  return turns(s, operand) ? turned(o) : o;
}
maybe matmul_gives(const step& s, const outlines& of) {
  for (int i = 0; i < 2; ++i)
    if (of[static_cast<std::size_t>(i)].extents.size() < (turns(s, i) ? 2 : 1)) return {};
  const outline a = turned_for(s, 0, of[0]), b = turned_for(s, 1, of[1]);
  const bool row = a.extents.size() == 1, column = b.extents.size() == 1;
  if (last(a) != (column ? b.extents[0] : last(b, 2))) return {};
  std::vector<std::int64_t> behind;
  if (!row) behind.push_back(last(a, 2));
  if (!column) behind.push_back(last(b));
  return batched({a, b}, row ? 1 : 2, column ? 1 : 2, behind);
}

// ---- einsum: of one operand, of two, of three

constexpr const char* of_one[] = {"ij->ji", "ii->i", "ii", "ij->i", "...i->...", "ij->", "ii->", "...ij->...ji"};
constexpr const char* of_two[] = {"ij,kj->ik",    "ij,ij->j",       "ij,ik->jk", "i,i->",    "i,j->ij",
                                  "ij,j->i",      "...i,...i->...", "ij,ij",     "ij,ji->i", "...ij,...kj->...ik",
                                  "bij,bik->bjk", "ij,kj"};
constexpr const char* of_three[] = {"ij,kj,kl->il", "ij,ij,ij->i", "i,j,i->j", "ij,i,j->"};

std::int64_t which(const step& s) { return small(s, 0) * 4 + small(s, 1); }
const char* subscripts_of(const step& s, std::size_t operands) {
  return operands == 1   ? chosen(of_one, which(s))
         : operands == 2 ? chosen(of_two, which(s))
                         : chosen(of_three, which(s));
}

struct contraction {
  maybe gives;
  double terms = 1;
};
/// What the labels say. An ellipsis stands for upper case letters, from the last one backwards, which broadcast.
contraction contracted(const std::string& labels, const outlines& of) {
  std::vector<std::string> parts;
  std::string result;
  bool arrow = false;
  std::size_t most = 0;
  std::vector<std::pair<char, std::int64_t>> known;
  const auto extent_of = [&](char c) -> std::int64_t* {
    for (auto& [label, n] : known)
      if (label == c) return &n;
    return nullptr;
  };
  parts.emplace_back();
  for (const char c : labels) {
    if (c == '-') arrow = true;
    else if (c == '>') continue;
    else if (c == ',') parts.emplace_back();
    else (arrow ? result : parts.back()) += c;
  }
  if (parts.size() != of.size()) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string& p = parts[i];
    const auto rank = static_cast<std::size_t>(of[i].extents.size());
    if (const std::size_t dots = p.find("..."); dots != p.npos) {
      if (rank < p.size() - 3) return {};
      const std::size_t more = rank - (p.size() - 3);
      most = std::max(most, more);
      std::string letters;
      for (std::size_t k = more; k > 0; --k) letters += static_cast<char>('Z' - k + 1);
      p.replace(dots, 3, letters);
    }
    if (p.size() != rank) return {};
    for (std::size_t d = 0; d < p.size(); ++d) {
      const std::int64_t n = of[i].extents[static_cast<int>(d)];
      std::int64_t* const before = extent_of(p[d]);
      const bool broadcasts = p[d] < 'a';
      if (!before) known.emplace_back(p[d], n);
      else if (broadcasts && *before == 1) *before = n;
      else if (*before != n && !(broadcasts && n == 1)) return {};
    }
  }
  if (!arrow) {
    std::string all;
    for (const std::string& p : parts) all += p;
    for (char c = 'a'; c <= 'z'; ++c)
      if (std::count(all.begin(), all.end(), c) == 1) result += c;
  }
  if (const std::size_t dots = result.find("..."); dots != result.npos) {
    std::string letters;
    for (std::size_t k = most; k > 0; --k) letters += static_cast<char>('Z' - k + 1);
    result.replace(dots, 3, letters);
  }
  contraction made;
  std::vector<std::int64_t> extents;
  for (const char c : result) extents.push_back(*extent_of(c));
  for (const auto& [label, n] : known)
    if (result.find(label) == result.npos) made.terms *= static_cast<double>(n);
  made.gives = outline_from(promoted(of), extents);
  return made;
}
detail::node* run_einsum(const step& s, const handles& o, dtype) {
  std::vector<detail::node*> nodes;
  for (const handle& h : o) nodes.push_back(h.get());
  return detail::make_einsum(subscripts_of(s, o.size()), nodes.data(), nodes.size());
}
maybe einsum_gives(const step& s, const outlines& of) { return contracted(subscripts_of(s, of.size()), of).gives; }
std::string cpp_einsum(const step& s, const texts& o, dtype) {
  texts all = {std::string("\"") + subscripts_of(s, o.size()) + "\""};
  all.insert(all.end(), o.begin(), o.end());
  return cpp_call("einsum", all);
}
std::string python_einsum(const step& s, const texts& o, dtype result) {
  std::string all = std::string("fz.einsum(\"") + subscripts_of(s, o.size()) + "\"";
  for (const std::string& each : o) all += ", " + cast_text(each, result);
  return all + ")";
}
scale einsum_scaled(const step& s, const outlines& of) {
  return sums_of(contracted(subscripts_of(s, of.size()), of).terms);
}

// ---- the others, of two operands that are first cast to what they promote to

std::string python_product(const char* name, const texts& o, dtype result, const std::string& more = "") {
  return std::string("np.") + name + "(" + cast_text(o[0], result) + ", " + cast_text(o[1], result) + more + ")";
}
double last_of_first(const outlines& of) {
  return of[0].extents.size() == 0 || of[1].extents.size() == 0 ? 1 : static_cast<double>(last(of[0]));
}

maybe dot_gives(const step&, const outlines& of) {
  const int ranks[] = {of[0].extents.size(), of[1].extents.size()};
  std::vector<std::int64_t> a = extents_of(of[0]), b = extents_of(of[1]);
  if (ranks[0] > 0 && ranks[1] > 0) {
    const auto along = b.end() - (ranks[1] > 1 ? 2 : 1);
    if (a.back() != *along) return {};
    a.pop_back(), b.erase(along);
  }
  a.insert(a.end(), b.begin(), b.end());
  return outline_from(promoted(of), a);
}
std::size_t axes_of_tensordot(const step& s) { return static_cast<std::size_t>(small(s, 0)) % 3; }
maybe tensordot_gives(const step& s, const outlines& of) {
  std::vector<std::int64_t> a = extents_of(of[0]), b = extents_of(of[1]);
  const std::size_t n = axes_of_tensordot(s);
  if (a.size() < n || b.size() < n) return {};
  for (std::size_t i = 0; i < n; ++i)
    if (a[a.size() - n + i] != b[i]) return {};
  a.resize(a.size() - n);
  a.insert(a.end(), b.begin() + static_cast<std::ptrdiff_t>(n), b.end());
  return outline_from(promoted(of), a);
}
maybe chain_gives(const step&, const outlines& of) {
  // Of several dtypes the order decides what wraps: each product is in that of its own two operands.
  for (const outline& o : of)
    if (o.extents.size() != 2 || o.type != of[0].type) return {};
  if (of[0].extents[1] != of[1].extents[1] || of[1].extents[0] != of[2].extents[0]) return {};
  return outline{promoted(of), shape{of[0].extents[0], of[2].extents[1]}};
}

const call_row rows[] = {
    {"matmul", 2, closeness::products, matmul_gives,
     [](const step& s, const handles& o, dtype) {
       return detail::make_matmul(turned_for(s, 0, o[0]), turned_for(s, 1, o[1]));
     },
     [](const step& s, const texts& o, dtype) {
       const auto part = [&](int i) {
         const std::string& of = o[static_cast<std::size_t>(i)];
         return turns(s, i) ? "matrix_transpose(" + of + ")" : of;
       };
       return "matmul(" + part(0) + ", " + part(1) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       const auto part = [&](int i) {
         const std::string of = cast_text(o[static_cast<std::size_t>(i)], result);
         return turns(s, i) ? "fz.turned(" + of + ")" : of;
       };
       return "np.matmul(" + part(0) + ", " + part(1) + ")";
     },
     [](const step& s, const outlines& of) { return sums_of(static_cast<double>(last(turned_for(s, 0, of[0])))); }},
    {"dot", 2, closeness::products, dot_gives,
     [](const step&, const handles& o, dtype) { return detail::make_dot(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("dot", o); },
     [](const step&, const texts& o, dtype result) { return python_product("dot", o, result); },
     [](const step&, const outlines& of) { return sums_of(last_of_first(of)); }},
    {"inner", 2, closeness::products,
     [](const step&, const outlines& of) -> maybe {
       std::vector<std::int64_t> a = extents_of(of[0]), b = extents_of(of[1]);
       if (!a.empty() && !b.empty()) {
         if (a.back() != b.back()) return {};
         a.pop_back(), b.pop_back();
       }
       a.insert(a.end(), b.begin(), b.end());
       return outline_from(promoted(of), a);
     },
     [](const step&, const handles& o, dtype) { return detail::make_inner(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("inner", o); },
     [](const step&, const texts& o, dtype result) { return python_product("inner", o, result); },
     [](const step&, const outlines& of) { return sums_of(last_of_first(of)); }},
    {"outer", 2, closeness::products,
     [](const step&, const outlines& of) {
       return outline_from(promoted(of), {of[0].extents.elements(), of[1].extents.elements()});
     },
     [](const step&, const handles& o, dtype) { return detail::make_outer(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("outer", o); },
     [](const step&, const texts& o, dtype result) { return python_product("outer", o, result); },
     [](const step&, const outlines&) { return sums_of(1); }},
    {"vecdot", 2, closeness::products,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].extents.size() == 0 || of[1].extents.size() == 0 || last(of[0]) != last(of[1])) return {};
       return batched(of, 1, 1, {});
     },
     [](const step&, const handles& o, dtype) { return detail::make_vecdot(o[0], o[1], true, -1); },
     [](const step&, const texts& o, dtype) { return cpp_call("vecdot", o); },
     [](const step&, const texts& o, dtype result) { return python_product("vecdot", o, result); },
     [](const step&, const outlines& of) { return sums_of(last_of_first(of)); }},
    {"matvec", 2, closeness::products,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].extents.size() < 2 || of[1].extents.size() < 1 || last(of[0]) != last(of[1])) return {};
       if (of[1].extents.size() == max_rank) return {};  // a vector is a matrix of one column on the way
       return batched(of, 2, 1, {last(of[0], 2)});
     },
     [](const step&, const handles& o, dtype) { return detail::make_matvec(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("matvec", o); },
     [](const step&, const texts& o, dtype result) { return python_product("matvec", o, result); },
     [](const step&, const outlines& of) { return sums_of(last_of_first(of)); }},
    {"vecmat", 2, closeness::products,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].extents.size() < 1 || of[1].extents.size() < 2 || last(of[0]) != last(of[1], 2)) return {};
       if (of[0].extents.size() == max_rank) return {};
       return batched(of, 1, 2, {last(of[1])});
     },
     [](const step&, const handles& o, dtype) { return detail::make_vecmat(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("vecmat", o); },
     [](const step&, const texts& o, dtype result) { return python_product("vecmat", o, result); },
     [](const step&, const outlines& of) { return sums_of(last_of_first(of)); }},
    {"tensordot", 2, closeness::products, tensordot_gives,
     [](const step& s, const handles& o, dtype) {
       return detail::make_tensordot(o[0], o[1], static_cast<std::int64_t>(axes_of_tensordot(s)));
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("tensordot", o, ", " + std::to_string(axes_of_tensordot(s)));
     },
     [](const step& s, const texts& o, dtype result) {
       return python_product("tensordot", o, result, ", " + std::to_string(axes_of_tensordot(s)));
     },
     [](const step& s, const outlines& of) {
       double terms = 1;
       for (int i = 1; i <= static_cast<int>(axes_of_tensordot(s)); ++i) terms *= static_cast<double>(last(of[0], i));
       return sums_of(terms);
     }},
    {"kron", 2, closeness::products,
     [](const step&, const outlines& of) {
       std::vector<std::int64_t> a = extents_of(of[0]), b = extents_of(of[1]);
       const std::size_t rank = std::max(a.size(), b.size());
       a.insert(a.begin(), rank - a.size(), 1), b.insert(b.begin(), rank - b.size(), 1);
       for (std::size_t d = 0; d < rank; ++d) a[d] *= b[d];
       return 2 * rank > std::size_t{max_rank} ? maybe() : outline_from(promoted(of), a);
     },
     [](const step&, const handles& o, dtype) { return detail::make_kron(o[0], o[1]); },
     [](const step&, const texts& o, dtype) { return cpp_call("kron", o); },
     [](const step&, const texts& o, dtype result) { return python_product("kron", o, result); },
     [](const step&, const outlines&) { return sums_of(1); }},
    {"multi_dot", 3, closeness::products, chain_gives,
     [](const step&, const handles& o, dtype) {
       const handle middle = turned(o[1]);
       detail::node* const all[] = {o[0].get(), middle.get(), o[2].get()};
       return detail::make_multi_dot(all, 3);
     },
     [](const step&, const texts& o, dtype) {
       return "linalg::multi_dot(" + o[0] + ", matrix_transpose(" + o[1] + "), " + o[2] + ")";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.linalg.multi_dot([" + cast_text(o[0], result) + ", fz.turned(" + cast_text(o[1], result) + "), " +
              cast_text(o[2], result) + "])";
     },
     [](const step&, const outlines& of) {
       return sums_of(static_cast<double>(of[1].extents[0]) * static_cast<double>(of[1].extents[1]));
     }},
    {"einsum of one", 1, closeness::products, einsum_gives, run_einsum, cpp_einsum, python_einsum, einsum_scaled},
    {"einsum of two", 2, closeness::products, einsum_gives, run_einsum, cpp_einsum, python_einsum, einsum_scaled},
    {"einsum of three", 3, closeness::products, einsum_gives, run_einsum, cpp_einsum, python_einsum, einsum_scaled},
};

}  // namespace

std::span<const call_row> product_rows() { return rows; }

}  // namespace sinter::fuzz
