// Steps that call compositions of the front end: differences, windows, selections, searches, products of neighbours, random draws.
// Each is a row of a table: what it gives, how it is run, how it is printed, how closely it is known.
#pragma once

#include "test/fuzz/nodes.hpp"
#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// How closely a call's value is known to who computes it apart.
enum class closeness : std::uint8_t {
  exact,        // elements are moved or compared
  differences,  // they are subtracted
  sums,         // as sums of as many terms as there are elements, in another order
  drawn,        // random numbers, which NumPy has others of
};

struct call_row {
  const char* name;
  std::size_t operands;
  closeness close;
  std::optional<outline> (*gives)(const step&, const std::vector<outline>& operands);
  detail::node* (*run)(const step&, const std::vector<handle>& operands, dtype result);
  std::string (*cpp)(const step&, const std::vector<std::string>& operands, dtype result);
  std::string (*python)(const step&, const std::vector<std::string>& operands, dtype result);
};

/// The row of a step that calls.
const call_row& row_of(const step&);
int call_count();

/// Does it draw random numbers, whose values are not asked of NumPy?
bool draws(const step&);

}  // namespace sinter::fuzz
