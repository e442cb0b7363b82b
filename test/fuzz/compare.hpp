// What counts as the same. Of one step, given the same operands, how far two results may be apart follows from the bound in
// the operation's row, or from the error that adding in another order can make; so a difference is a mistake, however
// wildly the program as a whole magnifies roundings.
#pragma once

#include <string>

#include "test/fuzz/program.hpp"

namespace sinter::fuzz {

/// A value on the host, in C order.
struct snapshot {
  dtype type = dtype::float32;
  shape extents;
  std::vector<std::byte> elements{};
};

/// "" where the bits are the same, any NaN being any other; else the first difference.
std::string bits_differ(const snapshot& got, const snapshot& wanted);

/// Who made the other result of a step.
enum class judge {
  device,  // Sinter on another device
  numpy,   // has error bounds of its own
};
/// "" where both can be what `step` gives of `operands` (in the order of the step's, numbers left out), computed apart.
std::string step_differs(const step&, const std::vector<snapshot>& operands, const snapshot& got,
                         const snapshot& wanted, judge);

/// Is what a step gives the same however its sums are ordered, and whether or not a product is rounded before it is added?
bool is_exact(const step&, const std::vector<snapshot>& operands, const snapshot& result);

/// How far the elements of a step may be from the same computed in another order, with other operands: 0 is the same bits, and infinite
/// anything. `own`: as little as the step itself leaves open; and with operands that may be `slack` off themselves.
long double own_slack(const step&, const std::vector<snapshot>& operands, const snapshot& result, bool strict);
long double slack_of(const step&, const std::vector<snapshot>& operands, const std::vector<long double>& slack,
                     const snapshot& result, bool strict);
/// "" where no element is farther off; else the first difference.
std::string differ_by_more(const snapshot& got, const snapshot& wanted, long double slack);

/// What a store into `target` leaves there, element by element. `places`: the C order numbers of the elements that it
/// names, as an int64 array of their shape; `value`: of the target's dtype, broadcasting to that shape, as does a mask.
snapshot stored_by_hand(const snapshot& target, const snapshot& places, const snapshot& value,
                        const std::optional<snapshot>& mask = {});

/// A store done by hand, and how far each element may be from it. None: the bits are the same.
struct hand_made {
  snapshot value;
  std::vector<long double> bounds{};
};
/// The same of a store that combines values for one element, by `code`.
hand_made combined_by_hand(const snapshot& target, const snapshot& places, const snapshot& value, op code);
std::string store_differs(const snapshot& got, const hand_made& wanted);
/// What `step_differs` says of a store.
std::string store_differs(const step&, const std::vector<snapshot>& operands, const snapshot& got,
                          const snapshot& wanted);

/// The i-th element as text, for messages.
std::string text_of(const snapshot&, std::int64_t i);

}  // namespace sinter::fuzz
