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

/// A plan of a library, whatever that is. It is destroyed by its last owner: the list, a thread that enqueues it, a graph.
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

  /// The plan for a key: a new one is what `make` gives, null for none. A plan that has to make room goes once no thread and no graph
  /// holds it and its stream has done what it was enqueued for; a thread counts that there (`stream_state::enqueued`) before it lets
  /// the plan go. Errors: those of `make`.
  template <class Make>
  shared_plan plan(const key& k, Make make) {
    if (shared_plan found = find(k)) return found;
    const shared_plan made = make();
    return made ? keep(k, made) : made;
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
    std::uint64_t last = 0;  // how many operations its stream had when no thread held it any more; 0: not known yet
  };
  using plans = std::list<entry>;

  shared_plan find(const key&);
  /// The plan that is kept: where another thread made one meanwhile, that one.
  shared_plan keep(const key&, const shared_plan&);
  // What these give is to be destroyed without the lock.
  /// What no longer fits and has no work that may be left; the rest of it is leaving.
  plans leave_out();
  /// Of those leaving the ones whose work is done.
  plans take_done();

  mutable std::mutex changing_;
  plans all_, leaving_;  // the one used last is the first; those whose work may not be done
  std::map<key, plans::iterator> places_;
  std::int64_t size_ = 64, hits_ = 0, misses_ = 0;
};

fft_plan_list& fft_plans_of(const device_impl&);

}  // namespace sinter::runtime
