#include "runtime/library/vector_sort.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/library/opened.hpp"
#include "runtime/log.hpp"

namespace sinter::runtime {

namespace {

// Of hwy/contrib/sort/vqsort.h: an object of one pointer, whose functions are named as C++ names them, and an empty argument that says
// which order.
struct rising {};
struct sorter {
  void* kept;
};

struct highway {
  void (*make)(sorter*) = nullptr;
  void (*drop)(sorter*) = nullptr;
  void (*sort_16)(const sorter*, std::uint16_t*, std::size_t, rising) = nullptr;
  void (*sort_32)(const sorter*, std::uint32_t*, std::size_t, rising) = nullptr;
  void (*sort_64)(const sorter*, std::uint64_t*, std::size_t, rising) = nullptr;
  void (*sort_128)(const sorter*, placed_key*, std::size_t, rising) = nullptr;

  std::vector<library_function> functions() {
    return {{"_ZN3hwy6SorterC1Ev", &make},
            {"_ZN3hwy6Sorter6DeleteEv", &drop},
            {"_ZNK3hwy6SorterclEPtmNS_13SortAscendingE", &sort_16},
            {"_ZNK3hwy6SorterclEPjmNS_13SortAscendingE", &sort_32},
            {"_ZNK3hwy6SorterclEPmmNS_13SortAscendingE", &sort_64},
            {"_ZNK3hwy6SorterclEPNS_9uint128_tEmNS_13SortAscendingE", &sort_128}};
  }
};

std::atomic<const highway*> found{nullptr};

// Highway 1.0 takes some 300 ns for a row of any length up to its vectors' squared.
template <class K>
void count_places(K* keys, std::size_t count) {
  K all[most_counted];
  std::uint32_t places[most_counted];
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint32_t behind = keys[i] < all[j];
      places[j] += behind;
      before += 1 - behind;
    }
    all[i] = keys[i], places[i] = before;
  }
  for (std::size_t i = 0; i < count; ++i) keys[places[i]] = all[i];
}

template <class K>
void sort_by(void (*highway::*one)(const sorter*, K*, std::size_t, rising), K* keys, std::size_t count) {
  if (count <= most_counted) return count_places(keys, count);
  if (rises(keys, count)) return;
  const highway* const library = found.load(std::memory_order_acquire);
  if (!library) return std::sort(keys, keys + count);
  sorter by;
  library->make(&by);
  (library->*one)(&by, keys, count, rising());
  library->drop(&by);
}

}  // namespace

bool find_vector_sort() {
  if (found.load(std::memory_order_acquire)) return true;
  static auto& one =
      *new opened<highway>(usual_place("Highway", "SINTER_HIGHWAY", {"libhwy_contrib.so.1"}, "libhwy1 (Debian)"));
  std::string why;
  const highway* const library = one.get(why);
  if (!library) {
    log(1, "sort: %s; by std::sort", why.c_str());
    return false;
  }
  found.store(library, std::memory_order_release);
  return true;
}

void sort_keys(std::uint16_t* keys, std::size_t count) noexcept { sort_by(&highway::sort_16, keys, count); }
void sort_keys(std::uint32_t* keys, std::size_t count) noexcept { sort_by(&highway::sort_32, keys, count); }
void sort_keys(std::uint64_t* keys, std::size_t count) noexcept { sort_by(&highway::sort_64, keys, count); }
void sort_keys(placed_key* keys, std::size_t count) noexcept { sort_by(&highway::sort_128, keys, count); }

}  // namespace sinter::runtime
