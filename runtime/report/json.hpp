// JSON as it is written: objects and lists that know where their commas go.
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include "runtime/frontend/message.hpp"

namespace sinter::runtime {

class json {
 public:
  /// Of an object; a value follows.
  json& key(std::string_view name) {
    begin_value();
    quote(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  json& value(std::string_view text) {
    begin_value();
    quote(text);
    return *this;
  }
  json& value(const char* text) { return value(std::string_view(text)); }
  json& value(bool b) {
    begin_value();
    text_ += b ? "true" : "false";
    return *this;
  }
  template <std::integral T>
  json& value(T n) {
    begin_value();
    text_ += std::to_string(n);
    return *this;
  }
  /// Nine digits; what is no number is null.
  json& value(double n) {
    begin_value();
    text_ += std::isfinite(n) ? detail::message("%.9g", n) : "null";
    return *this;
  }
  template <class T>
  json& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  json& open(char bracket) {
    begin_value();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  json& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  /// A list of what `each(json&, element)` writes.
  template <class L, class F>
  json& list(std::string_view name, const L& all, F each) {
    key(name).open('[');
    for (const auto& one : all) each(*this, one);
    return close(']');
  }
  const std::string& text() const { return text_; }

 private:
  void begin_value() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  /// Also fit to stand within a script element, which "</script" would end, and "<!--" change.
  void quote(std::string_view text) {
    text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') text_ += '\\', text_ += c;
      else if (c == '\n') text_ += "\\n";
      else if (static_cast<unsigned char>(c) < 0x20 || c == '<')
        text_ += detail::message("\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      else text_ += c;
    }
    text_ += '"';
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace sinter::runtime
