#include "pipeline/av/convert/convert.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/av/frame.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Exact rather than fast: people look at the pictures, and did not ask for the conversion.
constexpr int flags =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;

bool is_rgb(int format) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
  return desc && (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL));
}

bool has_chroma(AVPixelFormat format) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
  return desc && desc->nb_components > 2;
}

// Returns a field's lines of luma, an even number: with chroma one line stands for two of them.
int field_height(int height) { return (height + 3) / 4 * 2; }

// Makes `field` a picture of that size and format, where it is not one yet.
void make_field(FramePtr& field, int width, int height, AVPixelFormat format) {
  if (field && field->width == width && field->height == height && field->format == format) return;
  field = make_frame();
  field->width = width;
  field->height = height;
  field->format = format;
  check_av(av_frame_get_buffer(field.get(), 0), Fault::internal, "cannot make room for a field");
}

// Copies lines `first`, `first + step`, ... of each plane to lines `to_first`, `to_first +
// to_step`, ...; where `from` has no more, its last one is repeated.
void copy_lines(const AVFrame& from, int first, int step, AVFrame& to, int to_first, int to_step) {
  const auto format = static_cast<AVPixelFormat>(to.format);
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  const auto lines = [&](const AVFrame& frame, int p) {
    const bool chroma = (p == 1 || p == 2) && !(d.flags & AV_PIX_FMT_FLAG_RGB);
    return chroma ? AV_CEIL_RSHIFT(frame.height, d.log2_chroma_h) : frame.height;
  };
  for (int p = 0; p < av_pix_fmt_count_planes(format); ++p) {
    const auto bytes = static_cast<std::size_t>(av_image_get_linesize(format, to.width, p));
    int source = first;
    for (int y = to_first; y < lines(to, p); y += to_step) {
      if (first < lines(from, p))
        std::memcpy(to.data[p] + static_cast<std::ptrdiff_t>(to.linesize[p]) * y,
                    from.data[p] + static_cast<std::ptrdiff_t>(from.linesize[p]) * source, bytes);
      if (source + step < lines(from, p)) source += step;
    }
  }
}

// Where chroma lies, in 256ths of a pixel to the right and below of the first one.
struct ChromaPlace {
  int x, y;
};

// `parity`: in the pictures of which field, 0 or 1; -1: in whole pictures.
ChromaPlace chroma_place(AVChromaLocation location, int parity) {
  constexpr int first = 0, between = 128, last = 256;
  ChromaPlace place{first, between};
  switch (location) {
    case AVCHROMA_LOC_CENTER:
      place = {between, between};
      break;
    case AVCHROMA_LOC_TOPLEFT:
      place = {first, first};
      break;
    case AVCHROMA_LOC_TOP:
      place = {between, first};
      break;
    case AVCHROMA_LOC_BOTTOMLEFT:
      place = {first, last};
      break;
    case AVCHROMA_LOC_BOTTOM:
      place = {between, last};
      break;
    default:
      break;
  }
  // Between two lines of a picture is a quarter behind a line of its first field, and a quarter
  // before one of the second.
  if (parity >= 0 && place.y == between) place.y = parity == 0 ? between / 2 : 3 * between / 2;
  return place;
}

const char* name_of(AVPixelFormat format) {
  const char* name = av_get_pix_fmt_name(format);
  return name ? name : "unknown";
}

}  // namespace

AVColorSpace usual_matrix(int height) {
  return height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

AVColorSpace known_matrix(AVColorSpace matrix, int height) {
  return matrix == AVCOL_SPC_UNSPECIFIED || matrix == AVCOL_SPC_RGB ? usual_matrix(height) : matrix;
}

bool is_usual(AVColorTransferCharacteristic transfer) {
  switch (transfer) {
    case AVCOL_TRC_UNSPECIFIED:
    case AVCOL_TRC_BT709:
    case AVCOL_TRC_SMPTE170M:
    case AVCOL_TRC_GAMMA22:
    case AVCOL_TRC_GAMMA28:
    case AVCOL_TRC_IEC61966_2_1:
    case AVCOL_TRC_BT2020_10:
    case AVCOL_TRC_BT2020_12:
      return true;
    default:
      return false;
  }
}

bool is_usual(AVColorPrimaries primaries, int height) {
  switch (primaries) {
    case AVCOL_PRI_UNSPECIFIED:
    case AVCOL_PRI_BT709:
      return true;
    case AVCOL_PRI_BT470BG:
    case AVCOL_PRI_SMPTE170M:
    case AVCOL_PRI_SMPTE240M:
      return usual_matrix(height) != AVCOL_SPC_BT709;
    default:
      return false;
  }
}

bool can_convert(AVColorSpace matrix) {
  switch (matrix) {
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_FCC:
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_SMPTE240M:
    case AVCOL_SPC_BT2020_NCL:
      return true;
    default:
      return false;
  }
}

bool same_matrix(AVColorSpace a, AVColorSpace b) {
  return a == b ||
         std::equal(sws_getCoefficients(a), sws_getCoefficients(a) + 4, sws_getCoefficients(b));
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
    pool_.emplace(aligned_layout(to_, width, height, memory_.rows), memory_);
  FramePtr result = pool_->get();
  copy_properties(from, *result);

  AVColorRange from_range = from.color_range;
  const AVPixelFormat from_format =
      without_range(static_cast<AVPixelFormat>(from.format), from_range);
  const bool to_rgb = is_rgb(to_.id), from_rgb = is_rgb(from_format);
  const bool from_full = is_full_range(from_format, from_range);
  const AVColorRange to_range = range_of_result(from_format, from_range);
  const bool to_full = is_full_range(to_.id, to_range);
  const AVColorSpace from_matrix = known_matrix(from.colorspace, from.height);
  const AVColorSpace to_matrix = matrix_ == AVCOL_SPC_UNSPECIFIED ? from_matrix : matrix_;
  const bool keeps_matrix =
      from_rgb || to_rgb || !has_chroma(from_format) || same_matrix(from_matrix, to_matrix);
  result->color_range = to_range;
  if (to_rgb)
    result->colorspace = AVCOL_SPC_RGB;
  else if (from_rgb || !keeps_matrix)
    result->colorspace = to_matrix;

  // swscale rounds a change of the range of deep samples too coarsely.
  const bool own_range = from_full != to_full && !from_rgb && !to_rgb && find_format(to_.id) &&
                         to_.components[0].sample.storage != Storage::f32;
  if (same_size && keeps_matrix && from_format == to_.id && (own_range || from_full == to_full)) {
    // The yuvj formats lie in memory as the plain ones do; av_frame_copy() wants equal formats.
    AVFrame plain = from;
    plain.format = to_.id;
    check(av_frame_copy(result.get(), &plain), from);
  } else if (same_size && keeps_matrix && &to_ == find_swapped(from_format) &&
             (own_range || from_full == to_full)) {
    swap(from, *result);
  } else {
    if (!sws_isSupportedInput(from_format))
      throw Error(
          Fault::output, "cannot convert the pixel format",
          fmt::format("{} {}x{} to {}", name_of(from_format), from.width, from.height, to_.name),
          "FFmpeg converts it to no other", "choose a `codec` that takes it");
    const int fields = same_size && mixes_fields(from, from_format) ? 2 : 1;
    field_height_ = fields == 2 ? field_height(from.height) : 0;
    scale(from, *result, [&](int parity) -> SwsContext& {
      SwsContext& made = scaler(from, from_format, width, height, parity);
      check(sws_setColorspaceDetails(&made, sws_getCoefficients(from_matrix), from_full,
                                     sws_getCoefficients(to_matrix),
                                     own_range ? from_full : to_full, 0, 1 << 16, 1 << 16),
            from);
      return made;
    });
  }
  if (!own_range) return result;
  if (!changer_ || changes_to_full_ != to_full) changer_.emplace(to_, to_full);
  changes_to_full_ = to_full;
  Frame changed(std::move(result), 0);
  changer_->change(changed);
  return changed.release();
}

AVColorRange Converter::range_of_result(AVPixelFormat format, AVColorRange range) const {
  if (range_ != AVCOL_RANGE_UNSPECIFIED) return range_;
  if (is_rgb(format) && !is_rgb(to_.id)) return AVCOL_RANGE_MPEG;
  // An unspecified range would mean something else for the other format, so it is written out.
  const bool full = is_full_range(format, range);
  if (range == AVCOL_RANGE_UNSPECIFIED && full != is_full_range(to_.id, range) && !is_rgb(to_.id))
    return full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  return range;
}

// Returns whether scaling whole pictures would mix fields: a line of chroma belongs to one field,
// where there are fewer of them than of luma.
bool Converter::mixes_fields(const AVFrame& from, AVPixelFormat format) const {
  const AVPixFmtDescriptor* a = av_pix_fmt_desc_get(format);
  const AVPixFmtDescriptor* b = av_pix_fmt_desc_get(to_.id);
  return is_interlaced(from) && a && b && a->log2_chroma_h != b->log2_chroma_h;
}

// Returns a context that scales whole pictures (`parity` -1) or their fields.
SwsContext& Converter::scaler(const AVFrame& from, AVPixelFormat from_format, int width, int height,
                              int parity) {
  constexpr int unset = -513;  // swscale's own place
  ChromaPlace place{unset, unset};
  if (places_chroma_) place = chroma_place(from.chroma_location, parity);
  const bool field = parity >= 0;
  const Scaling wanted{from.width, field ? field_height_ : from.height, from_format,
                       width,      field ? field_height_ : height,      place.x,
                       place.y};
  auto& kept = scalers_[places_chroma_ && parity > 0 ? 1 : 0];
  SwsPtr& context = kept.first;
  Scaling& made_for = kept.second;
  if (context && made_for == wanted) return *context;
  context.reset(sws_alloc_context());
  if (!context) check(AVERROR(ENOMEM), from);
  made_for = wanted;
  const auto subsampled = [](AVPixelFormat format, bool across) {
    const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
    return d && (across ? d->log2_chroma_w : d->log2_chroma_h) > 0;
  };
  const auto set = [&](const char* name, std::int64_t value) {
    check(av_opt_set_int(context.get(), name, value, 0), from);
  };
  set("sws_flags", flags);
  set("srcw", wanted.from_width);
  set("srch", wanted.from_height);
  set("src_format", wanted.from_format);
  set("dstw", wanted.width);
  set("dsth", wanted.height);
  set("dst_format", to_.id);
  if (subsampled(from_format, true)) set("src_h_chr_pos", place.x);
  if (subsampled(from_format, false)) set("src_v_chr_pos", place.y);
  if (subsampled(to_.id, true)) set("dst_h_chr_pos", place.x);
  if (subsampled(to_.id, false)) set("dst_v_chr_pos", place.y);
  check(sws_init_context(context.get(), nullptr, nullptr), from);
  return *context;
}

void Converter::scale(const AVFrame& from, AVFrame& to,
                      const std::function<SwsContext&(int)>& scaler_of) {
  if (field_height_ == 0) {
    check(sws_scale(&scaler_of(-1), from.data, from.linesize, 0, from.height, to.data, to.linesize),
          from);
    return;
  }
  const auto format = static_cast<AVPixelFormat>(from.format);
  // A field is scaled with whole lines of chroma, so it may have more lines than are copied back.
  make_field(field_, from.width, field_height_, format);
  make_field(field_made_, from.width, field_height_, to_.id);
  for (int parity = 0; parity < 2; ++parity) {
    copy_lines(from, parity, 2, *field_, 0, 1);
    check(sws_scale(&scaler_of(parity), field_->data, field_->linesize, 0, field_height_,
                    field_made_->data, field_made_->linesize),
          from);
    copy_lines(*field_made_, 0, 1, to, parity, 2);
  }
}

// Copies the samples in the other byte order.
void Converter::swap(const AVFrame& from, AVFrame& to) const {
  for (int p = 0; p < to_.planes; ++p)
    for (int y = 0; y < to_.rows(p, from.height); ++y)
      swap_bytes({reinterpret_cast<const std::byte*>(from.data[p]) +
                      static_cast<std::ptrdiff_t>(from.linesize[p]) * y,
                  to_.row_bytes(p, from.width)},
                 reinterpret_cast<std::byte*>(to.data[p]) +
                     static_cast<std::ptrdiff_t>(to.linesize[p]) * y,
                 to_.components[0].sample.bytes());
}

void Converter::check(int code, const AVFrame& from) const {
  if (code >= 0) return;
  check_av(code, Fault::internal, "cannot convert the pixel format",
           fmt::format("{} {}x{} to {}", name_of(static_cast<AVPixelFormat>(from.format)),
                       from.width, from.height, to_.name));
}

}  // namespace vidconv
