// Fourier transforms, and filters.
#include <cmath>

#include <sinter/fft.hpp>
#include <sinter/filters.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;
using fft::transform;

dtype real_of(dtype t) {
  return detail::widened(detail::real_part_of(t)) == dtype::float32 ? dtype::float32 : dtype::float64;
}
dtype complex_of(dtype t) { return real_of(t) == dtype::float32 ? dtype::complex64 : dtype::complex128; }

constexpr fft::norm norms[] = {fft::norm::backward, fft::norm::ortho, fft::norm::forward};
constexpr const char* norm_names[] = {"backward", "ortho", "forward"};

/// Points along the axis: as many as there are, more, or fewer. What comes back from half of them has twice as many.
std::int64_t points_of(const step& s, const outline& of, bool halved) {
  const std::int64_t there = of.extents[axis_of(s)], n = halved ? 2 * (there - 1) : there;
  return small(s, 0) == 1 ? n + 3 : small(s, 0) == 2 ? std::max<std::int64_t>(n / 2, 1) : n;
}
/// The interpreter computes a transform by its definition.
bool takes_too_long(const outline& of, std::int64_t n) { return elements_of(of) * static_cast<double>(n) > 3e7; }
maybe transform_gives(const step& s, const outlines& of, transform what) {
  if (!has_axis(s, of[0])) return {};
  const bool to_real = what == transform::to_real, from_real = what == transform::from_real;
  const std::int64_t n = points_of(s, of[0], to_real);
  if (n < 1 || of[0].extents.elements() == 0 || (from_real && detail::is_complex(of[0].type))) return {};
  if (takes_too_long(of[0], n)) return {};
  return along(s, of[0], to_real ? real_of(of[0].type) : complex_of(of[0].type), from_real ? n / 2 + 1 : n);
}
const char* function_of(transform what) {
  static constexpr const char* names[] = {"fft", "ifft", "rfft", "irfft"};
  return names[static_cast<int>(what)];
}
std::string cpp_points(const step& s, const std::string& of, bool halved) {
  const std::string there = of + ".shape()[" + axis_text(s) + "]", n = halved ? "2 * (" + there + " - 1)" : there;
  return small(s, 0) == 1 ? n + " + 3" : small(s, 0) == 2 ? "std::max<std::int64_t>(" + n + " / 2, 1)" : n;
}

template <transform what>
constexpr call_row row_of_transform() {
  constexpr bool to_real = what == transform::to_real, back = what == transform::inverse || to_real;
  return {"transform",
          1,
          closeness::products,
          [](const step& s, const outlines& of) { return transform_gives(s, of, what); },
          [](const step& s, const handles& o, dtype) {
            const std::int64_t n = points_of(s, {type_of(o[0]), shape_of(o[0])}, to_real);
            return detail::make_transform(o[0], what, {{n}, axis_of(s), chosen(norms, small(s, 1))});
          },
          [](const step& s, const texts& o, dtype) {
            return std::string("fft::") + function_of(what) + "(" + o[0] + ", {.n = " + cpp_points(s, o[0], to_real) +
                   ", .axis = " + axis_text(s) + ", .norm = fft::norm::" + chosen(norm_names, small(s, 1)) + "})";
          },
          [](const step& s, const texts& o, dtype result) {
            return std::string("fz.transform(np.fft.") + function_of(what) + ", " + o[0] + ", " + text(small(s, 0)) +
                   ", " + axis_text(s) + ", \"" + chosen(norm_names, small(s, 1)) + "\", " + type_text(result) + ")";
          },
          [](const step& s, const outlines& of) -> scale {
            const auto n = static_cast<double>(points_of(s, of[0], to_real));
            const fft::norm norm = chosen(norms, small(s, 1));
            const bool divides = norm == (back ? fft::norm::backward : fft::norm::forward);
            return {8 * std::log2(n + 2), 2 * (norm == fft::norm::ortho ? std::sqrt(n) : divides ? 1 : n)};
          }};
}

// ---- of the last two axes

maybe plane_gives(const step&, const outlines& of) {
  if (of[0].extents.size() < 2 || of[0].extents.elements() == 0) return {};
  if (takes_too_long(of[0], last(of[0]) + last(of[0], 2))) return {};
  return outline{complex_of(of[0].type), of[0].extents};
}
scale plane_scaled(const step&, const outlines& of) {
  const double n = static_cast<double>(last(of[0])) * static_cast<double>(last(of[0], 2));
  return {8 * std::log2(n + 2), n};
}

// ---- filters, with denominators whose feedback dies away

maybe filter_gives(const step& s, const outlines& of) {
  if (!has_axis(s, of[0])) return {};
  return along(s, of[0], detail::filtered_dtype({dtype::float32, of[0].type}), of[0].extents[axis_of(s)]);
}
constexpr float over[] = {0.5f, 0.25f, -0.125f}, under[] = {1, -0.5f, 0.125f},
                sections[] = {0.5f, 0.25f, 0, 1, -0.5f, 0, 1, 0.5f, 0, 1, 0.25f, 0};
handle list_of(const float* from, const std::vector<std::int64_t>& extents) {
  return handle(detail::make_from_host(dtype::float32, listed(extents), from));
}
constexpr const char* cpp_over = "array<float>{0.5f, 0.25f, -0.125f}";
constexpr const char* cpp_under = "array<float>{1, -0.5f, 0.125f}";
constexpr const char* cpp_sections = "array<float>{{0.5f, 0.25f, 0, 1, -0.5f, 0}, {1, 0.5f, 0, 1, 0.25f, 0}}";

maybe convolved_gives(const step&, const outlines& of) {
  const std::int64_t n = of[0].extents.elements(), m = of[1].extents.elements();
  const dtype type = detail::filtered_dtype({of[0].type, of[1].type});
  return n == 0 || m == 0 || n > 400 || m > 400 ? maybe() : flat(type, n + m - 1);
}

const call_row rows[] = {
    row_of_transform<transform::forward>(),
    row_of_transform<transform::inverse>(),
    row_of_transform<transform::from_real>(),
    row_of_transform<transform::to_real>(),
    {"fft2", 1, closeness::products, plane_gives,
     [](const step&, const handles& o, dtype) {
       return detail::make_transform(o[0], transform::forward, {{}, {-2, -1}, fft::norm::backward});
     },
     [](const step&, const texts& o, dtype) { return cpp_call("fft::fft2", o); },
     [](const step&, const texts& o, dtype result) {
       return "fz.transform(np.fft.fft2, " + o[0] + ", 0, (-2, -1), \"backward\", " + type_text(result) + ")";
     },
     plane_scaled},
    {"fftconvolve", 2, closeness::products, convolved_gives,
     [](const step&, const handles& o, dtype) {
       return detail::make_fft_convolved(raveled(o[0]), raveled(o[1]), convolve_mode::full, axes::all().list(), false);
     },
     [](const step&, const texts& o, dtype) {
       return "signal::fftconvolve(" + o[0] + ".ravel(), " + o[1] + ".ravel())";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.convolve(" + cast_text(o[0], result) + ".ravel(), " + cast_text(o[1], result) + ".ravel())";
     },
     [](const step&, const outlines& of) -> scale {
       const double n = elements_of(of[0]) + elements_of(of[1]);
       return {16 * std::log2(n + 2), std::sqrt(elements_of(of[0]) * elements_of(of[1]))};
     }},
    {"lfilter", 1, closeness::products, filter_gives,
     [](const step& s, const handles& o, dtype result) {
       return detail::make_filtered(list_of(over, {3}), list_of(under, {3}), o[0], {}, result, axis_of(s)).first.take();
     },
     [](const step& s, const texts& o, dtype) {
       return std::string("signal::lfilter(") + cpp_over + ", " + cpp_under + ", " + o[0] + ", " + axis_text(s) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       return "fz.lfilter([0.5, 0.25, -0.125], [1, -0.5, 0.125], " + o[0] + ", " + axis_text(s) + ", " +
              type_text(result) + ")";
     },
     [](const step&, const outlines&) -> scale {
       return {32, 4};
     }},
    {"sosfilt", 1, closeness::products, filter_gives,
     [](const step& s, const handles& o, dtype result) {
       return detail::make_sections_filtered(list_of(sections, {2, 6}), o[0], {}, result, axis_of(s)).first.take();
     },
     [](const step& s, const texts& o, dtype) {
       return std::string("signal::sosfilt(") + cpp_sections + ", " + o[0] + ", " + axis_text(s) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       return "fz.sosfilt([[0.5, 0.25, 0, 1, -0.5, 0], [1, 0.5, 0, 1, 0.25, 0]], " + o[0] + ", " + axis_text(s) + ", " +
              type_text(result) + ")";
     },
     [](const step&, const outlines&) -> scale {
       return {64, 8};
     }},
};

}  // namespace

std::span<const call_row> transform_rows() { return rows; }

}  // namespace sinter::fuzz
