// Steps that call functions of the front end: compositions, and calls of libraries between kernels. Each is a row of a table: what it
// gives, how it is run, how it is printed, how closely it is known. calls.cpp has the compositions; the other tables are named by what
// they hold.
#pragma once

#include <span>

#include "test/fuzz/nodes.hpp"
#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// How closely a call's value is known to who computes it apart.
enum class closeness : std::uint8_t {
  exact,        // elements are moved or compared
  ordered,      // they are ordered: of equal ones, -0 and 0, either
  differences,  // they are subtracted
  sums,         // as sums of as many terms as there are elements, in another order
  products,     // as sums of products of an element of each operand, as many as `scale` says
  tamed,        // by `scale` alone: the operands are brought between -1 and 1 first
  drawn,        // random numbers, which NumPy has others of
};

/// How many roundings come together in a result, and how large it is at most where no operand is larger than 1.
struct scale {
  double terms = 1, size = 1;
  bool is_whole = false;  // of whole numbers it is a whole number
};

struct call_row {
  const char* name;
  std::size_t operands;
  closeness close;
  std::optional<outline> (*gives)(const step&, const std::vector<outline>& operands);
  detail::node* (*run)(const step&, const std::vector<handle>& operands, dtype result);
  std::string (*cpp)(const step&, const std::vector<std::string>& operands, dtype result);
  std::string (*python)(const step&, const std::vector<std::string>& operands, dtype result);
  scale (*scaled)(const step&, const std::vector<outline>& operands) = nullptr;  // of products and what is tamed
};

/// The tables, in the order in which `calling` counts their rows.
std::span<const call_row> composition_rows();
std::span<const call_row> order_rows();
std::span<const call_row> count_rows();
std::span<const call_row> product_rows();
std::span<const call_row> transform_rows();
std::span<const call_row> system_rows();
std::span<const call_row> edit_rows();

/// The row of a step that calls.
const call_row& row_of(const step&);
int call_count();

/// Does it draw random numbers, whose values are not asked of NumPy?
bool draws(const step&);

}  // namespace sinter::fuzz
