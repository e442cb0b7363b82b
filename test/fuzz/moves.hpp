// Steps that move elements: gathers, rolls, repetitions, padding, triangles, diagonals and joins. Each is checked, run and printed
// here.
#pragma once

#include "test/fuzz/nodes.hpp"
#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// What the step gives; none where the library would refuse it.
std::optional<outline> moved(const step&, const std::vector<outline>& known);
/// Its node, owned, given those of its operands.
detail::node* run_move(const step&, const std::vector<handle>& operands, dtype result);
/// Its text, given its operands'.
std::string cpp_move(const step&, const std::vector<std::string>& operands, std::int64_t length);
std::string python_move(const step&, const std::vector<std::string>& operands, std::int64_t length);
/// The length of the axis that it gathers along.
std::int64_t length_of_axis(const step&, const std::vector<outline>& known);

/// Any integers as indices of an axis: by their remainder, counted from either end.
handle index_into(const handle& numbers, std::int64_t length);
std::string cpp_index_into(const std::string& numbers, std::int64_t length);
std::string python_index_into(const std::string& numbers, std::int64_t length);

}  // namespace sinter::fuzz
