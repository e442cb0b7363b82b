// Calls of libraries: what an expression holds of one, and what a library is asked to do with arrays.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "codegen/ir/resolve.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/launch/launch.hpp"

namespace sinter::runtime {

using call_operands = std::span<const detail::array_node* const>;
using call_results = std::span<detail::array_node* const>;
/// The nodes, or the arrays, of all results of a call; empty ones behind them.
using result_handles = std::array<detail::handle, detail::call_site::most_results>;

/// What is known of a result before the call is made.
struct result_type {
  dtype type = dtype::float64;
  shape extents;
};

/// What is made of a call's only result before it is stored: of_result * it + of_addend * addend, which broadcasts to it.
struct call_ending {
  double of_result = 1;
  const detail::array_node* addend = nullptr;  // null: nothing is added
  double of_addend = 0;
};

/// One call: its parameters, without its operands. It is made once and never changes.
class library_call {
 public:
  library_call(dtype t, const shape& s) : library_call(std::initializer_list<result_type>{{t, s}}) {}
  explicit library_call(std::initializer_list<result_type> all) : result_count(static_cast<int>(all.size())) {
    int i = 0;
    for (const result_type& r : all) results[i++] = r;
  }
  library_call(const library_call&) = delete;
  virtual ~library_call() = default;

  /// As `explain` and messages name it.
  virtual std::string name() const = 0;
  /// Is an operand's layout one that the call reads as it is? Other operands are copied first, into C order.
  virtual bool takes(const detail::array_node&, [[maybe_unused]] int operand) const { return false; }
  /// Does it read an array without gaps as well where its last two axes have changed places?
  virtual bool takes_transposes() const { return false; }
  /// Enqueues it. All operands are of the stream's device; the results are in C order, and overlap none of them.
  virtual void enqueue(call_operands, call_results made, stream_state& on) const = 0;
  /// Can it do that on the way?
  virtual bool ends_with(const call_ending&) const { return false; }
  /// The same as `enqueue` where it can. The result may lie where the addend does, element upon element.
  virtual void enqueue_ending(call_operands, const call_ending&, call_results, stream_state&) const {}
  /// Is it a Fourier transform along the last axis of which a GPU's kernels are capable?
  virtual codegen::fourier in_kernels() const { return codegen::fourier::none; }

  result_type results[detail::call_site::most_results];
  const int result_count;
};

/// Nodes for the results of a call, which they own together from then on.
result_handles make_calls(std::unique_ptr<const library_call>, std::initializer_list<detail::handle> operands);
/// The same of a C made of arguments. Errors: `out_of_memory`.
template <class C, class... A>
result_handles make_calls(std::initializer_list<detail::handle> operands, const A&... arguments) try {
  return make_calls(std::make_unique<C>(arguments...), operands);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}
/// A node for a call with one result.
template <class C, class... A>
detail::handle make_call(std::initializer_list<detail::handle> operands, const A&... arguments) {
  return make_calls<C>(operands, arguments...)[0];
}
/// An operand as an array that its call takes: what stands for it, or itself; else null.
const detail::array_node* operand_of(const detail::call_node&, int number, const codegen::stand_ins& known);

/// As codegen::part_evaluator::computed_for.
const detail::typed_node* computed_for(const detail::call_node&, int number);
/// The transpose of an array that stands for what an operand is the transpose of; else null.
detail::handle transposed_operand(const detail::call_node&, int number, const codegen::stand_ins& known);

/// Makes the call that a node is a result of, and gives all of its results. They are kept for later, unless a graph is being made
/// or the only one is written into an array that is there already: `into`, or null. With an ending, or null, what is given is what that
/// makes of the result, and nothing is kept. Errors: `device_error` for operands of several devices; the library's.
result_handles call(const detail::call_node&, call_operands, detail::array_node* into, const call_ending*);
/// What its call gave before; null where it has not been made.
detail::handle recalled(const detail::call_node&);
/// Can a kernel make a call that has one owner, with what is around it? Not where the result is there, nor in strict mode, where what is
/// fused has the bits of what is not.
codegen::fourier transformed_in_kernels(const detail::call_node&, const device_impl&);
inline constexpr codegen::device_ways device_ways{keeps_work, transformed_in_kernels};
/// Of a call whose nodes have gone.
void drop(detail::call_site*) noexcept;

}  // namespace sinter::runtime
