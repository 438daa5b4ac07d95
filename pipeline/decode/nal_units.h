// Takes apart what H.264 and H.265 are made of: NAL units, in both forms that packets have.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

using CodedBytes = std::span<const std::uint8_t>;

// How NAL units follow each other: each behind its length, in so many bytes, as in MP4 and
// Matroska, or behind start codes (0), as in MPEG-TS.
int nal_length_size(const AVCodecParameters& video);

// Calls `see` with each unit, without its length or start code. Returns false where the packet ends
// within one.
bool each_nal_unit(CodedBytes packet, int length_size, const std::function<void(CodedBytes)>& see);

// Puts units that follow start codes behind their lengths instead.
std::string with_lengths(CodedBytes annex_b, int length_size);

// Reads the numbers of a unit: bits, and codes of variable length (H.264, 9.1).
class NalBits {
 public:
  // `skip`: bytes at the beginning, which are not read.
  NalBits(CodedBytes nal, std::size_t skip);
  // Return 0 behind the end.
  unsigned bit();
  unsigned number(int bits);  // at most 32
  unsigned golomb();

 private:
  std::string bytes_;  // without the bytes that keep start codes from appearing
  std::size_t at_ = 0;
};

}  // namespace vidconv
