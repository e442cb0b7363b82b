#include "runtime/inspect/tree.hpp"

#include <algorithm>
#include <vector>

#include "codegen/ir/formula.hpp"
#include "codegen/ir/function.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/inspect/names.hpp"
#include "runtime/library/call.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using codegen::applied;
using codegen::called;
using codegen::term;
using detail::array_node;
using detail::axis_map;
using detail::expression_node;
using detail::instruction;
using detail::node_kind;
using detail::typed_node;

namespace {

constexpr std::size_t longest = 72;  // characters of a formula that stands within another

std::string number(std::int64_t n) { return std::to_string(n); }

std::string axes_of(std::uint32_t axes, int rank) {
  std::string list;
  int count = 0;
  for (int d = 0; d < rank; ++d)
    if (axes >> d & 1) list += (count++ ? ", " : "") + std::to_string(d);
  if (count == rank) return "";
  return count == 1 ? ", axis=" + list : ", axis=(" + list + ")";
}

// What a view takes of one axis, as in brackets.
std::string slice_of(const axis_map& m, std::int64_t count, std::int64_t extent) {
  if (m.axis == axis_map::constant) return number(m.offset);
  if (m.offset == 0 && m.step == 1 && count == extent) return ":";
  const std::int64_t last = m.offset + (count - 1) * m.step;
  const std::string begin = m.offset == (m.step > 0 ? 0 : extent - 1) ? "" : number(m.offset);
  const std::string end = m.step > 0  ? (last + m.step >= extent ? "" : number(last + 1))
                          : last == 0 ? ""
                                      : number(last - 1);
  return begin + ":" + end + (m.step == 1 ? "" : ":" + number(m.step));
}

class writer {
 public:
  explicit writer(array_names& names) : names_(names) {}

  std::string run(const typed_node* root) {
    order(root);
    for (const typed_node* n : order_) {
      entry& e = entries_[n];
      e.made = detail::visit(*n, [this](const auto& of) { return text_of(of); });
      const bool is_root = n == root;
      const bool has_line = is_root || n->kind == node_kind::array || n->kind == node_kind::call || e.uses > 1 ||
                            e.made.text.size() > longest;
      if (n->kind == node_kind::iota && !is_root) continue;
      if (!has_line) continue;
      std::string name = is_root ? "y" : n->kind == node_kind::array ? e.made.text : "t" + std::to_string(named_++);
      lines_.push_back({name, n, n->kind == node_kind::array ? array_text(n) : e.made.text});
      e.made = {std::move(name)};
    }
    return text();
  }

 private:
  struct entry {
    int uses = 0;
    term made;
  };
  struct line {
    std::string name;
    const typed_node* of;
    std::string formula;
  };

  // Children before parents, and how often each is used.
  void order(const typed_node* root) {
    struct frame {
      const typed_node* of;
      int next;
    };
    std::vector<frame> open{{root, 0}};
    entries_[root].uses = 1;
    while (!open.empty()) {
      frame& f = open.back();
      if (f.next == child_count(f.of)) {
        order_.push_back(f.of);
        open.pop_back();
        continue;
      }
      const typed_node* const c = child(f.of, f.next++);
      if (entries_[c].uses++ == 0) open.push_back({c, 0});
    }
  }

  const term& of(const typed_node* n) const { return entries_.at(n).made; }

  static std::string array_text(const typed_node* n) {
    return is_view(*static_cast<const array_node*>(n)) ? "array, a view" : "array";
  }

  term text_of(const array_node& a) { return {names_.of(a)}; }
  term text_of(const detail::iota_node& i) const {
    return {i.axis == detail::iota_node::all_axes ? "position" : "index(axis=" + std::to_string(i.axis) + ")"};
  }
  term text_of(const detail::reshape_node& r) const { return called("reshape", {&of(r.child)}); }
  term text_of(const detail::reduction_node& r) const {
    const std::string what = r.called ? r.called->name : codegen::name(r.what);
    return {what + "(" + of(r.child).text + axes_of(r.axes, r.child->extents.size()) + ")"};
  }
  term text_of(const detail::scan_node& s) const {
    return {std::string("running ") + codegen::name(s.what) + "(" + of(s.child).text +
            ", axis=" + std::to_string(s.axis) + ")"};
  }

  term text_of(const detail::call_node& c) const {
    const library_call& what = *c.site->what;
    std::string text = (what.result_count > 1 ? "result " + std::to_string(c.number) + " of " : "") + what.name();
    for (int i = 0; i < c.site->operand_count; ++i) text += (i ? ", " : ": ") + of(c.site->operands[i]).text;
    return {text};
  }

  // As in brackets where axes stay in their order; else only that it is a view.
  term text_of(const detail::view_node& v) const {
    const term& whole = of(v.child);
    if (v.more_count() > 0) {
      std::vector<const term*> operands{&whole};
      for (int i = 0; i < v.more_count(); ++i) operands.push_back(&of(v.more[i]));
      return called(v.indices > 0 ? "view_by_index" : "view_where", operands);
    }
    std::string brackets;
    int next = 0;
    for (int d = 0; d < v.child->extents.size(); ++d) {
      const axis_map& m = v.map[d];
      if (m.is_computed() || m.run != 1 || (m.axis != axis_map::constant && m.axis != next))
        return called("view", {&whole});
      const std::int64_t count = m.axis == axis_map::constant ? 1 : v.extents[m.axis];
      if (m.step == 0 && m.axis != axis_map::constant) return called("view", {&whole});
      brackets += (d ? ", " : "") + slice_of(m, count, v.child->extents[d]);
      next += m.axis != axis_map::constant;
    }
    if (next != v.extents.size()) return called("view", {&whole});
    const std::string text = whole.strength == term::all ? whole.text : "(" + whole.text + ")";
    return {text + "[" + brackets + "]"};
  }

  term text_of(const expression_node& e) const {
    std::vector<term> stack;
    int node_at = 0, scalar_at = 0;
    dtype taken = e.type;
    for (int i = 0; i < e.code->length; ++i) {
      const instruction in = e.code->code[i];
      if (in.code == instruction::take_node) {
        const auto* const c = static_cast<const typed_node*>(e.children[node_at++]);
        taken = c->type;
        stack.push_back(of(c));
        continue;
      }
      if (in.code == instruction::take_scalar) {
        taken = in.type;
        stack.push_back({codegen::number_text(e.scalars[scalar_at++], in.type)});
        continue;
      }
      const bool calls = in.code == instruction::call, casts = in.code == instruction::cast;
      if (casts && e.code->called && taken == in.type) continue;  // to the parameter's dtype, which it has
      const std::size_t count = calls ? stack.size() : casts ? 1 : detail::facts(static_cast<op>(in.code)).arity;
      std::vector<const term*> operands;
      for (std::size_t a = stack.size() - count; a < stack.size(); ++a) operands.push_back(&stack[a]);
      term made = calls   ? called(e.code->called->text.name, operands)
                  : casts ? called(name(in.type), operands)
                          : applied(static_cast<op>(in.code), operands);
      stack.resize(stack.size() - count);
      stack.push_back(std::move(made));
    }
    return stack.back();
  }

  std::string text() const {
    std::size_t names = 0, shapes = 0;
    for (const line& l : lines_) {
      names = std::max(names, l.name.size());
      shapes = std::max(shapes, detail::to_string(l.of->extents).size());
    }
    std::string all = "expression\n";
    for (const line& l : lines_)
      all += detail::message("  %-*s  %-8s %-*s  ", static_cast<int>(names), l.name.c_str(), name(l.of->type),
                             static_cast<int>(shapes), detail::to_string(l.of->extents).c_str()) +
             l.formula + "\n";
    return all;
  }

  array_names& names_;
  std::vector<const typed_node*> order_;
  std::unordered_map<const typed_node*, entry> entries_;
  std::vector<line> lines_;
  int named_ = 0;
};

}  // namespace

bool is_view(const array_node& a) {
  return !a.contiguous || static_cast<std::size_t>(a.extents.elements() * itemsize(a.type)) != a.memory->size;
}

// Several arrays may look at elements of one name, as views do.
const std::string& array_names::of(const array_node& a) {
  std::string& name = names_[&a];
  if (!name.empty()) return name;
  name = name_of(a.memory);
  if (name.empty()) {
    name = "x" + std::to_string(next_++);
  } else if (const int before = taken_[name]++; before > 0) {
    name += "_" + std::to_string(before + 1);
  }
  return name;
}

std::string tree_of(const typed_node* root, array_names& names) { return writer(names).run(root); }

}  // namespace sinter::runtime
