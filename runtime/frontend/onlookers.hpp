// Which threads look at where arrays have their elements. While the calling thread is the only one that does, a store may
// have an array that others hold move its elements, and may write beside elements that others hold.
#pragma once

#include <mutex>

namespace sinter::runtime {

extern thread_local constinit bool is_onlooker;
void become_onlooker();

/// Before a thread reads a node's storage, offset or strides. Costs a load after the first time.
inline void look() {
  if (!is_onlooker) [[unlikely]]
    become_onlooker();
}

/// Until the end of the scope no other thread becomes an onlooker, if the calling thread is the only one. Scopes may nest.
class only_onlooker {
 public:
  only_onlooker();
  explicit operator bool() const noexcept { return door_.owns_lock(); }

 private:
  std::unique_lock<std::recursive_mutex> door_;
};

}  // namespace sinter::runtime
