// A pass forward that rewrites and shares, again where that made accumulators equal, and one back that finds what is needed.
#include "codegen/pass/simplify.hpp"

#include <algorithm>
#include <unordered_map>

#include "codegen/ir/values.hpp"

namespace sinter::codegen {

using namespace detail;

namespace {

struct hash {
  std::size_t operator()(const value& v) const {
    std::uint64_t h = static_cast<std::uint64_t>(v.kind) | static_cast<std::uint64_t>(v.type) << 8 |
                      static_cast<std::uint64_t>(v.code) << 16 | std::uint64_t(v.index) << 24;
    for (int a = 0; a < arity(v); ++a) h = (h ^ v.args[a]) * 0x9E3779B97F4A7C15ull;
    return h ^ h >> 32;
  }
};

// Does casting `from` to `through` keep every value apart?
bool lossless(dtype from, dtype through) {
  return promote(from, through) == through && !(is_integer(from) && facts(from).size == 8);
}

// The value that `v` is equal to by an identity that holds for every element, NaN included; -1: none. `looks`: which values look at an
// index, which they do still where nobody needs what they give.
int identity(const std::vector<value>& all, const std::vector<bool>& looks, const value& v) {
  if (v.kind == value_kind::cast) {
    const value& inner = all[v.args[0]];
    if (inner.type == v.type) return v.args[0];
    if (inner.kind == value_kind::cast && all[inner.args[0]].type == v.type && lossless(v.type, inner.type))
      return inner.args[0];
  }
  if (v.kind != value_kind::apply) return -1;
  const value& a = all[v.args[0]];
  switch (v.code) {
    case op::positive: return v.args[0];
    case op::negative:
    case op::invert:
    case op::logical_not: return a.kind == value_kind::apply && a.code == v.code ? a.args[0] : -1;
    case op::where: return v.args[1] == v.args[2] && !looks[v.args[0]] ? v.args[1] : -1;
    case op::logical_and:
    case op::logical_or:
    case op::bitwise_and:
    case op::bitwise_or:
    case op::maximum:
    case op::minimum: return v.args[0] == v.args[1] ? v.args[0] : -1;
    default: return -1;
  }
}

// Of a number of 16 bits the sign is a bit: neither there nor back is anything rounded that would not be a NaN.
value in_its_bits(const std::vector<value>& all, const value& v) {
  if (v.kind != value_kind::cast || !is_short_floating(v.type)) return v;
  const value& turned = all[v.args[0]];
  if (turned.kind != value_kind::apply || !is_of_sign(turned.code)) return v;
  const value& widened = all[turned.args[0]];
  if (widened.kind != value_kind::cast || all[widened.args[0]].type != v.type) return v;
  value same = turned;
  same.type = v.type;
  same.args[0] = widened.args[0];
  return same;
}

void share(kernel& k) {
  std::vector<std::uint16_t> becomes(k.values.size());
  std::vector<value> kept;
  std::vector<bool> looks;
  std::unordered_map<value, std::uint16_t, hash> seen;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    value v = k.values[i];
    for (int a = 0; a < arity(v); ++a) v.args[a] = becomes[v.args[a]];
    if (const int same = identity(kept, looks, v); same >= 0) {
      becomes[i] = static_cast<std::uint16_t>(same);
      continue;
    }
    v = in_its_bits(kept, v);
    const auto [at, fresh] = seen.try_emplace(v, static_cast<std::uint16_t>(kept.size()));
    if (fresh) {
      bool looks_too = v.kind == value_kind::check;
      for (int a = 0; a < arity(v); ++a) looks_too = looks_too || looks[v.args[a]];
      looks.push_back(looks_too);
      kept.push_back(v);
    }
    becomes[i] = at->second;
  }
  k.values = std::move(kept);
  for (accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) a.folded(m) = becomes[a.folded(m)];
  for (std::uint16_t& o : k.outputs) o = becomes[o];
}

// Accumulators that fold the same are one. Gives whether there were any.
bool share_accumulators(kernel& k) {
  std::vector<std::uint16_t> becomes;
  std::vector<accumulator> kept;
  for (const accumulator& a : k.accumulators) {
    const auto at = std::find(kept.begin(), kept.end(), a);
    becomes.push_back(static_cast<std::uint16_t>(at - kept.begin()));
    if (at == kept.end()) kept.push_back(a);
  }
  if (kept.size() == k.accumulators.size()) return false;
  k.accumulators = std::move(kept);
  for (value& v : k.values)
    if (v.kind == value_kind::reduced || v.kind == value_kind::scanned) v.index = becomes[v.index];
  return true;
}

void drop_dead(kernel& k) {
  std::vector<bool> live(k.values.size());
  for (const accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) live[a.folded(m)] = true;
  for (std::uint16_t o : k.outputs) live[o] = true;
  for (std::size_t i = k.values.size(); i-- > 0;)
    if (live[i])
      for (int a = 0; a < arity(k.values[i]); ++a) live[k.values[i].args[a]] = true;
  std::vector<std::uint16_t> becomes(k.values.size());
  std::vector<value> kept;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    if (!live[i]) continue;
    value v = k.values[i];
    for (int a = 0; a < arity(v); ++a) v.args[a] = becomes[v.args[a]];
    becomes[i] = static_cast<std::uint16_t>(kept.size());
    kept.push_back(v);
  }
  k.values = std::move(kept);
  for (accumulator& a : k.accumulators)
    for (int m = 0; m < a.members(); ++m) a.folded(m) = becomes[a.folded(m)];
  for (std::uint16_t& o : k.outputs) o = becomes[o];
}

}  // namespace

void simplify(kernel& k) {
  do share(k);
  while (share_accumulators(k));
  drop_dead(k);
}

}  // namespace sinter::codegen
