// The arguments of a generated kernel: one list from which both dialects declare them, the runtime packs them and the
// interpreter reads them.
#include <algorithm>

#include <sinter/error.hpp>

#include "codegen/ir/kernel.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/source/helpers.hpp"

namespace sinter::codegen {

namespace {

bool is_reduced(const variant& v, int axis) { return axis >= v.rank - v.reduced; }

parameter index_parameter(parameter::kind what, const variant& v, std::string name) {
  parameter p;
  p.what = what;
  p.size = v.wide ? 8 : 4;
  p.type = v.wide ? "long long" : "int";
  p.name = std::move(name);
  return p;
}

void add_operand(std::vector<parameter>& all, parameter::kind what, int index, dtype type, bool read_only, bool iota) {
  parameter p;
  p.what = what;
  p.index = static_cast<std::uint16_t>(index);
  const std::string element(spelling(type));
  p.type = iota ? "long long" : read_only ? "const " + element + "*" : element + "*";
  p.name = (what == parameter::output ? "out" : "in") + std::to_string(index);
  all.push_back(p);
}

void add_strides(std::vector<parameter>& all, const kernel& k, const variant& v, int operand) {
  const int inputs = static_cast<int>(k.inputs.size());
  const bool iota = operand < inputs && k.inputs[operand].iota;
  const std::string name = operand < inputs ? "in" + std::to_string(operand) : "out" + std::to_string(operand - inputs);
  for (int axis = 0; axis < v.rank; ++axis) {
    if (!needs_stride(k, v, operand, axis)) continue;
    parameter p = index_parameter(parameter::stride, v, name + "_step" + std::to_string(axis));
    if (iota) p.size = 8, p.type = "long long";
    p.index = static_cast<std::uint16_t>(operand);
    p.axis = static_cast<std::uint8_t>(axis);
    all.push_back(p);
  }
}

}  // namespace

bool has_checks(const kernel& k) {
  return std::any_of(k.values.begin(), k.values.end(), [](const value& v) { return v.kind == value_kind::check; });
}

bool needs_stride(const kernel& k, const variant& v, int operand, int axis) {
  const access a = v.operands[operand];
  if (a == access::fixed || a == access::staged) return false;
  const int inputs = static_cast<int>(k.inputs.size());
  const bool varies_along_rows =
      operand < inputs ? is_read_at_points(k, operand) : is_everywhere(k, static_cast<std::size_t>(operand - inputs));
  if (is_reduced(v, axis) && (!varies_along_rows || a == access::column)) return false;
  return axis != fastest_axis(v) || a == access::strided;
}

std::vector<parameter> parameters(const kernel& k, const variant& v) {
  std::vector<parameter> all;
  const int inputs = static_cast<int>(k.inputs.size()), outputs = static_cast<int>(k.outputs.size());
  for (int i = 0; i < outputs; ++i) add_operand(all, parameter::output, i, k.values[k.outputs[i]].type, false, false);
  for (int i = 0; i < inputs; ++i) add_operand(all, parameter::input, i, k.inputs[i].type, true, k.inputs[i].iota);
  for (int axis = 0; axis < v.rank; ++axis) {
    all.push_back(index_parameter(parameter::extent, v, "n" + std::to_string(axis)));
    all.back().axis = static_cast<std::uint8_t>(axis);
  }
  for (int o = 0; o < inputs + outputs; ++o) add_strides(all, k, v, o);
  for (std::size_t i = 0; i < k.scalars.size(); ++i) {
    parameter p;
    p.what = parameter::scalar;
    p.index = static_cast<std::uint16_t>(i);
    p.size = static_cast<std::uint8_t>(itemsize(k.scalars[i]));
    p.type = spelling(k.scalars[i]);
    p.name = "s" + std::to_string(i);
    all.push_back(p);
  }
  if (has_checks(k)) all.push_back({parameter::trouble, 0, 0, 8, "struct index_trouble*", "trouble"});
  if (v.scan.split) {
    all.push_back({parameter::words, 0, 0, 8, "unsigned long long*", "words"});
    all.push_back(index_parameter(parameter::splits, v, "splits"));
    all.push_back({parameter::room, 0, 0, 8, "unsigned long long", "room"});
  }
  if (v.fold.split) {
    if (!v.fold.marked) all.push_back({parameter::partials, 0, 0, 8, "char*", "partials"});
    all.push_back({parameter::tickets, 0, 0, 8, "unsigned int*", "tickets"});
    all.push_back(index_parameter(parameter::splits, v, "splits"));
  }
  return all;
}

}  // namespace sinter::codegen
