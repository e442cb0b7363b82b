// The table of texts by content, and what a call of one is as an expression.
#include "codegen/ir/function.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sinter::codegen {

using detail::instruction;

namespace {

// Two texts are the same where these words are: each part is preceded by its length.
std::string content_of(const function_text& f) {
  std::string all;
  const auto add = [&](const std::string& part) { all += std::to_string(part.size()) + " " + part; };
  const auto add_all = [&](const std::vector<function_parameter>& list) {
    all += std::to_string(list.size()) + ":";
    for (const function_parameter& p : list) {
      add(p.name);
      all += std::to_string(static_cast<int>(p.type)) + (p.is_raw ? "raw " : " ");
    }
  };
  add(f.name);
  add_all(f.parameters);
  add_all(f.results);
  add(f.body);
  add(f.preamble);
  add(f.start);
  return all + (f.takes_position ? "i" : "");
}

}  // namespace

bool function_text::has_raw() const {
  return std::any_of(parameters.begin(), parameters.end(), [](auto& p) { return p.is_raw; });
}

text_call::text_call(const function_text& f, const std::vector<bool>& are_numbers, int which)
    : text(f), numbers(are_numbers), result(which) {
  std::uint16_t scalars = 0;
  for (int a = 0; a < f.arguments(); ++a) {
    const dtype type = f.argument_type(a);
    const bool number = f.is_parameter(a) && numbers[static_cast<std::size_t>(a)];
    code.push_back({number ? instruction::take_scalar : instruction::take_node, type});
    if (number) ++scalars;
    else raw.push_back(f.is_raw(a));
    if (!number && !f.is_raw(a)) code.push_back({instruction::cast, type});
  }
  const dtype type = f.results[static_cast<std::size_t>(which)].type;
  code.push_back({instruction::call, type});
  table = {.code = code.data(),
           .length = static_cast<std::uint16_t>(code.size()),
           .nodes = static_cast<std::uint16_t>(raw.size()),
           .scalars = scalars,
           .type = type,
           .last_plan = &last_plan,
           .called = this};
}

function_calls& function_calls::of(function_text f) {
  struct texts {
    std::mutex looking;
    std::unordered_map<std::string, std::unique_ptr<function_calls>> by_content;
  };
  static texts& all = *new texts;  // never freed
  std::string content = content_of(f);
  const std::lock_guard hold(all.looking);
  std::unique_ptr<function_calls>& at = all.by_content[std::move(content)];
  if (!at) at.reset(new function_calls(std::move(f)));
  return *at;
}

const detail::fragment& function_calls::table(const std::vector<bool>& numbers, int result) {
  const std::lock_guard hold(making_);
  for (const auto& c : made_)
    if (c->result == result && c->numbers == numbers) return c->table;
  return made_.emplace_back(std::make_unique<text_call>(text, numbers, result))->table;
}

}  // namespace sinter::codegen
