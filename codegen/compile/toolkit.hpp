// Where a library or a program of the CUDA toolkit may be.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace sinter::codegen {

/// What to try to open: the file that the variable names, alone; else each name where the loader looks, and then below CUDA_HOME,
/// CUDA_PATH and /usr/local/cuda. An empty name: the variable is set to nothing.
std::vector<std::string> toolkit_files(const char* variable, std::initializer_list<const char*> names);

/// The first of some programs that is there: on PATH, then in `bin` below CUDA_HOME, CUDA_PATH and /usr/local/cuda. Empty: none.
std::string toolkit_program(std::initializer_list<const char*> names);

}  // namespace sinter::codegen
