#include "pipeline/av/frame_layout.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "pipeline/av/av_log.h"

namespace vidconv {
namespace {

constexpr int row_alignment = 64;  // bytes: a cache line, and an AVX-512 register
// Decoders and encoders may read a little beyond the last row of a plane, and some decoders write
// there: as much as avcodec_default_get_buffer2() has.
constexpr std::size_t tail = 128;
constexpr std::size_t huge = 512 << 20;  // bytes: 7680x4320 has 506 MiB where a pixel has 16

// Returns whether FFmpeg can hold it: planes of less than 2 GiB, with room for decoders' padding.
bool can_be(std::int64_t width, std::int64_t height, AVPixelFormat format) {
  if (width < 1 || height < 1 || width > INT_MAX || height > INT_MAX) return false;
  if (format == AV_PIX_FMT_NONE) format = AV_PIX_FMT_GRAY8;
  const int code = av_image_check_size2(static_cast<unsigned>(width), static_cast<unsigned>(height),
                                        INT64_MAX, format, 0, nullptr);
  if (code < 0) take_av_line();  // it has no reason beyond the code
  return code >= 0;
}

std::string picture(std::int64_t width, std::int64_t height, AVPixelFormat format) {
  const char* name = av_get_pix_fmt_name(format);
  return fmt::format("a picture of {}x{}{}{}", width, height, name ? " " : "", name ? name : "");
}

[[noreturn]] void refuse_size(std::int64_t width, std::int64_t height, AVPixelFormat format,
                              MessageKind kind, const std::string& what, const std::string& value) {
  throw Error(kind, what, value, picture(width, height, format) + " is larger than FFmpeg can hold",
              "a plane has less than 2 GiB");
}

// Checks a picture of an accepted input, or one made from it: no fault of the input's size limit.
void check_layout(const PixelFormat& format, int width, int height) {
  if (!can_be(width, height, format.id))
    refuse_size(width, height, format.id, MessageKind::too_large, "cannot make room for a frame",
                "");
}

// Lays out rows of `linesizes` bytes, one plane after the other; each plane starts at a multiple of
// `alignment` and has `room` behind it.
FrameLayout stack_planes(const PixelFormat& format, int width, int height,
                         const std::array<int, 4>& linesizes, std::size_t alignment,
                         std::size_t room) {
  FrameLayout layout{.format = &format, .width = width, .height = height};
  std::size_t end = 0;
  for (int p = 0; p < format.planes; ++p) {
    const auto i = static_cast<std::size_t>(p);
    if (p > 0) end = (end + room + alignment - 1) / alignment * alignment;
    layout.offset[i] = static_cast<std::ptrdiff_t>(end);
    layout.stride[i] = linesizes[i];
    std::size_t plane = 0;
    if (linesizes[i] < 0 || __builtin_mul_overflow(linesizes[i], format.rows(p, height), &plane) ||
        __builtin_add_overflow(end, plane, &end) || end > PTRDIFF_MAX - alignment - room - tail)
      refuse_size(width, height, format.id, MessageKind::too_large, "cannot make room for a frame",
                  "");
  }
  layout.bytes = end + tail;
  return layout;
}

std::array<int, 4> linesizes_of(const PixelFormat& format, int width, int height) {
  std::array<int, 4> linesizes{};
  if (av_image_fill_linesizes(linesizes.data(), format.id, width) < 0)
    refuse_size(width, height, format.id, MessageKind::too_large, "cannot make room for a frame",
                "");
  return linesizes;
}

// Makes the rows of every plane a multiple of `alignment`, and where they are to be apart, none
// crowd. It widens the picture, so that chroma rows keep their share of luma rows: some decoders
// rely on it.
FrameLayout widen(const PixelFormat& format, int width, int height, Rows rows,
                  const std::array<int, 4>& alignment) {
  const bool apart = rows == Rows::apart && !is_huge(format.id, width, height);
  for (int w = width;;) {
    const std::array<int, 4> linesizes = linesizes_of(format, w, height);
    bool aligned = true, crowded = false;
    for (std::size_t p = 0; p < 4; ++p) {
      aligned &= linesizes[p] % alignment[p] == 0;
      crowded |= rows_crowd(static_cast<std::size_t>(linesizes[p]));
    }
    if (aligned && !(apart && crowded))
      return stack_planes(format, width, height, linesizes, row_alignment, tail);
    w += aligned ? row_alignment : w & -w;
  }
}

}  // namespace

void check_picture_size(std::int64_t width, std::int64_t height, AVPixelFormat format,
                        std::int64_t max_pixels, Fault fault, const std::string& what,
                        const std::string& value) {
  const MessageKind kind = fault == Fault::input ? MessageKind::too_large : usual_kind(fault);
  if (width < 1 || height < 1)
    throw Error(fault, what, value, picture(width, height, format) + " has no pixels");
  if (exceeds(width, height, max_pixels))
    throw Error(
        kind, what, value,
        fmt::format("{} has more than {} pixels", picture(width, height, format), max_pixels),
        "`max_pixels` N lets larger ones in");
  if (!can_be(width, height, format)) refuse_size(width, height, format, kind, what, value);
}

FrameLayout packed_layout(const PixelFormat& format, int width, int height) {
  check_layout(format, width, height);
  return stack_planes(format, width, height, linesizes_of(format, width, height), 1, 0);
}

FrameLayout aligned_layout(const PixelFormat& format, int width, int height, Rows rows) {
  check_layout(format, width, height);
  return widen(format, width, height, rows,
               {row_alignment, row_alignment, row_alignment, row_alignment});
}

FrameLayout decoder_layout(const PixelFormat& format, int width, int height, Rows rows,
                           AVCodecContext& decoder) {
  check_layout(format, width, height);
  std::array<int, AV_NUM_DATA_POINTERS> wanted{};
  avcodec_align_dimensions2(&decoder, &width, &height, wanted.data());
  std::array<int, 4> alignment{};
  for (std::size_t p = 0; p < 4; ++p) alignment[p] = std::max(row_alignment, wanted[p]);
  return widen(format, width, height, rows, alignment);
}

std::size_t packed_bytes(const PixelFormat& format, int width, int height) {
  return packed_layout(format, width, height).bytes - tail;
}

std::size_t picture_bytes(AVPixelFormat format, int width, int height) {
  if (width < 1 || height < 1) return 0;
  const AVPixFmtDescriptor* known = av_pix_fmt_desc_get(format);
  const auto bits = static_cast<std::size_t>(known ? av_get_padded_bits_per_pixel(known) : 32);
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::size_t all = 0;
  return __builtin_mul_overflow(pixels, bits, &all) ? SIZE_MAX : all / 8;
}

bool is_huge(AVPixelFormat format, int width, int height) {
  return picture_bytes(format, width, height) > huge;
}

BytePlane component_of(const FrameLayout& layout, std::size_t i, std::byte* memory) {
  const PixelFormat& format = *layout.format;
  const Component& c = format.components[i];
  const auto p = static_cast<std::size_t>(c.plane);
  return {.data = memory + layout.offset[p] + format.offset_of(c, layout.width),
          .stride = layout.stride[p],
          .width = format.width_of(c, layout.width),
          .height = format.height_of(c, layout.height),
          .step = c.step};
}

}  // namespace vidconv
