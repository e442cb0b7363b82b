// The interpreter's way through the points of a kernel: argument block in, blocks of points through every value,
// outputs back. The arithmetic is in interpret_ops_*.cpp. Invariant: a block's inputs are all read before any of its
// outputs is written, so an output may overlap an input element for element.
#include "codegen/ir/interpret.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <sinter/error.hpp>

#include "codegen/ir/interpret_ops.hpp"
#include "codegen/ir/stages.hpp"
#include "codegen/ir/values.hpp"

namespace sinter::codegen {
namespace {

constexpr int block_size = 256;
constexpr int widest_element = 16;
constexpr int most_axes = max_rank;

/// Where an operand's elements are. Of an iota `data` is null and the strides count in its values.
struct operand {
  std::byte* data = nullptr;
  std::int64_t origin = 0;
  int size = 0;
  std::vector<std::int64_t> strides;  // per axis, in elements
};

/// The argument block taken apart.
struct arguments_of {
  std::vector<std::int64_t> extents;
  std::vector<operand> operands;  // inputs, then outputs
  std::vector<const std::byte*> scalars;
  index_trouble* trouble = nullptr;
};

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::int64_t read_index(const parameter& p, const std::byte* from) {
  if (p.size == 8) return read<std::int64_t>(from);
  return p.type.starts_with("unsigned") ? std::int64_t{read<std::uint32_t>(from)}
                                        : std::int64_t{read<std::int32_t>(from)};
}

/// What an operand's access says about a stride that is no argument.
std::int64_t implied_stride(const variant& v, int operand_index, int axis) {
  const access a = v.operands[operand_index];
  return (a == access::unit || a == access::column) && axis == fastest_axis(v) ? 1 : 0;
}

void take(arguments_of& a, const kernel& k, const parameter& p, const std::byte* from) {
  const std::size_t inputs = k.inputs.size();
  switch (p.what) {
    case parameter::output: a.operands[inputs + p.index].data = read<std::byte*>(from); break;
    case parameter::input:
      if (k.inputs[p.index].iota) a.operands[p.index].origin = read<std::int64_t>(from);
      else a.operands[p.index].data = read<std::byte*>(from);
      break;
    case parameter::extent: a.extents[p.axis] = read_index(p, from); break;
    case parameter::stride: a.operands[p.index].strides[p.axis] = read_index(p, from); break;
    case parameter::scalar: a.scalars[p.index] = from; break;
    case parameter::trouble: a.trouble = read<index_trouble*>(from); break;
    case parameter::partials:
    case parameter::tickets:
    case parameter::splits:
    case parameter::words:
    case parameter::room: break;  // how the work is shared
  }
}

arguments_of unpack(const kernel& k, const variant& v, const std::byte* block) {
  arguments_of a;
  a.extents.assign(v.rank, 1);
  a.operands.resize(k.inputs.size() + k.outputs.size());
  a.scalars.resize(k.scalars.size());
  for (std::size_t o = 0; o < a.operands.size(); ++o) {
    a.operands[o].size = itemsize(operand_type(k, static_cast<int>(o)));
    for (int axis = 0; axis < v.rank; ++axis)
      a.operands[o].strides.push_back(implied_stride(v, static_cast<int>(o), axis));
  }
  std::size_t at = 0;
  for (const parameter& p : parameters(k, v)) {
    at = (at + p.size - 1) / p.size * p.size;
    take(a, k, p, block + at);
    at += p.size;
  }
  return a;
}

template <int size>
void copy_steps(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, int count) {
  for (int n = 0; n < count; ++n, to += to_step * size, from += from_step * size) std::memcpy(to, from, size);
}

void copy(int size, std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, int count) {
  if (to_step == 1 && from_step == 1) return void(std::memcpy(to, from, static_cast<std::size_t>(count) * size));
  switch (size) {
    case 1: return copy_steps<1>(to, to_step, from, from_step, count);
    case 2: return copy_steps<2>(to, to_step, from, from_step, count);
    case 4: return copy_steps<4>(to, to_step, from, from_step, count);
    case 8: return copy_steps<8>(to, to_step, from, from_step, count);
    default: return copy_steps<16>(to, to_step, from, from_step, count);
  }
}

/// A piece of the iteration: points `begin` to `begin + count`, row-major, of the axes `first` to `last`, with the
/// other axes at the place that is `base` elements away from the start (per operand).
struct piece {
  int first;
  int last;
  std::int64_t begin;
  int count;
};

/// Calls run(offset, step, n) for each stretch of the piece that lies along its last axis.
template <class F>
void each_run(const piece& p, const std::vector<std::int64_t>& extents, const std::int64_t* strides, F run) {
  if (p.first == p.last) return run(std::int64_t{0}, std::int64_t{0}, p.count);
  std::int64_t index[most_axes];
  std::int64_t rest = p.begin, offset = 0;
  for (int d = p.last - 1; d >= p.first; --d) {
    index[d] = rest % extents[d];
    rest /= extents[d];
    offset += index[d] * strides[d];
  }
  const int inner = p.last - 1;
  for (int left = p.count; left > 0;) {
    const int n = static_cast<int>(std::min<std::int64_t>(left, extents[inner] - index[inner]));
    run(offset, strides[inner], n);
    left -= n;
    index[inner] += n;
    offset += n * strides[inner];
    for (int d = inner; d > p.first && index[d] == extents[d]; --d) {  // carry
      offset += strides[d - 1] - extents[d] * strides[d];
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

/// How far a point is from the start of an operand, in elements.
std::int64_t offset_of(const piece& point, const std::vector<std::int64_t>& extents, const operand& o) {
  std::int64_t result = 0;
  each_run(point, extents, o.strides.data(), [&](std::int64_t offset, std::int64_t, int) { result = offset; });
  return result;
}

void* loaded(void* const& code) {
  if (void* const at = __atomic_load_n(&code, __ATOMIC_ACQUIRE)) return at;
  throw internal_error("interpret: a text was not compiled before it is run");
}

fold_step fold_step_of(const function_text& f) {
  return {reinterpret_cast<decltype(fold_step::start)>(loaded(f.finish)),
          reinterpret_cast<decltype(fold_step::fold)>(loaded(f.entry)), nullptr};
}

class interpreter {
 public:
  interpreter(const kernel& k, const variant& v, const void* arguments)
      : kernel_(k),
        kept_(v.rank - v.reduced),
        rank_(v.rank),
        in_order_(v.in_order),
        args_(unpack(k, v, static_cast<const std::byte*>(arguments))),
        base_(k.inputs.size() + k.outputs.size()),
        buffers_(new std::byte[(k.values.size() + static_cast<std::size_t>(2) * k.accumulators.size()) * block_bytes]) {
    plan();
  }

  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += block_size) {
      const piece points{0, kept_, at, static_cast<int>(std::min<std::int64_t>(block_size, end - at))};
      for (int n = 0; kernel_.reduces() && n < points.count; ++n) run_row(at + n, n);
      for (std::uint16_t v : results_) compute(v, points, nullptr);
      for (std::size_t o = kernel_.everywhere; o < kernel_.outputs.size(); ++o) write(o, points, 0);
    }
  }

 private:
  static constexpr std::size_t block_bytes = block_size * widest_element;

  std::byte* buffer(std::size_t value) { return buffers_.get() + value * block_bytes; }
  std::byte* finals(std::size_t accumulator, int member) {
    return buffer(kernel_.values.size() + 2 * accumulator + static_cast<std::size_t>(member));
  }

  /// Which values are needed for what, and scalars spread over their blocks once and for all.
  void plan() {
    if (kernel_.reduces()) stages_ = stages_of(kernel_, [](std::uint16_t) { return false; });
    for (const stage& s : stages_) needed_.push_back(needed_for(results_of(kernel_, s)));
    results_ = needed_for({kernel_.outputs.begin() + kernel_.everywhere, kernel_.outputs.end()});
    for (std::size_t v = 0; v < kernel_.values.size(); ++v)
      if (kernel_.values[v].kind == value_kind::scalar)
        copy(itemsize(kernel_.values[v].type), buffer(v), 1, args_.scalars[kernel_.values[v].index], 0, block_size);
    for (const accumulator& a : kernel_.accumulators)
      steps_.push_back(a.called ? fold_step_of(*a.called) : find_fold(a.what, a.type));
    partials_.resize(steps_.size());
  }

  std::vector<std::uint16_t> needed_for(const std::vector<std::uint16_t>& roots) const {
    const std::vector<bool> needed = made_of(kernel_, roots);
    std::vector<std::uint16_t> order;
    for (std::size_t v = 0; v < needed.size(); ++v)
      if (needed[v]) order.push_back(static_cast<std::uint16_t>(v));
    return order;
  }

  /// Goes through the stages of one row: folds every accumulator into place `slot` of its final values, and writes the
  /// outputs of every point.
  void run_row(std::int64_t point, int slot) {
    for (std::size_t n = 0; n < base_.size(); ++n)
      base_[n] = offset_of({0, kept_, point, 1}, args_.extents, args_.operands[n]);
    std::int64_t points = 1;
    for (int axis = kept_; axis < rank_; ++axis) points *= args_.extents[axis];
    slot_ = slot;
    for (std::size_t a = 0; a < steps_.size(); ++a) steps_[a].start(final_of(a, slot).at);
    for (std::size_t a = 0; a < steps_.size(); ++a) steps_[a].start(partials_[a].of_blocks.seen().at);
    if (kernel_.scans()) return scan_row(points);
    for (std::size_t s = 0; s < stages_.size(); ++s) run_stage(s, points);
  }

  /// A block goes through all stages of a scan: they need what came before it, not the whole row.
  void scan_row(std::int64_t points) {
    for (std::int64_t at = 0; at < points; at += block_size) {
      const piece block{kept_, rank_, at, static_cast<int>(std::min<std::int64_t>(block_size, points - at))};
      for (std::size_t s = 0; s < stages_.size(); ++s) {
        for (std::uint16_t v : needed_[s]) compute(v, block, base_.data());
        for (int n : stages_[s].accumulators) {
          const auto a = static_cast<std::size_t>(n);
          steps_[a].scan(partials_[a].of_blocks.bytes[0], buffer(kernel_.accumulators[a].value), finals(a, 0),
                         block.count, at == 0);
        }
        write_points(stages_[s], block);
      }
    }
  }

  void write_points(const stage& s, const piece& block) {
    for (int o : s.outputs)
      write(static_cast<std::size_t>(o), block, base_[kernel_.inputs.size() + static_cast<std::size_t>(o)]);
  }

  void run_stage(std::size_t number, std::int64_t points) {
    std::int64_t blocks = 0;
    for (std::int64_t at = 0; at < points; at += block_size) {
      const piece block{kept_, rank_, at, static_cast<int>(std::min<std::int64_t>(block_size, points - at))};
      for (std::uint16_t v : needed_[number]) compute(v, block, base_.data());
      const bool last = at + block_size >= points || ++blocks % block_size == 0;
      for (int a : stages_[number].accumulators) fold_block(static_cast<std::size_t>(a), slot_, block.count, last);
      write_points(stages_[number], block);
    }
  }

  /// Folds a block, the blocks of a run, and the runs, each by themselves: a long sum of one accumulator would lose what is
  /// small beside it. Strict mode wants the order of the domain.
  void fold_block(std::size_t a, int slot, int count, bool last_of_run) {
    const accumulator& of = kernel_.accumulators[a];
    const void* const values[2] = {buffer(of.value), buffer(of.position)};
    if (in_order_) return steps_[a].fold(final_of(a, slot).at, values, count);
    const members of_values = partials_[a].of_values.seen(), of_blocks = partials_[a].of_blocks.seen();
    steps_[a].start(of_values.at);
    steps_[a].fold(of_values.at, values, count);
    steps_[a].fold(of_blocks.at, of_values.at, 1);
    if (!last_of_run) return;
    steps_[a].fold(final_of(a, slot).at, of_blocks.at, 1);
    steps_[a].start(of_blocks.at);
  }

  /// Where the members of a state are.
  struct members {
    void* at[2];
  };
  members final_of(std::size_t a, int slot) {
    const auto place = [&](int member) {
      return finals(a, member) + slot * itemsize(kernel_.accumulators[a].member_type(member));
    };
    return {{place(0), place(1)}};
  }
  std::byte* result_of(std::size_t a, int slot) {
    return static_cast<std::byte*>(final_of(a, slot).at[kernel_.accumulators[a].result()]);
  }

  /// Computes one value for a block of points. `base` is how far the piece is from each operand's start; null: not at
  /// all.
  void compute(std::uint16_t v, const piece& p, const std::int64_t* base) {
    const value& x = kernel_.values[v];
    switch (x.kind) {
      case value_kind::input: return take_input(x.index, v, p, base ? base[x.index] : 0);
      case value_kind::load: return load(x, v, p.count);
      case value_kind::check: return check(x, v, p.count);
      case value_kind::call: return call(x, v, p.count);
      case value_kind::scalar: return;
      case value_kind::cast:
        return find_cast(x.type, kernel_.values[x.args[0]].type)(buffer(x.args[0]), buffer(v), p.count);
      case value_kind::apply: {
        const int last = arity(x) - 1;
        const void* const args[3] = {buffer(x.args[0]), buffer(x.args[1]), buffer(x.args[2])};
        return find_apply(x.code, kernel_.values[x.args[last]].type)(args, buffer(v), p.count);
      }
      case value_kind::reduced:
        // Within a row there is one, that of the row.
        if (base) return copy(itemsize(x.type), buffer(v), 1, result_of(x.index, slot_), 0, p.count);
        std::memcpy(buffer(v), result_of(x.index, 0), static_cast<std::size_t>(p.count) * itemsize(x.type));
        return;
      case value_kind::scanned:
        std::memcpy(buffer(v), finals(x.index, 0), static_cast<std::size_t>(p.count) * itemsize(x.type));
        return;
    }
  }

  void take_input(int input, std::uint16_t v, const piece& p, std::int64_t base) {
    const operand& o = args_.operands[input];
    std::byte* to = buffer(v);
    each_run(p, args_.extents, o.strides.data(), [&](std::int64_t offset, std::int64_t step, int n) {
      if (!kernel_.inputs[input].is_element()) {  // a place is so many elements from the first
        for (int k = 0; k < n; ++k) {
          const std::int64_t position = o.origin + base + offset + k * step;
          std::memcpy(to + k * sizeof position, &position, sizeof position);
        }
        to += n * sizeof(std::int64_t);
      } else {
        copy(o.size, to, 1, o.data + (base + offset) * o.size, step, n);
        to += std::int64_t{n} * o.size;
      }
    });
  }

  template <class T>
  T element(std::uint16_t v, int k) {
    return read<T>(buffer(v) + k * static_cast<int>(sizeof(T)));
  }
  bool is_done(const value& x, int k) { return !guard_of(x) || element<bool>(*guard_of(x), k); }

  void load(const value& x, std::uint16_t v, int count) {
    const operand& from = args_.operands[kernel_.values[x.args[0]].index];
    std::memset(buffer(v), 0, static_cast<std::size_t>(count) * from.size);
    for (int k = 0; k < count; ++k) {
      if (!is_done(x, k)) continue;
      const std::int64_t offset = x.index & with_offset ? element<std::int64_t>(x.args[1], k) : 0;
      std::memcpy(buffer(v) + k * from.size, from.data + (element<std::int64_t>(x.args[0], k) + offset) * from.size,
                  static_cast<std::size_t>(from.size));
    }
  }

  /// Where an argument of a call is from point k on. A raw one is an address, of which its place is so many elements from the first.
  const void* argument(const value& x, int a, int k) {
    const std::uint16_t at = x.args[a];
    if (!x.called->is_raw(a)) return buffer(at) + k * itemsize(kernel_.values[at].type);
    const operand& from = args_.operands[kernel_.values[at].index];
    return from.data ? from.data + element<std::int64_t>(at, k) * from.size : nullptr;
  }

  void call(const value& x, std::uint16_t v, int count) {
    const auto loop = reinterpret_cast<call_loop>(loaded(x.called->entry));
    const int size = itemsize(x.type);
    std::memset(buffer(v), 0, static_cast<std::size_t>(count) * size);
    std::vector<const void*> arguments(static_cast<std::size_t>(x.called->arguments()));
    for (int k = 0, end; k < count; k = end) {  // stretches of points where it is done
      const bool done = is_done(x, k);
      for (end = k + 1; end < count && is_done(x, end) == done;) ++end;
      if (!done) continue;
      for (std::size_t a = 0; a < arguments.size(); ++a) arguments[a] = argument(x, static_cast<int>(a), k);
      loop(arguments.data(), buffer(v) + k * size, end - k, number_of(x));
    }
  }

  void check(const value& x, std::uint16_t v, int count) {
    for (int k = 0; k < count; ++k) {
      const auto index = element<std::int64_t>(x.args[0], k), extent = element<std::int64_t>(x.args[1], k);
      std::int64_t at = index < 0 ? index + extent : index;
      const bool done = is_done(x, k), inside = at >= 0 && at < extent;
      if (done && !inside) note(number_of(x), index, extent);
      if (!done || !inside) at = 0;
      std::memcpy(buffer(v) + k * sizeof at, &at, sizeof at);
    }
  }

  void note(int axis, std::int64_t index, std::int64_t extent) {
    if (__atomic_exchange_n(&args_.trouble->noted, 1, __ATOMIC_RELAXED)) return;
    args_.trouble->axis = axis;
    args_.trouble->index = index;
    args_.trouble->extent = extent;
  }

  void write(std::size_t output, const piece& p, std::int64_t base) {
    const operand& o = args_.operands[kernel_.inputs.size() + output];
    const std::byte* from = buffer(kernel_.outputs[output]);
    each_run(p, args_.extents, o.strides.data(), [&](std::int64_t offset, std::int64_t step, int n) {
      copy(o.size, o.data + (base + offset) * o.size, step, from, 1, n);
      from += std::int64_t{n} * o.size;
    });
  }

  const kernel& kernel_;
  int kept_;
  int rank_;
  bool in_order_;
  arguments_of args_;
  std::vector<stage> stages_;                       // of a row
  std::vector<std::vector<std::uint16_t>> needed_;  // by stage: the values it needs, in order
  std::vector<std::uint16_t> results_;              // values that the outputs of a row, or of a map, need
  int slot_ = 0;                                    // of the row at hand
  std::vector<fold_step> steps_;                    // per accumulator
  struct state {
    alignas(widest_element) std::byte bytes[2][widest_element];
    members seen() { return {{bytes[0], bytes[1]}}; }
  };
  struct partial {
    state of_values, of_blocks;
  };
  std::vector<partial> partials_;   // per accumulator
  std::vector<std::int64_t> base_;  // per operand: how far the row at hand is from its start
  std::unique_ptr<std::byte[]> buffers_;
};

}  // namespace

void interpret(const kernel& k, const variant& v, const void* arguments, std::int64_t begin, std::int64_t end) {
  if (v.rank > most_axes) throw internal_error("interpret: more axes than an array can have");
  interpreter(k, v, arguments).run(begin, end);
}

}  // namespace sinter::codegen
