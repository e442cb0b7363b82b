// Loads at computed indices, and the looks at these, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::codegen {

/// Elements of a dtype as a kernel reads them. gcc makes no vectors of truth values that are one bit to it.
std::string_view spell_elements(dtype, dialect);

/// A load or a check, given the names of the values before it.
std::string spell_access(const value&, const std::vector<std::string>& names, dialect);

/// What the text of a kernel's loads and checks needs before it.
std::string load_definitions(const kernel&, dialect, bool in_stretches);

/// The points of a map's longest stretch, and the name of as many zeros.
inline constexpr int longest_stretch = 1024;
std::string nothing_row(dtype);

/// Whether at least three loads follow from one another, as those of a search do: each waits for the last, and where loads go one
/// by one gcc makes branches of what they choose.
bool is_search(const kernel&);

/// C: are the loops of a kernel's variant to be left without vectors?
bool loads_one_by_one(const kernel&, const variant&);

}  // namespace sinter::codegen
