// Converter: brings frames into another pixel format, colour range or matrix, with swscale where it
// is exact.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "pipeline/av/av.h"
#include "pipeline/av/colour_range.h"
#include "pipeline/av/format.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// Returns the matrix that is meant where nothing is said: high definition came with BT.709.
AVColorSpace usual_matrix(int height);
// Returns `matrix`, or the usual one where it is unspecified or RGB's.
AVColorSpace known_matrix(AVColorSpace matrix, int height);
// Return whether the value looks like the usual one on the screens for pictures of that height.
bool is_usual(AVColorTransferCharacteristic transfer);
bool is_usual(AVColorPrimaries primaries, int height);
// Returns whether pictures can be converted from it and to it: whether its Y is a weighted sum of
// R', G' and B', and its Cb and Cr are multiples of B' - Y and R' - Y.
bool can_convert(AVColorSpace matrix);
// Returns whether two convertible matrices are different names for the same numbers.
bool same_matrix(AVColorSpace a, AVColorSpace b);

class Converter {
 public:
  // `range` and `matrix` are those of the result; unspecified: as in the incoming frames, or the
  // usual one for the format.
  Converter(const PixelFormat& to, AVColorRange range, AVColorSpace matrix,
            const FrameMemory& memory);

  // Sets the size of later results; until then, it is that of the incoming frames.
  void scale_to(int width, int height);
  // Makes chroma count as lying where each frame says (where it says nothing, as MPEG-2 places it).
  // Until then it counts as lying in the middle of its pixels, as FFmpeg's command has it.
  void place_chroma() { places_chroma_ = true; }

  // Returns a new frame with the same properties. `from` may have any of FFmpeg's formats; where it
  // has the wanted one already, samples are copied. Throws Error(output) where FFmpeg cannot read
  // such pictures, Error(internal).
  FramePtr convert(const AVFrame& from);

  std::size_t memory() const { return pool_ ? pool_->bytes() : 0; }

 private:
  AVColorRange range_of_result(AVPixelFormat format, AVColorRange range) const;
  bool mixes_fields(const AVFrame& from, AVPixelFormat format) const;
  SwsContext& scaler(const AVFrame& from, AVPixelFormat from_format, int width, int height,
                     int parity);
  void scale(const AVFrame& from, AVFrame& to, const std::function<SwsContext&(int)>& scaler_of);
  void swap(const AVFrame& from, AVFrame& to) const;
  void check(int code, const AVFrame& from) const;

  const PixelFormat& to_;
  const AVColorRange range_;
  const AVColorSpace matrix_;
  const FrameMemory memory_;
  int width_ = 0, height_ = 0;  // the results' size; 0: as it comes
  std::optional<FramePool> pool_;
  struct Scaling {
    int from_width, from_height, from_format, width, height, chroma_x, chroma_y;
    bool operator==(const Scaling&) const = default;
  };
  bool places_chroma_ = false;
  // For frames like the last one, or for each of its fields where chroma lies elsewhere in each.
  std::array<std::pair<SwsPtr, Scaling>, 2> scalers_ = {};
  int field_height_ = 0;         // lines, where fields are scaled apart; 0: whole pictures
  FramePtr field_, field_made_;  // a field, and its scaled result
  std::optional<RangeChanger> changer_;
  bool changes_to_full_ = false;
};

}  // namespace vidconv
