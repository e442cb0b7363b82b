#include "test/fuzz/print.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "test/fuzz/calls.hpp"
#include "test/fuzz/moves.hpp"

namespace sinter::fuzz {

namespace {

std::string name_of(int step) { return "v" + std::to_string(step); }

const char* cpp_name(dtype t) {
  static constexpr const char* names[] = {
      "bool",         "std::int8_t",   "std::uint8_t", "std::int16_t",        "std::uint16_t",
      "std::int32_t", "std::uint32_t", "std::int64_t", "std::uint64_t",       "half",
      "bfloat16",     "float",         "double",       "std::complex<float>", "std::complex<double>"};
  return names[static_cast<int>(t)];
}

template <class List, class F>
std::string listed(const List& all, F&& text) {
  std::string list;
  for (const auto& x : all) list += (list.empty() ? "" : ", ") + text(x);
  return list;
}
template <class List>
std::string listed(const List& all) {
  return listed(all, [](auto x) { return std::to_string(x); });
}

template <class T>
std::string decimal(T x) {
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  text << +x;
  return text.str();
}

// ---- C++

template <class T>
std::string cpp_literal(T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (detail::complex_number<T>) {
    return std::string(cpp_name(dtype_of<T>)) + "(" + cpp_literal(x.real()) + ", " + cpp_literal(x.imag()) + ")";
  } else if constexpr (detail::short_number<T>) {
    return std::string(cpp_name(dtype_of<T>)) + "(" + cpp_literal(static_cast<float>(x)) + ")";
  } else if constexpr (detail::floating_number<T>) {
    if (x != x) return std::is_same_v<T, float> ? "NAN" : "double(NAN)";
    if (std::isinf(x))
      return std::string(x < 0 ? "-" : "") + (std::is_same_v<T, float> ? "INFINITY" : "double(INFINITY)");
    const std::string text = decimal(x);
    return text + (text.find_first_of(".e") == text.npos ? ".0" : "") + (std::is_same_v<T, float> ? "f" : "");
  } else {
    if (std::is_signed_v<T> && sizeof(T) == 8 && x == std::numeric_limits<T>::min()) return "INT64_MIN";
    const bool wide = sizeof(T) == 8 && !std::in_range<std::int32_t>(x);
    return decimal(x) + (std::is_signed_v<T> || sizeof(T) < 4 ? "" : "u") + (wide ? "LL" : "");
  }
}

std::string cpp_number(const number& n) {
  return with_type(n.type, [&](auto t) {
    using T = decltype(t);
    const std::string literal = cpp_literal(value_of<T>(n));
    return n.strong ? std::string("strong<") + cpp_name(n.type) + ">(" + literal + ")" : literal;
  });
}

std::string cpp_item(const detail::index_item& i) {
  const auto bound = [](bool given, std::int64_t at) { return given ? std::to_string(at) : std::string("_"); };
  switch (i.what) {
    case detail::index_item::all: return "_";
    case detail::index_item::integer: return std::to_string(i.start);
    case detail::index_item::new_axis: return "newaxis";
    case detail::index_item::rest: return "ellipsis";
    default: break;
  }
  const std::string step = i.step == 1 ? "" : ", " + std::to_string(i.step);
  return "slice(" + bound(i.has_start, i.start) + ", " + bound(i.has_stop, i.stop) + step + ")";
}
/// The places of an index list, with the texts of its arrays of integers among them.
template <class F>
std::string listed_items(const step& s, const std::vector<std::string>& arrays, F&& text) {
  return listed(s.items, [&](const detail::index_item& i) {
    return i.what == detail::index_item::integers ? arrays[static_cast<std::size_t>(i.start)] : text(i);
  });
}

std::string cpp_shape(const std::vector<std::int64_t>& extents) {
  return extents.empty() ? "shape()" : "{" + listed(extents) + "}";
}

const char* cpp_update(op code) {
  switch (code) {
    case op::add: return "+=";
    case op::subtract: return "-=";
    case op::multiply: return "*=";
    case op::divide: return "/=";
    case op::remainder: return "%=";
    case op::bitwise_and: return "&=";
    case op::bitwise_or: return "|=";
    case op::bitwise_xor: return "^=";
    case op::left_shift: return "<<=";
    default: return ">>=";
  }
}

const char* combining_name(op code) {
  return code == op::add ? "scatter_add" : code == op::maximum ? "scatter_max" : "scatter_min";
}

class cpp_printer {
 public:
  explicit cpp_printer(const program& p) : p_(p), outlines_(outlines_of(p).value()) {}

  std::string text() {
    std::ostringstream all;
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i)
      if (!p_.steps[static_cast<std::size_t>(i)].temporary) all << statement(i) << ";\n";
    std::vector<std::string> names, values;
    for (int r : p_.results) {
      names.push_back("r" + std::to_string(names.size()));
      values.push_back(operand_text({r}));
    }
    const auto same = [](const std::string& n) { return n; };
    const bool is_one = names.size() == 1;
    all << "auto " << (is_one ? "" : "[") << listed(names, same) << (is_one ? "" : "]") << " = eval("
        << listed(values, same) << ");\n";
    for (const std::string& n : names) all << "std::cout << " << n << " << '\\n';\n";
    return all.str();
  }

 private:
  const outline& known(int step) const { return outlines_[static_cast<std::size_t>(step)]; }

  std::string statement(int at) const {
    const step& s = p_.steps[static_cast<std::size_t>(at)];
    if (s.what == form::store) {
      const std::string target = name_of(s.operands[0].step), value = operand_text(s.operands[1]);
      if (s.into == storing::put)
        return "put(" + target + ", " +
               cpp_index_into(operand_text(s.operands[2]), known(s.operands[0].step).extents.elements()) + ", " +
               value + ")";
      if (s.into == storing::where)
        return "store_where(" + target + ", " + operand_text(s.operands[2]) + ", " + value + ")";
      if (s.into == storing::combine)
        return std::string(combining_name(s.code)) + "(" + target + "(" + items_text(s) + "), " + value + ")";
      const bool plain = s.items.empty() && (stores_parts(s.into) || (s.updates && s.into == storing::items));
      const std::string items = s.into == storing::mask ? operand_text(s.operands[2]) : items_text(s);
      const char* const part = s.into == storing::real ? ".real()" : s.into == storing::imag ? ".imag()" : "";
      return target + (plain ? "" : "(" + items + ")") + part +
             (s.updates ? std::string(" ") + cpp_update(s.code) : " =") + " " + value;
    }
    const std::string type = is_variable(p_, at) ? std::string("array<") + cpp_name(known(at).type) + ">" : "auto";
    return type + " " + name_of(at) + " = " + made(s, at);
  }
  std::string operand_text(const operand& o) const {
    if (!o.is_step()) return cpp_number(o.scalar);
    const step& s = p_.steps[static_cast<std::size_t>(o.step)];
    return s.temporary ? made(s, o.step) : name_of(o.step);
  }
  std::string items_text(const step& s) const {
    std::vector<std::string> arrays;
    if (picks(s))
      for (std::int64_t n : lengths_picked(s, known(s.operands[0].step).extents))
        arrays.push_back(cpp_index_into(operand_text(s.operands[first_picked(s) + arrays.size()]), n));
    return s.items.empty() ? "ellipsis" : listed_items(s, arrays, cpp_item);
  }
  std::string scan(const step& s) const {
    static constexpr const char* names[] = {"cumsum", "cumprod", "cummin", "cummax"};
    const bool logarithms = s.scanning == detail::reduction::logaddexp;
    const bool chosen = logarithms || detail::facts(s.scanning).gives == detail::folded_dtype::sums;
    const std::string of = operand_text(s.operands[0]),
                      name = logarithms ? "logcumsumexp" : names[static_cast<int>(s.scanning)];
    const bool flat = !s.axes && (logarithms || !chosen);
    return name + (chosen ? std::string("<") + cpp_name(s.type) + ">" : "") + "(" + of + (flat ? ".ravel(), 0" : "") +
           (s.axes ? ", " + listed(*s.axes) : "") + ")";
  }
  std::string input(const step& s) const {
    const bool truth = s.type == dtype::bool_;
    const std::string all = with_type(s.type, [&](auto t) {
      using T = decltype(t);
      std::vector<std::string> texts;
      for (std::size_t at = 0; at < s.elements.size(); at += sizeof(T)) {
        T x;
        std::memcpy(&x, s.elements.data() + at, sizeof x);
        texts.push_back(truth ? decimal(x) : cpp_literal(x));
      }
      return listed(texts, [](const std::string& x) { return x; });
    });
    const std::string made = std::string("asarray(std::vector<") + (truth ? "unsigned char" : cpp_name(s.type)) + ">{" +
                             all + "}, " + cpp_shape(s.extents) + ")";
    return truth ? "astype<bool>(" + made + ")" : made;
  }
  std::string reduction(const step& s) const {
    std::string options;
    if (s.axes) options += ".axis = {" + listed(*s.axes) + "}, ";
    if (s.keepdims) options += ".keepdims = true, ";
    if (s.ddof) options += ".ddof = " + std::to_string(s.ddof) + ", ";
    if (s.initial) options += ".initial = " + std::to_string(*s.initial) + ", ";
    if (s.operands.size() > 1) options += ".where = " + operand_text(s.operands[1]) + ", ";
    if (!options.empty()) options = ", {" + options.substr(0, options.size() - 2) + "}";
    return std::string(s.skips_nan ? s.folding == fold::stddev ? "nanstd" : std::string("nan") + name(s.folding)
                                   : name(s.folding)) +
           (chooses_dtype(s.folding) ? std::string("<") + cpp_name(s.type) + ">" : "") + "(" +
           operand_text(s.operands[0]) + options + ")";
  }
  // An operation's function, or the same as a text.
  std::string called_name(const step& s, int at) const {
    const dtype computed = outcome_of(s.code, s.operands, outlines_).computed;
    const char* const text = s.as_text ? text_of(s.code, computed) : nullptr;
    if (!text) return detail::facts(s.code).name;
    static constexpr const char* names[] = {"a", "a, b", "a, b, c"};
    std::string types;
    for (std::size_t i = 0; i < s.operands.size(); ++i)
      types += (i ? ", " : "") + std::string(cpp_name(s.code == op::where && i == 0 ? dtype::bool_ : computed));
    return std::string("elementwise_kernel<") + cpp_name(known(at).type) + "(" + types + ")>(\"" +
           names[s.operands.size() - 1] + "\", R\"(" + text + ")\")";
  }
  std::string made(const step& s, int at) const {
    const auto from = [&] { return operand_text(s.operands[0]); };
    switch (s.what) {
      case form::input: return input(s);
      case form::index:
        return "lazy<std::int64_t>(detail::make_iota(" + cpp_shape(s.extents) + ", " + listed(*s.axes) + "))";
      case form::apply:
        return called_name(s, at) + "(" + listed(s.operands, [&](const operand& o) { return operand_text(o); }) + ")";
      case form::cast: return std::string("astype<") + cpp_name(s.type) + ">(" + from() + ")";
      case form::view:
      case form::pick: return from() + "(" + items_text(s) + ")";
      case form::transpose: return s.axes ? from() + ".transpose({" + listed(*s.axes) + "})" : from() + ".T()";
      case form::reshape: return from() + ".reshape(" + cpp_shape(s.extents) + ")";
      case form::broadcast: return "broadcast_to(" + from() + ", " + cpp_shape(s.extents) + ")";
      case form::reduce: return reduction(s);
      case form::scan: return scan(s);
      case form::move:
      case form::call: {
        std::vector<std::string> operands;
        for (const operand& o : s.operands) operands.push_back(operand_text(o));
        if (s.what == form::call) return row_of(s).cpp(s, operands, known(at).type);
        return cpp_move(s, operands, length_of_axis(s, outlines_));
      }
      default: return s.temporary ? std::string("array<") + cpp_name(known(at).type) + ">(" + from() + ")" : from();
    }
  }

  const program& p_;
  std::vector<outline> outlines_;
};

// ---- Python

std::string python_literal(const number& n) {
  return with_type(n.type, [&](auto t) -> std::string {
    using T = decltype(t);
    const T x = value_of<T>(n);
    if constexpr (std::is_same_v<T, bool>) {
      return x ? "True" : "False";
    } else if constexpr (detail::complex_number<T>) {
      return "complex(" + python_literal(number_of(x.real())) + ", " + python_literal(number_of(x.imag())) + ")";
    } else {
      if (x != x) return "nan";
      if constexpr (detail::floating_number<T>) {
        if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
        const std::string text = decimal(x);
        return text + (text.find_first_of(".e") == text.npos ? ".0" : "");
      } else {
        return decimal(x);
      }
    }
  });
}
std::string python_type(dtype t) { return std::string("np.") + name(t); }
std::string python_operand(const operand& o) {
  if (o.is_step()) return name_of(o.step);
  const std::string literal = python_literal(o.scalar);
  return o.scalar.strong ? python_type(o.scalar.type) + "(" + literal + ")" : literal;
}
template <class List>
std::string python_tuple(const List& all) {
  return "(" + listed(all) + (all.size() == 1 ? ",)" : ")");
}

std::string python_items(const step& s, const std::vector<outline>& known) {
  if (s.items.empty()) return "...";
  std::vector<std::string> arrays;
  if (picks(s))
    for (std::int64_t n : lengths_picked(s, known[static_cast<std::size_t>(s.operands[0].step)].extents))
      arrays.push_back(python_index_into(python_operand(s.operands[first_picked(s) + arrays.size()]), n));
  const auto bound = [](bool given, std::int64_t at) { return given ? std::to_string(at) : std::string(); };
  return listed_items(s, arrays, [&](const detail::index_item& i) -> std::string {
    switch (i.what) {
      case detail::index_item::all: return ":";
      case detail::index_item::integer: return std::to_string(i.start);
      case detail::index_item::new_axis: return "None";
      case detail::index_item::rest: return "...";
      default: break;
    }
    return bound(i.has_start, i.start) + ":" + bound(i.has_stop, i.stop) +
           (i.step == 1 ? "" : ":" + std::to_string(i.step));
  });
}

std::string python_input(const step& s) {
  const std::string all = with_type(s.type, [&](auto t) {
    using T = decltype(t);
    std::vector<number> numbers;
    for (std::size_t at = 0; at < s.elements.size(); at += sizeof(T)) {
      T x;
      std::memcpy(&x, s.elements.data() + at, sizeof x);
      numbers.push_back(number_of(x));
    }
    return listed(numbers, python_literal);
  });
  return "np.array([" + all + "], " + python_type(s.type) + ").reshape(" + python_tuple(s.extents) + ")";
}

std::string python_reduction(const step& s) {
  std::string text = std::string("sn.") + (s.skips_nan ? "nan" : "") +
                     (s.folding == fold::stddev ? "std" : name(s.folding)) + "(" + python_operand(s.operands[0]);
  if (s.axes)
    text +=
        ", axis=" + (s.folding == fold::argmin || s.folding == fold::argmax ? listed(*s.axes) : python_tuple(*s.axes));
  if (s.keepdims) text += ", keepdims=True";
  if (s.ddof) text += ", ddof=" + std::to_string(s.ddof);
  if (s.initial) text += ", initial=" + std::to_string(*s.initial);
  if (s.operands.size() > 1) text += ", where=" + python_operand(s.operands[1]);
  if (chooses_dtype(s.folding)) text += ", dtype=" + python_type(s.type);
  return text + ")";
}

std::string python_scan(const step& s) {
  static constexpr const char* names[] = {"add", "multiply", "minimum", "maximum"};
  const char* const of = s.scanning == detail::reduction::logaddexp ? "logaddexp" : names[static_cast<int>(s.scanning)];
  const std::string from = "sn.astype(" + python_operand(s.operands[0]) + ", " + python_type(s.type) + ")";
  return std::string("np.") + of + ".accumulate(" + from + (s.axes ? ", " : ".ravel(), ") +
         (s.axes ? listed(*s.axes) : "0") + ", dtype=" + python_type(s.type) + ")";
}

// In NumPy a view is the same memory, in Sinter a value: hence the copies.
std::string python_value(const step& s, const std::vector<outline>& known) {
  const auto from = [&] { return python_operand(s.operands[0]); };
  switch (s.what) {
    case form::input: return python_input(s);
    case form::index: return "np.indices(" + python_tuple(s.extents) + ")[" + listed(*s.axes) + "]";
    case form::apply:
      return std::string("sn.") + detail::facts(s.code).name + "(" + listed(s.operands, python_operand) + ")";
    case form::cast: return "sn.astype(" + from() + ", " + python_type(s.type) + ")";
    case form::view:
    case form::pick: return "np.array(" + from() + "[" + python_items(s, known) + "])";
    case form::transpose: return "np.transpose(" + from() + (s.axes ? ", " + python_tuple(*s.axes) : "") + ").copy()";
    case form::reshape: return "np.reshape(" + from() + ", " + python_tuple(s.extents) + ").copy()";
    case form::broadcast: return "np.broadcast_to(" + from() + ", " + python_tuple(s.extents) + ").copy()";
    case form::reduce: return python_reduction(s);
    case form::scan: return python_scan(s);
    case form::move:
    case form::call: {
      std::vector<std::string> operands;
      for (const operand& o : s.operands) operands.push_back(python_operand(o));
      if (s.what == form::call) return row_of(s).python(s, operands, outline_of(s, known)->type);
      return python_move(s, operands, length_of_axis(s, known));
    }
    default: return "np.array(" + from() + ")";
  }
}

std::string python_store(const step& s, const std::vector<outline>& known) {
  const std::string target = name_of(s.operands[0].step);
  std::string value = python_operand(s.operands[1]);
  if (s.into == storing::put)
    return "np.put(" + target + ", " +
           python_index_into(python_operand(s.operands[2]),
                             known[static_cast<std::size_t>(s.operands[0].step)].extents.elements()) +
           ", sn.astype(" + value + ", " + target + ".dtype))";
  const std::string items = stores_under_mask(s.into) ? python_operand(s.operands[2]) : python_items(s, known);
  const std::string place = target + "[" + items + "]";
  const std::string real = "np.real(" + place + ")", imag = "np.imag(" + place + ")";
  const std::string& old = s.into == storing::real ? real : s.into == storing::imag ? imag : place;
  if (s.updates) value = std::string("sn.") + detail::facts(s.code).name + "(" + old + ", " + value + ")";
  if (s.into == storing::real) value = "sn.make_complex(" + value + ", " + imag + ")";
  if (s.into == storing::imag) value = "sn.make_complex(" + real + ", " + value + ")";
  value = "sn.astype(" + value + ", " + target + ".dtype)";
  if (s.into == storing::where) return "np.copyto(" + target + ", " + value + ", where=" + items + ")";
  if (s.into == storing::combine)
    return std::string("sn.scatter(np.") + detail::facts(s.code).name + ", " + target + ", np.s_[" + items + "], " +
           value + ")";
  return place + " = " + value;
}

}  // namespace

std::string cpp_text(const program& p) { return cpp_printer(p).text(); }

std::string python_text(const program& p) {
  const std::vector<outline> known = outlines_of(p).value();
  std::ostringstream all;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const step& s = p.steps[i];
    if (s.what == form::store) all << python_store(s, known) << '\n';
    else all << name_of(static_cast<int>(i)) << " = " << python_value(s, known) << '\n';
  }
  for (int r : p.results) all << "print(" << name_of(r) << ")\n";
  return all.str();
}

std::string python_text(const program& p, std::size_t first_record, const std::string& indent) {
  const std::vector<outline> known = outlines_of(p).value();
  std::ostringstream all;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const step& s = p.steps[i];
    const bool stores = s.what == form::store;
    const std::string name = name_of(stores ? s.operands[0].step : static_cast<int>(i));
    if (stores) all << indent << python_store(s, known) << '\n';
    all << indent << name << " = ";
    if (s.what == form::input || draws(s)) all << "given(";
    else all << "checked(" << (stores ? name : python_value(s, known)) << ", ";
    all << first_record + i << ")\n";
  }
  return all.str();
}

}  // namespace sinter::fuzz
