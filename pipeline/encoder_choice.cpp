#include "pipeline/encoder_choice.h"

#include <algorithm>
#include <string>

#include "pipeline/container.h"

namespace vidconv {
namespace {

// For each codec the encoders in order of preference.
constexpr EncoderDefaults table[] = {
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

// The preferred encoder of a codec; nullptr where there is none.
const AVCodec* encoder_of(AVCodecID id) {
  for (const EncoderDefaults& row : table)
    if (row.codec == id)
      if (const AVCodec* codec = avcodec_find_encoder_by_name(row.name.data())) return codec;
  return avcodec_find_encoder(id);
}

}  // namespace

EncoderChoice choose_encoder(const AVOutputFormat& container, const SinkOptions& options,
                             AVCodecID input) {
  if (!options.codec.empty()) {
    const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
    if (!codec)
      if (const AVCodecDescriptor* wanted = avcodec_descriptor_get_by_name(options.codec.c_str()))
        codec = encoder_of(wanted->id);
    if (!codec || codec->type != AVMEDIA_TYPE_VIDEO)
      throw Error(Fault::usage, "there is no video encoder", options.codec, "",
                  "'ffmpeg -encoders' lists them");
    if (!can_hold(container, codec->id))
      throw Error(Fault::output, "the container does not take the codec",
                  avcodec_get_name(codec->id), std::string("it is ") + container.long_name,
                  "choose another --codec or another ending of the output's name");
    return with_defaults(*codec);
  }
  for (const AVCodecID id : {input, AV_CODEC_ID_H264, container.video_codec}) {
    if (id == AV_CODEC_ID_NONE || !can_hold(container, id)) continue;
    if (const AVCodec* codec = encoder_of(id)) return with_defaults(*codec);
  }
  throw Error(Fault::output, "there is no video encoder for the container", container.name, "",
              "choose another ending of the output's name");
}

}  // namespace vidconv
