// Converter: frames in another pixel format, colour range or matrix, by swscale where it is exact.
#pragma once

#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/av/colour_range.h"
#include "pipeline/av/format.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// The matrix that is meant where nothing is said: high definition came with BT.709.
AVColorSpace usual_matrix(int height);
// That one where `matrix` is unspecified, or RGB's.
AVColorSpace known_matrix(AVColorSpace matrix, int height);
// All these show the same on the screens that they were made for, pictures of that height.
bool is_usual(AVColorTransferCharacteristic transfer);
bool is_usual(AVColorPrimaries primaries, int height);
// Whether pictures can be converted from it and to it: Y is a sum of R', G' and B' there, and Cb
// and Cr are multiples of B' - Y and R' - Y.
bool can_convert(AVColorSpace matrix);
// Whether the two have other names for the same numbers; both can be converted.
bool same_matrix(AVColorSpace a, AVColorSpace b);

class Converter {
 public:
  // `range` and `matrix` of the result; unspecified: as in the frames that come, or what is usual
  // for the format.
  Converter(const PixelFormat& to, AVColorRange range, AVColorSpace matrix,
            const FrameMemory& memory);

  // From now on results have this size; until then, the size of what comes.
  void scale_to(int width, int height);

  // A new frame of the same properties. `from` may have any format of FFmpeg's; where it
  // is the wanted one already, samples are copied. Throws Error(output) where FFmpeg reads no such
  // pictures, Error(internal).
  FramePtr convert(const AVFrame& from);

  std::size_t memory() const { return pool_ ? pool_->bytes() : 0; }

 private:
  AVColorRange range_of_result(AVPixelFormat format, AVColorRange range) const;
  bool mixes_fields(const AVFrame& from, AVPixelFormat format) const;
  void scale(const AVFrame& from, AVFrame& to);
  void swap(const AVFrame& from, AVFrame& to) const;
  void check(int code, const AVFrame& from) const;

  const PixelFormat& to_;
  const AVColorRange range_;
  const AVColorSpace matrix_;
  const FrameMemory memory_;
  int width_ = 0, height_ = 0;  // of results; 0: as it comes
  std::optional<FramePool> pool_;
  SwsPtr scaler_;                // for frames like the last one
  int field_height_ = 0;         // of each of two fields that it scales alone; 0: whole pictures
  FramePtr field_, field_made_;  // one of them, and what is made of it
  std::optional<RangeChanger> changer_;
  bool changes_to_full_ = false;
};

}  // namespace vidconv
