#include "runtime/frontend/census.hpp"

#include "codegen/ir/function.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

using namespace detail;

namespace {

constexpr std::size_t few = 24;

template <class F>
void each_child(const typed_node* n, F f) {
  for (int i = 0; i < child_count(n); ++i) f(child(n, i));
}

// Does a point of a node need of a child what is at that point alone?
bool is_elementwise(const typed_node* n, int child) {
  return n->kind == node_kind::expression && !codegen::is_raw(*static_cast<const expression_node*>(n)->code, child);
}

}  // namespace

census::census(const expression_view& e, const node* target, const node* view, std::span<node* const> indices)
    : target_(target), view_(view) {
  for (int i = 0; i < e.code->nodes; ++i) discover(e.nodes[i]);
  for (const node* n : indices) discover(n);
  for (std::size_t i = 0; i < entries_.size(); ++i) each_child(entries_[i].node, [&](const node* n) { discover(n); });
  for (int i = 0; i < e.code->nodes; ++i) look_at(e.nodes[i], true, true);
  for (const node* n : indices) look_at(n, true, false);
  while (!ready_.empty()) {
    const entry now = entries_[ready_.back()];
    ready_.pop_back();
    for (int i = 0; i < child_count(now.node); ++i)
      look_at(child(now.node, i), now.dies, now.elementwise && is_elementwise(now.node, i));
  }
}

int census::held_by_statement(const node* n) const { return (n == target_) + (n == view_); }

const census::entry* census::find(const node* n) const {
  if (entries_.size() > few) {
    const auto at = places_.find(n);
    return at == places_.end() ? nullptr : &entries_[at->second];
  }
  for (const entry& e : entries_)
    if (e.node == n) return &e;
  return nullptr;
}

bool census::dies(const node* n) const {
  if (const entry* e = find(n)) return e->dies;
  return held_by_statement(n) != 0 && count_of(n) == held_by_statement(n);
}

bool census::holds_all_of(const storage& memory) const {
  int holders = (find(target_) == nullptr) + (view_ && view_ != target_ && find(view_) == nullptr);
  for (const entry& e : entries_)
    holders += e.node->kind == node_kind::array && e.dies && static_cast<const array_node*>(e.node)->memory == &memory;
  return __atomic_load_n(&memory.references, __ATOMIC_ACQUIRE) == holders;
}

void census::discover(const node* n) {
  if (const entry* e = find(n)) {
    entry& known = entries_[static_cast<std::size_t>(e - entries_.data())];
    ++known.references;
    ++known.unseen;
    return;
  }
  entries_.push_back({static_cast<const typed_node*>(n), 1, 1, true, true});
  if (entries_.size() == few + 1)
    for (std::size_t i = 0; i < few; ++i) places_.emplace(entries_[i].node, i);
  if (entries_.size() > few) places_.emplace(n, entries_.size() - 1);
}

void census::look_at(const node* n, bool owner_dies, bool elementwise) {
  const auto at = static_cast<std::size_t>(find(n) - entries_.data());
  entry& e = entries_[at];
  e.dies = e.dies && owner_dies;
  e.elementwise = e.elementwise && elementwise;
  if (--e.unseen > 0) return;
  e.dies = e.dies && count_of(n) == e.references + held_by_statement(n);
  ready_.push_back(at);
}

}  // namespace sinter::runtime
