// Compare: shows the original and the filtered picture in one.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/av/input_info.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Wherever a picture shows the original it has the input's bytes, elsewhere the filtered ones.
// Chroma too: pictures are cut and joined at whole samples of chroma.
struct Comparison {
  enum class Mode : std::uint8_t {
    split,  // the left half is the original; a white line, 2 luma samples wide or 1 of chroma
    // The original is on the left, the filtered one on the right, as they are seen. Where the width
    // is no multiple of a chroma sample, white columns at the right of each fill it up, or rows
    // below where pictures are stored turned.
    side,
    flip,  // the original for `seconds`, then the filtered one for as long, and again
  };
  Mode mode = Mode::split;
  double seconds = 1;  // for flip, by the times of the frames from the first one on
};

// Parses "split", "side", "flip" or "flip:SECONDS". Throws Error(usage).
Comparison parse_comparison(const std::string& text);

// Returns the description of an input whose frames are about to be joined, for a sink: with the
// videos of the output.
InputInfo compared(InputInfo input, const Comparison& comparison);

// Filters with `filter` and joins the filtered frames with the originals, in host memory. Throws
// Error(usage) where a picture is too narrow to be split.
std::unique_ptr<Processor> make_compare_processor(std::unique_ptr<Processor> filter,
                                                  const VideoInfo& video,
                                                  const Comparison& comparison);

}  // namespace vidconv
