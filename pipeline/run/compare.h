// Compare: the original and the filtered picture in one.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/av/input_info.h"
#include "pipeline/filter/processor.h"

namespace vidconv {

// Wherever a picture shows the original it has the input's bytes, elsewhere the filtered ones, in
// chroma too: what is cut or joined is so at whole samples of chroma.
struct Comparison {
  enum class Mode : std::uint8_t {
    split,  // the left half is the original; a white line, 2 luma samples wide or 1 of chroma
    // The original left, the filtered right, as they are seen; where the width is no multiple of a
    // chroma sample, each has white columns up to it at its right, and rows below where they are
    // stored turned.
    side,
    flip,  // the original for `seconds`, then the filtered for as long, and again
  };
  Mode mode = Mode::split;
  double seconds = 1;  // of flip, by the times of the frames from the first one on
};

// "split", "side", "flip" or "flip:SECONDS". Throws Error(usage).
Comparison parse_comparison(const std::string& text);

// An input whose frames are about to be joined, as a sink sees it: with the videos of the output.
InputInfo compared(InputInfo input, const Comparison& comparison);

// Filters with `filter` and joins what comes out with what went in. For frames of `video`, in host
// memory. Throws Error(usage) where a picture is too narrow to be split.
std::unique_ptr<Processor> make_compare_processor(std::unique_ptr<Processor> filter,
                                                  const VideoInfo& video,
                                                  const Comparison& comparison);

}  // namespace vidconv
