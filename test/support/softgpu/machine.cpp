// The machine's objects and what it says about them: machine.hpp. How work is done is in queue.cpp.
#include "machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace softgpu {
namespace {

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

bool is_set(const char* variable) { return number(variable, 0) != 0; }

}  // namespace

settings settings::from_environment() {
  settings s;
  s.devices = static_cast<int>(std::min<std::uint64_t>(number("SOFTGPU_DEVICES", 2), 16));
  s.multiprocessors = static_cast<int>(number("SOFTGPU_MULTIPROCESSORS", 4));
  s.memory = number("SOFTGPU_MEMORY", s.memory);
  s.seed = number("SOFTGPU_SEED", s.seed);
  s.queue_length = std::max<std::uint64_t>(number("SOFTGPU_QUEUE", s.queue_length), 1);
  s.eager = static_cast<unsigned>(number("SOFTGPU_EAGER", 0));
  s.check = number("SOFTGPU_CHECK", 1) != 0;
  s.initcheck = is_set("SOFTGPU_INITCHECK");
  s.abort_on_race = is_set("SOFTGPU_ABORT_ON_RACE");
  s.fatal = is_set("SOFTGPU_FATAL");
  return s;
}

machine::machine(const settings& s)
    : config(s),
      memory(s.devices, s.memory),
      checker(*this),
      contexts_(static_cast<std::size_t>(std::max(s.devices, 1))),
      random_(s.seed) {
  checker.check_initialised(s.initcheck);
  for (int device = 0; device < s.devices; ++device) {
    context& c = of_device(device);
    c.device = device;
    c.pool.device = device;
    c.legacy.in = &c;
    c.legacy.legacy = true;
    c.legacy.queue = open_lane(c, 0);
  }
}

machine& the_machine() {
  static machine* const made = new machine(settings::from_environment());
  return *made;
}

context* machine::known(sinter::runtime::cu_context handle) const {
  for (const context& c : contexts_)
    if (reinterpret_cast<sinter::runtime::cu_context>(const_cast<context*>(&c)) == handle)
      return const_cast<context*>(&c);
  return nullptr;
}

stream* machine::find(context& in, sinter::runtime::cu_stream handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value <= 1) return &in.legacy;
  if (value == 2) {
    std::unique_ptr<stream>& own = in.per_thread[std::this_thread::get_id()];
    if (!own) {
      own = std::make_unique<stream>();
      own->in = &in;
      own->blocking = true;
      own->queue = open_lane(in, next_stream_number());
    }
    return own.get();
  }
  auto* const wanted = reinterpret_cast<stream*>(handle);
  return in.streams.contains(wanted) ? wanted : nullptr;
}

stream* machine::find_anywhere(context& current, sinter::runtime::cu_stream handle) {
  stream* found = find(current, handle);
  for (context& other : contexts_)
    if (!found)
      found = other.streams.contains(reinterpret_cast<stream*>(handle)) ? reinterpret_cast<stream*>(handle) : nullptr;
  return found;
}

lane* machine::open_lane(context& in, unsigned number) {
  lane* made = nullptr;
  // A slot is used again once the host knows that all of its work is over: then so does everything that comes.
  for (std::size_t& slot : retired_) {
    if (!host.covers(slot, lanes_[slot]->issued)) continue;
    made = lanes_[slot].get();
    slot = retired_.back();
    retired_.pop_back();
    break;
  }
  if (!made) {
    lanes_.push_back(std::make_unique<lane>());
    made = lanes_.back().get();
    made->slot = lanes_.size() - 1;
  }
  made->in = &in;
  made->number = number;
  made->closing = false;
  return made;
}

void machine::close_lane(lane* gone) {
  gone->closing = true;
  if (gone->pending.empty() && !gone->busy) retire(*gone);
}

void machine::retire(lane& gone) { retired_.push_back(gone.slot); }

std::uint32_t machine::label(const std::string& text) {
  const auto [at, fresh] = label_numbers_.try_emplace(text, static_cast<std::uint32_t>(labels.size()));
  if (fresh) labels.push_back(text);
  return at->second;
}

std::string machine::name(epoch which) const {
  const epoch_record* const known = epochs.find(which);
  return known ? labels[known->label] + " on stream " + std::to_string(known->stream) : "work of long ago";
}

std::string machine::describe(address at) {
  char text[200];
  arena* const where = memory.find(at);
  const block* const near = where ? where->last_before(at) : nullptr;
  if (!near) {
    std::snprintf(text, sizeof text, "0x%llx, which is in no block", at);
    return text;
  }
  const std::string of = where->kind == memory_kind::device    ? "cuda:" + std::to_string(where->device)
                         : where->kind == memory_kind::managed ? "managed memory"
                                                               : "pinned memory";
  const unsigned long long offset = at - near->at;
  if (offset < near->size)
    std::snprintf(text, sizeof text, "0x%llx, byte %llu of the block of %zu bytes at 0x%llx of %s", at, offset,
                  near->size, near->at, of.c_str());
  else
    std::snprintf(text, sizeof text,
                  "0x%llx, in no block: %llu bytes past the end of that of %zu bytes at 0x%llx of %s", at,
                  offset - near->size, near->size, near->at, of.c_str());
  return text;
}

void machine::report(const std::string& what) {
  const std::string line = "softgpu: " + what + "\n";
  std::fputs(line.c_str(), stderr);
  constexpr std::size_t enough = std::size_t{1} << 20;
  if (reports.size() < enough) reports += line;
}

void machine::report_race(const std::string& what) {
  ++races;
  report(what);
  if (config.abort_on_race) std::abort();
}

}  // namespace softgpu
