// Counts, weighted means, covariances, values between points, and whole numbers drawn.
#include <sinter/create.hpp>
#include <sinter/detail/linalg.hpp>
#include <sinter/histogram.hpp>
#include <sinter/random.hpp>
#include <sinter/search.hpp>
#include <sinter/statistics.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

std::int64_t bins_of(const step& s) { return 1 + small(s, 0) * 3; }
/// Any integers as bins.
handle binned(const handle& h, std::int64_t bins) {
  return with_type(type_of(h), [&](auto t) {
    return handle((astype<std::int64_t>(typed<decltype(t)>(raveled(h))) % bins).share());
  });
}
std::string cpp_binned(const std::string& of, std::int64_t bins) {
  return "astype<std::int64_t>(" + of + ".ravel()) % " + text(bins) + "LL";
}
std::string python_binned(const std::string& of, std::int64_t bins) {
  return "np.remainder(sn.astype(" + of + ", np.int64).ravel(), " + text(bins) + ")";
}
scale sums_of_all(const step&, const outlines& of) { return {4 * elements_of(of[0]), elements_of(of[0])}; }

constexpr dtype whole_types[] = {dtype::int64, dtype::int8, dtype::uint32, dtype::uint64};
constexpr const char* whole_names[] = {"std::int64_t", "std::int8_t", "std::uint32_t", "std::uint64_t"};

/// From -k to k, as doubles: where the points of a function lie.
std::int64_t points_of(const outline& o) { return o.extents.elements(); }

const call_row rows[] = {
    {"bincount", 1, closeness::exact,
     [](const step& s, const outlines& of) {
       return detail::is_integer(of[0].type) ? flat(dtype::int64, bins_of(s)) : maybe();
     },
     [](const step& s, const handles& o, dtype) {
       return detail::make_bincount(binned(o[0], bins_of(s)), {}, bins_of(s));
     },
     [](const step& s, const texts& o, dtype) {
       return "bincount(" + cpp_binned(o[0], bins_of(s)) + ", " + text(bins_of(s)) + ")";
     },
     [](const step& s, const texts& o, dtype) {
       return "np.bincount(" + python_binned(o[0], bins_of(s)) + ", minlength=" + text(bins_of(s)) + ")";
     }},
    {"bincount by weights", 2, closeness::tamed,
     [](const step& s, const outlines& of) -> maybe {
       if (!detail::is_integer(of[0].type) || of[0].extents.elements() != of[1].extents.elements()) return {};
       return detail::is_complex(of[1].type) ? maybe() : flat(dtype::float64, bins_of(s));
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_bincount(binned(o[0], bins_of(s)), raveled(tamed(o[1], result)), bins_of(s));
     },
     [](const step& s, const texts& o, dtype result) {
       return "bincount(" + cpp_binned(o[0], bins_of(s)) + ", " + cpp_tamed(o[1], result) + ".ravel(), " +
              text(bins_of(s)) + ")";
     },
     [](const step& s, const texts& o, dtype result) {
       return "np.bincount(" + python_binned(o[0], bins_of(s)) + ", " + python_tamed(o[1], result) +
              ".ravel(), minlength=" + text(bins_of(s)) + ").astype(float)";  // of nothing NumPy's are integers
     },
     sums_of_all},
    {"histogram", 1, closeness::exact,
     [](const step& s, const outlines& of) {
       return detail::is_complex(of[0].type) ? maybe() : flat(dtype::int64, bins_of(s));
     },
     [](const step& s, const handles& o, dtype result) {
       const detail::histogram_parts made = detail::make_histogram(
           cast(o[0], dtype::float64), {}, bins_of(s), result, {.range = {-4, 4.0 + static_cast<double>(small(s, 1))}});
       const handle edges(made.edges);
       return made.counts;
     },
     [](const step& s, const texts& o, dtype) {
       return "histogram(" + o[0] + ", " + text(bins_of(s)) + ", {.range = {-4, " + text(4 + small(s, 1)) +
              "}}).counts";
     },
     [](const step& s, const texts& o, dtype) {
       return "fz.histogram(" + o[0] + ", " + text(bins_of(s)) + ", (-4, " + text(4 + small(s, 1)) + "))";
     }},
    {"average", 2, closeness::tamed,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || !(of[0].extents == of[1].extents) || of[0].extents[axis_of(s)] == 0) return {};
       return without_axis(s, of[0], detail::solved_dtype(promoted(of)));
     },
     [](const step& s, const handles& o, dtype result) {
       const handle weights = apply(op::add, {number_node(result, 2), tamed(o[1], result)});
       return detail::make_average(tamed(o[0], result), weights, result, {.axis = axis_of(s)});
     },
     [](const step& s, const texts& o, dtype result) {
       return "average(" + cpp_tamed(o[0], result) + ", 2 + " + cpp_tamed(o[1], result) + ", {.axis = " + axis_text(s) +
              "})";
     },
     [](const step& s, const texts& o, dtype result) {
       return "np.average(" + python_tamed(o[0], result) + ", " + axis_text(s) + ", 2 + " + python_tamed(o[1], result) +
              ")";
     },
     [](const step& s, const outlines& of) -> scale {
       return {16 * static_cast<double>(of[0].extents[axis_of(s)]), 4};
     }},
    {"cov", 1, closeness::tamed,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].extents.size() != 2 || of[0].extents[1] < 2 || of[0].extents[0] < 2 || of[0].extents[0] > 40)
         return {};
       return outline{detail::is_complex(of[0].type) ? dtype::complex128 : dtype::float64,
                      shape{of[0].extents[0], of[0].extents[0]}};
     },
     [](const step&, const handles& o, dtype result) {
       return detail::make_covariance(tamed(o[0], result), {}, result, {});
     },
     [](const step&, const texts& o, dtype result) { return "cov(" + cpp_tamed(o[0], result) + ")"; },
     [](const step&, const texts& o, dtype result) { return "np.cov(" + python_tamed(o[0], result) + ")"; },
     [](const step&, const outlines& of) -> scale {
       return {16 * static_cast<double>(of[0].extents[1]), 4};
     }},
    {"interp", 2, closeness::tamed,
     [](const step&, const outlines& of) -> maybe {
       const std::int64_t n = points_of(of[1]);
       if (n == 0 || n > 400 || detail::is_complex(of[0].type)) return {};
       return outline{detail::is_complex(of[1].type) ? dtype::complex128 : dtype::float64, of[0].extents};
     },
     [](const step&, const handles& o, dtype result) {
       const std::int64_t n = shape_of(o[1]).elements();
       return detail::make_interp(o[0], handle((arange<double>(n) - static_cast<double>(n / 2)).share()),
                                  raveled(tamed(o[1], result)), result, {});
     },
     [](const step&, const texts& o, dtype result) {
       const std::string n = o[1] + ".size()";
       return "interp(" + o[0] + ", arange<double>(" + n + ") - double(" + n + " / 2), " + cpp_tamed(o[1], result) +
              ".ravel())";
     },
     [](const step&, const texts& o, dtype result) {
       return "fz.interp(" + o[0] + ", " + python_tamed(o[1], result) + ".ravel())";
     },
     [](const step&, const outlines& of) -> scale {
       return {16 * elements_of(of[1]), 2};
     }},
    {"integers", 1, closeness::drawn,
     [](const step& s, const outlines& of) {
       return maybe({chosen(whole_types, small(s, 1)), of[0].extents});
     },
     [](const step& s, const handles& o, dtype result) {
       random::generator rng(small(s, 0));
       return with_one_of<std::int64_t, std::int8_t, std::uint32_t, std::uint64_t>(
           result, [&](auto t) { return rng.template integers<decltype(t)>(shape_of(o[0]), 1, 100).share(); });
     },
     [](const step& s, const texts& o, dtype) {
       return "random::generator(" + text(small(s, 0)) + ").integers<" + chosen(whole_names, small(s, 1)) + ">(" +
              o[0] + ".shape(), 1, 100)";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.zeros(" + o[0] + ".shape, " + type_text(result) + ")";
     }},
};

}  // namespace

std::span<const call_row> count_rows() { return rows; }

}  // namespace sinter::fuzz
