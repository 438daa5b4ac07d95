// H.264 without compression: pictures of I_PCM macroblocks, which any decoder gives back sample for
// sample. By ITU-T H.264 (08/2021): 7.3.2.1 sequence and 7.3.2.2 picture parameter sets, 7.3.3
// slice header, 7.3.5 macroblock layer, 7.4.1 NAL units, annex B byte stream, annex E VUI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vidconv::test {

// Y, U, V: rows without gaps, of the picture's size, those of chroma halved in 4:2:0.
using PcmPlanes = std::array<std::vector<std::uint16_t>, 3>;

struct PcmVideo {
  int width = 0, height = 0;  // even in 4:2:0: cropping knows no less
  bool full_chroma = false;   // 4:4:4, else 4:2:0
  int depth = 8;              // bits of a sample, 8 to 14
  int reorder = 0;            // pictures that may be shown later than one coded after them
  // As H.264 codes them; 2 is unknown.
  bool full_range = false;
  int primaries = 2, transfer = 2, matrix = 2;
};

// One picture in the order of coding. Pictures are counted from the last IDR picture.
struct PcmPlace {
  bool idr = false;
  bool reference = true;
  int references_before = 0;  // in the order of coding
  int shown_at = 0;           // in the order of display
};

std::string pcm_headers(const PcmVideo& video);
std::string pcm_picture(const PcmVideo& video, const PcmPlace& place, const PcmPlanes& planes);

}  // namespace vidconv::test
