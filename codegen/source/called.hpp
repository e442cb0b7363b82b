// Functions of a program's own in generated text: their definitions, and how one is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/target.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

/// The texts that a kernel calls, in the order in which it first does: they are numbered so.
std::vector<const function_text*> texts_of(const kernel&);

/// A text's name for a comment.
std::string on_one_line(std::string name);

/// Does a text name the place of the element in C order, `i`, other than as one of its parameters?
bool names_position(std::string_view body, const std::vector<std::string>& parameters);

/// Helper functions that their definitions call, and which have to stand before them.
void use_helpers(const std::vector<const function_text*>&, dialect, helper_list& used);

/// Their definitions. Of each `called<number>`, which gives its result or, where there are several, a `struct results<number>`
/// with members r0, r1 and so on; of what folds `start<number>` too. C: `vectorised` as of declarations (library.hpp).
std::string definitions(const std::vector<const function_text*>&, dialect, bool vectorised);

/// What the interpreter runs: `sinter_kernel`, a call_loop, for a text in C; of what folds fold_step::fold, and `sinter_finish`,
/// which is fold_step::start.
std::string interpreted_text(const function_text&, const target&);

/// A constant as a literal of a dtype. Infinities and numbers that are none are INFINITY and NAN.
std::string literal(dtype, detail::scalar_bits);

}  // namespace sinter::codegen
