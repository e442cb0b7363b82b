// What happens while a capture is under way. One thread captures, so nothing here takes a lock but what others may ask for
// at the same time.
#include "runtime/stream/capture.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include <sinter/error.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"
#include "runtime/stream/order.hpp"

namespace sinter::runtime {

using detail::storage;

namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

capture_state::capture_state(stream_state& begun_on) : origin(begun_on), number(next_number()) {}

capture_state::~capture_state() {
  for (const auto& [memory, use] : uses) unpin(*memory);
  for (storage* memory : own) unpin(*memory);
  for (const auto& [bytes, memory] : spare) unpin(*memory);
  for (const auto& [on, memory] : tickets) unpin(*memory);
  for (const auto& [on, memory] : words) unpin(*memory);
}

capture_state* capture_of(const stream_state& s) {
  capture_state* const c = s.capture.load(std::memory_order_acquire);
  if (c && c != chosen.capture) throw device_error("sinter: this stream is being captured by another thread");
  return c;
}

void join_capture(capture_state& c, stream_state& s) {
  const capture_state* const now = s.capture.load(std::memory_order_acquire);
  if (now == &c) return;
  if (now) throw device_error("sinter: a stream of one capture cannot be a part of another");
  if (&s.device != &c.origin.device)
    throw device_error("sinter: a stream of another device cannot be a part of this capture");
  if (s.device.asynchronous() && !s.handle)
    throw device_error("sinter: the default stream cannot be a part of a capture; use a stream of your own");
  // The driver ends a capture with an error as soon as any thread uses the default stream, if that has to wait for it.
  if (s.device.asynchronous() && !s.non_blocking)
    throw device_error(
        "sinter: a stream that waits for the default stream (non_blocking = false) cannot be a part of a capture");
  c.joined.reserve(c.joined.size() + 1);
  join(s, c, c.origin);
  retain(s);
  c.joined.push_back(&s);
}

void leave_capture(capture_state& c) noexcept {
  for (stream_state* s : c.joined) {
    s->capture.store(nullptr, std::memory_order_release);
    release(*s);
  }
  c.joined.clear();
  c.origin.capture.store(nullptr, std::memory_order_release);
}

void refuse_captured_storage() {
  throw device_error(
      "sinter: an array that is being made in a capture holds nothing yet; another thread or device can use it once "
      "the "
      "graph has been launched");
}

void depend(capture_state& c, stream_state& on, std::uint64_t position) {
  for (capture_state::dependency& d : c.dependencies) {
    if (d.on != &on) continue;
    d.position = std::max(d.position, position);
    return;
  }
  c.dependencies.push_back({&on, position});
}

void hold(capture_state& c, void* thing, void (*destroy)(void*) noexcept) {
  held_thing held(thing, destroy);
  c.held.push_back(std::move(held));
}

bool is_own(const capture_state& c, const storage& memory) noexcept {
  return c.own.contains(const_cast<storage*>(&memory));
}

namespace {

captured_use& use_of(capture_state& c, storage& memory) {
  const auto [at, is_new] = c.uses.try_emplace(&memory);
  if (is_new) pin(memory);
  return at->second;
}

void order_within(stream_state& on, stream_state* after) {
  if (after && after != &on) order_after(on, *after);
}

}  // namespace

bool read_captured(capture_state& c, storage& memory, stream_state& on) {
  if (is_own(c, memory)) return false;
  captured_use& use = use_of(c, memory);
  order_within(on, use.writer);
  if (std::find(use.readers.begin(), use.readers.end(), &on) == use.readers.end()) use.readers.push_back(&on);
  return true;
}

bool write_captured(capture_state& c, storage& memory, stream_state& on) {
  if (is_own(c, memory)) return false;
  captured_use& use = use_of(c, memory);
  order_within(on, use.writer);
  for (stream_state* r : use.readers) order_within(on, r);
  use.readers.clear();
  use.writer = &on;
  use.written = true;
  return true;
}

storage* reuse(capture_state& c, std::size_t bytes) {
  const auto at = c.spare.find(bytes);
  if (at == c.spare.end()) return nullptr;
  storage* const memory = at->second;
  c.own.insert(memory);
  c.spare.erase(at);
  memory->references = 1;
  pin(*memory);  // the one life of all references
  return memory;
}

void adopt(capture_state& c, storage& memory) {
  c.own.insert(&memory);
  pin(memory);
}

bool drop(capture_state& c, storage& memory) noexcept {
  if (c.thread != std::this_thread::get_id()) return false;
  const auto at = c.own.find(&memory);
  if (at == c.own.end()) return false;
  try {
    c.spare.emplace(memory.size, &memory);
  } catch (...) {
    return true;  // the host is out of memory: the block stays with the graph, unused
  }
  c.own.erase(at);
  return true;
}

std::string place_in_capture(const detail::where& place) {
  if (place.line != 0 || !chosen.capture || chosen.capture->last_statement.line == 0) return detail::at(place);
  const detail::where& last = chosen.capture->last_statement;
  return std::string(" (after ") + last.file + ":" + std::to_string(last.line) + ")";
}

void refuse_while_capturing(const stream_state& s, const char* what) {
  if (s.capture.load(std::memory_order_acquire)) [[unlikely]]
    refuse_captured_wait(what, {});
}

void refuse_captured_wait(const char* what, const detail::where& place) {
  throw device_error((std::string("sinter: ") + what +
                      " waits for the device, so it cannot be captured: nothing has run yet. Take it out of the "
                      "capture" +
                      place_in_capture(place))
                         .c_str());
}

}  // namespace sinter::runtime
