#include "pipeline/av/format.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

#include "kernels/base/names.h"

namespace vidconv {
namespace {

constexpr bool is_little_endian = std::endian::native == std::endian::little;

SampleType sample_of(const AVPixFmtDescriptor& format, const AVComponentDescriptor& from) {
  if (format.flags & AV_PIX_FMT_FLAG_FLOAT) return {Storage::f32, 32, 0};
  return {from.depth + from.shift > 8 ? Storage::u16 : Storage::u8, from.depth, from.shift};
}

// Returns the bytes that repeat along a row of plane `p`: one pixel, or two of packed 4:2:2.
int bytes_of_group(const AVPixFmtDescriptor& format, int p) {
  int bytes = 0;
  for (int i = 0; i < format.nb_components; ++i)
    if (format.comp[i].plane == p) bytes = std::max(bytes, format.comp[i].step);
  return bytes;
}

// Returns whether the components lie in words of their own, one after the other, as `step` says.
bool has_whole_words(const AVPixFmtDescriptor& format) {
  for (int i = 0; i < format.nb_components; ++i) {
    const AVComponentDescriptor& c = format.comp[i];
    const int word = sample_of(format, c).bytes();
    if (c.offset < 0 || c.offset % word != 0 || c.step % word != 0) return false;
    const int group = bytes_of_group(format, c.plane), pixels = group / c.step;
    if (group % c.step != 0 || (pixels > 1 && pixels != 1 << format.log2_chroma_w)) return false;
  }
  return true;
}

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
  c.sample = sample_of(format, from);
  c.step = from.step / c.sample.bytes();
  if (c.kind == Component::Kind::chroma)
    c.subsampling = {1 << format.log2_chroma_w, 1 << format.log2_chroma_h};
  return c;
}

// Returns components for the bytes in rows of plane `p` that no component of `format` uses.
std::vector<Component> padding_of(const PixelFormat& format, int p, int group) {
  std::vector<Component> padding;
  std::vector<bool> used(static_cast<std::size_t>(group));
  SampleType word;
  for (const Component& c : format.components) {
    if (c.plane != p) continue;
    word = {c.sample.storage, 8 * c.sample.bytes(), 0};
    const int pixel = c.step * word.bytes();
    for (int at = c.offset; at < group; at += pixel) used[static_cast<std::size_t>(at)] = true;
    if (pixel < group)
      padding.push_back(
          {'X', Component::Kind::padding, p, c.offset, c.step, {group / pixel, 1}, word});
  }
  for (int at = 0; at < group; at += word.bytes())
    if (!used[static_cast<std::size_t>(at)])
      padding.push_back({'X', Component::Kind::padding, p, at, group / word.bytes(), {}, word});
  return padding;
}

PixelFormat describe(AVPixelFormat id) {
  const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(id);
  PixelFormat format;
  format.id = id;
  format.name = from.name;
  format.planes = av_pix_fmt_count_planes(id);
  for (int i = 0; i < from.nb_components; ++i) format.components.push_back(describe(from, i));
  return format;
}

std::vector<PixelFormat> describe_all() {
  std::vector<PixelFormat> all;
  const AVPixFmtDescriptor* from = nullptr;
  while ((from = av_pix_fmt_desc_next(from))) {
    const AVPixelFormat id = av_pix_fmt_desc_get_id(from);
    if (!why_not_filtered(id).empty()) continue;
    PixelFormat& format = all.emplace_back(describe(id));
    for (int p = 0; p < format.planes; ++p)
      for (const Component& c : padding_of(format, p, bytes_of_group(*from, p)))
        format.components.push_back(c);
  }
  return all;
}

}  // namespace

std::size_t PixelFormat::row_bytes(int p, int width) const {
  const int bytes = av_image_get_linesize(id, width, p);
  if (bytes < 0)
    throw Error(Fault::internal, "there are no rows of so many samples", std::to_string(width), "");
  return static_cast<std::size_t>(bytes);
}

int PixelFormat::rows(int p, int height) const {
  const auto it = std::ranges::find(components, p, &Component::plane);
  return height_of(*it, height);
}

std::span<const PixelFormat> formats() {
  static const std::vector<PixelFormat> all = describe_all();
  return all;
}

std::string format_meant(std::string_view name) {
  std::vector<std::string_view> names;
  const AVPixFmtDescriptor* desc = nullptr;
  while ((desc = av_pix_fmt_desc_next(desc))) names.push_back(desc->name);
  return did_you_mean(name, names);
}

const PixelFormat* find_format(AVPixelFormat id) {
  const auto it = std::ranges::find(formats(), id, &PixelFormat::id);
  return it == formats().end() ? nullptr : &*it;
}

std::string why_not_filtered(AVPixelFormat id) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(id);
  if (!format) return "FFmpeg does not know it";
  if (format->flags & AV_PIX_FMT_FLAG_HWACCEL) return "its pixels lie in a device's own memory";
  if (format->flags & AV_PIX_FMT_FLAG_PAL) return "its samples point into a palette";
  if (format->flags & AV_PIX_FMT_FLAG_BAYER) return "a Bayer mosaic has one colour a pixel";
  if (id == AV_PIX_FMT_XYZ12LE || id == AV_PIX_FMT_XYZ12BE) return "XYZ is neither YUV nor RGB";
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  if (const AVPixelFormat plain = without_range(id, range); plain != id)
    return std::string("it is the full range of ") + av_get_pix_fmt_name(plain);
  for (int i = 0; i < format->nb_components; ++i) {
    const AVComponentDescriptor& c = format->comp[i];
    const bool is_float = format->flags & AV_PIX_FMT_FLAG_FLOAT;
    if (is_float ? c.depth != 32 : c.depth < 8 || c.depth + c.shift > 16)
      return "its samples are neither 8 to 16 bits nor floats of 32";
  }
  if ((format->flags & AV_PIX_FMT_FLAG_BITSTREAM) || !has_whole_words(*format))
    return "its samples are no words of their own";
  const AVPixelFormat swapped = av_pix_fmt_swap_endianness(id);
  if (swapped != AV_PIX_FMT_NONE && is_little_endian == bool(format->flags & AV_PIX_FMT_FLAG_BE))
    return std::string("it is ") + av_get_pix_fmt_name(swapped) + " in the other order of bytes";
  return "";
}

const PixelFormat* find_swapped(AVPixelFormat id) {
  return find_format(av_pix_fmt_swap_endianness(id));
}

const PixelFormat& describe_format(AVPixelFormat id) {
  if (const PixelFormat* format = find_format(id)) return *format;
  static std::mutex mutex;
  static std::map<AVPixelFormat, PixelFormat> others;
  const std::lock_guard lock(mutex);
  return others.try_emplace(id, describe(id)).first->second;
}

const PixelFormat& nearest_format(AVPixelFormat id) {
  if (const PixelFormat* swapped = find_swapped(id)) return *swapped;
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(id);
  const bool alpha = desc && (desc->flags & AV_PIX_FMT_FLAG_ALPHA);
  std::vector<AVPixelFormat> list;
  for (const PixelFormat& format : formats()) {
    const bool has_alpha = av_pix_fmt_desc_get(format.id)->flags & AV_PIX_FMT_FLAG_ALPHA;
    if (sws_isSupportedOutput(format.id) > 0 && (alpha || !has_alpha)) list.push_back(format.id);
  }
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
