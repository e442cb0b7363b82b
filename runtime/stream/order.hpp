// Order between streams. Nothing is recorded while a program stays on one stream; when another stream meets a storage, an
// event is recorded behind the work in question (or one that is there is used again) and that stream waits for it.
#pragma once

#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace sinter::runtime {

/// What is enqueued on `waiting` from now on comes after the first `position` operations of `of`. Stream behaviour: the
/// host waits only where `waiting` is of a device that has none. In a capture: the graph's order, or that of its launches.
void order_after(stream_state& waiting, stream_state& of, std::uint64_t position);
/// After everything enqueued on `of` so far.
inline void order_after(stream_state& waiting, stream_state& of) { order_after(waiting, of, of.position()); }

/// Records an event behind what is enqueued on `of` so far, so that later questions about it are exact. Errors: as
/// device_impl::record.
void mark(stream_state& of);

/// Has the device come past the first `position` operations of `of`? Never waits.
bool reached(stream_state& of, std::uint64_t position);
/// Stream behaviour: waits until it has.
void wait_until_reached(stream_state& of, std::uint64_t position);
/// The same for callers that cannot throw: where no event can be had, the stream itself is waited for. What does not
/// wait either is a device that is lost, where nothing runs any more.
void wait_surely(stream_state& of, std::uint64_t position) noexcept;
/// Stream behaviour: waits for the events recorded so far. A stream that joins a capture has one in front of it.
void wait_for_marks(stream_state& of);

/// Makes a stream a part of a capture: marks what it has done, and begins to record what comes. From then on no event is
/// recorded for others' sake.
void join(stream_state& s, capture_state& c, stream_state& fork_of);

/// Gives up the events of a stream that no other will wait for any more.
void forget_marks(stream_state&) noexcept;

/// A state is about to get another native stream, which has waited for nothing.
void forget_waits(stream_state&);

/// A new event of a device, with a spare native handle where there is one.
event_ref make_event(device_impl&, event_options);

}  // namespace sinter::runtime
