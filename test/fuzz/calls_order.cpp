// Elements in order, selections, and what is read off between them.
#include <sinter/order.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/select.hpp>
#include <sinter/sets.hpp>

#include "test/fuzz/call_rows.hpp"

namespace sinter::fuzz {

namespace {

using namespace call_rows;

std::int64_t kth_of(const step& s, std::int64_t n) { return (small(s, 0) * 4 + small(s, 1)) % n; }
/// Of the axis without which there is no result; the extent that is left of it: 0 for none.
maybe taken_gives(const step& s, const outlines& of, dtype type, std::int64_t left) {
  if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] == 0) return {};
  return left ? along(s, of[0], type, left) : maybe(without_axis(s, of[0], type));
}
maybe kth_gives(const step& s, const outlines& of) { return taken_gives(s, of, of[0].type, 0); }
handle taken_at(const handle& of, const step& s) {
  const std::int64_t at = kth_of(s, shape_of(of)[axis_of(s)]);
  const handle place = number_node(dtype::int64, at);
  return handle(detail::make_take(of.get(), place.get(), axis_of(s)));
}
std::string kth_text(const step& s, const std::string& of, const char* open, const char* close) {
  return text(small(s, 0) * 4 + small(s, 1)) + " % " + of + open + axis_text(s) + close;
}
std::string cpp_kth(const step& s, const std::string& of) { return kth_text(s, of, ".shape()[", "]"); }
std::string python_kth(const step& s, const std::string& of) { return kth_text(s, of, ".shape[", "]"); }

std::int64_t most_of(const step& s, const outline& of) {
  return std::min<std::int64_t>(small(s, 1) + 1, of.extents[axis_of(s)]);
}
maybe top_gives(const step& s, const outlines& of, bool places) {
  if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] == 0) return {};
  return along(s, of[0], places ? dtype::int64 : of[0].type, most_of(s, of[0]));
}
detail::node* run_top(const step& s, const handles& o, bool places) {
  const detail::node_pair two = detail::make_top_k(o[0], most_of(s, {type_of(o[0]), shape_of(o[0])}),
                                                   {.axis = axis_of(s), .largest = small(s, 0) % 2 == 0});
  const handle values(two.first), at(two.second);
  return detail::retain((places ? at : values).get());
}
std::string cpp_top(const step& s, const texts& o, const char* part) {
  return "top_k(" + o[0] + ", std::min<std::int64_t>(" + text(small(s, 1) + 1) + ", " + o[0] + ".shape()[" +
         axis_text(s) + "]), {.axis = " + axis_text(s) + ", .largest = " + (small(s, 0) % 2 ? "false" : "true") +
         "})." + part;
}
std::string python_top(const step& s, const texts& o, const char* part) {
  return "fz.top_k(" + o[0] + ", " + text(small(s, 1) + 1) + ", " + axis_text(s) + ", " +
         (small(s, 0) % 2 ? "False" : "True") + ")[" + part + "]";
}

constexpr double fractions[] = {0, 0.25, 0.6, 1};
constexpr quantile_method methods[] = {quantile_method::linear, quantile_method::lower, quantile_method::hazen,
                                       quantile_method::nearest};
constexpr const char* method_names[] = {"linear", "lower", "hazen", "nearest"};

// ---- how many there are depends on values: those that are there and those that are not, behind one another, are all

maybe all_gives(const step&, const outlines& of, dtype type) { return flat(type, of[0].extents.elements()); }
bool is_mask(const outline& mask, const outline& of) { return mask.type == dtype::bool_ && mask.extents == of.extents; }
handle inverted(const handle& mask) { return apply(op::logical_not, {mask}); }

const call_row rows[] = {
    {"sort", 1, closeness::exact,
     [](const step& s, const outlines& of) { return has_axis(s, of[0]) ? maybe(of[0]) : maybe(); },
     [](const step& s, const handles& o, dtype) {
       return detail::make_sort(o[0], {.axis = axis_of(s), .stable = true, .descending = small(s, 0) % 3 == 0});
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call(
           "sort", o,
           ", {.axis = " + axis_text(s) + ", .stable = true" + (small(s, 0) % 3 == 0 ? ", .descending = true}" : "}"));
     },
     [](const step& s, const texts& o, dtype) {
       return "sn.sort(" + o[0] + ", " + axis_text(s) + (small(s, 0) % 3 == 0 ? ", True)" : ", False)");
     }},
    {"argsort", 1, closeness::exact,
     [](const step& s, const outlines& of) {
       return has_axis(s, of[0]) ? along(s, of[0], dtype::int64, of[0].extents[axis_of(s)]) : maybe();
     },
     [](const step& s, const handles& o, dtype) { return detail::make_argsort(o[0], {.axis = axis_of(s)}); },
     [](const step& s, const texts& o, dtype) { return cpp_call("argsort", o, ", " + axis_text(s)); },
     [](const step& s, const texts& o, dtype) {
       return "np.argsort(" + o[0] + ", axis=" + axis_text(s) + ", kind='stable')";
     }},
    {"median", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       if (!has_axis(s, of[0]) || of[0].extents[axis_of(s)] == 0 || detail::is_complex(of[0].type)) return {};
       return without_axis(s, of[0], mean_of(of[0]));
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_median(o[0], result, {.axis = axis_of(s)}, false);
     },
     [](const step& s, const texts& o, dtype) { return cpp_call("median", o, ", " + axis_text(s)); },
     [](const step& s, const texts& o, dtype) { return "np.median(" + o[0] + ", axis=" + axis_text(s) + ")"; }},
    {"lexsort", 2, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       if (of[0].extents.size() != of[1].extents.size() || !(of[0].extents == of[1].extents)) return {};
       return has_axis(s, of[0]) ? along(s, of[0], dtype::int64, of[0].extents[axis_of(s)]) : maybe();
     },
     [](const step& s, const handles& o, dtype) {
       const dtype type = detail::promote(type_of(o[0]), type_of(o[1]));
       const handle keys[] = {cast(o[0], type), cast(o[1], type)};
       detail::node* const all[] = {keys[0].get(), keys[1].get()};
       return detail::make_lexsort(all, 2, axis_of(s));
     },
     [](const step& s, const texts& o, dtype) {
       return "lexsort(tuple(" + o[0] + ", " + o[1] + "), " + axis_text(s) + ")";
     },
     [](const step& s, const texts& o, dtype) {
       return "fz.lexsort(" + o[0] + ", " + o[1] + ", " + axis_text(s) + ")";
     }},
    {"partition", 1, closeness::ordered, kth_gives,
     [](const step& s, const handles& o, dtype) {
       const std::int64_t k = kth_of(s, shape_of(o[0])[axis_of(s)]);
       return taken_at(handle(detail::make_partition(o[0], &k, 1, axis_of(s), false)), s).take();
     },
     [](const step& s, const texts& o, dtype) {
       const std::string k = cpp_kth(s, o[0]);
       return "take(partition(" + o[0] + ", " + k + ", " + axis_text(s) + "), " + k + ", " + axis_text(s) + ")";
     },
     [](const step& s, const texts& o, dtype) {
       return "np.take(np.sort(" + o[0] + ", " + axis_text(s) + "), " + python_kth(s, o[0]) + ", " + axis_text(s) + ")";
     }},
    {"argpartition", 1, closeness::ordered, kth_gives,
     [](const step& s, const handles& o, dtype) {
       const std::int64_t k = kth_of(s, shape_of(o[0])[axis_of(s)]);
       const handle places(detail::make_partition(o[0], &k, 1, axis_of(s), true));
       return taken_at(handle(detail::make_take_along(o[0].get(), places.get(), axis_of(s))), s).take();
     },
     [](const step& s, const texts& o, dtype) {
       const std::string k = cpp_kth(s, o[0]), axis = axis_text(s);
       return "take(take_along_axis(" + o[0] + ", argpartition(" + o[0] + ", " + k + ", " + axis + "), " + axis +
              "), " + k + ", " + axis + ")";
     },
     [](const step& s, const texts& o, dtype) {
       return "np.take(np.sort(" + o[0] + ", " + axis_text(s) + "), " + python_kth(s, o[0]) + ", " + axis_text(s) + ")";
     }},
    {"top_k", 1, closeness::ordered, [](const step& s, const outlines& of) { return top_gives(s, of, false); },
     [](const step& s, const handles& o, dtype) { return run_top(s, o, false); },
     [](const step& s, const texts& o, dtype) { return cpp_top(s, o, "values"); },
     [](const step& s, const texts& o, dtype) { return python_top(s, o, "0"); }},
    {"places of top_k", 1, closeness::exact, [](const step& s, const outlines& of) { return top_gives(s, of, true); },
     [](const step& s, const handles& o, dtype) { return run_top(s, o, true); },
     [](const step& s, const texts& o, dtype) { return cpp_top(s, o, "indices"); },
     [](const step& s, const texts& o, dtype) { return python_top(s, o, "1"); }},
    {"quantile", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       return detail::is_complex(of[0].type) ? maybe() : taken_gives(s, of, mean_of(of[0]), 0);
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_quantile(o[0], chosen(fractions, small(s, 0)), 1, result,
                                    {.axis = axis_of(s), .method = chosen(methods, small(s, 1))}, false);
     },
     [](const step& s, const texts& o, dtype) {
       return "quantile(" + o[0] + ", " + std::to_string(chosen(fractions, small(s, 0))) +
              ", {.axis = " + axis_text(s) + ", .method = quantile_method::" + chosen(method_names, small(s, 1)) + "})";
     },
     [](const step& s, const texts& o, dtype result) {
       return "fz.quantile(" + o[0] + ", " + std::to_string(chosen(fractions, small(s, 0))) + ", " + axis_text(s) +
              ", \"" + chosen(method_names, small(s, 1)) + "\", " + type_text(result) + ")";
     }},
    {"nanmedian", 1, closeness::sums,
     [](const step& s, const outlines& of) -> maybe {
       return detail::is_complex(of[0].type) ? maybe() : taken_gives(s, of, mean_of(of[0]), 0);
     },
     [](const step& s, const handles& o, dtype result) {
       return detail::make_median(o[0], result, {.axis = axis_of(s)}, true);
     },
     [](const step& s, const texts& o, dtype) { return cpp_call("nanmedian", o, ", " + axis_text(s)); },
     [](const step& s, const texts& o, dtype result) {
       return "fz.nanmedian(" + o[0] + ", " + axis_text(s) + ", " + type_text(result) + ")";
     }},
    {"under a mask", 2, closeness::exact,
     [](const step& s, const outlines& of) -> maybe {
       return is_mask(of[1], of[0]) && of[0].extents.size() > 0 ? all_gives(s, of, of[0].type) : maybe();
     },
     [](const step&, const handles& o, dtype) {
       const handle kept(detail::make_masked(o[0].get(), o[1].get()));
       return joined(kept, handle(detail::make_masked(o[0].get(), inverted(o[1]).get()))).take();
     },
     [](const step&, const texts& o, dtype) {
       return "concatenate({" + o[0] + "(" + o[1] + "), " + o[0] + "(!" + o[1] + ")})";
     },
     [](const step&, const texts& o, dtype) {
       return "np.concatenate([" + o[0] + "[" + o[1] + "], " + o[0] + "[~" + o[1] + "]])";
     }},
    {"nonzero", 1, closeness::exact, [](const step& s, const outlines& of) { return all_gives(s, of, dtype::int64); },
     [](const step&, const handles& o, dtype) {
       const handle mask = cast(o[0], dtype::bool_), kept(detail::make_flat_nonzero(mask.get()));
       return joined(kept, handle(detail::make_flat_nonzero(inverted(mask).get()))).take();
     },
     [](const step&, const texts& o, dtype) {
       return "concatenate({flatnonzero(" + o[0] + "), flatnonzero(!" + o[0] + ")})";
     },
     [](const step&, const texts& o, dtype) {
       const std::string mask = cast_text(o[0], dtype::bool_);
       return "np.concatenate([np.flatnonzero(" + mask + "), np.flatnonzero(~" + mask + ")])";
     }},
    {"unique", 1, closeness::ordered, [](const step& s, const outlines& of) { return all_gives(s, of, of[0].type); },
     [](const step&, const handles& o, dtype) {
       const handle all = joined(detail::make_unique(o[0], 0, {}).values, o[0]);
       const detail::index_item first = detail::to_index(slice(_, shape_of(o[0]).elements()));
       return detail::make_view(all.get(), &first, 1);
     },
     [](const step&, const texts& o, dtype) {
       return "concatenate({unique(" + o[0] + "), array(" + o[0] + ".ravel())})(slice(_, " + o[0] + ".size()))";
     },
     [](const step&, const texts& o, dtype) { return "fz.unique(" + o[0] + ")"; }},
    {"counts of unique", 1, closeness::exact,
     [](const step&, const outlines& of) {
       return maybe({dtype::int64, of[0].extents});
     },
     [](const step&, const handles& o, dtype) {
       using of = detail::unique_parts;
       const of all = detail::make_unique(o[0], of::wants_inverse | of::wants_counts, {});
       return detail::make_take(all.counts.get(), all.inverse.get(), 0);
     },
     [](const step&, const texts& o, dtype) {
       return "[](auto u) { return u.counts(u.inverse_indices); }(unique_all(" + o[0] + ", {.equal_nan = true}))";
     },
     [](const step&, const texts& o, dtype) { return "fz.counts_of_unique(" + o[0] + ")"; }},
    {"isin", 2, closeness::exact,
     [](const step&, const outlines& of) {
       return maybe({dtype::bool_, of[0].extents});
     },
     [](const step& s, const handles& o, dtype) {
       return detail::make_isin(o[0], o[1], detail::promote(type_of(o[0]), type_of(o[1])), small(s, 0) % 2);
     },
     [](const step& s, const texts& o, dtype) {
       return cpp_call("isin", o, small(s, 0) % 2 ? ", {.invert = true}" : "");
     },
     [](const step& s, const texts& o, dtype) {
       return "fz.isin(" + o[0] + ", " + o[1] + ", " + (small(s, 0) % 2 ? "True" : "False") + ")";
     }},
};

}  // namespace

std::span<const call_row> order_rows() { return rows; }

}  // namespace sinter::fuzz
