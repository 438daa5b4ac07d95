#include "pipeline/av/pixel_aspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace vidconv {

bool same_aspect(AVRational a, AVRational b) {
  const auto known = [](AVRational r) { return r.num > 0 && r.den > 0 ? r : AVRational{1, 1}; };
  return av_cmp_q(known(a), known(b)) == 0;
}

bool says_aspect(std::string_view container, AVCodecID codec) {
  // FFmpeg's muxer writes the picture's sides for DNxHD.
  if (container.starts_with("mxf") && codec == AV_CODEC_ID_DNXHD) return false;
  constexpr std::string_view say[] = {
      "3g2",      "3gp", "asf", "asf_stream", "avi", "avif", "f4v",        "ipod",    "mov", "ismv",
      "matroska", "mp4", "mxf", "nut",        "psp", "webm", "mxf_opatom", "mxf_d10", "ogg", "ogv"};
  return std::ranges::find(say, container) != std::end(say);
}

bool follows_aspect(std::string_view container) {
  constexpr std::string_view follow[] = {"",           "mpegts", "mpeg", "vob",   "svcd",
                                         "vcd",        "dvd",    "dv",   "m4v",   "mpeg1video",
                                         "mpeg2video", "h264",   "hevc", "mjpeg", "mpjpeg"};
  return std::ranges::find(follow, container) != std::end(follow);
}

NewAspect::NewAspect(AVRational first, std::string who, Notify lose)
    : first_(first), who_(std::move(who)), lose_(std::move(lose)) {}

void NewAspect::check(const Frame& frame) {
  const AVRational aspect = frame.av().sample_aspect_ratio;
  if (told_ || aspect.num <= 0 || same_aspect(aspect, first_)) return;
  told_ = true;
  const AVRational before = first_.num > 0 ? first_ : AVRational{1, 1};
  notify(
      lose_, MessageKind::not_held,
      fmt::format("the shape of pixels changes at frame {} from {}:{} to {}:{}, and {} cannot "
                  "say that it changes",
                  frame.number_in_video(), before.num, before.den, aspect.num, aspect.den, who_));
}

}  // namespace vidconv
