// What the tiles of a scan pass on through memory. Every tile leaves what it folds to, the last of a group of tiles what all of the
// group does, and the last of an age, a group of groups, what the age and all before it do.
#pragma once

#include "codegen/source/cuda_writer.hpp"

namespace sinter::codegen {

class scan_passing : protected cuda_writer {
 protected:
  using cuda_writer::cuda_writer;

  static std::string text(int n) { return std::to_string(n); }
  /// Do blocks fold tiles ahead of those that they scan?
  bool ahead() const { return b_.v.scan.ahead; }

  /// The functions with which accumulators are left and found.
  void write_passing();
  /// Of the tiles before one, a warp folds those of its group, and another the groups of its age, after the ages before.
  void write_ahead(int a);
  /// The last tile of a group leaves what all of it folds to, from `near`, what those before the tile in the group do.
  void leave_group(int a, const std::string& tiles, const std::string& near, const std::string& mine,
                   const std::string& condition);
  /// Leaves what an age and all before it fold to, from what its last tile knows.
  void leave_age(int a, const std::string& tiles, const std::string& value, const std::string& condition);
  /// The number of this block among those that have started, and the mark of what this launch leaves: both in the first word.
  /// The last to start leaves them ready for the next launch. So that no word ever keeps a mark until it comes again, one that
  /// this launch has no need of is marked anew.
  void take_number();
  /// Where the tiles of a row leave accumulator `a`.
  std::string words_of(int a, const std::string& kept) const;
  /// A tile leaves what it folds to.
  void leave_own(int a);
  /// Where the tiles of the row `kept` leave it.
  void declare_words(int a);
  /// What is read for the last time, or written, need not stay in the cache: what other blocks have read ahead should.
  void write_last_uses();
};

}  // namespace sinter::codegen
