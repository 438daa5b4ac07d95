// Lists the pixel formats that are filtered as they are; all others are converted to the nearest
// one.
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

// Describes one component of a picture: where its samples lie and what they mean.
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
  // Padding with a subsampling stands for the surplus luma sample of a packed 4:2:2 row whose
  // picture has an odd width.
  Subsampling subsampling;
  SampleType sample;

  bool fills_up() const { return kind == Kind::padding && subsampling.x > 1; }
};

// Describes a pixel format, derived from FFmpeg's descriptor of `id`. Every byte of a visible row
// belongs to one component.
struct PixelFormat {
  AVPixelFormat id;
  std::string name;
  std::vector<Component> components;  // in FFmpeg's order: Y U V A, or R G B A; then padding
  int planes;                         // used entries of AVFrame::data

  // Return the size of a component in a picture of this format; sizes are rounded up. The picture's
  // size is a valid one (frame_layout.h).
  int width_of(const Component& c, int width) const {
    const int rounded = width / c.subsampling.x + (width % c.subsampling.x != 0);
    return c.fills_up() ? rounded * c.subsampling.x - width : rounded;
  }
  int height_of(const Component& c, int height) const {
    return height / c.subsampling.y + (height % c.subsampling.y != 0);
  }
  // Returns the bytes from the start of a row to the first sample of a component.
  std::ptrdiff_t offset_of(const Component& c, int width) const {
    return c.offset + (c.fills_up() ? std::ptrdiff_t{width} * c.step * c.sample.bytes() : 0);
  }
  // Return the bytes of the visible part of a row, and the number of rows, of plane `p`.
  std::size_t row_bytes(int p, int width) const;
  int rows(int p, int height) const;
};

// Returns the table: every format of this libavutil whose samples are whole words of 8 to 16 bits
// or floats, in this machine's byte order. Its rows live as long as the program.
std::span<const PixelFormat> formats();

// Returns nullptr where the format is not in the table.
const PixelFormat* find_format(AVPixelFormat id);

// Suggests a format's name for a misspelt one, as did_you_mean() does.
std::string format_meant(std::string_view name);

// Says, for people, why `id` is not in the table; empty where it is.
std::string why_not_filtered(AVPixelFormat id);

// Returns the format of the table that differs from `id` only in byte order, which swap_bytes()
// mends; nullptr where there is none.
const PixelFormat* find_swapped(AVPixelFormat id);

// Describes any format as the table does, but without padding. Formats outside the table can be
// converted to, for an encoder, but not filtered.
const PixelFormat& describe_format(AVPixelFormat id);

// Returns the format of the table that loses least of `id`, among those that swscale can write; it
// adds no alpha.
const PixelFormat& nearest_format(AVPixelFormat id);

// Returns the plain format for one of FFmpeg's deprecated yuvj formats, whose names say "full
// range", and sets `range` instead: the pipeline says it there only. Returns other formats
// untouched.
AVPixelFormat without_range(AVPixelFormat id, AVColorRange& range);

}  // namespace vidconv
