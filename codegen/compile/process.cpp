// Starts a program with posix_spawn and waits for it with a time limit, below the CPU compiler and the disassemblers.
// Invariant: returns or throws within the limit (and a short grace), whatever the program and the host's signals do.
#include "codegen/compile/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include <sinter/error.hpp>

#include "codegen/compile/file.hpp"

namespace sinter::codegen {
namespace {

using clock = std::chrono::steady_clock;

// How long a killed program may take to disappear: one stuck in the kernel must not hold the caller for ever.
constexpr std::chrono::seconds grace{5};

// posix_spawn's two option objects, which own memory.
class spawn_options {
 public:
  spawn_options() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~spawn_options() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  spawn_options(const spawn_options&) = delete;
  spawn_options& operator=(const spawn_options&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

[[noreturn]] void cannot_start(const std::string& program, int error) {
  throw device_error(("cannot start " + program + ": " + std::strerror(error)).c_str());
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// A host may block or ignore signals. A compiler driver waits for children of its own, so it must not inherit that. Its
// own process group lets the time limit reach those children too.
int prepare(spawn_options& options, const process_request& request) {
  sigset_t none, defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  for (const int signal : {SIGCHLD, SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ}) ::sigaddset(&defaults, signal);
  const std::string log = request.folder + "/" + request.log;
  int error = ::posix_spawnattr_setsigmask(&options.attributes, &none);
  if (!error) error = ::posix_spawnattr_setsigdefault(&options.attributes, &defaults);
  if (!error) error = ::posix_spawnattr_setpgroup(&options.attributes, 0);
  if (!error) {
    error = ::posix_spawnattr_setflags(&options.attributes,
                                       POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  if (!error) error = ::posix_spawn_file_actions_addopen(&options.actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) {
    error = ::posix_spawn_file_actions_addopen(&options.actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND,
                                               0600);
  }
  if (!error) error = ::posix_spawn_file_actions_adddup2(&options.actions, 1, 2);
  if (!error) error = ::posix_spawn_file_actions_addchdir_np(&options.actions, request.folder.c_str());
  return error;
}

pid_t start(const process_request& request) {
  spawn_options options;
  if (const int error = prepare(options, request)) cannot_start(request.program, error);
  std::vector<std::string> words{request.program};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  pid_t child = -1;
  const int error = ::posix_spawn(&child, request.program.c_str(), &options.actions, &options.attributes,
                                  pointers(words).data(), pointers(request.environment).data());
  if (error) cannot_start(request.program, error);
  return child;
}

// Nothing while the child runs. Losing the child to a host that reaps every child is an answer too.
std::optional<process_result> reap(pid_t child) {
  int status = 0;
  pid_t got;
  do got = ::waitpid(child, &status, WNOHANG);
  while (got < 0 && errno == EINTR);
  if (got == 0) return std::nullopt;
  if (got < 0) return process_result{process_end::unknown, 0};
  if (WIFSIGNALED(status)) return process_result{process_end::signalled, WTERMSIG(status)};
  return process_result{process_end::exited, WEXITSTATUS(status)};
}

unique_fd open_pidfd([[maybe_unused]] pid_t child) {
#ifdef SYS_pidfd_open
  return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
#else
  return unique_fd();
#endif
}

std::optional<process_result> wait_until(pid_t child, int pidfd, clock::time_point deadline) {
  std::chrono::microseconds pause{100};
  for (;;) {
    if (const std::optional<process_result> result = reap(child)) return result;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
    if (left.count() <= 0) return std::nullopt;
    if (pidfd >= 0) {
      struct pollfd poll_one {
        pidfd, POLLIN, 0
      };
      ::poll(&poll_one, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    } else {  // a kernel before 5.3, or a sandbox without pidfd_open
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds{2000});
    }
  }
}

}  // namespace

process_result run_process(const process_request& request) {
  const pid_t child = start(request);
  const unique_fd pidfd = open_pidfd(child);
  if (const auto result = wait_until(child, pidfd.get(), clock::now() + request.time_limit)) return *result;
  // The child is not reaped yet, so its number cannot have been given to another process.
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
  wait_until(child, pidfd.get(), clock::now() + grace);
  return {process_end::timed_out, 0};
}

bool is_program(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string program_on_path(const std::string& name) {
  const char* const value = ::secure_getenv("PATH");
  const std::string path = value ? value : "";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, end - at) + "/" + name;
    if (candidate.front() == '/' && end > at && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

}  // namespace sinter::codegen
