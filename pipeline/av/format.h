// The pixel formats that are filtered as they are; all others are converted to the nearest one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter/filter.h"
#include "kernels/picture/plane.h"
#include "pipeline/av/av.h"

namespace vidconv {

// One component of a picture: where its samples lie and what they mean.
struct Component {
  enum class Kind : std::uint8_t {
    luma,    // Y, also of a grey picture
    chroma,  // U, V
    colour,  // R, G, B
    alpha,
    padding,  // holds nothing, but is copied: equal pictures are equal bytes
  };

  char name;  // Y U V R G B A, X for padding
  Kind kind;
  int plane;   // index into AVFrame::data
  int offset;  // bytes from the start of a row to the first sample
  int step;    // samples from one pixel to the next
  // Padding with a subsampling is the luma that a row of packed 4:2:2 has too much where the
  // picture's width is odd.
  Subsampling subsampling;
  SampleType sample;

  bool fills_up() const { return kind == Kind::padding && subsampling.x > 1; }
};

// All of it is derived from FFmpeg's descriptor of `id`. Every byte of a visible row belongs to one
// component.
struct PixelFormat {
  AVPixelFormat id;
  std::string name;
  std::vector<Component> components;  // in FFmpeg's order: Y U V A, or R G B A; then padding
  int planes;                         // used entries of AVFrame::data

  // Of a component or a plane of a picture of this format, which can be (frame_layout.h); sizes are
  // rounded up.
  int width_of(const Component& c, int width) const {
    const int rounded = width / c.subsampling.x + (width % c.subsampling.x != 0);
    return c.fills_up() ? rounded * c.subsampling.x - width : rounded;
  }
  int height_of(const Component& c, int height) const {
    return height / c.subsampling.y + (height % c.subsampling.y != 0);
  }
  // Bytes from the start of a row to the first sample of a component.
  std::ptrdiff_t offset_of(const Component& c, int width) const {
    return c.offset + (c.fills_up() ? std::ptrdiff_t{width} * c.step * c.sample.bytes() : 0);
  }
  // Bytes of the visible part of a row, and rows, of plane `p`.
  std::size_t row_bytes(int p, int width) const;
  int rows(int p, int height) const;
};

// The table: every format of this libavutil whose samples are whole words of 8 to 16 bits or
// floats, in this machine's byte order. Its rows live as long as the program.
std::span<const PixelFormat> formats();

// nullptr where the format is not in the table.
const PixelFormat* find_format(AVPixelFormat id);

// As did_you_mean(), of the names of all pixel formats.
std::string format_meant(std::string_view name);

// For people: why `id` is not in the table; empty where it is.
std::string why_not_filtered(AVPixelFormat id);

// The format of the table that differs from `id` in nothing but the order of bytes, which
// swap_bytes() mends; nullptr where there is none.
const PixelFormat* find_swapped(AVPixelFormat id);

// Describes any format as the table does, but for padding. Formats that are not there can be
// converted to, for an encoder, but not filtered.
const PixelFormat& describe_format(AVPixelFormat id);

// The format of the table that loses least of `id`, among those that swscale can write; it adds no
// alpha.
const PixelFormat& nearest_format(AVPixelFormat id);

// FFmpeg's deprecated yuvj formats say "full range" in the format's name. The pipeline says it in
// color_range only: returns the plain format and sets `range`; other formats come back untouched.
AVPixelFormat without_range(AVPixelFormat id, AVColorRange& range);

}  // namespace vidconv
