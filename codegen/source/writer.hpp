// Writes indented text.
#pragma once

#include <string>
#include <string_view>

namespace sinter::codegen {

class writer {
 public:
  /// One line, put together from parts.
  template <class... Parts>
  void line(const Parts&... parts) {
    text_.append(static_cast<std::size_t>(2 * depth_), ' ');
    (text_.append(std::string_view(parts)), ...);
    text_ += '\n';
  }
  /// A line that opens a block, closed by close().
  template <class... Parts>
  void open(const Parts&... parts) {
    line(parts..., " {");
    ++depth_;
  }
  void close(std::string_view after = "") {
    --depth_;
    line("}", after);
  }
  void otherwise() {
    --depth_;
    line("} else {");
    ++depth_;
  }
  void blank() { text_ += '\n'; }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

}  // namespace sinter::codegen
