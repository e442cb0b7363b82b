#include "runtime/inspect/names.hpp"

#include <mutex>
#include <new>
#include <unordered_map>

#include <sinter/inspect.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"

namespace sinter::runtime {
namespace {

struct all_names {
  std::mutex busy;
  std::unordered_map<const detail::storage*, std::string> of;
};

all_names& names() {
  static all_names& one = *new all_names;  // arrays with static storage may go after everything else
  return one;
}

}  // namespace

std::string name_of(const detail::storage* memory) {
  if (!memory || !__atomic_load_n(&memory->named, __ATOMIC_ACQUIRE)) return "";
  const std::lock_guard hold(names().busy);
  const auto at = names().of.find(memory);
  return at == names().of.end() ? "" : at->second;
}

void forget_name(detail::storage& memory) noexcept {
  const std::lock_guard hold(names().busy);
  names().of.erase(&memory);
}

void copy_name(const detail::storage& from, detail::storage& to) noexcept {
  const std::lock_guard hold(names().busy);
  try {
    const auto at = names().of.find(&from);
    if (at == names().of.end()) return;
    names().of[&to] = std::string(at->second);
    __atomic_store_n(&to.named, true, __ATOMIC_RELEASE);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace sinter::runtime

void sinter::detail::give_name(node* of, const char* name) try {
  const array_node* const a = runtime::as_array_node(of);
  if (!a) return;
  const std::lock_guard hold(runtime::names().busy);
  if (name && *name) {
    runtime::names().of[a->memory] = name;
    __atomic_store_n(&a->memory->named, true, __ATOMIC_RELEASE);
  } else {
    runtime::names().of.erase(a->memory);
  }
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}
