// Programs as text that reproduces them: C++ statements, and Python.
#pragma once

#include <string>

#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// Statements for the body of a function that begins `using namespace sinter;`, each result printed at the end.
std::string cpp_text(const program&);

/// Python statements; `sn` is test/numpy/like_sinter.py. With `first_record` every value is checked as it is made: the
/// input of step i is `given(first_record + i)`, any other value passes through `checked(value, first_record + i)`, which
/// gives back Sinter's, so that each step is compared for itself.
std::string python_text(const program&);
std::string python_text(const program&, std::size_t first_record, const std::string& indent);

}  // namespace sinter::fuzz
