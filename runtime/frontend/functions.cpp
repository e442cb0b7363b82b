// Functions and reductions that a program gives as text: sinter/elementwise_kernel.hpp. A call is an expression whose constant
// table is made here, and a reduction folds by a text; all that follows is as for any other expression.
#include <sinter/elementwise_kernel.hpp>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include <sinter/error.hpp>

#include "codegen/ir/broadcast.hpp"
#include "codegen/ir/function.hpp"
#include "codegen/source/called.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"

namespace sinter::detail {
namespace {

using codegen::function_calls;
using codegen::function_parameter;
using codegen::function_text;
using runtime::as_array_node;
using runtime::typed;

std::vector<std::string> split(const given_text& list) {
  std::vector<std::string> names(1);
  for (const char* at = list.data(); *at; ++at) {
    if (*at == ',') names.emplace_back();
    else if (*at != ' ' && *at != '\n') names.back() += *at;
  }
  if (names.size() == 1 && names[0].empty()) names.clear();
  return names;
}

std::vector<function_parameter> named(const parameter_list& list, const given_text& kernel, const char* what) {
  const std::vector<std::string> names = split(list.names);
  if (names.size() != static_cast<std::size_t>(list.count))
    throw error(message("sinter: the signature of the kernel \"%s\" has %d %s, and \"%s\" names %zu", kernel.data(),
                        list.count, what, list.names.data(), names.size())
                    .c_str());
  std::vector<function_parameter> all;
  for (std::size_t p = 0; p < names.size(); ++p) all.push_back({names[p], list.types[p].type, list.types[p].is_raw});
  return all;
}

bool is_blank(const given_text& text) {
  return std::string_view(text.data()).find_first_not_of(" \t\n") == std::string_view::npos;
}

// A text that says nothing would give zeros.
void require_text(const given_text& name, const given_text& text, const char* what) {
  if (is_blank(text)) throw error(message("sinter: the %s of the kernel \"%s\" is empty", what, name.data()).c_str());
}

function_text text_of(const given_text& name, const parameter_list& parameters, std::vector<function_parameter> results,
                      std::string body, const given_text& preamble) {
  function_text f;
  f.name = name.data();
  if (!is_blank(preamble)) f.preamble = preamble.data();
  f.parameters = named(parameters, name, "parameters");
  f.results = std::move(results);
  f.takes_position = codegen::names_position(body, split(parameters.names));
  f.body = std::move(body);
  return f;
}

std::string returning(const given_text& expression) { return std::string("return ") + expression.data() + ";"; }

/// The shape that arguments broadcast to. `over`: what it has to be; null where they give it.
shape shape_of_call(const function_text& f, const function_argument* given, const shape* over) {
  shape extents = over ? *over : shape{};
  bool has_shape = over != nullptr;
  for (std::size_t p = 0; p < f.parameters.size(); ++p) {
    if (!given[p].array || f.parameters[p].is_raw) continue;
    const shape& with = typed(given[p].array)->extents;
    if (!codegen::broadcast(extents, with) || (over && !(extents == *over)))
      throw shape_error(message("sinter: shapes %s and %s do not broadcast in the kernel \"%s\"",
                                to_string(over ? *over : extents).c_str(), to_string(with).c_str(), f.name.c_str())
                            .c_str());
    has_shape = true;
  }
  if (!has_shape)
    throw shape_error(
        message("sinter: no argument gives the kernel \"%s\" a shape; give it behind the arguments", f.name.c_str())
            .c_str());
  return extents;
}

/// A text's arguments sorted into nodes and scalars, which an expression takes.
class taken {
 public:
  /// `shared`: by several expressions, which are to have the same numbers.
  taken(const function_text& f, const function_argument* given, bool shared, const shape* over)
      : extents_(shape_of_call(f, given, over)) {
    for (std::size_t p = 0; p < f.parameters.size(); ++p) {
      numbers.push_back(!given[p].array && !shared);
      if (numbers.back()) scalars.push_back(given[p].scalar);
      else if (!given[p].array) nodes.push_back(handle(make_number(f.parameters[p].type, given[p].scalar)));
      else nodes.push_back(f.parameters[p].is_raw ? in_c_order(given[p].array) : handle(retain(given[p].array)));
    }
    if (f.takes_position) nodes.push_back(handle(make_positions(extents_)));
  }

  node* expression(const fragment& table) const {
    std::vector<node*> mine;
    for (const handle& n : nodes) mine.push_back(n.get());
    node* const made = make_expression({&table, mine.data(), scalars.data()}, extents_);
    for (node* n : mine) retain(n);
    return made;
  }

  std::vector<bool> numbers;  // by parameter

 private:
  const shape extents_;
  static handle in_c_order(node* n) { return handle(as_array_node(n)->contiguous ? retain(n) : make_copy(n)); }

  std::vector<handle> nodes;
  std::vector<scalar_bits> scalars;
};

node* call_with_node(function_calls& f, node* n) {
  const function_argument one{n, {}};
  node* made;
  make_calls(f, &one, &made, 1);
  return made;
}

}  // namespace

function_calls& make_function(const given_text& name, const parameter_list& parameters, const parameter_list& results,
                              const given_text& body, const given_text& preamble) try {
  require_text(name, body, "text");
  std::vector<function_parameter> given;
  if (results.count == 1) given.push_back({"", results.types[0].type});
  else given = named(results, name, "results");
  return function_calls::of(text_of(name, parameters, std::move(given), body.data(), preamble));
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

void make_calls(function_calls& f, const function_argument* given, node** results, int count, const shape* over) try {
  const taken arguments(f.text, given, count > 1, over);
  std::vector<handle> made;
  for (int r = 0; r < count; ++r) made.push_back(handle(arguments.expression(f.table(arguments.numbers, r))));
  for (int r = 0; r < count; ++r) results[r] = made[static_cast<std::size_t>(r)].take();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

reduction_functions make_reduction_functions(const given_text& name, const parameter_list& parameters,
                                             const given_text& map, const given_text& combine, const given_text& finish,
                                             dtype type, scalar_bits identity, const given_text& preamble) try {
  require_text(name, map, "map");
  require_text(name, combine, "text that combines");
  const parameter_type types[] = {{type, false}, {type, false}};
  const given_text two = "a, b", one = "a";
  function_text folds = text_of(name, {two, types, 2}, {{"", type}}, returning(combine), preamble);
  folds.start = codegen::literal(type, identity);
  function_calls* last = nullptr;
  if (!is_blank(finish) && std::string_view(finish.data()) != "a")
    last = &function_calls::of(text_of(name, {one, types, 1}, {{"", type}}, returning(finish), preamble));
  return {&function_calls::of(text_of(name, parameters, {{"", type}}, returning(map), preamble)),
          &function_calls::of(std::move(folds)), last};
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

node* make_reduction(const reduction_functions& f, const function_argument* given, const reduce_options& how) try {
  if (how.where || how.initial)
    throw error("sinter: a reduction_kernel takes no where and no initial; choose among elements in its map");
  node* elements;
  make_calls(*f.map, given, &elements, 1);
  handle folded(make_reduction(handle(elements), reduction::text, f.combine->text.results[0].type, how.axis.list(),
                               how.keepdims));
  static_cast<reduction_node*>(folded.get())->called = &f.combine->text;
  return f.finish ? call_with_node(*f.finish, folded.get()) : folded.take();
} catch (const std::bad_alloc&) {
  throw_host_is_full();
}

}  // namespace sinter::detail
