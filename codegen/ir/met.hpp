// Which nodes a walk has met, each in which context, and what it gave for them.
#pragma once

#include <cstdint>

#include "codegen/ir/context.hpp"
#include "codegen/ir/number_table.hpp"
#include "codegen/ir/resolve.hpp"

namespace sinter::codegen {

class met_nodes {
 public:
  struct meeting {
    const detail::node* n;
    unsigned context;
    ref result;
  };

  void clear() {
    all_.clear();
    at_.clear();
  }
  const meeting* find(const detail::typed_node* n, unsigned in) const {
    const meeting* const last = latest(n);
    if (last && last->context == in) return last;
    const int k = at_.find(hash_of(n, in), [&](unsigned i) { return all_[i].n == n && all_[i].context == in; });
    return k < 0 ? nullptr : &all_[static_cast<std::size_t>(k)];
  }
  /// What the node says about itself, if it is true of this walk: where it was met last. Null: it says nothing of it.
  const meeting* latest(const detail::typed_node* n) const {
    const std::uint16_t k = __atomic_load_n(&n->noted, __ATOMIC_RELAXED);
    return k < all_.size() && all_[k].n == n ? &all_[k] : nullptr;
  }
  void add(const detail::typed_node* n, unsigned in, ref r) {
    __atomic_store_n(&n->noted, static_cast<std::uint16_t>(all_.size()), __ATOMIC_RELAXED);
    at_.insert(hash_of(n, in), all_.size());
    all_.push_back({n, in, r});
  }

 private:
  buffer<meeting> all_;
  number_table at_;
};

}  // namespace sinter::codegen
