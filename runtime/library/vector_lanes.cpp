#include "runtime/library/vector_lanes.hpp"

#include "codegen/function/merge_exchange.hpp"

namespace sinter::runtime {

namespace {

template <class K>
using vector [[gnu::vector_size(lane_bytes), gnu::may_alias]] = K;

// What is compared and exchanged: keys, or keys with their places. Inlined, to be compiled for each kind of processor.
template <class K>
struct keys_alone {
  vector<K>* keys;
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t j) const {
    const vector<K> a = keys[i], b = keys[j];
    keys[i] = a < b ? a : b;
    keys[j] = a < b ? b : a;
  }
};
struct keys_and_places {
  vector<std::uint64_t>*keys, *places;
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t j) const {
    const vector<std::uint64_t> a = keys[i], b = keys[j], at = places[i], bt = places[j];
    // Each choice is by one comparison, which is what gcc has masks for.
    const vector<std::uint64_t> least = at < bt ? at : bt, most = at < bt ? bt : at;
    const vector<std::uint64_t> of_lower = a < b ? at : bt, of_higher = a < b ? bt : at;
    keys[i] = a < b ? a : b;
    keys[j] = a < b ? b : a;
    places[i] = a == b ? least : of_lower;
    places[j] = a == b ? most : of_higher;
  }
};

#ifdef __x86_64__

template <class Exchange>
[[gnu::target("avx512f,avx512bw")]] void merge_exchange_512(Exchange exchange, std::size_t length) {
  codegen::merge_exchange(exchange, length);
}
template <class Exchange>
[[gnu::target("avx2")]] void merge_exchange_256(Exchange exchange, std::size_t length) {
  codegen::merge_exchange(exchange, length);
}
bool has_512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  return has;
}
bool has_256() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
template <class Exchange>
void sort_by(Exchange exchange, std::size_t length) {
  if (has_512()) merge_exchange_512(exchange, length);
  else if (has_256()) merge_exchange_256(exchange, length);
  else codegen::merge_exchange(exchange, length);
}

#else

bool has_256() { return true; }
template <class Exchange>
void sort_by(Exchange exchange, std::size_t length) {
  codegen::merge_exchange(exchange, length);
}

#endif

template <class K>
vector<K>* vectors(K* keys) {
  return reinterpret_cast<vector<K>*>(keys);
}

}  // namespace

bool has_lanes() { return has_256(); }

void sort_lanes(std::uint16_t* keys, std::size_t length) noexcept {
  sort_by(keys_alone<std::uint16_t>{vectors(keys)}, length);
}
void sort_lanes(std::uint32_t* keys, std::size_t length) noexcept {
  sort_by(keys_alone<std::uint32_t>{vectors(keys)}, length);
}
void sort_lanes(std::uint64_t* keys, std::size_t length) noexcept {
  sort_by(keys_alone<std::uint64_t>{vectors(keys)}, length);
}
void sort_lanes(std::uint64_t* keys, std::uint64_t* places, std::size_t length) noexcept {
  sort_by(keys_and_places{vectors(keys), vectors(places)}, length);
}

}  // namespace sinter::runtime
