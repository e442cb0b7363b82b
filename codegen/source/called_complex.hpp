// Complex numbers in functions of a program's own. Generated text has structs of them, which have no operators in C: a text computes
// with C's own complex numbers, and in CUDA with a class, under the same names.
#pragma once

#include <string>
#include <string_view>

#include "codegen/ir/function.hpp"
#include "codegen/source/helpers.hpp"
#include "codegen/source/library.hpp"

namespace sinter::codegen {

/// Does a text take or give complex numbers?
bool passes_complex(const function_text&);

/// Does it do so, or name any?
bool has_complex(const function_text&);

/// A number of generated text as one of a function's, and the other way round. Real ones are the same in both.
std::string to_text(dtype, const std::string& number);
std::string from_text(dtype, const std::string& number);

/// Helper functions that texts of complex numbers call, `source` being all of them.
void use_complex_helpers(std::string_view source, dialect, helper_list& used);

/// What stands around such texts. They have the types with operators under the names of generated text's, which stay in reach as
/// pair_complex64 and pair_complex128, and those functions of them that `source` names.
overloads complex_overloads(std::string_view source, dialect);

/// C: what a choice by the type of an argument has in it for complex ones; empty where the function takes none.
std::string complex_branches(std::string_view function);

}  // namespace sinter::codegen
