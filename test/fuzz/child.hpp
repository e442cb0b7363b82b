// Work in a child process, which may end in any way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "test/fuzz/check.hpp"

namespace sinter::fuzz {

struct finding {
  std::uint64_t seed;
  verdict what;
};

/// What a child has said; its end is a finding too, if it was not a normal one.
struct report {
  std::uint64_t done = 0;
  std::vector<finding> findings{};
};

/// How the child's work says it.
class reporter {
 public:
  virtual ~reporter() = default;
  virtual void begin(std::uint64_t seed) = 0;  // from here on the end of the child is this program's doing
  virtual void begin_together() = 0;           // or that of all of them
  virtual void done() = 0;
  virtual void note(std::uint64_t seed, const verdict&) = 0;
};

/// Runs `work` in a child. The process that calls has used nothing of the library, so that its children begin afresh.
report in_child(const std::function<void(reporter&)>& work);

}  // namespace sinter::fuzz
