// The whole of the pretended machine: devices and their contexts, streams and events, the lanes in which work waits and
// the one lock over all of it. Work is done late: only when a call needs it, and then in a random order among what the
// streams allow.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "clocks.hpp"
#include "memory.hpp"
#include "runtime/device/driver.hpp"
#include "shadow.hpp"
#include "work.hpp"

namespace softgpu {

class capture;
struct context;

inline constexpr result invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_context = 201,
                        invalid_handle = 400, not_found = 500, not_ready = 600, illegal_address = 700,
                        launch_failed = 719, not_permitted = 800, not_supported = 801;

struct operation {
  work_pointer what;
  vector_clock before;  // with the operation itself
  tick count = 0;
  epoch self = 0;
};

/// Work in one order: a stream's, or that of a branch of a graph.
struct lane {
  std::size_t slot = 0;
  context* in = nullptr;
  unsigned number = 0;  // of the stream, for reports
  std::deque<operation> pending;
  vector_clock now;
  tick issued = 0, done = 0;
  bool busy = false;     // its first operation is a host function that is running
  bool closing = false;  // ends when it is empty
};

struct stream {
  context* in = nullptr;
  lane* queue = nullptr;
  bool legacy = false;
  bool blocking = false;  // in order with the legacy stream
  int priority = 0;
  std::shared_ptr<capture> capturing;
  std::vector<std::size_t> after;  // capturing: the nodes that its next one follows
};

struct event {
  context* in = nullptr;
  bool timing = true;
  bool recorded = false;
  std::size_t slot = 0;
  tick count = 0;
  vector_clock when;
  std::shared_ptr<std::chrono::steady_clock::time_point> time;
  std::shared_ptr<capture> captured;  // last recorded in a stream that was being captured
  std::vector<std::size_t> after;
};

/// A stream-ordered pool: blocks that were freed wait for the next request.
struct memory_pool {
  struct free_block {
    block* what;
    std::size_t slot;  // of the free
    tick count;
  };
  int device = 0;
  std::uint64_t threshold = 0;
  std::uint64_t reserved = 0, used = 0, reserved_high = 0, used_high = 0;
  std::vector<free_block> waiting;
  std::set<int> let_in;  // other devices that may use its memory
};

struct context {
  int device = 0;
  int retained = 0;
  result lost = 0;  // the sticky error
  stream legacy;
  std::map<std::thread::id, std::unique_ptr<stream>> per_thread;
  std::unordered_set<stream*> streams;
  std::set<int> peers;
  memory_pool pool;
};

struct settings {
  int devices = 2;
  int multiprocessors = 4;
  std::size_t memory = std::size_t{1} << 30;
  std::uint64_t seed = 1;
  std::size_t queue_length = 4096;
  unsigned eager = 0;  // of 100 calls that enqueue, so many also do some work
  bool check = true;
  bool initcheck = false;
  bool abort_on_race = false;
  bool fatal = false;
  static settings from_environment();
};

class machine {
 public:
  explicit machine(const settings&);
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  // ---- objects
  context& of_device(int device) { return contexts_[static_cast<std::size_t>(device)]; }
  int devices() const { return config.devices; }
  context* known(sinter::runtime::cu_context) const;
  /// The stream behind a handle, in the context that is current. Null: there is none.
  stream* find(context&, sinter::runtime::cu_stream);
  /// The same, in any context: most calls take a stream's own for the one they mean.
  stream* find_anywhere(context&, sinter::runtime::cu_stream);
  lane* open_lane(context&, unsigned number);
  void close_lane(lane*);
  unsigned next_stream_number() { return ++stream_numbers_; }

  // ---- work
  /// Puts work into a stream, in order with the legacy stream where that is asked for. Gives its count in the lane.
  tick submit(stream&, work_pointer);
  tick enqueue(lane&, work_pointer);
  void order_with_legacy(stream&);
  /// Does one piece of work. False: there is none that could be done now.
  bool step();
  template <class Done>
  void run_until(std::unique_lock<std::mutex>& held, Done&& done) {
    while (!done()) advance(held);
  }
  /// The host waits for all that the clock names, and knows it from then on.
  void wait(std::unique_lock<std::mutex>&, const vector_clock&);
  /// Everything that was enqueued for a context, or for all of them where it is null.
  vector_clock everything(const context*) const;
  bool is_done(std::size_t slot, tick count) const { return done_.covers(slot, count); }
  bool is_done(const vector_clock& all) const { return done_.covers(all); }
  void some_progress();
  void lose(context&, result);
  void revive();
  std::uint64_t random(std::uint64_t below) { return below < 2 ? 0 : random_() % below; }
  std::mt19937_64& random_source() { return random_; }
  void start_host_thread();

  // ---- reports
  std::string name(epoch) const;
  std::string describe(address);
  void report(const std::string&);
  void report_race(const std::string&);

  const settings config;
  memory_map memory;
  shadow checker;
  vector_clock host;  // what the host knows to be over
  epoch_list epochs;  // what shadow units point into
  std::vector<std::string> labels;
  std::unordered_set<event*> events;
  long long staged = 0;  // copies between devices without access
  std::atomic<long long> races{0};
  std::string reports;
  std::mutex lock;
  std::condition_variable progress;

 private:
  void advance(std::unique_lock<std::mutex>&);
  bool runnable(const lane&) const;
  void finish(lane&, const operation&, result);
  void forget_epochs();
  void retire(lane&);
  std::uint32_t label(const std::string&);
  void host_thread();

  std::vector<context> contexts_;
  std::vector<std::unique_ptr<lane>> lanes_;  // by slot
  std::vector<std::size_t> retired_;          // slots of lanes that ended
  std::unordered_set<lane*> waiting_;         // lanes with pending work
  std::vector<lane*> candidates_;
  vector_clock done_;
  std::map<std::string, std::uint32_t> label_numbers_;
  std::mt19937_64 random_;
  unsigned stream_numbers_ = 0;
  std::size_t pending_ = 0;
  std::deque<std::pair<lane*, operation>> host_tasks_;
  std::condition_variable host_work_;
  std::size_t host_calls_pending_ = 0;
  bool host_thread_started_ = false;
};

/// The machine of the process, made at the first call; never destroyed, for programs make calls while they exit.
machine& the_machine();

}  // namespace softgpu
