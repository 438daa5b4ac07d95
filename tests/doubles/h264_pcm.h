// Writes H.264 without compression: pictures of I_PCM macroblocks, which any decoder returns sample
// for sample. Follows ITU-T H.264 (08/2021): 7.3.2.1 sequence and 7.3.2.2 picture parameter sets,
// 7.3.3 slice header, 7.3.5 macroblock layer, 7.4.1 NAL units, annex B byte stream, annex E VUI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vidconv::test {

// Y, U and V: rows without gaps, of the picture's size; chroma is halved in 4:2:0.
using PcmPlanes = std::array<std::vector<std::uint16_t>, 3>;

struct PcmVideo {
  int width = 0, height = 0;  // even in 4:2:0, the unit of cropping
  bool full_chroma = false;   // true: 4:4:4, false: 4:2:0
  int depth = 8;              // bits of a sample, 8 to 14
  int reorder = 0;            // pictures that may be shown after one that is coded later
  // H.264's codes; 2 is unknown.
  bool full_range = false;
  int primaries = 2, transfer = 2, matrix = 2;
};

// The place of a picture in coding and display order. Counts begin at the last IDR picture.
struct PcmPlace {
  bool idr = false;
  bool reference = true;
  int references_before = 0;  // in coding order
  int shown_at = 0;           // in display order
};

std::string pcm_headers(const PcmVideo& video);
std::string pcm_picture(const PcmVideo& video, const PcmPlace& place, const PcmPlanes& planes);

}  // namespace vidconv::test
