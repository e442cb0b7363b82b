// Lists inside lists: the braces of `array<double>{{1, 2}, {3, 4}}`, of any depth.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include <sinter/detail/operand.hpp>

namespace sinter::detail {

/// A number in rows of several types: what deduction guides take, and nothing makes.
struct plain_number {
  template <arithmetic V>
    requires(!complex_number<V>)
  plain_number(V);
};

/// An element, or a list of what has one axis less.
template <element T>
class nested {
 public:
  using list = std::initializer_list<nested>;
  using stored = std::conditional_t<std::same_as<T, bool>, unsigned char, T>;  // a vector of bool has no memory to copy

  /// Converted as a weak scalar is. Errors: `dtype_error` for an integer that does not fit.
  template <class V>
    requires(arithmetic<V> || std::is_enum_v<V>)
  nested(V given) : value_(convert_scalar<T>(number(given))) {
    static_assert(is_inexact(dtype_of<T>) || !floating_number<V>,
                  "sinter: a floating number in a list of integers; write the integer that is meant");
  }
  nested(list given) : inside_(given), is_list_(true) {}

  /// The list as an array. Errors: `shape_error` where the lists inside differ, or are too deep.
  static node* array_of(list outer) {
    std::int64_t extents[max_rank + 1];
    int rank = 0;
    for (list l = outer;; l = l.begin()->inside_) {
      extents[rank++] = static_cast<std::int64_t>(l.size());
      if (rank > max_rank || l.size() == 0 || !l.begin()->is_list_) break;
    }
    const shape s(extents, rank);
    std::vector<stored> elements;
    elements.reserve(static_cast<std::size_t>(s.elements()));
    append(outer, s, 1, elements);
    return make_from_host(dtype_of<T>, s, elements.data());
  }

 private:
  template <class V>
  static constexpr auto number(V given) {
    if constexpr (std::is_enum_v<V>) return static_cast<std::underlying_type_t<V>>(given);
    else return given;
  }
  static void append(list from, const shape& s, int depth, std::vector<stored>& to) {
    const bool lists = depth < s.size();
    for (const nested& at : from) {
      if (at.is_list_ != lists || (lists && static_cast<std::int64_t>(at.inside_.size()) != s[depth]))
        throw_ragged_lists();
      if (lists) append(at.inside_, s, depth + 1, to);
      else to.push_back(at.value_);
    }
  }

  T value_{};
  list inside_;
  bool is_list_ = false;
};

}  // namespace sinter::detail
