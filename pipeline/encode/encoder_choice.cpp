#include "pipeline/encode/encoder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/base/names.h"
#include "pipeline/av/container.h"
#include "pipeline/av/header_trial.h"
#include "pipeline/encode/encoder_rate.h"

namespace vidconv {
namespace {

// Returns the names of encoders and of the codecs that they encode.
std::vector<std::string_view> video_encoder_names() {
  std::vector<std::string_view> names;
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state)) {
    if (codec->type != AVMEDIA_TYPE_VIDEO || !av_codec_is_encoder(codec)) continue;
    for (const char* name : {codec->name, avcodec_get_name(codec->id)})
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

bool is_8_bit_rgb(const PixelFormat& format) {
  const Component& first = format.components[0];
  return first.kind == Component::Kind::colour && first.sample.depth == 8;
}

// Returns whether pictures of `format` fit `layout` sample for sample. NVENC reads the upper 10 of
// 16 bits.
bool holds(const PixelFormat& layout, const PixelFormat& format) {
  return std::ranges::equal(
      layout.components, format.components, [](const Component& to, const Component& from) {
        const int depth = std::min(to.sample.depth, 10);
        return to.kind == from.kind && to.subsampling == from.subsampling &&
               to.sample.storage == from.sample.storage && depth == from.sample.depth;
      });
}

// Says why the own codec is not kept. Bare frames are no choice of anybody's, and a container of
// one codec was chosen for that codec.
std::string why_not(AVCodecID own, const AVCodec& codec, const AVOutputFormat& container) {
  const std::string_view only = avcodec_get_name(codec.id);
  if (own == AV_CODEC_ID_NONE || own == AV_CODEC_ID_RAWVIDEO || own == codec.id ||
      only == container.name)
    return {};
  const std::string name = avcodec_get_name(own);
  return fmt::format("{}: coded as {}",
                     can_hold_video(container, own) ? "there is no encoder of " + name + " here"
                     : may_hold_video(container, own) && !is_known_by_header(container)
                         ? name + " is not put into " + container.name + " unless asked for"
                         : std::string(container.name) + " cannot hold " + name,
                     only);
}

EncoderChoice chosen(const AVCodec& codec, const AVOutputFormat& container,
                     const VideoInfo& video) {
  return {&codec, defaults_of(codec), colour_words(codec, container, video),
          &container == image_container() ? "" : container.name};
}

}  // namespace

EncoderChoice choose_encoder(const AVOutputFormat& container, const EncoderOptions& options,
                             const VideoInfo& video) {
  if (options.codec == "copy")
    throw Error(Fault::usage, "`codec`", "copy", "filtered pictures have to be encoded anew",
                "for no loss use `codec` ffv1, or `codec` libx264 `encoder_options` qp=0");
  if (!options.codec.empty()) {
    const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
    if (!codec)
      if (const AVCodecDescriptor* wanted = avcodec_descriptor_get_by_name(options.codec.c_str()))
        codec = usual_encoder(wanted->id, video, asks_for_no_loss(options));
    if (!codec || codec->type != AVMEDIA_TYPE_VIDEO)
      throw Error(
          Fault::usage, "there is no video encoder", options.codec,
          "FFmpeg has none of that name here" + did_you_mean(options.codec, video_encoder_names()),
          "'ffmpeg -encoders' lists them");
    if (!may_hold_video(container, codec->id))
      throw Error(MessageKind::output_unsuited, "the container does not take the codec",
                  avcodec_get_name(codec->id), std::string("it is ") + container.long_name,
                  "choose another `codec` or another ending of the output's name");
    return chosen(*codec, container, video);
  }
  const AVCodecID own = video.of_pictures ? AV_CODEC_ID_NONE : video.codec;
  for (const AVCodecID id : {own, AV_CODEC_ID_H264, container.video_codec}) {
    const bool holds = can_hold_video(container, id) ||
                       (id == own && id != AV_CODEC_ID_NONE && header_takes(container, id, video));
    if (id == AV_CODEC_ID_NONE || !holds) continue;
    // FFmpeg puts FFV1 into MP4 from version 8 on, but players do not know that.
    if (id == AV_CODEC_ID_FFV1 && std::string_view(container.name) == "mp4") continue;
    if (const AVCodec* codec = usual_encoder(id, video, asks_for_no_loss(options))) {
      EncoderChoice choice = chosen(*codec, container, video);
      choice.change = why_not(own, *codec, container);
      return choice;
    }
  }
  throw Error(MessageKind::output_unsuited, "there is no video encoder for the container",
              container.name, "", "choose another ending of the output's name");
}

std::string codec_for_pipe(const AVOutputFormat& container, const VideoInfo& video) {
  const bool described = std::string_view(container.name) == "nut" &&
                         avcodec_pix_fmt_to_codec_tag(video.format->id) != 0;
  if (described) return "rawvideo";
  return can_hold_video(container, AV_CODEC_ID_FFV1) ? "ffv1" : "";
}

// Keeps RGB as RGB only where the input has it in that codec, or nothing may be lost: few players
// can show it.
const AVCodec* usual_encoder(AVCodecID id, const VideoInfo& video, bool lossless) {
  const auto suits = [&](const EncoderDefaults& row) {
    return row.codec == id &&
           (!row.rgb_only || ((video.codec == id || lossless) && is_8_bit_rgb(*video.format)));
  };
  for (const EncoderDefaults& row : encoder_table())
    if (suits(row))
      if (const AVCodec* codec = avcodec_find_encoder_by_name(row.name.data());
          codec && !is_hardware(*codec))
        return codec;
  return avcodec_find_encoder(id);
}

bool is_hardware(const AVCodec& encoder) { return encoder.capabilities & AV_CODEC_CAP_HARDWARE; }

bool takes_cuda_frames(const AVCodec& encoder) {
  for (int i = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(&encoder, i); ++i)
    if (config->pix_fmt == AV_PIX_FMT_CUDA &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX))
      return true;
  return false;
}

AVPixelFormat device_layout(const AVCodec& encoder, const PixelFormat& format) {
  if (!takes_cuda_frames(encoder)) return AV_PIX_FMT_NONE;
  const std::vector<AVPixelFormat> supported = supported_formats(encoder);
  for (const AVPixelFormat id :
       {AV_PIX_FMT_NV12, AV_PIX_FMT_P010, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P16})
    if (std::ranges::find(supported, id) != supported.end() && holds(*find_format(id), format))
      return id;
  return AV_PIX_FMT_NONE;
}

std::string usual_profile(const AVCodec& encoder, const VideoInfo& video, AVPixelFormat coded) {
  const bool dnx = encoder.id == AV_CODEC_ID_DNXHD;
  if (!dnx && encoder.id != AV_CODEC_ID_PRORES) return {};
  // The DNxHD profiles proper exist for one size and bit rate each.
  const bool kept = video.codec == encoder.id && video.profile >= (dnx ? 1 : 0);
  if (kept && coded == video.format->id) return std::to_string(video.profile);
  if (!dnx) return {};
  const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(coded);
  if (desc.log2_chroma_w == 0) return "dnxhr_444";
  return desc.comp[0].depth > 8 ? "dnxhr_hqx" : "dnxhr_hq";
}

std::string usual_hap(const AVCodec& encoder, const VideoInfo& video) {
  if (std::string_view(encoder.name) != "hap") return {};
  if (av_pix_fmt_desc_get(video.format->id)->flags & AV_PIX_FMT_FLAG_ALPHA) return "hap_alpha";
  return video.codec == AV_CODEC_ID_HAP &&
                 video.profile == static_cast<int>(MKTAG('H', 'a', 'p', 'Y'))
             ? "hap_q"
             : "";
}

}  // namespace vidconv
