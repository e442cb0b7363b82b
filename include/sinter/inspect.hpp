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

/// What `dump` shows behind the source of each kernel.
struct dump_options {
  bool ptx = false;  ///< NVRTC's PTX
  bool sass =
      false;  ///< machine code of a GPU: registers, spills and shared memory, then instructions by nvdisasm or cuobjdump
  bool assembly = false;  ///< machine code of the CPU, by objdump
};

namespace detail {
SINTER_API text explain(node*);
SINTER_API text dump(node*, dump_options);
SINTER_API text to_dot(node*);
SINTER_API void give_name(node*, const char*);
}  // namespace detail

/// The expression as formulas, and the kernels it becomes: the reason for each cut, their formulas, bytes and operations, on a GPU
/// beside what it states to be able to, and what the compiler made of those that are compiled. Arrays are x0, x1 or what `named`
/// calls them. Evaluates nothing.
template <detail::expression E>
text explain(const E& e) {
  return detail::explain(detail::handle(e.share()).get());
}
/// The generated source of every kernel in both dialects, CUDA C++ and C, and what is asked for of what compilers make of it:
/// `dump(e, {.ptx = true, .sass = true})`. That is for the expression's GPU, or for an H100 where there is none; it needs NVRTC and no
/// driver. Instructions are shown where the tool is, found on PATH, and of CUDA's also in CUDA_HOME, CUDA_PATH or /usr/local/cuda;
/// elsewhere a line says what was looked for. Evaluates nothing, and compiles nothing that is not asked for.
template <detail::expression E>
text dump(const E& e, dump_options also = {}) {
  return detail::dump(detail::handle(e.share()).get(), also);
}
/// What would run as a Graphviz digraph: a node for each array and each operation, a cluster for each kernel and each call of a
/// library. Evaluates nothing.
template <detail::expression E>
text to_dot(const E& e) {
  return detail::to_dot(detail::handle(e.share()).get());
}

/// Names an array for formulas: of `explain`, `to_dot` and reports. The name is that of its elements, which other arrays may share,
/// and stays when something is stored into them; an array that is assigned another value has that one's. Null or an empty name
/// takes it back. Gives the array: `explain(named(u, "u") * 2)`.
template <class A>
  requires requires(const A& a) {
    typename std::remove_cvref_t<A>::value_type;
    a.node();
  }
A named(A&& array, const char* name) {
  detail::give_name(array.node(), name);
  return static_cast<A&&>(array);
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
