// The text of an array whose elements are in host memory: the half of printing that needs no device. The text is
// character for character what NumPy 2.4's str() gives; test/numpy/golden_print.py holds it to that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sinter/io.hpp>

namespace sinter::runtime {

/// What an array's text shows of it. Where an array has more elements than the threshold, every axis longer than its
/// two edges is cut down to them.
struct edges {
  shape extents;                      // of what is shown
  std::int64_t after[max_rank] = {};  // of these, so many are an axis' last ones; 0: the axis is shown whole
};
edges edges_of(const shape& extents, const print_options& options);

/// The text of an array of these extents. `shown`: the elements its edges leave, in C order. Errors: `dtype_error`. Any
/// thread.
std::string format(const void* shown, dtype type, const shape& extents, const print_options& options);

/// The words for those elements, all of one width.
std::vector<std::string> words_of(const void* shown, dtype type, std::size_t count, const print_options& options);

/// What lies between words, and how many characters come before the text in its first line and behind it in its last.
struct text_frame {
  std::string_view separator = " ";
  std::size_t before = 0, behind = 0;
};
/// Words of the elements that the edges leave, of an array of these extents, in rows and brackets.
std::string lay_out(const std::vector<std::string>& words, const shape& extents, const print_options& options,
                    const text_frame& frame);

}  // namespace sinter::runtime
