// The author of a random program: what its files share. generate.cpp has the whole of a program, the others what a statement
// may be, by idea.
#pragma once

#include <random>
#include <vector>

#include <sinter/index.hpp>

#include "test/fuzz/generate.hpp"

namespace sinter::fuzz {

/// Operations that no rounding touches, of whole numbers.
inline constexpr op exact_ops[] = {op::add,  op::subtract,     op::multiply, op::maximum,  op::minimum,
                                   op::less, op::where,        op::equal,    op::negative, op::absolute,
                                   op::add,  op::floor_divide, op::greater,  op::square};

class author {
 public:
  author(std::uint64_t seed, const generate_options& how);
  program write();

 private:
  // mt19937_64 is the same everywhere; the standard's distributions are not.
  template <class Int>
  unsigned pick(Int n) {
    return static_cast<unsigned>(random_() % static_cast<std::uint64_t>(n));
  }
  bool one_in(unsigned n) { return pick(n) == 0; }
  template <class T, std::size_t n>
  T one_of(const T (&some)[n]) {
    return some[pick(n)];
  }

  // ---- generate.cpp: statements, and what the program asks for at its end

  bool statement();
  int any();
  bool elementwise();
  bool parts(int from);
  op some_op(bool of_all);
  bool cast(int from);
  void choose_results();
  void choose_temporaries();
  bool is_target(int at) const;

  int count() const { return static_cast<int>(p_.steps.size()); }
  const outline& known(int step) const { return known_[static_cast<std::size_t>(step)]; }
  /// Writes a step if the library takes it, and it is not too large.
  bool add(step);
  bool add(form what, int from);
  void drop_last();

  // ---- generate_values.cpp: what the whole program keeps to; elements and numbers

  enum class values { whole, real, edges };
  void choose_style();
  shape some_shape();
  template <class T>
  T element();
  number some_number();
  void input();
  bool index();
  int indices(const shape& like);

  // ---- generate_views.cpp: views, and elements in other places

  std::vector<detail::index_item> items_for(const shape&);
  any_index item_for(std::int64_t extent);
  bool pick_items_for(const shape&, step&);
  bool view(int from);
  bool picked(int from);
  bool transpose(int from);
  bool reshape(int from);
  bool broadcast(int from);
  bool move(int from);
  void choose_parts(step&, int from);
  bool call(int from);
  bool called_store(int target);

  // ---- generate_folds.cpp: reductions, rows and scans

  bool reduce(int from);
  void choose_options(step&);
  bool rows(int from);
  bool softmax(int from);
  bool spread(int from);
  bool scan(int from);

  // ---- generate_stores.cpp

  bool store();
  bool picked_store(int target);
  bool masked_store(int target);
  bool put_store(int target);
  bool with_some_value(step, bool may_be_step);
  bool shifted(int target, std::vector<detail::index_item>& items);

  std::mt19937_64 random_;
  generate_options how_;
  program p_;
  std::vector<outline> known_;
  std::vector<dtype> types_;
  values style_ = values::whole;
  shape base_;
};

}  // namespace sinter::fuzz
