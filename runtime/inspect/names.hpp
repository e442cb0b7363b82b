// Names that a program gives to arrays, for formulas. They belong to the elements: a storage that has one says so, and forgets it
// when it goes.
#pragma once

#include <string>

#include "codegen/ir/node.hpp"
#include "runtime/memory/storage.hpp"

namespace sinter::runtime {

/// Empty: it has none.
std::string name_of(const detail::storage*);
void forget_name(detail::storage&) noexcept;
/// To elements that take the place of others, as the copy does that a store makes. Without memory they have none.
void copy_name(const detail::storage& from, detail::storage& to) noexcept;
inline void pass_name_on(const detail::storage& from, detail::storage& to) noexcept {
  if (__atomic_load_n(&from.named, __ATOMIC_ACQUIRE)) [[unlikely]]
    copy_name(from, to);
}

}  // namespace sinter::runtime
