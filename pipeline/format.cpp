#include "pipeline/format.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>

namespace vidconv {
namespace {

constexpr AVPixelFormat table[] = {
    AV_PIX_FMT_GRAY8,    AV_PIX_FMT_GRAY10,     AV_PIX_FMT_GRAY12,     AV_PIX_FMT_GRAY16,
    AV_PIX_FMT_YUV420P,  AV_PIX_FMT_YUV420P10,  AV_PIX_FMT_YUV420P12,  AV_PIX_FMT_YUV420P16,
    AV_PIX_FMT_YUV422P,  AV_PIX_FMT_YUV422P10,  AV_PIX_FMT_YUV422P12,  AV_PIX_FMT_YUV422P16,
    AV_PIX_FMT_YUV444P,  AV_PIX_FMT_YUV444P10,  AV_PIX_FMT_YUV444P12,  AV_PIX_FMT_YUV444P16,
    AV_PIX_FMT_YUV411P,  AV_PIX_FMT_YUV440P,    AV_PIX_FMT_YUVA420P,   AV_PIX_FMT_YUVA420P10,
    AV_PIX_FMT_YUVA444P, AV_PIX_FMT_YUVA444P10, AV_PIX_FMT_YUVA444P16, AV_PIX_FMT_GBRP,
    AV_PIX_FMT_GBRP10,   AV_PIX_FMT_GBRP12,     AV_PIX_FMT_GBRP16,     AV_PIX_FMT_GBRAP,
    AV_PIX_FMT_GBRAP10,  AV_PIX_FMT_GBRAP12,    AV_PIX_FMT_GBRAP16,    AV_PIX_FMT_NV12,
    AV_PIX_FMT_P010,     AV_PIX_FMT_P016,       AV_PIX_FMT_RGB24,      AV_PIX_FMT_BGR24,
    AV_PIX_FMT_RGBA,     AV_PIX_FMT_BGRA,       AV_PIX_FMT_ARGB,       AV_PIX_FMT_ABGR,
    AV_PIX_FMT_RGB48,    AV_PIX_FMT_RGBA64,
};

Component describe(const AVPixFmtDescriptor& format, int index) {
  const AVComponentDescriptor& from = format.comp[index];
  const bool rgb = format.flags & AV_PIX_FMT_FLAG_RGB;
  const bool alpha = (format.flags & AV_PIX_FMT_FLAG_ALPHA) && index == format.nb_components - 1;
  Component c{};
  c.name = alpha ? 'A' : (rgb ? "RGB" : "YUV")[index];
  c.kind = alpha   ? Component::Kind::alpha
           : rgb   ? Component::Kind::colour
           : index ? Component::Kind::chroma
                   : Component::Kind::luma;
  c.plane = from.plane;
  c.offset = from.offset;
  c.sample = {from.depth > 8 ? Storage::u16 : Storage::u8, from.depth, from.shift};
  c.step = from.step / c.sample.bytes();
  if (c.kind == Component::Kind::chroma)
    c.subsampling = {1 << format.log2_chroma_w, 1 << format.log2_chroma_h};
  return c;
}

std::vector<PixelFormat> describe_all() {
  std::vector<PixelFormat> all;
  for (const AVPixelFormat id : table) {
    const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(id);
    PixelFormat& format = all.emplace_back();
    format.id = id;
    format.name = from.name;
    format.planes = av_pix_fmt_count_planes(id);
    for (int i = 0; i < from.nb_components; ++i) format.components.push_back(describe(from, i));
  }
  return all;
}

}  // namespace

std::size_t PixelFormat::row_bytes(int p, int width) const {
  return static_cast<std::size_t>(av_image_get_linesize(id, width, p));
}

int PixelFormat::rows(int p, int height) const {
  const auto it = std::ranges::find(components, p, &Component::plane);
  return height_of(*it, height);
}

std::size_t PixelFormat::packed_bytes(int width, int height) const {
  std::size_t bytes = 0;
  for (int p = 0; p < planes; ++p)
    bytes += row_bytes(p, width) * static_cast<std::size_t>(rows(p, height));
  return bytes;
}

std::span<const PixelFormat> formats() {
  static const std::vector<PixelFormat> all = describe_all();
  return all;
}

const PixelFormat* find_format(AVPixelFormat id) {
  const auto it = std::ranges::find(formats(), id, &PixelFormat::id);
  return it == formats().end() ? nullptr : &*it;
}

const PixelFormat& nearest_format(AVPixelFormat id) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(id);
  const bool alpha = desc && (desc->flags & AV_PIX_FMT_FLAG_ALPHA);
  std::vector<AVPixelFormat> list(std::begin(table), std::end(table));
  list.push_back(AV_PIX_FMT_NONE);
  const AVPixelFormat best = avcodec_find_best_pix_fmt_of_list(list.data(), id, alpha, nullptr);
  return *find_format(best == AV_PIX_FMT_NONE ? AV_PIX_FMT_YUV420P : best);
}

AVPixelFormat without_range(AVPixelFormat id, AVColorRange& range) {
  AVPixelFormat plain = id;
  switch (id) {
    case AV_PIX_FMT_YUVJ411P:
      plain = AV_PIX_FMT_YUV411P;
      break;
    case AV_PIX_FMT_YUVJ420P:
      plain = AV_PIX_FMT_YUV420P;
      break;
    case AV_PIX_FMT_YUVJ422P:
      plain = AV_PIX_FMT_YUV422P;
      break;
    case AV_PIX_FMT_YUVJ440P:
      plain = AV_PIX_FMT_YUV440P;
      break;
    case AV_PIX_FMT_YUVJ444P:
      plain = AV_PIX_FMT_YUV444P;
      break;
    default:
      return id;
  }
  range = AVCOL_RANGE_JPEG;
  return plain;
}

}  // namespace vidconv
