// Reads JSON, strictly, for tests of what is written.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::test {

class json_value {
 public:
  enum kind { null, truth, number, text, list, object };
  kind what = null;
  double n = 0;
  std::string s;
  std::vector<json_value> items;
  std::map<std::string, json_value> members;

  static json_value parse(const std::string& from) {
    std::size_t at = 0;
    json_value v = read(from, at);
    skip(from, at);
    if (at != from.size()) fail("something follows the value", at);
    return v;
  }
  bool has(const std::string& name) const { return members.count(name) == 1; }
  const json_value& operator[](const std::string& name) const {
    const auto found = members.find(name);
    if (found == members.end()) throw std::runtime_error("JSON has no member " + name);
    return found->second;
  }
  const json_value& operator[](std::size_t i) const { return items.at(i); }
  std::size_t size() const { return items.size(); }

 private:
  [[noreturn]] static void fail(const std::string& what, std::size_t at) {
    throw std::runtime_error("JSON: " + what + " at " + std::to_string(at));
  }
  static void skip(const std::string& from, std::size_t& at) {
    while (at < from.size() && (from[at] == ' ' || from[at] == '\n' || from[at] == '\t' || from[at] == '\r')) ++at;
  }
  static bool take(const std::string& from, std::size_t& at, char c) {
    skip(from, at);
    if (at >= from.size() || from[at] != c) return false;
    ++at;
    return true;
  }
  static void expect(const std::string& from, std::size_t& at, char c) {
    if (!take(from, at, c)) fail(std::string("no ") + c, at);
  }
  static std::string read_text(const std::string& from, std::size_t& at) {
    expect(from, at, '"');
    std::string text;
    for (;;) {
      if (at >= from.size()) fail("a text without an end", at);
      const char c = from[at++];
      if (c == '"') return text;
      if (static_cast<unsigned char>(c) < 0x20) fail("a bare control character", at);
      if (c != '\\') {
        text += c;
        continue;
      }
      const char e = from.at(at++);
      if (e == 'n') text += '\n';
      else if (e == '"' || e == '\\' || e == '/') text += e;
      else if (e == 'u') text += static_cast<char>(std::stoi(from.substr(at, 4), nullptr, 16)), at += 4;
      else fail("an unknown escape", at);
    }
  }
  static json_value read(const std::string& from, std::size_t& at) {
    skip(from, at);
    if (at >= from.size()) fail("no value", at);
    json_value v;
    if (from[at] == '"') {
      v.what = text;
      v.s = read_text(from, at);
    } else if (take(from, at, '[')) {
      v.what = list;
      if (take(from, at, ']')) return v;
      do v.items.push_back(read(from, at));
      while (take(from, at, ','));
      expect(from, at, ']');
    } else if (take(from, at, '{')) {
      v.what = object;
      if (take(from, at, '}')) return v;
      do {
        skip(from, at);
        const std::string name = read_text(from, at);
        expect(from, at, ':');
        if (!v.members.emplace(name, read(from, at)).second) fail("two members " + name, at);
      } while (take(from, at, ','));
      expect(from, at, '}');
    } else if (from.compare(at, 4, "null") == 0) {
      at += 4;
    } else if (from.compare(at, 4, "true") == 0) {
      v.what = truth, v.n = 1, at += 4;
    } else if (from.compare(at, 5, "false") == 0) {
      v.what = truth, at += 5;
    } else {
      char* end = nullptr;
      v.what = number;
      v.n = std::strtod(from.c_str() + at, &end);
      if (end == from.c_str() + at) fail("no value", at);
      at = static_cast<std::size_t>(end - from.c_str());
    }
    return v;
  }
};

}  // namespace sinter::test
