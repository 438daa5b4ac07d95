#include "api/c/frame_words.h"

#include <string>

#include "api/c/call.h"
#include "pipeline/av/frame_layout.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vidconv {
namespace {

[[noreturn]] void refuse_video(const std::string& why) { refuse_argument("video", why); }

// A numerator of 0 means that the ratio is unknown.
AVRational ratio(std::int32_t num, std::int32_t den, const char* what) {
  if (num == 0) return {0, 1};
  if (num < 0 || den <= 0) refuse_video(std::string(what) + " is no ratio of whole numbers");
  return {num, den};
}

// Returns a value of one of libavutil's enumerations by its name; `from` returns a negative number
// for an unknown name.
template <class E>
E colour(const char* name, int (*from)(const char*), E unknown, const char* what) {
  if (!name) return unknown;
  const int code = from(name);
  if (code < 0) refuse_video(std::string("there is no ") + what + " '" + verbatim(name) + "'");
  return static_cast<E>(code);
}

template <class E>
const char* name_unless(E value, E unknown, const char* (*name)(E)) {
  return value == unknown ? nullptr : name(value);
}

}  // namespace

const PixelFormat& format_named(const std::string& name) {
  const AVPixelFormat id = av_get_pix_fmt(name.c_str());  // "gray16" is that of this machine
  if (const PixelFormat* format = find_format(id)) return *format;
  throw Error(
      Fault::usage, "there is no pixel format", shortened(name, longest_value),
      id == AV_PIX_FMT_NONE ? "none has that name" + format_meant(name) : why_not_filtered(id),
      "vidconv_format_name() lists them");
}

vidconv_video described(const VideoInfo& v) {
  vidconv_video out = VIDCONV_INIT(vidconv_video);
  out.format = v.format->name.c_str();
  out.width = v.width;
  out.height = v.height;
  out.time_base_num = v.time_base.num;
  out.time_base_den = v.time_base.den;
  out.frame_rate_num = v.frame_rate.num;
  out.frame_rate_den = v.frame_rate.den;
  out.sample_aspect_num = v.sample_aspect.num;
  out.sample_aspect_den = v.sample_aspect.den;
  out.range = name_unless(v.range, AVCOL_RANGE_UNSPECIFIED, av_color_range_name);
  out.primaries = name_unless(v.primaries, AVCOL_PRI_UNSPECIFIED, av_color_primaries_name);
  out.transfer = name_unless(v.transfer, AVCOL_TRC_UNSPECIFIED, av_color_transfer_name);
  out.matrix = name_unless(v.matrix, AVCOL_SPC_UNSPECIFIED, av_color_space_name);
  out.frames = v.frames.value_or(-1);
  out.seconds = v.seconds.value_or(-1);
  return out;
}

VideoInfo understood(const vidconv_video& v) {
  VideoInfo info;
  info.format = &format_named(&needed(v.format, "video->format"));
  check_picture_size(v.width, v.height, info.format->id, default_max_pixels, Fault::usage,
                     "cannot take frames of", "video");
  info.width = v.width;
  info.height = v.height;
  info.frame_rate = ratio(v.frame_rate_num, v.frame_rate_den, "the frame rate");
  info.time_base = ratio(v.time_base_num, v.time_base_den, "the time base");
  if (info.time_base.num == 0 && info.frame_rate.num == 0)
    refuse_video("it has neither a time base nor a frame rate");
  if (info.time_base.num == 0) info.time_base = av_inv_q(info.frame_rate);
  info.steady = av_cmp_q(info.time_base, av_inv_q(info.frame_rate)) == 0;
  info.sample_aspect = ratio(v.sample_aspect_num, v.sample_aspect_den, "the sample aspect");
  info.range = colour(v.range, av_color_range_from_name, AVCOL_RANGE_UNSPECIFIED, "range");
  info.primaries =
      colour(v.primaries, av_color_primaries_from_name, AVCOL_PRI_UNSPECIFIED, "primaries");
  info.transfer =
      colour(v.transfer, av_color_transfer_from_name, AVCOL_TRC_UNSPECIFIED, "transfer");
  info.matrix = colour(v.matrix, av_color_space_from_name, AVCOL_SPC_UNSPECIFIED, "matrix");
  return info;
}

vidconv_frame_info described(const Frame& frame) {
  vidconv_frame_info out = VIDCONV_INIT(vidconv_frame_info);
  out.number = frame.number();
  out.pts = frame.av().pts;
  out.duration = frame_duration(frame.av());
  out.width = frame.width();
  out.height = frame.height();
  out.interlaced = is_interlaced(frame.av());
  out.top_field_first = is_top_field_first(frame.av());
  out.planes = frame.format().planes;
  for (int p = 0; p < out.planes; ++p) {
    out.data[p] = frame.row(p, 0);
    out.stride[p] = frame.av().linesize[p];
    out.row_bytes[p] = static_cast<std::int64_t>(frame.format().row_bytes(p, frame.width()));
    out.rows[p] = frame.format().rows(p, frame.height());
  }
  return out;
}

}  // namespace vidconv
