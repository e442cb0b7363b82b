// The disk cache: one file per image, safe to share between any number of processes, never able to make a program fail.
// Between a compiler and its images; entry.hpp has the file format, gate.hpp what a folder must be, sweep.hpp the
// eviction. Limits: atomic for readers and against SIGKILL; after a power loss an entry is whole or a miss, but may be
// gone.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/compile/compiler.hpp"

namespace sinter::codegen {

/// A folder of compiled images. Errors: none of its calls throws for a file-system reason; a folder that cannot be
/// trusted or used is left alone with one warning on stderr, and the cache answers "not here". Thread-safe.
class disk_cache {
 public:
  /// Opens `folder` (made, mode 0700, if missing). Empty: no disk cache. Units of `limit`: bytes; 0: no disk cache.
  /// Processes that share a folder may together go past the limit for a moment, by what they store between two sweeps.
  disk_cache(std::string folder, std::uint64_t limit);

  /// The process's cache: SINTER_CACHE_DIR, else $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; SINTER_CACHE_LIMIT bytes
  /// (or with K, M or G at the end; 1G if unset). SINTER_CACHE_DIR set to nothing: no disk cache.
  static disk_cache& global();

  /// The image stored for exactly this identity and source, if it is whole.
  std::optional<bytes> load(std::string_view identity, std::string_view source);

  /// Publishes an image. After it returns, every process sees either all of it or nothing. An image larger than half
  /// the limit is not kept.
  void store(std::string_view identity, std::string_view source, const bytes& image);

  /// False where the folder was refused or none was asked for.
  bool usable() const { return usable_; }
  const std::string& folder() const { return folder_; }

 private:
  bool sweep_is_due(std::uint64_t size);

  std::string folder_;
  std::uint64_t limit_;
  bool usable_ = false;
  std::atomic<std::uint64_t> stored_since_sweep_{0};
  std::atomic<pid_t> swept_by_{0};
};

}  // namespace sinter::codegen
