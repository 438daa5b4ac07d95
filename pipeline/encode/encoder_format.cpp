#include "pipeline/encode/encoder_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

extern "C" {
#include <libswscale/swscale.h>
}

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

bool has_alpha(const PixelFormat& format) {
  return av_pix_fmt_desc_get(format.id)->flags & AV_PIX_FMT_FLAG_ALPHA;
}

// Returns whether the container has to name the format. It does for bare frames, and cannot name
// some: nobody could read those, though FFmpeg writes them.
bool names_formats(const EncoderChoice& choice) {
  return choice.codec->id == AV_CODEC_ID_RAWVIDEO && !choice.container.empty();
}

bool has_raw_name(const std::string& container, AVPixelFormat format) {
  const unsigned tag = avcodec_pix_fmt_to_codec_tag(format);
  if (tag == 0 || container == "nut" || container == "matroska") return tag != 0;
  const bool grey = av_pix_fmt_desc_get(format)->nb_components == 1;
  if (container == "mov" && grey) return false;  // is read as indices into a palette
  const AVCodecTag* const lists[] = {
      avformat_get_riff_video_tags(),
      container == "avi" || container == "mov" ? avformat_get_mov_video_tags() : nullptr, nullptr};
  return av_codec_get_id(lists, tag) == AV_CODEC_ID_RAWVIDEO;
}

std::vector<AVPixelFormat> formats_of(const EncoderChoice& choice) {
  std::vector<AVPixelFormat> formats;
  if (!names_formats(choice)) {
    formats = supported_formats(*choice.codec);
    // Some encoders list the yuvj names only.
    for (std::size_t i = 0; i < formats.size(); ++i) {
      AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
      const AVPixelFormat plain = without_range(formats[i], range);
      if (choice.defaults.full_range_only && std::ranges::find(formats, plain) == formats.end())
        formats.push_back(plain);
    }
    return formats;
  }
  for (const AVPixFmtDescriptor* d = nullptr; (d = av_pix_fmt_desc_next(d));) {
    const AVPixelFormat id = av_pix_fmt_desc_get_id(d);
    if (find_format(id) && has_raw_name(choice.container, id)) formats.push_back(id);
  }
  return formats;
}

// Returns whether no sample of chroma reaches beyond the picture's edge.
bool fits(const PixelFormat& format, const VideoInfo& video) {
  return std::ranges::all_of(format.components, [&](const Component& c) {
    return video.width % c.subsampling.x == 0 && video.height % c.subsampling.y == 0;
  });
}

// Returns a format of the same depth with more chroma, as the size demands; `format` where there is
// none.
const PixelFormat& fitting(const EncoderChoice& choice, const VideoInfo& video,
                           const PixelFormat& format) {
  const int depth = format.components[0].sample.depth;
  for (const AVPixelFormat id :
       {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV444P10,
        AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV444P12}) {
    const PixelFormat& more = *find_format(id);
    if (more.components[0].sample.depth == depth && fits(more, video) && takes(choice, more))
      return more;
  }
  return format;
}

const PixelFormat& usual_of_any_size(const EncoderChoice& choice, const VideoInfo& video,
                                     bool lossless);

}  // namespace

const PixelFormat& usual_format(const EncoderChoice& choice, const VideoInfo& video,
                                bool lossless) {
  const PixelFormat& usual = usual_of_any_size(choice, video, lossless);
  const bool whole = !choice.defaults.whole_chroma || fits(usual, video);
  return whole ? usual : fitting(choice, video, usual);
}

const PixelFormat& format_named(const EncoderChoice& choice, const VideoInfo& video,
                                const std::string& name, AVColorRange& range) {
  const AVCodec& encoder = *choice.codec;
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw Error(Fault::usage, "`pixel_format`", name, why, remedy);
  };
  const AVPixelFormat id = av_get_pix_fmt(name.c_str());
  if (id == AV_PIX_FMT_NONE)
    refuse("there is no such pixel format" + format_meant(name), "'ffmpeg -pix_fmts' lists them");
  const std::vector<AVPixelFormat> supported = formats_of(choice);
  std::string taken;
  for (const AVPixelFormat format : supported)
    taken += (taken.empty() ? "" : ", ") + std::string(av_get_pix_fmt_name(format));
  if (!supported.empty() && std::ranges::find(supported, id) == supported.end())
    refuse(std::string(encoder.name) + (names_formats(choice) ? " in " + choice.container : "") +
               " does not take it",
           "it takes " + taken);
  const AVPixelFormat plain = without_range(id, range);
  if (!sws_isSupportedOutput(plain)) refuse("FFmpeg cannot convert to it", "leave it out");
  const PixelFormat& format = describe_format(plain);
  if (choice.defaults.whole_chroma && !fits(format, video))
    refuse(fmt::format("{} cannot end a picture of {}x{} with half a sample of chroma",
                       encoder.name, video.width, video.height),
           fmt::format("use {}, or leave it out", fitting(choice, video, format).name));
  return format;
}

bool takes(const EncoderChoice& choice, const PixelFormat& format) {
  const std::vector<AVPixelFormat> supported = formats_of(choice);
  return supported.empty() || std::ranges::find(supported, format.id) != supported.end();
}

const PixelFormat& nearest_format(const EncoderChoice& choice, const PixelFormat& from,
                                  bool alpha) {
  const bool keeps_alpha = alpha && has_alpha(from);
  if (takes(choice, from) && (alpha || !has_alpha(from))) return from;
  const std::vector<AVPixelFormat> supported = formats_of(choice);
  const auto best_of = [&](auto accepts) {
    std::vector<AVPixelFormat> list;
    for (const AVPixelFormat id : supported) {
      const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(id);
      AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
      if (without_range(id, range) == id && sws_isSupportedOutput(id) && accepts(*desc) &&
          (alpha || !(desc->flags & AV_PIX_FMT_FLAG_ALPHA)))
        list.push_back(id);
    }
    list.push_back(AV_PIX_FMT_NONE);
    return avcodec_find_best_pix_fmt_of_list(list.data(), from.id, keeps_alpha, nullptr);
  };
  const int depth = from.components[0].sample.depth;
  AVPixelFormat best =
      best_of([&](const AVPixFmtDescriptor& desc) { return desc.comp[0].depth >= depth; });
  if (best == AV_PIX_FMT_NONE) best = best_of([](const AVPixFmtDescriptor&) { return true; });
  if (best == AV_PIX_FMT_NONE)
    throw Error(Fault::output, "cannot encode " + from.name + " with", choice.codec->name,
                "it takes pictures with a palette only, which are made for GIF alone",
                "choose another `codec`");
  return describe_format(best);
}

namespace {

const PixelFormat& usual_of_any_size(const EncoderChoice& choice, const VideoInfo& video,
                                     bool lossless) {
  const AVCodec& encoder = *choice.codec;
  const PixelFormat& from = *video.format;
  const bool is_rgb = from.components[0].kind == Component::Kind::colour;
  const bool is_for_players = encoder.id == AV_CODEC_ID_H264 || encoder.id == AV_CODEC_ID_HEVC ||
                              encoder.id == AV_CODEC_ID_VP9 || encoder.id == AV_CODEC_ID_AV1;
  const bool even = video.width % 2 == 0 && video.height % 2 == 0;
  if (lossless || !is_for_players || !even || !(is_rgb || video.of_pictures))
    return nearest_format(choice, from, choice.colours.alpha);
  // Hardly any player shows 10-bit H.264.
  const bool deep = from.components[0].sample.depth > 8 && encoder.id != AV_CODEC_ID_H264;
  const PixelFormat* alpha =
      has_alpha(from) && choice.colours.alpha ? find_format(AV_PIX_FMT_YUVA420P) : nullptr;
  for (const PixelFormat* to :
       {alpha, find_format(deep ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P),
        find_format(AV_PIX_FMT_YUV420P)})
    if (to && takes(choice, *to)) return *to;
  return nearest_format(choice, from, choice.colours.alpha);
}

}  // namespace

bool same_samples(const PixelFormat& a, const PixelFormat& b) {
  const auto count = [](const PixelFormat& f) { return av_pix_fmt_desc_get(f.id)->nb_components; };
  return count(a) == count(b) &&
         std::equal(a.components.begin(), a.components.begin() + count(a), b.components.begin(),
                    [](const Component& x, const Component& y) {
                      return x.kind == y.kind && x.subsampling == y.subsampling &&
                             x.sample.depth == y.sample.depth &&
                             (x.sample.storage == Storage::f32) ==
                                 (y.sample.storage == Storage::f32);
                    });
}

bool loses(const PixelFormat& from, const PixelFormat& to, int depth) {
  const AVPixFmtDescriptor& a = *av_pix_fmt_desc_get(from.id);
  const AVPixFmtDescriptor& b = *av_pix_fmt_desc_get(to.id);
  return std::min(b.comp[0].depth, depth) < a.comp[0].depth || b.log2_chroma_w > a.log2_chroma_w ||
         b.log2_chroma_h > a.log2_chroma_h || (has_alpha(from) && !has_alpha(to)) ||
         (a.nb_components > 2 && b.nb_components < 3);
}

}  // namespace vidconv
