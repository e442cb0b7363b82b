#include "test/fuzz/moves.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <sinter/functions.hpp>
#include <sinter/pad.hpp>

#include "codegen/ir/broadcast.hpp"

namespace sinter::fuzz {

namespace {

const outline& operand_of(const step& s, const std::vector<outline>& known, std::size_t i) {
  return known[static_cast<std::size_t>(s.operands[i].step)];
}
std::string number_text(std::int64_t n) { return std::to_string(n); }

std::string list_of(const std::vector<std::string>& all, const char* separator = ", ") {
  std::string list;
  for (const std::string& x : all) list += (list.empty() ? "" : separator) + x;
  return list;
}

std::string number_list(const std::vector<std::int64_t>& all) {
  std::vector<std::string> texts;
  for (std::int64_t n : all) texts.push_back(number_text(n));
  return list_of(texts);
}
std::string cpp_list(const std::vector<std::int64_t>& all) { return "{" + number_list(all) + "}"; }

constexpr const char* modes[] = {"constant", "edge", "wrap", "reflect", "symmetric"};

// `{{1, 0}, {0, 2}}`, or with other brackets.
std::string widths_of(const step& s, const char* open, const char* close) {
  std::vector<std::string> all;
  for (std::size_t d = 0; d + 1 < s.extents.size(); d += 2)
    all.push_back(open + number_text(s.extents[d]) + ", " + number_text(s.extents[d + 1]) + close);
  return open + list_of(all) + (all.size() == 1 && *open == '(' ? "," : "") + close;
}

std::optional<outline> joined(const step& s, const std::vector<outline>& known) {
  dtype types[8];
  std::vector<std::int64_t> to;
  const int axis = s.axes->front();
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    if (!s.operands[i].is_step() || i == std::size(types)) return {};
    const outline& part = operand_of(s, known, i);
    types[i] = part.type;
    std::vector<std::int64_t> extents(part.extents.begin(), part.extents.end());
    if (s.moving == motion::stack) {
      if (axis > static_cast<int>(extents.size())) return {};
      extents.insert(extents.begin() + axis, 1);
    }
    if (axis >= static_cast<int>(extents.size())) return {};
    if (i == 0) {
      to = extents;
      continue;
    }
    const std::int64_t more = extents[static_cast<std::size_t>(axis)];
    if (extents.size() != to.size()) return {};
    extents[static_cast<std::size_t>(axis)] = to[static_cast<std::size_t>(axis)];
    if (s.moving == motion::stack && to.size() != extents.size()) return {};
    if (extents != to) return {};
    to[static_cast<std::size_t>(axis)] += more;
  }
  if (to.size() > std::size_t{max_rank}) return {};
  return outline{detail::promote(types, static_cast<int>(s.operands.size())), shape(to)};
}

// The extents of what is gathered along an axis, by whole numbers: the index's own in its place, or as many there as the index has.
std::optional<std::vector<std::int64_t>> gathered(const step& s, const std::vector<outline>& known, int axis) {
  if (s.operands.size() != 2 || !s.operands[1].is_step()) return {};
  const outline &from = operand_of(s, known, 0), &index = operand_of(s, known, 1);
  if (!detail::is_integer(index.type) || from.extents[axis] == 0) return {};
  if (s.moving == motion::along) {
    if (index.extents.size() != from.extents.size()) return {};
    shape all = from.extents;
    all[axis] = 1;
    if (!codegen::broadcast(all, index.extents)) return {};
    return std::vector<std::int64_t>(all.begin(), all.end());
  }
  std::vector<std::int64_t> to(from.extents.begin(), from.extents.end());
  to.erase(to.begin() + axis);
  to.insert(to.begin() + axis, index.extents.begin(), index.extents.end());
  return to;
}

}  // namespace

std::int64_t length_of_axis(const step& s, const std::vector<outline>& known) {
  const bool gathers = s.moving == motion::take || s.moving == motion::along;
  return gathers ? operand_of(s, known, 0).extents[s.axes->front()] : 0;
}

handle index_into(const handle& numbers, std::int64_t length) {
  return with_type(type_of(numbers), [&](auto t) {
    using T = decltype(t);
    return handle((astype<std::int64_t>(lazy<T>(detail::retain(numbers.get()))) % (2 * length) - length).share());
  });
}
std::string cpp_index_into(const std::string& numbers, std::int64_t length) {
  return "astype<std::int64_t>(" + numbers + ") % " + number_text(2 * length) + "LL - " + number_text(length) + "LL";
}
std::string python_index_into(const std::string& numbers, std::int64_t length) {
  const std::string n = number_text(length);
  return "(np.remainder(sn.astype(" + numbers + ", np.int64), 2 * " + n + ") - " + n + ")";
}

std::optional<outline> moved(const step& s, const std::vector<outline>& known) {
  if (s.moving == motion::concatenate || s.moving == motion::stack) return joined(s, known);
  const outline& from = operand_of(s, known, 0);
  const int rank = from.extents.size(), axis = s.axes && !s.axes->empty() ? s.axes->front() : 0;
  if (axis >= rank) return {};
  std::vector<std::int64_t> to(from.extents.begin(), from.extents.end());
  switch (s.moving) {
    case motion::take:
    case motion::along: {
      std::optional<std::vector<std::int64_t>> extents = gathered(s, known, axis);
      if (!extents) return {};
      to = std::move(*extents);
      break;
    }
    case motion::flip:
    case motion::roll: break;
    case motion::tile:
      if (s.extents.size() > std::size_t{max_rank}) return {};
      while (to.size() < s.extents.size()) to.insert(to.begin(), 1);
      if (to.size() >= std::size_t{max_rank}) return {};
      for (std::size_t back = 1; back <= s.extents.size(); ++back) {
        if (s.extents[s.extents.size() - back] < 0) return {};
        to[to.size() - back] *= s.extents[s.extents.size() - back];
      }
      break;
    case motion::repeat:
      if (rank == max_rank || *std::min_element(s.extents.begin(), s.extents.end()) < 0) return {};
      if (s.extents.size() == 1) to[static_cast<std::size_t>(axis)] *= s.extents[0];
      else if (static_cast<std::int64_t>(s.extents.size()) != from.extents[axis]) return {};
      else to[static_cast<std::size_t>(axis)] = std::accumulate(s.extents.begin(), s.extents.end(), std::int64_t{0});
      break;
    case motion::pad:
      if (s.extents.size() != 2 * to.size()) return {};
      for (std::size_t d = 0; d < to.size(); ++d) {
        const std::int64_t more = s.extents[2 * d] + s.extents[2 * d + 1];
        if (s.extents[2 * d] < 0 || s.extents[2 * d + 1] < 0 || (s.ddof != 0 && more != 0 && to[d] == 0)) return {};
        to[d] += more;
      }
      break;
    case motion::triangle:
      if (rank < 2) return {};
      break;
    default: {
      if (rank < 2) return {};
      const std::int64_t k = s.extents[0];
      const std::int64_t length = std::min(to[0] + std::min<std::int64_t>(k, 0), to[1] - std::max<std::int64_t>(k, 0));
      to.erase(to.begin(), to.begin() + 2);
      to.push_back(std::max<std::int64_t>(length, 0));
    }
  }
  if (to.size() > std::size_t{max_rank}) return {};
  return outline{from.type, shape(to)};
}

detail::node* run_move(const step& s, const std::vector<handle>& operands, dtype result) {
  detail::node* const n = operands[0].get();
  const std::int64_t axis = s.axes && !s.axes->empty() ? s.axes->front() : 0;
  switch (s.moving) {
    case motion::take:
    case motion::along: {
      const handle index = index_into(operands[1], detail::shape_of(n)[static_cast<int>(axis)]);
      return (s.moving == motion::take ? detail::make_take : detail::make_take_along)(n, index.get(), axis);
    }
    case motion::flip: return detail::make_flip(n, {1, {axis}});
    case motion::tile: return detail::make_tile(n, s.extents.data(), static_cast<int>(s.extents.size()));
    case motion::roll: return detail::make_roll(n, s.extents[0], axis);
    case motion::repeat: return detail::make_repeat(n, s.extents.data(), s.extents.size(), axis);
    case motion::pad: {
      std::vector<pad_width> widths;
      for (std::size_t d = 0; d + 1 < s.extents.size(); d += 2) widths.push_back({s.extents[d], s.extents[d + 1]});
      if (s.ddof != 0) return detail::make_padded(n, widths, static_cast<pad_mode>(s.ddof - 1), {});
      return detail::make_padded(n, widths, detail::scalar_bits{});
    }
    case motion::triangle: return detail::make_triangle(n, s.extents[0], s.keepdims);
    case motion::diagonal: return detail::make_diagonal(n, s.extents[0], 0, 1);
    default: break;
  }
  std::vector<handle> parts;
  std::vector<detail::node*> nodes;
  for (const handle& o : operands) {
    parts.push_back(with_type(type_of(o), [&](auto t) {
      return with_type(result, [&](auto r) {
        using T = decltype(t);
        using R = decltype(r);
        if constexpr (std::is_same_v<T, R>) return o;
        else return handle(astype<R>(lazy<T>(detail::retain(o.get()))).share());
      });
    }));
    nodes.push_back(parts.back().get());
  }
  return s.moving == motion::stack ? detail::make_stacked(nodes.data(), nodes.size(), axis)
                                   : detail::make_joined(nodes.data(), nodes.size(), axis);
}

std::string cpp_move(const step& s, const std::vector<std::string>& o, std::int64_t length) {
  const std::string axis = s.axes && !s.axes->empty() ? std::to_string(s.axes->front()) : "0";
  const auto call = [&](const char* name, const std::string& more) {
    return name + std::string("(") + o[0] + ", " + more + ")";
  };
  switch (s.moving) {
    case motion::take: return call("take", cpp_index_into(o[1], length) + ", " + axis);
    case motion::along: return call("take_along_axis", cpp_index_into(o[1], length) + ", " + axis);
    case motion::flip: return call("flip", axis);
    case motion::tile: return call("tile", cpp_list(s.extents));
    case motion::roll: return call("roll", number_text(s.extents[0]) + ", " + axis);
    case motion::repeat: return call("repeat", cpp_list(s.extents) + ", " + axis);
    case motion::pad:
      return call("pad", widths_of(s, "{", "}") + (s.ddof ? std::string(", pad_mode::") + modes[s.ddof] : ""));
    case motion::triangle: return call(s.keepdims ? "tril" : "triu", number_text(s.extents[0]));
    case motion::diagonal: return call("diagonal", number_text(s.extents[0]));
    default: break;
  }
  return std::string(s.moving == motion::stack ? "stack" : "concatenate") + "(tuple(" + list_of(o) + "), " + axis + ")";
}

std::string python_move(const step& s, const std::vector<std::string>& o, std::int64_t length) {
  const std::string axis = s.axes && !s.axes->empty() ? std::to_string(s.axes->front()) : "0";
  const auto call = [&](const char* name, const std::string& more) {
    return std::string("np.") + name + "(" + o[0] + ", " + more + ").copy()";
  };
  switch (s.moving) {
    case motion::take: return call("take", python_index_into(o[1], length) + ", " + axis);
    case motion::along: return call("take_along_axis", python_index_into(o[1], length) + ", " + axis);
    case motion::flip: return call("flip", axis);
    case motion::tile: return call("tile", "[" + number_list(s.extents) + "]");
    case motion::roll: return call("roll", number_text(s.extents[0]) + ", " + axis);
    case motion::repeat: return call("repeat", "[" + number_list(s.extents) + "], " + axis);
    case motion::pad: return call("pad", widths_of(s, "(", ")") + ", mode=\"" + modes[s.ddof] + "\"");
    case motion::triangle: return call(s.keepdims ? "tril" : "triu", number_text(s.extents[0]));
    case motion::diagonal: return call("diagonal", number_text(s.extents[0]));
    default: break;
  }
  const std::string parts = "(" + list_of(o) + (o.size() == 1 ? ",)" : ")");
  return std::string(s.moving == motion::stack ? "np.stack(" : "np.concatenate(") + parts + ", " + axis + ")";
}

}  // namespace sinter::fuzz
