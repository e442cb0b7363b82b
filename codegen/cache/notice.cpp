// The one place of the cache that writes to stderr.
// Invariant: at most one line per reason and process, written whole.
#include "codegen/cache/notice.hpp"

#include <atomic>
#include <cstdio>

namespace sinter::codegen {
namespace {

// Owner: warn_once. One bit per reason that was heard.
std::atomic<unsigned> heard{0};

}  // namespace

void warn_once(notice reason, std::string_view text) noexcept {
  const unsigned bit = 1u << static_cast<unsigned>(reason);
  if (heard.fetch_or(bit, std::memory_order_relaxed) & bit) return;
  std::fprintf(stderr, "sinter: %.*s\n", static_cast<int>(text.size()), text.data());
}

}  // namespace sinter::codegen
