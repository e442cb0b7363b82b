// Kernels whose texts follow from small forms, such as those of sorts and of stores through indices: of each form and device the text is
// made once.
#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/device/device.hpp"

namespace sinter::runtime {

/// The kernel of a text that no plan has made; compilations and finds on the disk are counted. Errors: those of `kernel_of`.
loaded_kernel kernel_of_text(const std::string& text, device_impl& on);

/// One for each kind of form, which is ordered, for the life of the process. Any thread.
template <class Form>
class form_kernels {
 public:
  /// `text(form)` makes a text that is wanted for the first time.
  template <class Text>
  loaded_kernel find(const Form& f, device_impl& on, Text text) {
    const std::pair<unsigned, Form> key(on.index, f);
    {
      const std::lock_guard hold(looking_);
      if (const auto at = all_.find(key); at != all_.end()) return at->second;
    }
    const loaded_kernel code = kernel_of_text(text(f), on);
    const std::lock_guard hold(looking_);
    return all_.emplace(key, code).first->second;
  }

 private:
  std::mutex looking_;
  std::map<std::pair<unsigned, Form>, loaded_kernel> all_;
};

}  // namespace sinter::runtime
