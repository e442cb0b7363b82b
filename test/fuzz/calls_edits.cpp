// Elements put between others, truth as bits and back, and correlations long enough to be shared out in blocks.
#include <sinter/bits.hpp>
#include <sinter/edit.hpp>
#include <sinter/signal.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

constexpr convolve_mode modes[] = {convolve_mode::full, convolve_mode::same, convolve_mode::valid};
constexpr const char* mode_names[] = {"full", "same", "valid"};
constexpr bit_order orders[] = {bit_order::big, bit_order::little};
constexpr const char* order_names[] = {"big", "little"};

maybe correlate_gives(const step& s, const outlines& of) {
  const std::int64_t n = of[0].extents.elements(), m = of[1].extents.elements();
  const dtype type = detail::promote(of[0].type, of[1].type);
  if (n == 0 || m == 0 || n > 2000 || m > 2000 || n * m > 1'000'000 || type == dtype::bool_) return {};
  switch (chosen(modes, small(s, 0))) {
    case convolve_mode::full: return flat(type, n + m - 1);
    case convolve_mode::same: return flat(type, std::max(n, m));
    default: return flat(type, std::max(n, m) - std::min(n, m) + 1);
  }
}

const call_row rows[] = {
    {"insert", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] < small(s, 0)) return {};
       return along(s, of[0], of[0].type, of[0].extents[axis_of(s)] + 1);
     },
     [](const step& s, const handles& o, dtype type) {
       const handle number = number_node(type, small(s, 1));
       return detail::make_inserted(o[0].get(), &s.extents[0], 1, false, number.get(), axis_of(s));
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("insert", o, ", " + text(small(s, 0)) + ", " + text(small(s, 1)) + ", " + axis_text(s));
     },
     [](const step& s, const texts& o, dtype) {
       return "np.insert(" + o[0] + ", " + text(small(s, 0)) + ", " + text(small(s, 1)) + ", " + axis_text(s) + ")";
     }},
    {"packbits", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       return has_axis(s, of[0]) ? along(s, of[0], dtype::uint8, (of[0].extents[axis_of(s)] + 7) / 8) : maybe();
     },
     [](const step& s, const handles& o, dtype) {
       return with_type(type_of(o[0]), [&](auto t) -> detail::node* {
         return packbits(typed<decltype(t)>(o[0]), axis_of(s), chosen(orders, small(s, 0))).share();
       });
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("packbits", o, ", " + axis_text(s) + ", bit_order::" + chosen(order_names, small(s, 0)));
     },
     [](const step& s, const texts& o, dtype) {
       return "np.packbits(" + cast_text(o[0], dtype::bool_) + ", axis=" + axis_text(s) + ", bitorder=\"" +
              chosen(order_names, small(s, 0)) + "\")";
     }},
    {"unpackbits", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].type != dtype::uint8 || elements_of(of[0]) > 4000) return {};
       return along(s, of[0], dtype::uint8, of[0].extents[axis_of(s)] * 8);
     },
     [](const step& s, const handles& o, dtype) {
       return unpackbits(typed<std::uint8_t>(o[0]), axis_of(s), chosen(orders, small(s, 0))).share();
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("unpackbits", o, ", " + axis_text(s) + ", bit_order::" + chosen(order_names, small(s, 0)));
     },
     [](const step& s, const texts& o, dtype) {
       return "np.unpackbits(" + o[0] + ", axis=" + axis_text(s) + ", bitorder=\"" + chosen(order_names, small(s, 0)) +
              "\")";
     }},
    {"correlate", 2, closeness::sums, correlate_gives,
     [](const step& s, const handles& o, dtype) {
       return detail::make_correlated(raveled(o[0]), raveled(o[1]), chosen(modes, small(s, 0)),
                                      detail::convolution::numpy, convolve_method::direct);
     },
     [](const step& s, const texts& o, dtype) {
       return "correlate(" + o[0] + ".ravel(), " + o[1] +
              ".ravel(), convolve_mode::" + chosen(mode_names, small(s, 0)) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       return "np.correlate(" + o[0] + ".ravel(), " + o[1] + ".ravel(), \"" + chosen(mode_names, small(s, 0)) +
              "\").astype(" + type_text(result) + ")";
     }},
};

}  // namespace

std::span<const call_row> edit_rows() { return rows; }

}  // namespace sinter::fuzz
