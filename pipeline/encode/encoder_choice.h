// Which encoder, for which container and which device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/av/video.h"
#include "pipeline/encode/encoder_table.h"
#include "pipeline/shards/shards.h"

namespace vidconv {

class EncodedShards;
class MeasureLog;

// What is asked of an encoder.
struct EncoderOptions {
  // An encoder ("libx265") or a codec ("hevc"); empty: the input's own codec where it was made as a
  // video, there is an encoder for it and the container takes it, else H.264, else what the
  // container prefers.
  std::string codec;
  std::string crf, preset;  // empty: as docs say, see encoder_table.h; the encoder's default
  std::string bitrate;      // "5M"; not beside crf; empty: constant quality
  // Every packet comes as soon as it can, and somebody who joins has not long to wait.
  bool low_delay = false;
  std::string pixel_format;  // that the encoder gets; empty: the video's, or the nearest to it
  std::vector<std::pair<std::string, std::string>> own;  // by the encoder's names for them
  int threads = 0;                                       // 0: as many as it likes
  // Frames come in the memory of this CUDA device and are encoded there: only where
  // takes_device_frames() says so.
  std::optional<int> device;
  std::optional<ShardOptions> shards;  // the video is encoded in parts
  bool packets_alone = false;          // for another host: without what comes beside packets
  // Where these were encoded elsewhere: their packets. Outlives the encoder.
  EncodedShards* encoded = nullptr;
  // Where what is made is decoded again and compared with what went in. Outlives the encoder.
  MeasureLog* measure = nullptr;
};

// An encoder that this FFmpeg has and `container` takes.
struct EncoderChoice {
  const AVCodec* codec;
  EncoderDefaults defaults;
  ColourWords colours = {};    // that the file can say
  std::string container = {};  // its name; empty for pictures, a file each
  // Why the video does not keep its own codec, for people; empty where it does, where it has none,
  // or where somebody has asked for another.
  std::string change = {};
};

// As EncoderOptions::codec says, else the codec of `video` where that can be. Throws Error(usage)
// for an unknown encoder, Error(output) where the container does not take it or no encoder is
// there.
EncoderChoice choose_encoder(const AVOutputFormat& container, const EncoderOptions& options,
                             const VideoInfo& video);

// The codec for frames that another program reads at once, without loss: bare frames where the
// container describes them, else FFV1; empty where it takes neither.
std::string codec_for_pipe(const AVOutputFormat& container, const VideoInfo& video);

// The preferred encoder of a codec for a video like this; nullptr where there is none. One that
// needs a chip of its own only where this FFmpeg has no other.
const AVCodec* usual_encoder(AVCodecID id, const VideoInfo& video, bool lossless = false);

// Whether it needs a chip of its own.
bool is_hardware(const AVCodec& encoder);
// Whether it takes frames from the memory of a CUDA device: NVENC.
bool takes_cuda_frames(const AVCodec& encoder);
// The layout in which it takes pictures of `format` there with every bit of them; AV_PIX_FMT_NONE
// where there is none, and frames come through the host's memory, where they are converted.
AVPixelFormat device_layout(const AVCodec& encoder, const PixelFormat& format);

// The profile of encoders that do not choose one by the pixel format: that of the input where it is
// the same codec. Empty: the encoder's own default.
std::string usual_profile(const AVCodec& encoder, const VideoInfo& video, AVPixelFormat coded);
// The kind of Hap, as its encoder calls it: one with transparency where the pictures
// have it, else the input's. Empty: the encoder's own default.
std::string usual_hap(const AVCodec& encoder, const VideoInfo& video);

}  // namespace vidconv
