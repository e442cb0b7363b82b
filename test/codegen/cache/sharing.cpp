// The disk cache between processes: any number may store, load, evict and die at the same time. What one has stored,
// all find; what any of them finds is whole and right.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "codegen/cache/disk.hpp"
#include "codegen/cache/entry.hpp"
#include "test/codegen/scratch.hpp"

namespace fs = std::filesystem;
using namespace sinter::codegen;
using namespace sinter::test;

namespace {

constexpr int processes = 16;
constexpr int keys = 24;

// What the processes tell each other outside the cache under test.
struct board {
  std::atomic<bool> stored[keys];  // some store of this key has returned
  std::atomic<int> loads, hits;
};

class shared_board {
 public:
  shared_board() : memory_(::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~shared_board() { ::munmap(memory_, sizeof(board)); }
  board* operator->() const { return static_cast<board*>(memory_); }
  board& operator*() const { return *static_cast<board*>(memory_); }

 private:
  void* memory_;
};

std::string source_of(int key) { return "source " + std::to_string(key); }

// Different sizes, so that a mixture of two entries cannot look right.
bytes image_of(int key) { return bytes(1000 + 3001u * static_cast<unsigned>(key), static_cast<std::byte>(key)); }

// Exit codes: 1 a wrong image, 2 an entry that had been stored is missing.
int work(const std::string& folder, std::uint64_t limit, bool may_evict, board& shared, unsigned seed,
         std::chrono::steady_clock::time_point end) {
  disk_cache cache(folder, limit);
  std::minstd_rand random(seed);
  while (std::chrono::steady_clock::now() < end) {
    const int key = static_cast<int>(random() % keys);
    const bool expected = shared.stored[key].load() && !may_evict;
    const auto found = cache.load("identity", source_of(key));
    shared.loads.fetch_add(1);
    if (found && *found != image_of(key)) return 1;
    if (!found && expected) return 2;
    if (found) shared.hits.fetch_add(1);
    if (!found || random() % 8 == 0) {
      cache.store("identity", source_of(key), image_of(key));
      shared.stored[key].store(true);
    }
  }
  return 0;
}

struct outcome {
  int failed = 0;
  int killed = 0;
};

// Runs all processes for `length`, and kills every second one at some moment in it.
outcome run_all(const std::string& folder, std::uint64_t limit, bool may_evict, board& shared,
                std::chrono::milliseconds length) {
  using time_point = std::chrono::steady_clock::time_point;
  const time_point end = std::chrono::steady_clock::now() + length;
  pid_t children[processes];
  std::fflush(nullptr);
  for (int i = 0; i < processes; ++i) {
    children[i] = ::fork();
    if (children[i] != 0) continue;
    const time_point own_end = i % 2 == 0 ? time_point::max() : end;  // the doomed never finish by themselves
    ::_exit(work(folder, limit, may_evict, shared, static_cast<unsigned>(i) + 1, own_end));
  }
  for (int i = 0; i < processes; i += 2) {
    std::this_thread::sleep_for(length / processes);
    ::kill(children[i], SIGKILL);
  }
  outcome result;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    result.killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    result.failed += !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) && status != 0;
  }
  return result;
}

}  // namespace

TEST_CASE("disk cache 6.3: sixteen processes, half of them killed: no torn, wrong or lost entry") {
  const scratch room;
  const shared_board shared;
  const outcome result = run_all(room / "cache", 64 << 20, false, *shared, std::chrono::milliseconds(1500));
  CHECK(result.failed == 0);
  CHECK(result.killed == processes / 2);
  CHECK(shared->loads > 100);
  CHECK(shared->hits > 50);

  disk_cache cache(room / "cache", 64 << 20);
  for (int key = 0; key < keys; ++key) {
    CAPTURE(key);
    const auto found = cache.load("identity", source_of(key));
    if (shared->stored[key]) CHECK(found.has_value());
    if (found) CHECK(*found == image_of(key));
  }
  CHECK(shared->stored[0].load());
  for (const auto& item : fs::recursive_directory_iterator(room / "cache/tmp")) {
    CHECK(item.path().extension() != ".bad");  // no process ever met damage
  }
}

TEST_CASE("disk cache: processes that evict each other's entries still read whole ones") {
  const scratch room;
  const shared_board shared;
  constexpr std::uint64_t limit = 250'000;  // about a quarter of all keys together
  const outcome result = run_all(room / "cache", limit, true, *shared, std::chrono::milliseconds(800));
  CHECK(result.failed == 0);
  CHECK(shared->hits > 20);
  CHECK(shared->loads > shared->hits);
  disk_cache cache(room / "cache", limit);
  cache.store("identity", "last", bytes(limit / 8));
  std::uint64_t total = 0;
  for (const auto& item : fs::recursive_directory_iterator(room / "cache")) {
    if (item.is_regular_file() && item.path().filename().string().size() == 30) total += item.file_size();
  }
  CHECK(total <= limit);
}

TEST_CASE("disk cache: threads of one process share it too") {
  const scratch room;
  disk_cache cache(room / "cache", 1 << 20);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::minstd_rand random(t + 1);
      for (int i = 0; i < 60; ++i) {
        const int key = static_cast<int>(random() % keys);
        const auto found = cache.load("identity", source_of(key));
        if (found && *found != image_of(key)) ++wrong;
        if (!found) cache.store("identity", source_of(key), image_of(key));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
