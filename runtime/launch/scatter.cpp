#include "runtime/launch/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "codegen/ir/complex_scalar.hpp"
#include "codegen/ir/scalar.hpp"
#include "runtime/launch/element_types.hpp"
#include "runtime/launch/form_kernels.hpp"
#include "runtime/launch/share.hpp"
#include "runtime/stream/kept_call.hpp"
#include "runtime/stream/operation.hpp"

namespace sinter::runtime {

namespace {

using codegen::scatter_fold;
using codegen::scatter_form;
using codegen::scatter_step;
namespace scalar = codegen::scalar;

// ---- in order, on the host

// Of two zeros max takes the positive one and min the other, as on a GPU. What is likely has no branches: whether it changes anything, or
// both are equal, would be guessed wrong.
template <class T, bool larger>
T extreme(T a, T b) {
  const T found = larger ? (a < b ? b : a) : (b < a ? b : a);
  if constexpr (scalar::real<T>) {
    if ((a != a) | (b != b)) [[unlikely]]
      return a != a ? a : b;
    if (found == 0 && a == b) [[unlikely]]
      return larger ? (std::signbit(a) ? b : a) : (std::signbit(a) ? a : b);
  }
  return found;
}

template <class T, class F>
void fold_all(const scattered& of, F f) {
  T* const out = static_cast<T*>(of.out);
  const T* const values = static_cast<const T*>(of.values);
  if (of.run == 1 && of.repeats) {
    const T value = values[0];
    for (std::int64_t i = 0; i < of.count; ++i) out[of.at[i]] = f(out[of.at[i]], value);
    return;
  }
  if (of.run == 1) {
    for (std::int64_t i = 0; i < of.count; ++i) out[of.at[i]] = f(out[of.at[i]], values[i]);
    return;
  }
  for (std::int64_t i = 0; i < of.count; i += of.run) {
    T* const to = out + of.at[i / of.run];
    const T* const from = values + (of.repeats ? 0 : i);
    for (std::int64_t k = 0; k < of.run; ++k) to[k] = f(to[k], from[k]);
  }
}

void move_runs(const scattered& of) {
  const std::int64_t bytes = of.run * itemsize(of.type);
  for (std::int64_t i = 0; i * of.run < of.count; ++i)
    std::memcpy(static_cast<std::byte*>(of.out) + of.at[i] * itemsize(of.type),
                static_cast<const std::byte*>(of.values) + (of.repeats ? 0 : i * bytes),
                static_cast<std::size_t>(bytes));
}

template <class T>
void fold_of_elements(const scattered& of) {
  switch (of.fold) {
    case scatter_fold::last: return fold_all<T>(of, [](T, T b) { return b; });
    case scatter_fold::max: return fold_all<T>(of, extreme<T, true>);
    case scatter_fold::min: return fold_all<T>(of, extreme<T, false>);
    default: return fold_all<T>(of, [](T a, T b) { return scalar::wrap<T>(a, b, std::plus<>{}); });
  }
}

template <class C>
void add_or_move(const scattered& of) {
  if (of.fold == scatter_fold::last) return fold_all<C>(of, [](C, C b) { return b; });
  fold_all<C>(of, codegen::complex_scalar::add<C>);
}

void fold_in_order(void* with) noexcept {
  const auto& of = *static_cast<const scattered*>(with);
  if (of.fold == scatter_fold::last && of.run > 1) return move_runs(of);
  if (detail::is_short_floating(of.type))
    return fold_all<std::uint16_t>(of, [](std::uint16_t, std::uint16_t b) { return b; });
  with_number(of.type, [&](auto element) {
    using T = typename decltype(element)::type;
    if constexpr (std::is_arithmetic_v<T>) fold_of_elements<T>(of);
    else add_or_move<T>(of);
  });
}

void scatter_on_host(const scattered& of, stream_state& on) { call_with(&fold_in_order, of, on); }

// ---- on a GPU

scatter_form form_of(const scattered& of) {
  scatter_fold fold = of.fold;
  if (of.type == dtype::bool_ && (fold == scatter_fold::add || fold == scatter_fold::sum)) fold = scatter_fold::max;
  if (fold == scatter_fold::sum && !detail::is_inexact(of.type)) fold = scatter_fold::add;
  return codegen::form_of_scatter(fold, of.type, of.count, of.elements);
}

loaded_kernel kernel_of(const scatter_form& f, device_impl& on) {
  static auto& all = *new form_kernels<scatter_form>;
  return all.find(f, on, codegen::scatter_text);
}

void scatter_on_gpu(const scattered& of, void* notes, stream_state& on) {
  constexpr std::int64_t threads = 256, blocks_at_once = 8, most_blocks = 32;  // of a multiprocessor
  const scatter_form form = form_of(of);
  const loaded_kernel code = kernel_of(form, on.device);
  const bool by_element = of.elements <= 4 * of.count;
  const int part_size = itemsize(detail::real_part_of(of.type));
  for (int part = 0; part < codegen::parts_of(form); ++part)
    for (const scatter_step step : codegen::steps_of(form)) {
      const bool of_elements = by_element && (step == scatter_step::clear || step == scatter_step::finish);
      const std::int64_t work = form.fold == scatter_fold::sum && of_elements ? of.elements : of.count;
      const bool few =
          form.few != 0 && !of_elements;  // each block goes through its own elements at its beginning and end
      geometry g;
      g.block[0] = threads;
      g.grid[0] = static_cast<unsigned>(
          std::min(divide_up(work, threads), (few ? blocks_at_once : most_blocks) * on.device.multiprocessors()));
      const codegen::scatter_arguments block{static_cast<std::byte*>(of.out) + part * part_size,
                                             of.at,
                                             static_cast<const std::byte*>(of.values) + part * part_size,
                                             notes,
                                             of.count,
                                             of.elements,
                                             codegen::term_bits(of.count),
                                             by_element,
                                             step};
      on.device.launch(code, g, &block, offsetof(codegen::scatter_arguments, step) + sizeof step, on);
    }
}

bool is_gpu(const device_impl& d) { return d.dialect() == codegen::dialect::cuda; }

}  // namespace

bool scatters_runs(const device_impl& on) { return !is_gpu(on); }

std::size_t scatter_notes(const scattered& of, const device_impl& on) {
  return is_gpu(on) ? static_cast<std::size_t>(of.elements * codegen::note_size(form_of(of))) : 0;
}

void scatter(const scattered& of, void* notes, stream_state& on) {
  if (is_gpu(on.device)) scatter_on_gpu(of, notes, on);
  else scatter_on_host(of, on);
}

}  // namespace sinter::runtime
