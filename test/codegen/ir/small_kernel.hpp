// Kernels and argument blocks built by hand, for tests of what takes kernels: a few lines each, no front end.
#pragma once

#include <cstring>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "codegen/ir/kernel.hpp"

namespace sinter::test {

using codegen::access;

/// Adds values one by one and gives their numbers.
struct kernel_builder {
  codegen::kernel k;

  std::uint16_t add(codegen::value v) {
    k.values.push_back(v);
    return static_cast<std::uint16_t>(k.values.size() - 1);
  }
  std::uint16_t input(dtype t, bool iota = false) {
    k.inputs.push_back({t, iota});
    return add({codegen::value_kind::input, t, op::add, {}, static_cast<std::uint16_t>(k.inputs.size() - 1)});
  }
  std::uint16_t scalar(dtype t) {
    k.scalars.push_back(t);
    return add({codegen::value_kind::scalar, t, op::add, {}, static_cast<std::uint16_t>(k.scalars.size() - 1)});
  }
  std::uint16_t cast(std::uint16_t a, dtype to) { return add({codegen::value_kind::cast, to, op::add, {a}}); }
  std::uint16_t apply(op code, std::uint16_t a, std::uint16_t b = 0, std::uint16_t c = 0) {
    const std::uint16_t args[3] = {a, b, c};
    const auto& facts = detail::facts(code);
    const dtype computed = k.values[args[facts.arity - 1]].type;
    return add({codegen::value_kind::apply, detail::result_dtype(facts.of, computed), code, {a, b, c}});
  }
  std::uint16_t reduce(detail::reduction what, std::uint16_t a, std::uint16_t position = 0) {
    k.accumulators.push_back({what, k.values[a].type, a, position});
    const auto number = static_cast<std::uint16_t>(k.accumulators.size() - 1);
    return add({codegen::value_kind::reduced, k.accumulators.back().result_type(), op::add, {}, number});
  }
  codegen::kernel gives(std::initializer_list<std::uint16_t> outputs) {
    k.outputs = outputs;
    return k;
  }
};

/// An operand of a call: where it starts (iota: at what value) and its strides.
struct bound {
  const void* data = nullptr;
  std::int64_t origin = 0;
  std::vector<std::int64_t> strides = {};
};

/// What a kernel is called with, packed as its parameters say.
struct call {
  codegen::kernel k;
  codegen::variant v;
  std::vector<std::int64_t> extents;
  std::vector<bound> operands;  // inputs, then outputs
  std::vector<std::vector<std::byte>> scalars = {};

  template <class T>
  call& with(T scalar) {
    std::vector<std::byte> bytes(sizeof scalar);
    std::memcpy(bytes.data(), &scalar, sizeof scalar);
    scalars.push_back(bytes);
    return *this;
  }

  std::vector<std::byte> block() const {
    std::vector<std::byte> packed;
    for (const codegen::parameter& p : codegen::parameters(k, v)) {
      const std::size_t at = (packed.size() + p.size - 1) / p.size * p.size;
      packed.resize(at + p.size);
      write(p, packed.data() + at);
    }
    return packed;
  }

 private:
  void write(const codegen::parameter& p, std::byte* to) const {
    using parameter = codegen::parameter;
    const std::size_t inputs = k.inputs.size();
    switch (p.what) {
      case parameter::output: std::memcpy(to, &operands[inputs + p.index].data, 8); break;
      case parameter::input: {
        const bound& o = operands[p.index];
        if (k.inputs[p.index].iota) std::memcpy(to, &o.origin, 8);
        else std::memcpy(to, &o.data, 8);
        break;
      }
      case parameter::extent: write_index(p, extents[p.axis], to); break;
      case parameter::stride: write_index(p, operands[p.index].strides.at(p.axis), to); break;
      case parameter::scalar: std::memcpy(to, scalars[p.index].data(), scalars[p.index].size()); break;
      default: break;
    }
  }
  static void write_index(const codegen::parameter& p, std::int64_t value, std::byte* to) {
    const auto narrow = static_cast<std::int32_t>(value);
    if (p.size == 8) std::memcpy(to, &value, 8);
    else std::memcpy(to, &narrow, 4);
  }
};

}  // namespace sinter::test
