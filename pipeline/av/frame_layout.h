// Limits the size of pictures and lays out their planes in memory: the one place where sizes are
// computed from numbers that strangers may have written.
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

// Limits the size of a picture, unless the user says otherwise; it is about what FFmpeg's decoders
// take.
constexpr std::int64_t default_max_pixels = std::int64_t{1} << 28;

// Returns whether a picture that has a size has more pixels than that.
constexpr bool exceeds(std::int64_t width, std::int64_t height, std::int64_t max_pixels) {
  return width > 0 && height > max_pixels / width;
}

// Returns the slightly larger limit to give FFmpeg's decoders, which count their padding, and some
// of their own row buffers, against it.
constexpr std::int64_t decoder_limit(std::int64_t max_pixels) {
  return std::min<std::int64_t>(max_pixels, INT_MAX - (1 << 22)) + (1 << 22);
}

// Throws Error(fault, what, value, ...) for a picture without pixels, with more than `max_pixels`,
// or beyond what FFmpeg can hold; its kind is too_large where the input is at fault. `format` may
// be AV_PIX_FMT_NONE: not known yet.
void check_picture_size(std::int64_t width, std::int64_t height, AVPixelFormat format,
                        std::int64_t max_pixels, Fault fault, const std::string& what,
                        const std::string& value);

// Tells where the planes of a frame lie in its one allocation.
struct FrameLayout {
  const PixelFormat* format = nullptr;
  int width = 0, height = 0;               // the picture's; a decoder's with its own padding
  std::array<std::ptrdiff_t, 4> offset{};  // bytes from the start of the allocation
  std::array<int, 4> stride{};             // bytes
  std::size_t bytes = 0;                   // the whole allocation, with a few bytes of tail
  bool operator==(const FrameLayout&) const = default;
};

// Sets how far apart rows begin. `close`: as their alignment asks, the fewest bytes for a bus to
// carry. `apart`: so that none crowd (rows_crowd()). Filters on a CPU read and write a dozen rows
// side by side; a first-level cache holds only 8 or 12 of those whose addresses share their lower
// 12 bits, and loads wait for stores to such addresses. `apart` costs at most an eighth of the
// memory, and nothing for huge pictures (is_huge()), which stay close.
enum class Rows { close, apart };

// Returns whether rows so many bytes apart alias in caches so much that filters are slow: up to 2.8
// times at 4096 bytes, 1.2 times at 4096 + 64, 1.03 times at 4096 + 128.
constexpr bool rows_crowd(std::size_t stride) { return stride >= 2048 && stride % 2048 < 128; }

// These throw Error(too_large) for sizes that FFmpeg cannot hold.
//
// Packs rows without gaps: a frame of raw video is one read(2).
FrameLayout packed_layout(const PixelFormat& format, int width, int height);
// Starts every row at a multiple of 64 bytes, which encoders and vector units like.
FrameLayout aligned_layout(const PixelFormat& format, int width, int height,
                           Rows rows = Rows::close);
// Lays out the buffers of a decoder, which wants room around the picture.
FrameLayout decoder_layout(const PixelFormat& format, int width, int height, Rows rows,
                           AVCodecContext& decoder);

// Returns the bytes of a frame whose visible samples are packed without gaps: FFmpeg's rawvideo.
// Throws as packed_layout() does.
std::size_t packed_bytes(const PixelFormat& format, int width, int height);

// Returns about how many bytes a picture has, in any format or one that is not known yet; 0 where
// it has no size.
std::size_t picture_bytes(AVPixelFormat format, int width, int height);
// Returns whether a picture has more bytes than 8K in any format: then as few pictures as possible
// should be in memory at once, whatever that costs in time.
bool is_huge(AVPixelFormat format, int width, int height);

// Returns component i of a frame whose allocation starts at `memory`, in any memory.
BytePlane component_of(const FrameLayout& layout, std::size_t i, std::byte* memory);

}  // namespace vidconv
