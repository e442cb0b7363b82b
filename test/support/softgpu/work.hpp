// What streams are filled with: a piece of work that the device does, at some time after the call that asked for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory.hpp"
#include "shadow.hpp"

namespace softgpu {

class machine;
struct context;

using result = int;

enum class work_kind { kernel, copy, fill, library, host_call, event, allocation, release, nothing };

struct execution {
  machine& on;
  context& in;
  running_work self;
};

class work {
 public:
  explicit work(work_kind what, std::string label_) : kind(what), label(std::move(label_)) {}
  virtual ~work() = default;
  work(const work&) = delete;
  work& operator=(const work&) = delete;

  /// On the device's behalf, under the machine's lock. Anything but 0 is an error from which the context is not saved.
  virtual result run(execution&) = 0;
  /// Could a graph's node of this work be made one of `other` by an update?
  virtual bool replaceable_by(const work& other) const { return kind == other.kind; }

  const work_kind kind;
  const std::string label;
};

using work_pointer = std::shared_ptr<work>;

class empty_work final : public work {
 public:
  explicit empty_work(std::string what) : work(work_kind::nothing, std::move(what)) {}
  result run(execution&) override { return 0; }
};

/// Runs on the driver's own thread, without the lock.
class host_call final : public work {
 public:
  host_call(void (*function)(void*), void* with)
      : work(work_kind::host_call, "host function"), call(function), data(with) {}
  result run(execution&) override { return 0; }
  void (*const call)(void*);
  void* const data;
};

class event_work final : public work {
 public:
  explicit event_work(std::shared_ptr<std::chrono::steady_clock::time_point> into)
      : work(work_kind::event, "event"), when(std::move(into)) {}
  result run(execution&) override {
    *when = std::chrono::steady_clock::now();
    return 0;
  }
  const std::shared_ptr<std::chrono::steady_clock::time_point> when;
};

/// Bytes from one place to another, of which either may be memory that is not watched.
class copy_work final : public work {
 public:
  copy_work(std::string what, address to_, address from_, std::size_t size_)
      : work(work_kind::copy, std::move(what)), to(to_), from(from_), size(size_) {}
  result run(execution&) override;

  const address to, from;
  const std::size_t size;
};

/// As the driver copies from pageable memory: read at the call, written when its turn comes.
class staged_copy final : public work {
 public:
  staged_copy(address to_, const void* from, std::size_t size);
  result run(execution&) override;

  const address to;
  const std::vector<unsigned char> bytes;
};

class fill_work final : public work {
 public:
  fill_work(address to_, unsigned char byte_, std::size_t size_)
      : work(work_kind::fill, "memset"), to(to_), byte(byte_), size(size_) {}
  result run(execution&) override;

  const address to;
  const unsigned char byte;
  const std::size_t size;
};

/// Stream-ordered memory becomes memory, and ceases to be.
class begin_memory final : public work {
 public:
  explicit begin_memory(address at_, std::size_t size_, std::shared_ptr<void> holder_ = nullptr)
      : work(work_kind::allocation, "cuMemAllocFromPoolAsync"), at(at_), size(size_), holder(std::move(holder_)) {}
  result run(execution&) override;

  const address at;
  const std::size_t size;
  const std::shared_ptr<void> holder;  // keeps the block of a graph
};

class end_memory final : public work {
 public:
  end_memory(address at_, std::size_t size_) : work(work_kind::release, "cuMemFreeAsync"), at(at_), size(size_) {}
  result run(execution&) override;

  const address at;
  const std::size_t size;
};

}  // namespace softgpu
