// The threads of a block where they have to wait for each other: each is a fiber, and one runs until it reaches a
// barrier, a warp operation or its end. Also where a kernel without any runs, so that a faulty one can be left.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "module.hpp"

namespace softgpu {

/// Runs functions on stacks of its own and can leave them where they stand. One at a time in a process.
class block_runner {
 public:
  block_runner();
  ~block_runner();
  block_runner(const block_runner&) = delete;
  block_runner& operator=(const block_runner&) = delete;

  /// Calls body(thread) for every thread of a block, as fibers. `enter` is called before a thread goes on.
  /// Gives "" or what went wrong.
  std::string run(unsigned threads, const std::function<void(unsigned)>& body,
                  const std::function<void(unsigned)>& enter, std::mt19937_64& random);
  /// Calls body() on a fiber: only there may leave() be called.
  std::string run_alone(const std::function<void()>& body);

  // Called from inside of a fiber.
  void barrier() { barrier_count(0); }
  int barrier_count(int holds);
  unsigned long long warp(collective what, unsigned mask, unsigned long long value, unsigned from);
  unsigned active_mask() const;
  /// Is it on a stack of a fiber's?
  bool on_stack(unsigned long long address) const;
  /// Ends the block where it stands, for a reason in printf's way. Nothing in the frames it leaves is destroyed, so
  /// the caller holds nothing.
  [[noreturn]] [[gnu::format(printf, 2, 3)]] void leave(const char* why, ...);

 private:
  struct fibers;
  struct warp_group;
  struct warp_state;

  void prepare(unsigned threads, const std::function<void(unsigned)>& body);
  void wait();
  void thread_ended(unsigned thread);
  void release_barrier();
  warp_group& meet(warp_state&, collective, unsigned mask);
  bool complete(warp_state&, warp_group&);
  void recheck(warp_state&);

  std::unique_ptr<fibers> fibers_;
  std::vector<warp_state> warps_;
  char failure_[200] = {};
  bool failed_ = false;
  bool alone_ = false;
  unsigned threads_ = 0, live_ = 0, arrived_ = 0, now_ = 0;
  int count_ = 0, counted_ = 0;
};

}  // namespace softgpu
