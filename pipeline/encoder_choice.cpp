#include "pipeline/encoder_choice.h"

#include <algorithm>
#include <string>

#include "pipeline/container.h"

namespace vidconv {
namespace {

// For each codec the encoders in order of preference.
constexpr EncoderDefaults table[] = {
    {"libx264rgb", AV_CODEC_ID_H264, {{"crf", "17"}}, false, false, true},
    {"libx264", AV_CODEC_ID_H264, {{"crf", "17"}}},
    {"libx265", AV_CODEC_ID_HEVC, {{"crf", "18"}, {"x265-params", "log-level=error"}}},
    {"libvpx-vp9", AV_CODEC_ID_VP9, {{"crf", "20"}, {"b", "0"}, {"row-mt", "1"}}},
    {"libvpx", AV_CODEC_ID_VP8, {{"crf", "8"}, {"b", "200M"}}},
    {"libsvtav1", AV_CODEC_ID_AV1, {{"crf", "20"}, {"preset", "8"}}},
    {"libaom-av1", AV_CODEC_ID_AV1, {{"crf", "18"}, {"b", "0"}, {"cpu-used", "6"}}},
    {"mjpeg", AV_CODEC_ID_MJPEG, {{"qscale", "2"}}, false, true},
    {"mpeg4", AV_CODEC_ID_MPEG4, {{"qscale", "2"}}, true},
    {"mpeg2video", AV_CODEC_ID_MPEG2VIDEO, {{"qscale", "2"}}, true},
    {"mpeg1video", AV_CODEC_ID_MPEG1VIDEO, {{"qscale", "2"}}, true},
    {"libtheora", AV_CODEC_ID_THEORA, {{"qscale", "10"}}, true},
};

bool is_lossy(AVCodecID id) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(id);
  return descriptor && !(descriptor->props & AV_CODEC_PROP_LOSSLESS);
}

EncoderChoice with_defaults(const AVCodec& codec) {
  const auto row = std::ranges::find(table, std::string_view(codec.name), &EncoderDefaults::name);
  if (row != std::end(table)) return {&codec, *row};
  EncoderDefaults defaults{.name = codec.name, .codec = codec.id, .options = {}};
  if (is_lossy(codec.id)) defaults.options[0] = {"qscale", "2"};
  return {&codec, defaults};
}

bool is_8_bit_rgb(const PixelFormat& format) {
  const Component& first = format.components[0];
  return first.kind == Component::Kind::colour && first.sample.depth == 8;
}

// The preferred encoder of a codec for a video like this; nullptr where there is none. RGB stays
// RGB where the input has it in that codec: few players know how to show it.
const AVCodec* encoder_of(AVCodecID id, const VideoInfo& video) {
  for (const EncoderDefaults& row : table)
    if (row.codec == id && (!row.rgb_only || (video.codec == id && is_8_bit_rgb(*video.format))))
      if (const AVCodec* codec = avcodec_find_encoder_by_name(row.name.data())) return codec;
  return avcodec_find_encoder(id);
}

}  // namespace

EncoderChoice choose_encoder(const AVOutputFormat& container, const SinkOptions& options,
                             const VideoInfo& video) {
  if (options.codec == "copy")
    throw Error(Fault::usage, "--codec", "copy", "filtered pictures have to be encoded anew",
                "for no loss use --codec ffv1, or --codec libx264 --encoder-opt qp=0");
  if (!options.codec.empty()) {
    const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
    if (!codec)
      if (const AVCodecDescriptor* wanted = avcodec_descriptor_get_by_name(options.codec.c_str()))
        codec = encoder_of(wanted->id, video);
    if (!codec || codec->type != AVMEDIA_TYPE_VIDEO)
      throw Error(Fault::usage, "there is no video encoder", options.codec, "",
                  "'ffmpeg -encoders' lists them");
    if (!can_hold_video(container, codec->id))
      throw Error(Message::output_unsuited, "the container does not take the codec",
                  avcodec_get_name(codec->id), std::string("it is ") + container.long_name,
                  "choose another --codec or another ending of the output's name");
    return with_defaults(*codec);
  }
  for (const AVCodecID id : {video.codec, AV_CODEC_ID_H264, container.video_codec}) {
    if (id == AV_CODEC_ID_NONE || !can_hold_video(container, id)) continue;
    if (const AVCodec* codec = encoder_of(id, video)) return with_defaults(*codec);
  }
  throw Error(Message::output_unsuited, "there is no video encoder for the container",
              container.name, "", "choose another ending of the output's name");
}

std::string usual_profile(const AVCodec& encoder, const VideoInfo& video, AVPixelFormat coded) {
  const bool dnx = encoder.id == AV_CODEC_ID_DNXHD;
  if (!dnx && encoder.id != AV_CODEC_ID_PRORES) return {};
  // The profiles of DNxHD proper are made for one size and bit rate each.
  const bool kept = video.codec == encoder.id && video.profile >= (dnx ? 1 : 0);
  if (kept && coded == video.format->id) return std::to_string(video.profile);
  if (!dnx) return {};
  const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(coded);
  if (desc.log2_chroma_w == 0) return "dnxhr_444";
  return desc.comp[0].depth > 8 ? "dnxhr_hqx" : "dnxhr_hq";
}

}  // namespace vidconv
