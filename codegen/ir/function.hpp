// Functions of a program's own, given as text: what is known of one, and the constant tables of its calls. Only
// codegen/source/called.cpp looks into the text itself.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sinter/detail/node.hpp>

namespace sinter::codegen {

struct function_parameter {
  std::string name;
  dtype type;
  bool is_raw = false;  // of an argument: an array's address, not an element
};

/// A pure function of elements, or of two states that gives the one they fold to.
struct function_text {
  std::string name;  // for messages
  std::vector<function_parameter> parameters;
  std::vector<function_parameter> results;  // one: what the body returns; several: variables that it sets
  std::string body;
  std::string preamble = {};       // what stands before the function: others that its body calls
  std::string start = {};          // of what folds: what changes nothing, as a literal
  bool takes_position = false;     // the last argument is the place of the element in C order, `i`
  mutable void* entry = nullptr;   // how the interpreter runs it, from the first time that it does (interpreted_text)
  mutable void* finish = nullptr;  // and what makes a state to begin with

  int arguments() const { return static_cast<int>(parameters.size()) + takes_position; }
  bool is_parameter(int a) const { return a < static_cast<int>(parameters.size()); }
  dtype argument_type(int a) const {
    return is_parameter(a) ? parameters[static_cast<std::size_t>(a)].type : dtype::int64;
  }
  bool is_raw(int a) const { return is_parameter(a) && parameters[static_cast<std::size_t>(a)].is_raw; }
  bool has_raw() const;
};

/// The constant table of calls that give one result of a text, where some arguments are numbers: an expression's, whose code
/// ends in the call. Raw arguments are arrays without gaps.
struct text_call {
  text_call(const function_text&, const std::vector<bool>& numbers, int result);
  text_call(const text_call&) = delete;

  const function_text& text;
  const std::vector<bool> numbers;  // by parameter
  const int result;
  std::vector<bool> raw;  // by node
  std::vector<detail::instruction> code;
  void* last_plan = nullptr;
  detail::fragment table;
};

/// A text and its calls. There is one for each content, and it is never freed, as no table is that expressions point to: an
/// address says in a signature which text it is. Any thread.
class function_calls {
 public:
  static function_calls& of(function_text);

  const function_text text;
  const detail::fragment& table(const std::vector<bool>& numbers, int result);

 private:
  explicit function_calls(function_text of) : text(std::move(of)) {}
  std::mutex making_;
  std::vector<std::unique_ptr<text_call>> made_;
};

/// Is a node of an expression given to a call as a whole array?
inline bool is_raw(const detail::fragment& f, int node) {
  return f.called && f.called->raw[static_cast<std::size_t>(node)];
}

}  // namespace sinter::codegen
