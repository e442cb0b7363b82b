// The functions of C's library: in the C dialect, where generated text includes no header and declares what it calls, and of CUDA.
#pragma once

#include <string>
#include <string_view>

namespace sinter::codegen {

/// Declarations of the C library's functions that `source` calls. `vectorised` offers gcc the vector versions of libmvec as
/// well, which the target must have.
std::string declarations(std::string_view source, bool vectorised);

/// CUDA's functions that `source` calls, under names that stand for the same of arguments whose values no compiler knows: what strict
/// mode gives does not depend on what stands around a call.
std::string functions_at_run_time(std::string_view source);

/// Is it one that declarations() may declare, under its name for double?
bool is_library_function(std::string_view name);

/// Has libmvec a version of it for whole registers?
bool is_vector_function(std::string_view name);

/// What C++ has and C has not, for text that is written for both: functions that go by the type of their argument, `min`, `max`,
/// `true` and `false`. As macros, and only those that `source` names: `first` comes before it, `last` takes them back.
struct overloads {
  std::string first, last;
};
inline std::string no_branches(std::string_view) { return ""; }
/// `branches`: what a choice has for other types than real ones, of a function's name.
overloads overloads_for(std::string_view source, bool vectorised,
                        std::string (*branches)(std::string_view function) = no_branches);

/// Adds a macro of which `last` leaves nothing, whatever the name was before. `rest`: what stands behind the name.
void define(overloads&, const std::string& name, const std::string& rest);

}  // namespace sinter::codegen
