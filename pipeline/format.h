// The pixel formats that are filtered as they are; all others are converted to the nearest one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter.h"
#include "kernels/plane.h"
#include "pipeline/av.h"

namespace vidconv {

// One component of a picture: where its samples lie and what they mean.
struct Component {
  enum class Kind : std::uint8_t {
    luma,    // Y, also of a grey picture
    chroma,  // U, V
    colour,  // R, G, B
    alpha,
  };

  char name;  // Y U V R G B A
  Kind kind;
  int plane;   // index into AVFrame::data
  int offset;  // bytes from the start of a row to the first sample
  int step;    // samples from one pixel to the next
  Subsampling subsampling;
  SampleType sample;
};

// All of it is derived from FFmpeg's descriptor of `id`. Every byte of a visible row belongs to a
// component.
struct PixelFormat {
  AVPixelFormat id;
  std::string name;
  std::vector<Component> components;  // in FFmpeg's order: Y U V A, or R G B A
  int planes;                         // used entries of AVFrame::data

  // Of a component or a plane of a picture of this format; sizes are rounded up.
  int width_of(const Component& c, int width) const {
    return (width + c.subsampling.x - 1) / c.subsampling.x;
  }
  int height_of(const Component& c, int height) const {
    return (height + c.subsampling.y - 1) / c.subsampling.y;
  }
  // Bytes of the visible part of a row, and rows, of plane `p`.
  std::size_t row_bytes(int p, int width) const;
  int rows(int p, int height) const;
  // Bytes of a frame whose visible samples are packed without gaps: FFmpeg's rawvideo.
  std::size_t packed_bytes(int width, int height) const;
};

// The table. Its rows live as long as the program.
std::span<const PixelFormat> formats();

// nullptr where the format is not in the table.
const PixelFormat* find_format(AVPixelFormat id);

// The format of the table that loses least of `id`.
const PixelFormat& nearest_format(AVPixelFormat id);

// FFmpeg's deprecated yuvj formats say "full range" in the format's name. The pipeline says it in
// color_range only: returns the plain format and sets `range`; other formats come back untouched.
AVPixelFormat without_range(AVPixelFormat id, AVColorRange& range);

}  // namespace vidconv
