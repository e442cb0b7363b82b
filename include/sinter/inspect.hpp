// Seeing inside: the tree, the kernels and why they were cut, the generated source, and counters that tests assert on.
#pragma once

#include <cstdint>
#include <iosfwd>

#include <sinter/expr.hpp>

namespace sinter {

/// Text that a report is made of: prints, and converts to a C string.
class SINTER_API text {
 public:
  explicit text(const char* characters);
  text(const text&) = delete;
  text(text&& other) noexcept : characters_(other.characters_) { other.characters_ = nullptr; }
  ~text();
  const char* c_str() const { return characters_; }

 private:
  char* characters_;
};
SINTER_API std::ostream& operator<<(std::ostream&, const text&);

namespace detail {
SINTER_API text explain(node*);
SINTER_API text dump(node*);
SINTER_API text to_dot(node*);
}  // namespace detail

/// The expression's tree, the kernels it becomes with the reason for each cut, and their bytes and operations. Evaluates
/// nothing.
template <detail::expression E>
text explain(const E& e) {
  return detail::explain(detail::handle(e.share()).get());
}
/// The generated source of every kernel in both dialects, CUDA C++ and C. Evaluates nothing and compiles nothing.
template <detail::expression E>
text dump(const E& e) {
  return detail::dump(detail::handle(e.share()).get());
}
/// The expression as a Graphviz digraph.
template <detail::expression E>
text to_dot(const E& e) {
  return detail::to_dot(detail::handle(e.share()).get());
}

/// What the process has done so far.
struct counters_snapshot {
  std::int64_t launches;         ///< kernels started
  std::int64_t compiles;         ///< kernels compiled
  std::int64_t memory_hits;      ///< evaluations whose kernels were all at hand
  std::int64_t disk_hits;        ///< kernels that came from the disk cache
  std::int64_t bytes_allocated;  ///< asked of the pools
  std::int64_t bytes_copied;     ///< between host and device, or between arrays
  std::int64_t library_calls;    ///< products and transforms that BLAS and FFT libraries computed, and sorts
};
SINTER_API counters_snapshot counters();

}  // namespace sinter
