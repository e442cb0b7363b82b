// A growing array for what is written in every evaluation.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace sinter::codegen {

/// Elements one after the other, of a type that may be copied as bytes. Room for several is made in one step and is not
/// initialised, and emptying it keeps its memory: that is all it has over std::vector.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  buffer(const buffer& other) { *this = other; }
  buffer(buffer&&) noexcept = default;
  buffer& operator=(const buffer& other) {
    clear();
    append(other.data(), other.size());
    return *this;
  }
  buffer& operator=(buffer&&) noexcept = default;

  /// `count` more elements, which have no value yet.
  T* add(std::size_t count) {
    if (size_ + count > capacity_) [[unlikely]]
      grow(size_ + count);
    T* const first = data() + size_;
    size_ += count;
    return first;
  }
  void push_back(const T& element) { std::memcpy(static_cast<void*>(add(1)), &element, sizeof(T)); }
  void append(const T* elements, std::size_t count) {
    T* const to = add(count);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<void*>(to + i), elements + i, sizeof(T));
  }
  void pop_back() { --size_; }
  void shrink(std::size_t size) { size_ = size; }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return reinterpret_cast<T*>(bytes_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.get()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  [[gnu::noinline]] void grow(std::size_t least) {
    const std::size_t capacity = least < 16 ? 16 : 2 * least;
    std::unique_ptr<std::byte[]> wider(new std::byte[capacity * sizeof(T)]);
    if (size_) std::memcpy(wider.get(), bytes_.get(), size_ * sizeof(T));
    bytes_ = std::move(wider);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> bytes_;  // new aligns it for any type without an alignment of its own
  std::size_t size_ = 0, capacity_ = 0;
};

template <class T>
bool operator==(const buffer<T>& a, const buffer<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace sinter::codegen
