#include <sinter/differences.hpp>
#include <sinter/random.hpp>
#include <sinter/scan.hpp>
#include <sinter/search.hpp>
#include <sinter/select.hpp>
#include <sinter/signal.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

template <class Draw>
detail::node* drawn(const step& s, dtype result, Draw&& draw) {
  random::generator rng(small(s, 0));
  return with_type(result, [&](auto t) -> detail::node* {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      return draw.template operator()<T>(rng).share();
    else return nullptr;
  });
}
maybe draw_like(const step& s, const outlines& of) {
  return outline{small(s, 1) % 2 ? dtype::float32 : dtype::float64, of[0].extents};
}
std::string draw_text(const char* what, const step& s, const texts& o, dtype result) {
  return "random::generator(" + text(small(s, 0)) + ")." + what + "<" +
         (result == dtype::float32 ? "float" : "double") + ">(" + o[0] + ".shape())";
}
// NumPy has other numbers; batch.py is given these.
std::string no_python(const step&, const texts& o, dtype result) {
  return "np.zeros(" + o[0] + ".shape, " + type_text(result) + ")";
}

// Conditions by truth, and parts as what they promote to.
detail::node* run_select(const step&, const handles& o, dtype result) {
  const handle conditions[] = {cast(o[0], dtype::bool_), cast(o[1], dtype::bool_)};
  const handle parts[] = {cast(o[2], result), cast(o[3], result)};
  detail::node *const which[] = {conditions[0].get(), conditions[1].get()}, *const of[] = {parts[0].get(),
                                                                                           parts[1].get()};
  const handle otherwise(detail::make_number(result, {}));
  return detail::make_selected(which, 2, of, 2, otherwise.get());
}
detail::node* run_choose(const step&, const handles& o, dtype result) {
  const handle index = index_into(o[0], 1), parts[] = {cast(o[1], result), cast(o[2], result)};
  detail::node* const of[] = {parts[0].get(), parts[1].get()};
  return detail::make_chosen(index.get(), of, 2, index_mode::wrap);
}
// What is searched is in order: a running maximum.
dtype searched_type(const dtype a, const dtype b) { return detail::promote(a, b); }
detail::node* run_search(const step& s, const handles& o, dtype) {
  const dtype type = searched_type(type_of(o[0]), type_of(o[1]));
  const handle sorted(detail::make_flat_scan(cast(o[0], type).get(), detail::reduction::max, type));
  return detail::make_search(sorted, cast(o[1], type), small(s, 0) % 2 ? search_side::right : search_side::left,
                             nullptr);
}

const call_row rows[] = {
    {"diff", 1, closeness::differences,
     [](const step& s, const outlines& of) -> maybe {
       return has_axis(s, of[0]) ? along(s, of[0], of[0].type, std::max<std::int64_t>(of[0].extents[axis_of(s)] - 1, 0))
                                 : maybe();
     },
     [](const step& s, const handles& o, dtype) { return detail::make_diff(o[0], {.n = 1, .axis = axis_of(s)}); },
     [](const step& s, const texts& o, dtype) { return cpp_call("diff", o, ", 1, " + axis_text(s)); },
     [](const step& s, const texts& o, dtype) { return "np.diff(" + o[0] + ", 1, " + axis_text(s) + ")"; }},
    {"ediff1d", 1, closeness::differences,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].type == dtype::bool_) return {};
       return flat(of[0].type, std::max<std::int64_t>(of[0].extents.elements() - 1, 0));
     },
     [](const step&, const handles& o, dtype) { return detail::make_ediff1d(o[0], {}); },
     [](const step&, const texts& o, dtype) { return cpp_call("ediff1d", o); },
     [](const step&, const texts& o, dtype) { return "np.ediff1d(" + o[0] + ")"; }},
    {"rot90", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       if (of[0].extents.size() < 2) return {};
       outline to = of[0];
       if (small(s, 0) % 2) std::swap(to.extents[0], to.extents[1]);
       return to;
     },
     [](const step& s, const handles& o, dtype) {
       return detail::make_rot90(o[0].get(), static_cast<int>(small(s, 0)));
     },
     [](const step& s, const texts& o, dtype) { return cpp_call("rot90", o, ", " + text(small(s, 0))); },
     [](const step& s, const texts& o, dtype) { return "np.rot90(" + o[0] + ", " + text(small(s, 0)) + ").copy()"; }},
    {"windows", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       const std::int64_t length = small(s, 0) + 1;
       if (!has_axis(s, of[0]) || of[0].extents.size() == max_rank || of[0].extents[axis_of(s)] < length) return {};
       outline to = *along(s, of[0], of[0].type, of[0].extents[axis_of(s)] - length + 1);
       to.extents.set_size(to.extents.size() + 1);
       to.extents[to.extents.size() - 1] = length;
       return to;
     },
     [](const step& s, const handles& o, dtype) {
       const std::int64_t length = small(s, 0) + 1;
       return detail::make_windows(o[0].get(), &length, 1, one_axis(s));
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("sliding_window_view", o, ", " + text(small(s, 0) + 1) + ", " + axis_text(s));
     },
     [](const step& s, const texts& o, dtype) {
       return "np.lib.stride_tricks.sliding_window_view(" + o[0] + ", " + text(small(s, 0) + 1) + ", " + axis_text(s) +
              ").copy()";
     }},
    {"delete", 1, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] <= small(s, 0)) return {};
       return along(s, of[0], of[0].type, of[0].extents[axis_of(s)] - 1);
     },
     [](const step& s, const handles& o, dtype) {
       return detail::make_deleted(o[0].get(), &s.extents[0], 1, axis_of(s));
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("delete_", o, ", " + text(small(s, 0)) + ", " + axis_text(s));
     },
     [](const step& s, const texts& o, dtype) {
       return "np.delete(" + o[0] + ", " + text(small(s, 0)) + ", " + axis_text(s) + ")";
     }},
    {"select", 4, closeness::exact, [](const step&, const outlines& of) { return together(of, 2); }, run_select,
     [](const step&, const texts& o, dtype) {
       return "select({astype<bool>(" + o[0] + "), astype<bool>(" + o[1] + ")}, tuple(" + o[2] + ", " + o[3] + "))";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.select([" + cast_text(o[0], dtype::bool_) + ", " + cast_text(o[1], dtype::bool_) + "], [" +
              cast_text(o[2], result) + ", " + cast_text(o[3], result) + "], np.zeros((), " + type_text(result) + "))";
     }},
    {"choose", 3, closeness::exact,
     [](const step&, const outlines& of) { return detail::is_integer(of[0].type) ? together(of, 1) : maybe(); },
     run_choose,
     [](const step&, const texts& o, dtype) {
       return "choose(" + cpp_index_into(o[0], 1) + ", tuple(" + o[1] + ", " + o[2] + "), index_mode::wrap)";
     },
     [](const step&, const texts& o, dtype result) {
       return "np.choose(" + python_index_into(o[0], 1) + ", [" + cast_text(o[1], result) + ", " +
              cast_text(o[2], result) + "], mode='wrap')";
     }},
    {"searchsorted", 2, closeness::exact,
     [](const step&, const outlines& of) -> maybe {
       if (of[0].extents.elements() > 400) return {};
       return outline{dtype::int64, of[1].extents};
     },
     run_search,
     [](const step& s, const texts& o, dtype) {
       return "searchsorted(cummax(" + o[0] + ".ravel(), 0), " + o[1] +
              (small(s, 0) % 2 ? ", search_side::right)" : ")");
     },
     [](const step& s, const texts& o, dtype) {
       return "sn.searchsorted(" + o[0] + ", " + o[1] + ", \"" + (small(s, 0) % 2 ? "right" : "left") + "\")";
     }},
    {"cumulative_sum", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0])) return {};
       return along(s, of[0], detail::reduced_dtype(detail::reduction::sum, of[0].type), of[0].extents[axis_of(s)] + 1);
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_cumulative(o[0], detail::reduction::sum, result,
                                      {.axis = axis_of(s), .include_initial = true});
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("cumulative_sum", o, ", {.axis = " + axis_text(s) + ", .include_initial = true}");
     },
     [](const step& s, const texts& o, dtype result) {
       return "np.cumulative_sum(" + o[0] + ", axis=" + axis_text(s) +
              ", include_initial=True, dtype=" + type_text(result) + ")";
     }},
    {"gradient", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] < 2 || of[0].type == dtype::bool_) return {};
       return along(s, of[0], mean_of(of[0]), of[0].extents[axis_of(s)]);
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_gradient(o[0], {}, result, {.axis = axis_of(s)});
     },
     [](const step& s, const texts& o, dtype) { return cpp_call("gradient", o, ", {.axis = " + axis_text(s) + "}"); },
     [](const step& s, const texts& o, dtype result) {
       return "np.gradient(" + cast_text(o[0], result) + ", axis=" + axis_text(s) + ")";
     }},
    {"trapezoid", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] < 2) return {};
       return without_axis(s, of[0], mean_of(of[0]));
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_trapezoid(o[0], {}, result, {.dx = 1, .axis = axis_of(s)});
     },
     [](const step& s, const texts& o, dtype) { return cpp_call("trapezoid", o, ", {.axis = " + axis_text(s) + "}"); },
     [](const step& s, const texts& o, dtype result) {
       return "np.trapezoid(" + cast_text(o[0], result) + ", axis=" + axis_text(s) + ")";
     }},
    {"convolve", 2, closeness::sums,
     [](const step&, const outlines& of) -> maybe {
       const std::int64_t n = of[0].extents.elements(), m = of[1].extents.elements();
       const dtype type = detail::promote(of[0].type, of[1].type);
       if (n == 0 || m == 0 || n > 400 || m > 40 || m > n || type == dtype::bool_) return {};
       return flat(type, n + m - 1);
     },
     [](const step&, const handles& o, dtype) {
       return detail::make_convolved(raveled(o[0]), raveled(o[1]), convolve_mode::full, detail::convolution::numpy,
                                     convolve_method::direct);
     },
     [](const step&, const texts& o, dtype) { return "convolve(" + o[0] + ".ravel(), " + o[1] + ".ravel())"; },
     [](const step&, const texts& o, dtype result) {
       return "np.convolve(" + o[0] + ".ravel(), " + o[1] + ".ravel()).astype(" + type_text(result) + ")";
     }},
    {"uniform", 1, closeness::drawn, draw_like,
     [](const step& s, const handles& o, dtype result) {
       return drawn(s, result, [&]<class T>(auto& rng) { return rng.template uniform<T>(shape_of(o[0])); });
     },
     [](const step& s, const texts& o, dtype result) { return draw_text("uniform", s, o, result); }, no_python},
    {"normal", 1, closeness::drawn, draw_like,
     [](const step& s, const handles& o, dtype result) {
       return drawn(s, result, [&]<class T>(auto& rng) { return rng.template normal<T>(shape_of(o[0])); });
     },
     [](const step& s, const texts& o, dtype result) { return draw_text("normal", s, o, result); }, no_python},
    {"exponential", 1, closeness::drawn, draw_like,
     [](const step& s, const handles& o, dtype result) {
       return drawn(s, result, [&]<class T>(auto& rng) { return rng.template exponential<T>(shape_of(o[0])); });
     },
     [](const step& s, const texts& o, dtype result) { return draw_text("exponential", s, o, result); }, no_python},
};

}  // namespace

std::span<const call_row> composition_rows() { return rows; }

namespace {

const std::vector<const call_row*>& all_rows() {
  static const auto all = [] {
    std::vector<const call_row*> made;
    for (const auto& table :
         {composition_rows(), order_rows(), count_rows(), product_rows(), transform_rows(), system_rows(), edit_rows()})
      for (const call_row& row : table) made.push_back(&row);
    return made;
  }();
  return all;
}

}  // namespace

const call_row& row_of(const step& s) { return *all_rows()[static_cast<std::size_t>(s.calling)]; }
int call_count() { return static_cast<int>(all_rows().size()); }
bool draws(const step& s) { return s.what == form::call && row_of(s).close == closeness::drawn; }

}  // namespace sinter::fuzz
