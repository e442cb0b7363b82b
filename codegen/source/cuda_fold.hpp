// What folds of both kinds are written with: a block's part of the elements, packs under way, and parts that the last block
// folds.
#pragma once

#include <algorithm>
#include <bit>

#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

class cuda_fold_writer : protected cuda_writer {
 protected:
  using cuda_writer::cuda_writer;

  // This block's part [low, high) of `length` positions. Of a stream it is whole packs; those of a tile of columns lie across, and
  // say nothing about the order in which a column is folded.
  void part_bounds(const std::string& length) {
    const std::string& t = b_.index;
    if (!b_.v.fold.split) return w_.line("const ", t, " low = 0, high = ", length, ";");
    const std::string width = std::to_string(width_);
    const std::string chunk = b_.v.columns && !b_.v.fold.stream
                                  ? "(length + splits - 1) / splits"
                                  : "(length / splits + " + width + ") / " + width + " * " + width;
    w_.line("const ", t, " length = ", length, ", chunk = ", chunk, ";");
    w_.line("const ", t, " low = min((long long)blockIdx.y * chunk, (long long)length);");
    w_.line("const ", t, " high = min((long long)low + chunk, (long long)length);");
  }

  // ---- turns: a thread asks for all of them before it folds the first

  // A loop over the packs of a thread.
  struct loop {
    std::string from, step;  // its first position, and how far apart its positions are
    std::string at;          // the name of a position
    std::string inside;      // is it one? Empty: it is known to be
    std::string index;       // of the pack's first element along the fastest axis
  };

  std::string turns() const { return std::to_string(b_.v.fold.turns); }

  void each_turn(const loop& of) {
    w_.raw("#pragma unroll\n");
    w_.open("for (int turn = 0; turn < ", turns(), "; ++turn)");
    w_.line("const ", b_.index, " ", of.at, " = first + turn * ", of.step, ";");
    if (!of.inside.empty()) w_.open("if (", of.inside, ")");
  }
  void end_each_turn(const loop& of) {
    if (!of.inside.empty()) w_.close();
    w_.close();
  }

  // Where a part of an output leaves its state: as they are read, so columns side by side and parts of a row one after the other.
  std::string partial(int m, std::string_view qualifier, const std::string& output, const std::string& part) const {
    const std::string outputs = b_.extent(0, b_.kept());
    const std::string at = b_.v.columns ? "(long long)" + part + " * (" + outputs + ") + " + output
                                        : "(long long)" + output + " * splits + " + part;
    return "((" + std::string(qualifier) + b_.member_type(m) + "*)(partials + " +
           std::to_string(8 * state_words(b_.k) * m) + "ll * splits * (" + outputs + ")))[" + at + "]";
  }

  // Folds the parts from, from + step, ... of an output into `state`, of which `l` may be the lane. `at_a_time` are asked for before
  // the first is folded, since this is done when all else is, by few threads. The fence of leave_to_last() comes before, so
  // that these are ordinary reads.
  void fold_each_part(int at_a_time, const std::string& from, const std::string& step, const std::string& output,
                      const spelled& state) {
    const std::string lanes = std::to_string(at_a_time);
    const auto each_lane_of_part = [&] {
      w_.raw("#pragma unroll\n");
      w_.open("for (int l = 0; l < ", lanes, "; ++l)");
      w_.line("const ", b_.index, " part = first + l * ", step, ";");
      w_.open("if (part < splits)");
    };
    w_.open("for (", b_.index, " first = ", from, "; first < splits; first += ", lanes, " * ", step, ")");
    for (int m = 0; m < members(); ++m) w_.line(b_.member_type(m), " ", number("e", m), "[", lanes, "];");
    each_lane_of_part();
    for (int m = 0; m < members(); ++m) w_.line(number("e", m), "[l] = ", partial(m, "const ", output, "part"), ";");
    w_.close();
    w_.close();
    each_lane_of_part();
    fold(state, [](int m) { return number("e", m) + "[l]"; });
    w_.close();
    w_.close();
    w_.close();
  }

  // States in which a thread folds parts of a column, for the sake of rounding, and parts of a row that it asks for at a time, with
  // no more registers than it has anyway.
  int part_lanes(int bytes, int most) const {
    const int state = fold_memory(b_.k, 1) / block_threads;
    return std::clamp(static_cast<int>(std::bit_floor(static_cast<unsigned>(bytes / state))), 1, most);
  }
  // In order, what is folded beside it must have no say in how a column is.
  int column_lanes() const { return b_.v.in_order ? 2 : part_lanes(80, 8); }
  int row_lanes() const { return part_lanes(32, 4); }

  // Goes on only in the block that finds all others of its results done.
  void leave_to_last() {
    w_.line("__shared__ bool last;");
    w_.line("__syncthreads();");
    w_.line("if (lane == 0) last = atomicAdd(&tickets[blockIdx.x], 1u) == gridDim.y - 1;");
    w_.line("__syncthreads();");
    w_.line("if (!last) return;");
    w_.line("if (lane == 0) tickets[blockIdx.x] = 0;  // for the next launch");
    w_.line("__threadfence();");
  }
};

/// Folds of few columns, as one stream of elements.
void write_cuda_stream(writer&, const body&);

}  // namespace sinter::codegen
