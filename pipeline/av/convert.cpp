#include "pipeline/av/convert.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <utility>

#include "pipeline/av/frame.h"

namespace vidconv {
namespace {

// Exact rather than fast: the pictures are looked at, and nobody asked for the conversion.
constexpr int flags =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;

bool is_rgb(int format) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
  return desc && (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL));
}

const char* name_of(AVPixelFormat format) {
  const char* name = av_get_pix_fmt_name(format);
  return name ? name : "unknown";
}

AVColorSpace known_matrix(AVColorSpace matrix, int height) {
  return matrix == AVCOL_SPC_UNSPECIFIED || matrix == AVCOL_SPC_RGB ? usual_matrix(height) : matrix;
}

}  // namespace

AVColorSpace usual_matrix(int height) {
  return height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

Converter::Converter(const PixelFormat& to, AVColorRange range, AVColorSpace matrix,
                     const FrameMemory& memory)
    : to_(to), range_(range), matrix_(matrix), memory_(memory) {}

void Converter::scale_to(int width, int height) {
  width_ = width;
  height_ = height;
}

FramePtr Converter::convert(const AVFrame& from) {
  const int width = width_ > 0 ? width_ : from.width, height = height_ > 0 ? height_ : from.height;
  const bool same_size = width == from.width && height == from.height;
  if (!pool_ || pool_->layout().width != width || pool_->layout().height != height)
    pool_.emplace(aligned_layout(to_, width, height), memory_);
  FramePtr result = pool_->get();
  copy_properties(from, *result);

  AVColorRange from_range = from.color_range;
  const AVPixelFormat from_format =
      without_range(static_cast<AVPixelFormat>(from.format), from_range);
  const auto check = [&](int code) {
    if (code >= 0) return;
    check_av(code, Fault::internal, "cannot convert the pixel format",
             fmt::format("{} {}x{} to {} {}x{}", name_of(from_format), from.width, from.height,
                         to_.name, width, height));
  };
  const bool to_rgb = is_rgb(to_.id);
  const AVColorRange to_range = range_ != AVCOL_RANGE_UNSPECIFIED ? range_
                                : is_rgb(from_format) && !to_rgb  ? AVCOL_RANGE_MPEG
                                                                  : from_range;
  result->color_range = to_range;
  if (same_size && from_format == to_.id &&
      (from_range == AVCOL_RANGE_JPEG) == (to_range == AVCOL_RANGE_JPEG)) {
    // The J formats lie in memory as the plain ones; av_frame_copy() wants equal names.
    AVFrame plain = from;
    plain.format = to_.id;
    check(av_frame_copy(result.get(), &plain));
    return result;
  }

  if (same_size && &to_ == find_swapped(from_format) && to_range == from_range) {
    Frame swapped(std::move(result), 0);
    for (int p = 0; p < to_.planes; ++p)
      for (int y = 0; y < to_.rows(p, from.height); ++y)
        swap_bytes({reinterpret_cast<const std::byte*>(from.data[p]) +
                        static_cast<std::ptrdiff_t>(from.linesize[p]) * y,
                    to_.row_bytes(p, from.width)},
                   swapped.row(p, y), to_.components[0].sample.bytes());
    return swapped.release();
  }

  const AVColorSpace from_matrix = known_matrix(from.colorspace, from.height);
  const AVColorSpace to_matrix = matrix_ == AVCOL_SPC_UNSPECIFIED ? from_matrix : matrix_;
  if (to_rgb)
    result->colorspace = AVCOL_SPC_RGB;
  else if (is_rgb(from_format))
    result->colorspace = to_matrix;
  scaler_.reset(sws_getCachedContext(scaler_.release(), from.width, from.height, from_format, width,
                                     height, to_.id, flags, nullptr, nullptr, nullptr));
  if (!scaler_) check(AVERROR(EINVAL));
  check(sws_setColorspaceDetails(scaler_.get(), sws_getCoefficients(from_matrix),
                                 from_range == AVCOL_RANGE_JPEG, sws_getCoefficients(to_matrix),
                                 to_range == AVCOL_RANGE_JPEG, 0, 1 << 16, 1 << 16));
  check(sws_scale(scaler_.get(), from.data, from.linesize, 0, from.height, result->data,
                  result->linesize));
  return result;
}

}  // namespace vidconv
