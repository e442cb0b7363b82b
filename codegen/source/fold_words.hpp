// How blocks that share rows hand over their parts. Each part is left with a mark in the same word, so that nothing has to be in
// memory before something else is: a fence for that takes as long as some packs. The block that was last to begin waits for the
// others, so all of them are at work or done, in whatever order a device starts blocks.
#pragma once

#include "codegen/source/cuda_fold.hpp"

namespace sinter::codegen {

class fold_words : protected cuda_fold_writer {
 protected:
  using cuda_fold_writer::cuda_fold_writer;

  /// The functions with which members of states are left and found.
  void write_words();
  /// A block draws its ticket when it begins; what it drew is looked at before a barrier that comes later.
  void take_ticket();
  void look_at_ticket();
  /// Leaves `acc<m>`, and goes on only in the block that was last to begin.
  void leave_word();
  /// Folds the parts into `acc<m>`, as soon as each is there.
  void fold_each_word();

 private:
  std::string word(int m, const std::string& part) const;
};

}  // namespace sinter::codegen
