// What evaluations work in.
#pragma once

#include <vector>

#include "codegen/ir/resolve.hpp"
#include "runtime/launch/statements.hpp"

namespace sinter::runtime {

/// Arrays that are dropped at the end: temporaries, and on failure the new results.
class owned_arrays {
 public:
  owned_arrays() = default;
  owned_arrays(const owned_arrays&) = delete;
  owned_arrays& operator=(const owned_arrays&) = delete;
  ~owned_arrays() { drop(); }
  void drop() {
    for (detail::array_node* a : arrays_) detail::release(a);
    arrays_.clear();
  }
  void resize(std::size_t n) { arrays_.resize(n); }
  void set(std::size_t i, detail::array_node* a) { arrays_[i] = a; }
  detail::array_node* const* data() const { return arrays_.data(); }
  void keep() { arrays_.clear(); }

 private:
  std::vector<detail::array_node*> arrays_;
};

/// What one evaluation needs, kept between evaluations of a thread so that none of them allocates.
struct workspace {
  codegen::resolution resolution;
  binding bound;
  prepared_launches prepared;
  prepared_statements statements;
  std::vector<const detail::typed_node*> roots;
  std::vector<const shape*> extents;
  std::vector<detail::array_node*> outputs;
  owned_arrays temporaries, results;
};

/// Drops the temporaries, and the results of an evaluation that failed.
struct dropping {
  workspace& of;
  ~dropping() {
    of.temporaries.drop();
    of.results.drop();
  }
};

}  // namespace sinter::runtime
