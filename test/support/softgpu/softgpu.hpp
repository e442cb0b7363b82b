// What a test may ask of softgpu beside the driver's functions. All are exported from the library that also stands in
// for the driver; open() finds them in the one that is loaded already or loads it.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>

// The environment, read once, at the first call:
//
//   SOFTGPU_DEVICES=2           how many there are
//   SOFTGPU_MEMORY=1073741824   bytes of each
//   SOFTGPU_MULTIPROCESSORS=4   of each
//   SOFTGPU_SEED=1              of the order in which work, blocks and threads take turns
//   SOFTGPU_QUEUE=4096          pieces of work that may wait before some is done at the call
//   SOFTGPU_EAGER=0             of 100 calls that enqueue, so many also do some work
//   SOFTGPU_CHECK=1             0: kernels are compiled without the check, and run faster
//   SOFTGPU_INITCHECK=0         1: reads of memory that was never written are reported
//   SOFTGPU_ABORT_ON_RACE=0     1: aborts at the first race
//   SOFTGPU_FATAL=0             1: a process in which there was a race ends with status 66
//   SOFTGPU_CXX=g++             the compiler of kernels; otherwise g++, c++ or clang++ from the PATH

/// What exists now. The units are pieces, but for `bytes`.
struct softgpu_counts {
  long long allocations;  // of device and managed memory, stream-ordered ones too
  long long bytes;        // of those
  long long pinned;       // allocations of pinned memory
  long long streams, events, graphs, graph_execs, modules;
  long long staged;  // copies between devices so far that went through the host: the program had not asked for access
};

// softgpu_races          how many races were found
// softgpu_reports        all reports, one a line, cut at size; gives the length they have
// softgpu_reset_reports  forgets races and reports
// softgpu_calls          calls of the driver and of NVRTC so far
// softgpu_call_name      the name of the call that the plan made fail last; "" before
// softgpu_fail           the fault plan: the call `at` calls from now (0: the next) fails with `result`. for_ever: 0 only
//                        that one, 1 from then on every call of the same function, 2 from then on every call. result 0
//                        means what that call would give. at < 0: no plan
// softgpu_failed         calls that the plan has made fail since it was set
// softgpu_revive         contexts that a sticky error ended work again, as if in a new process
// softgpu_live           what exists now
#define SOFTGPU_CONTROLS(X)                                       \
  X(long long, softgpu_races, ())                                 \
  X(std::size_t, softgpu_reports, (char* to, std::size_t size))   \
  X(void, softgpu_reset_reports, ())                              \
  X(long long, softgpu_calls, ())                                 \
  X(const char*, softgpu_call_name, ())                           \
  X(void, softgpu_fail, (long long at, int result, int for_ever)) \
  X(long long, softgpu_failed, ())                                \
  X(void, softgpu_revive, ())                                     \
  X(softgpu_counts, softgpu_live, ())

namespace softgpu {

/// The functions of one loaded library.
struct controls {
#define SOFTGPU_MEMBER(type, name, parameters) type(*name) parameters = nullptr;
  SOFTGPU_CONTROLS(SOFTGPU_MEMBER)
#undef SOFTGPU_MEMBER

  /// Errors: std::runtime_error when there is no such library or it lacks a function.
  static controls open(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(::dlerror());
    controls result;
#define SOFTGPU_LOOK_UP(type, name, parameters)                                \
  result.name = reinterpret_cast<type(*) parameters>(::dlsym(library, #name)); \
  if (!result.name) throw std::runtime_error(std::string(path) + " lacks " + #name);
    SOFTGPU_CONTROLS(SOFTGPU_LOOK_UP)
#undef SOFTGPU_LOOK_UP
    return result;
  }

  std::string all_reports() const {
    std::string text(softgpu_reports(nullptr, 0), '\0');
    softgpu_reports(text.data(), text.size());
    return text;
  }
};

}  // namespace softgpu
