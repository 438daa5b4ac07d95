// How large pictures may be, and where their planes lie in memory: the one place where sizes are
// computed, from numbers that strangers may have written.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/av/format.h"

namespace vidconv {

// Of one picture, unless the user says otherwise; about what FFmpeg's decoders take.
constexpr std::int64_t default_max_pixels = std::int64_t{1} << 28;

// Whether a picture, if it has a size, has more pixels than that.
constexpr bool exceeds(std::int64_t width, std::int64_t height, std::int64_t max_pixels) {
  return width > 0 && height > max_pixels / width;
}

// What to give FFmpeg's decoders for that limit, which count with their padding, and hold some of
// their own buffers of rows against it: a little more.
constexpr std::int64_t decoder_limit(std::int64_t max_pixels) {
  return std::min<std::int64_t>(max_pixels, INT_MAX - (1 << 22)) + (1 << 22);
}

// Throws Error(fault, what, value, ...) for a picture without pixels, with more than `max_pixels`,
// or beyond what FFmpeg can hold: of kind too_large where the input is at fault. `format` may be
// AV_PIX_FMT_NONE: not known yet.
void check_picture_size(std::int64_t width, std::int64_t height, AVPixelFormat format,
                        std::int64_t max_pixels, Fault fault, const std::string& what,
                        const std::string& value);

// Where the planes of a frame lie in its one allocation.
struct FrameLayout {
  const PixelFormat* format = nullptr;
  int width = 0, height = 0;               // of the picture; a decoder's with its own padding
  std::array<std::ptrdiff_t, 4> offset{};  // bytes from the start of the allocation
  std::array<int, 4> stride{};             // bytes
  std::size_t bytes = 0;                   // of the allocation, a few bytes of tail included
  bool operator==(const FrameLayout&) const = default;
};

// How far apart rows begin. `close`: as their alignment asks, the fewest bytes for a bus to carry.
// `apart`: so that none crowd (rows_crowd()): filters on a CPU read and write a dozen rows side by
// side, of which a first-level cache holds 8 or 12 whose addresses are equal in their lower 12
// bits, and loads wait for stores to such addresses. Costs at most an eighth of the memory; none
// where that is much (is_huge()).
enum class Rows { close, apart };

// Whether rows so many bytes apart begin so close together, as caches see it, that filters are
// slow: of 4096 bytes by up to 2.8 times, of 4096 + 64 by 1.2, of 4096 + 128 by 1.03.
constexpr bool rows_crowd(std::size_t stride) { return stride >= 2048 && stride % 2048 < 128; }

// These throw Error(too_large) for what FFmpeg cannot hold.
//
// Rows packed without gaps: a frame of raw video is one read(2).
FrameLayout packed_layout(const PixelFormat& format, int width, int height);
// Every row starts at a multiple of 64 bytes: what encoders and vector units like.
FrameLayout aligned_layout(const PixelFormat& format, int width, int height,
                           Rows rows = Rows::close);
// For the buffers of a decoder, which wants room around the picture.
FrameLayout decoder_layout(const PixelFormat& format, int width, int height, Rows rows,
                           AVCodecContext& decoder);

// Bytes of a frame whose visible samples are packed without gaps: FFmpeg's rawvideo. Throws as
// packed_layout() does.
std::size_t packed_bytes(const PixelFormat& format, int width, int height);

// About how many bytes a picture has, in a format of any kind or in one that is not known yet; 0
// where it has no size.
std::size_t picture_bytes(AVPixelFormat format, int width, int height);
// Whether that is more than 8K has in any format: then as few pictures as possible should be in
// memory at once, whatever that costs in time.
bool is_huge(AVPixelFormat format, int width, int height);

// Component i of a frame whose allocation starts at `memory`, in any memory.
BytePlane component_of(const FrameLayout& layout, std::size_t i, std::byte* memory);

}  // namespace vidconv
