// The plans that a device's transforms keep: those used last, as many as the program allows.
#pragma once

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/library/fft.hpp"
#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

/// A plan of a library, whatever that is; it is destroyed by its last user: the list, a thread that enqueues it, a graph.
using shared_plan = std::shared_ptr<void>;

class fft_plan_list {
 public:
  /// Plans of one shape differ by the stream that they are enqueued on, or by how memory is aligned.
  struct key {
    fft_shape shape;
    stream_state* on;  // null on a device whose calls have run when they return
    bool is_aligned;
    auto operator<=>(const key&) const = default;
  };

  /// The plan for a key: a new one is what `make` gives, null for none. A plan that has to make room goes once its stream has done
  /// what it was enqueued for. Errors: those of `make`.
  template <class Make>
  shared_plan plan(const key& k, Make make) {
    shared_plan found = find(k);
    if (!found)
      if ((found = make())) keep(k, found);
    return found;
  }

  std::int64_t size() const;  // most plans; -1: any number
  void set_size(std::int64_t);
  void clear();
  struct counts {
    std::int64_t plans = 0, hits = 0, misses = 0;
  };
  counts count() const;

 private:
  struct entry {
    key of;
    shared_plan plan;
    std::uint64_t position = 0;  // of its stream, behind what it was enqueued for last
  };
  using plans = std::list<entry>;

  shared_plan find(const key&);
  void keep(const key&, const shared_plan&);
  /// What no longer fits, to be destroyed without the lock.
  plans leave_out();

  mutable std::mutex changing_;
  plans all_, leaving_;  // the one used last is the first; those whose work may not be done
  std::map<key, plans::iterator> places_;
  std::int64_t size_ = 64, hits_ = 0, misses_ = 0;
};

fft_plan_list& fft_plans_of(const device_impl&);

}  // namespace sinter::runtime
