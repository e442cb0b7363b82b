// Finds a program, and runs it to its end, without a shell: the CPU compiler, and disassemblers.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace sinter::codegen {

struct process_request {
  std::string program;                   ///< absolute path
  std::vector<std::string> arguments;    ///< without argv[0]
  std::vector<std::string> environment;  ///< "NAME=value"
  std::string folder;                    ///< its working directory
  std::string log;                       ///< file in `folder` that takes its stdout and stderr
  std::chrono::milliseconds time_limit;
};

/// How a program ended. `unknown`: the host program reaps its children itself, so only the outputs can tell.
enum class process_end { exited, signalled, timed_out, unknown };

struct process_result {
  process_end end;
  int code;  ///< exit status, or the number of the signal
};

/// Starts it and waits. A program still running after `time_limit` is killed with everything it started.
/// Errors: `device_error` where it cannot be started. Thread-safe.
process_result run_process(const process_request& request);

/// Is there a file that can be run?
bool is_program(const std::string& path);

/// A program's absolute path, by PATH; empty where there is none. Relative entries of PATH are left out: which program they name
/// depends on where the host happens to stand.
std::string program_on_path(const std::string& name);

}  // namespace sinter::codegen
