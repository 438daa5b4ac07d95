// HevcNumbers: gives the parameter sets of an encoder of H.265 numbers that a stream does not use,
// so that a decoder keeps both side by side.
#pragma once

#include <set>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/decode/nal_units.h"

namespace vidconv {

// Adds the numbers of the parameter sets of H.265 among these units, of every kind.
void add_sets_of_hevc(CodedBytes units, int nal_lengths, std::set<unsigned>& numbers);

class HevcNumbers {
 public:
  // `taken`: the numbers of the stream's sets, of every kind. Throws Error(output) where none is
  // free.
  explicit HevcNumbers(const std::set<unsigned>& taken);

  // Returns a unit of the encoder with the new numbers. Throws Error(output) where it has another
  // number than 0, which is what encoders have.
  std::string renumbered(CodedBytes nal) const;

 private:
  unsigned sequence_;  // the set for all layers has it too
  unsigned picture_;
};

}  // namespace vidconv
