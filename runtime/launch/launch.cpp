// Preparing launches: binding, geometry and argument packing.
#include "runtime/launch/launch.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <sinter/error.hpp>

#include "codegen/source/geometry.hpp"
#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/folds.hpp"
#include "runtime/launch/maps.hpp"
#include "runtime/launch/measure.hpp"
#include "runtime/launch/rows.hpp"
#include "runtime/launch/scans.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/launch/tickets.hpp"
#include "runtime/launch/transforms.hpp"
#include "runtime/log.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/statement.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

namespace {

// Writes what stays, and where the rest goes.
void pack(const compiled_kernel& k, const binding& b, std::int64_t splits, device_impl& on, prepared_launch& to) {
  to.slots.clear();
  to.arguments.assign((k.block_size + 7) / 8, 0);
  auto* const block = reinterpret_cast<std::byte*>(to.arguments.data());
  std::size_t at = 0;
  for (const codegen::parameter& p : k.parameters) {
    at = (at + p.size - 1) / p.size * p.size;
    switch (p.what) {
      case codegen::parameter::extent: put(block + at, static_cast<std::uint64_t>(b.extents[p.axis]), p.size); break;
      case codegen::parameter::stride:
        put(block + at, static_cast<std::uint64_t>(b.operands[p.index].strides[p.axis]), p.size);
        break;
      case codegen::parameter::splits: put(block + at, static_cast<std::uint64_t>(splits), p.size); break;
      case codegen::parameter::trouble:
        put(block + at, on.index_note());
        to.how.note = static_cast<int>(at);
        break;
      default: to.slots.push_back({p.what, p.size, p.index, static_cast<std::uint16_t>(at)});
    }
    at += p.size;
  }
  to.size = at;
}

/// A bound step's kernel, and how it is shared out, which the language has a say in.
const compiled_kernel& choose(compiled_step& step, binding& b, target facts, device_impl& on, layout& l,
                              bool& compiled) {
  for (;;) {
    l = share_out(step.step.kernel, b, facts);
    if (const compiled_kernel* k = step.kernel_for(b.variant, on, facts.language, compiled)) return *k;
    facts.language = codegen::dialect::none;  // its compiler was given up: what is not there yet is interpreted
  }
}

void prepare(compiled_step& step, const codegen::resolution& r, detail::array_node* const* outputs, device_impl& on,
             binding& b, bool& compiled, prepared_launch& to) {
  const target facts = target_of(on);
  bind(step.step, r, outputs, facts, b);
  layout l;
  const compiled_kernel& k = choose(step, b, facts, on, l, compiled);
  if (l.how.items > 0)
    l.how.work_per_item = k.cost * static_cast<double>(b.kept) *
                          static_cast<double>(std::max<std::int64_t>(b.reduced, 1)) / static_cast<double>(l.how.items);
  to.kernel = &k;
  to.bytes = bytes_moved(step.step, b);
  to.points = static_cast<double>(b.kept) * static_cast<double>(b.reduced);
  to.code = k.code;
  to.how = l.how;
  const codegen::kernel& source = step.step.kernel;
  to.words = b.variant.scan.split ? scan_words(source, b, l.splits, facts.language) : 0;
  to.scratch = b.variant.fold.split && !b.variant.fold.marked
                   ? static_cast<std::size_t>(8 * codegen::state_words(source) * b.kept * l.splits *
                                              codegen::count_members(source))
                   : 0;
  to.tickets = b.variant.fold.split && facts.language == codegen::dialect::cuda;
  pack(k, b, l.splits, on, to);
}

// Memory in which the threads of a launch meet.
struct meeting {
  std::byte* partials = nullptr;
  std::byte* tickets = nullptr;
  counted_words words;
};

// Puts in what this evaluation has of its own.
void fill_in(prepared_launch& p, const codegen::step& s, const codegen::resolution& r, const binding& b,
             const meeting& in) {
  auto* const block = reinterpret_cast<std::byte*>(p.arguments.data());
  const std::size_t inputs = s.inputs.size();
  for (const prepared_launch::slot& slot : p.slots) {
    std::byte* const at = block + slot.offset;
    switch (slot.what) {
      case codegen::parameter::output: put(at, b.operands[inputs + slot.index].data); break;
      case codegen::parameter::input:
        if (s.kernel.inputs[slot.index].iota) put(at, b.operands[slot.index].origin);
        else put(at, b.operands[slot.index].data);
        break;
      case codegen::parameter::scalar: put(at, r.scalars[s.scalars[slot.index]], slot.size); break;
      case codegen::parameter::partials: put(at, in.partials); break;
      case codegen::parameter::words: put(at, in.words.data); break;
      case codegen::parameter::room: put(at, in.words.room); break;
      default: put(at, in.tickets); break;
    }
  }
}

void enqueue(prepared_launch& p, const codegen::step& s, const codegen::resolution& r, const binding& b,
             stream_state& on, work_clock* times) {
  storage_holder scratch;
  meeting in;
  const bool on_gpu = on.device.dialect() == codegen::dialect::cuda;
  if (p.scratch) {
    scratch.reset(make_storage(p.scratch, on));
    in.partials = scratch.get()->data;
  }
  if (p.tickets) in.tickets = tickets(on);
  if (p.words && on_gpu) in.words = words(on, p.words);
  else if (p.words) scratch.reset(make_storage(p.words, on)), in.words.data = scratch.get()->data;
  fill_in(p, s, r, b, in);
  const std::size_t inputs = s.inputs.size();
  operation op(on);
  op.writes(scratch.get());
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    o < inputs ? op.reads(b.operands[o].memory) : op.writes(b.operands[o].memory);
  if (times) [[unlikely]]
    times->start();
  on.device.launch(p.code, p.how, p.arguments.data(), p.size, on);
  if (times) [[unlikely]]
    times->stop();
  op.done();
  for (std::size_t o = 0; o < b.operands.size(); ++o)
    o < inputs ? op.has_read(b.operands[o].memory) : op.has_written(b.operands[o].memory);
  op.has_written(scratch.get());
}

void launch_watched(compiled_step& step, const codegen::resolution& r, detail::array_node* const* temporaries,
                    detail::array_node* const* outputs, stream_state& on, prepared_launch& p, const binding& b) {
  if (log_level() >= 2)
    log(2, "launch: %s; %.0f points, grid %u x %u, block %u x %u, items %lld%s", title_of(step).c_str(), p.points,
        p.how.grid[0], p.how.grid[1], p.how.block[0], p.how.block[1], static_cast<long long>(p.how.items),
        for_statement().c_str());
  work_clock times(on);
  enqueue(p, step.step, r, b, on, &times);
  note_launch({step, p, r, temporaries, outputs}, times);
}

}  // namespace

target target_of(const device_impl& on) {
  static const bool strict = codegen::math_mode_from_environment() == codegen::math_mode::strict;
  return {on.dialect(), on.multiprocessors(), strict, on.cache()};
}

bool keeps_work(const device_impl* on) { return (on ? *on : current_device()).dialect() == codegen::dialect::c; }

const fusion& fusion_for(const plan& p, const codegen::resolution& r, const target& to) {
  if (p.fusions.size() == 1) return p.fusions[0];
  const std::size_t more = p.fusions[1].steps.size() - p.fusions[0].steps.size();
  for (const auto& s : p.fusions[0].steps)
    if (s->form == codegen::form::rows && !rows_pay(s->step, more, r, to)) return p.fusions[1];
  return p.fusions[0];
}

layout share_out(const codegen::kernel& k, binding& b, const target& to) {
  layout l;
  const codegen::form form = codegen::form_of(k);
  if (to.language == codegen::dialect::none) l.how.items = b.kept;
  else if (form == codegen::form::map) l = share_out_map(k, b, to);
  else if (form == codegen::form::rows) l = share_out_rows(k, b, to);
  else if (form == codegen::form::scan) l = share_out_scan(k, b, to);
  else if (form == codegen::form::transform) l = share_out_transform(k, b, to);
  else l = share_out_fold(k, b, to);
  if (has_packs(to.language)) classify_positions(k, b, codegen::lane_width(k, b.variant));
  return l;
}

prepared_step& prepared_launches::of(const compiled_step& s) {
  std::unique_ptr<prepared_step>& place = at_[s.number % places];
  if (!place) place = std::make_unique<prepared_step>();
  return *place;
}

void launch(compiled_step& step, const codegen::resolution& r, detail::array_node* const* temporaries,
            detail::array_node* const* outputs, stream_state& on, prepared_launches& kept, binding& b, bool& compiled) {
  if (!locate(step.step, r, temporaries, outputs, b)) return;
  std::int64_t words[256];
  const std::size_t length = layout_words(step.step, r, outputs, target_of(on.device), b, words, std::size(words));
  prepared_step& p = kept.of(step);
  const bool known = length != 0 && p.of == &step && p.device == &on.device && p.words.size() == length &&
                     std::memcmp(p.words.data(), words, length * sizeof words[0]) == 0;
  if (!known) {
    p.of = nullptr;  // until all of it is there
    prepare(step, r, outputs, on.device, b, compiled, p.launch);
    p.words.assign(words, words + length);
    p.device = &on.device;
    p.of = &step;
  }
  if (watched()) [[unlikely]]
    return launch_watched(step, r, temporaries, outputs, on, p.launch, b);
  enqueue(p.launch, step.step, r, b, on, nullptr);
}

}  // namespace sinter::runtime
