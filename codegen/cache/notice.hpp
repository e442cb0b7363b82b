// Warnings about files, which never stop a program and must not flood its stderr either.
#pragma once

#include <string_view>

namespace sinter::codegen {

/// Why a warning is given: each reason is heard once per process.
enum class notice {
  no_folder,
  refused_folder,
  unreadable_cache,
  unwritable_cache,
  bad_limit,
  unwritable_dump,
  no_listing,
  full_scratch
};

/// Writes "sinter: <text>" to stderr, the first time `reason` is seen. Thread-safe, never throws.
void warn_once(notice reason, std::string_view text) noexcept;

}  // namespace sinter::codegen
