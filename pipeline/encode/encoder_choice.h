// Chooses an encoder for a container and a device.
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

// Holds what is asked of an encoder.
struct EncoderOptions {
  // An encoder ("libx265") or a codec ("hevc"). Empty: the input's own codec if it was made as a
  // video, there is an encoder for it and the container takes it; else H.264; else what the
  // container prefers.
  std::string codec;
  std::string crf, preset;  // empty: the usual one, see encoder_table.h; the encoder's own
  std::string bitrate;      // "5M"; excludes crf; empty: constant quality
  // Every packet comes as soon as it can, and a receiver that joins does not wait long.
  bool low_delay = false;
  std::string pixel_format;  // the encoder's input; empty: the video's, or the nearest to it
  std::vector<std::pair<std::string, std::string>> own;  // by the encoder's names
  int threads = 0;                                       // 0: the encoder decides
  // Frames come in the memory of this CUDA device and are encoded there; only where
  // OutputPlan::takes_device_frames says so.
  std::optional<int> device;
  std::optional<ShardOptions> shards;  // the video is encoded in shards
  bool packets_alone = false;          // for another host: only the packets' bytes get there
  // Packets of shards that were encoded elsewhere; may be null. Outlives the encoder.
  EncodedShards* encoded = nullptr;
  // If not null, packets are decoded again and compared with the encoder's input. Outlives the
  // encoder.
  MeasureLog* measure = nullptr;
};

// Describes an encoder that this FFmpeg has and `container` takes.
struct EncoderChoice {
  const AVCodec* codec;
  EncoderDefaults defaults;
  ColourWords colours = {};    // the words that the file has for them
  std::string container = {};  // its name; empty for single pictures
  // Says, for people, why the video does not keep its own codec; empty where it does, where it has
  // none, or where somebody asked for another.
  std::string change = {};
};

// Chooses by EncoderOptions::codec, else the codec of `video` where possible. Throws Error(usage)
// for an unknown encoder, Error(output) where the container does not take it or there is no
// encoder.
EncoderChoice choose_encoder(const AVOutputFormat& container, const EncoderOptions& options,
                             const VideoInfo& video);

// Returns the lossless codec for frames that another program reads at once: bare frames where the
// container describes them, else FFV1; empty where it takes neither.
std::string codec_for_pipe(const AVOutputFormat& container, const VideoInfo& video);

// Returns the preferred encoder of a codec for a video like this; nullptr where there is none.
// Hardware encoders come last.
const AVCodec* usual_encoder(AVCodecID id, const VideoInfo& video, bool lossless = false);

// Returns whether it needs a chip of its own.
bool is_hardware(const AVCodec& encoder);
// Returns whether it takes frames from the memory of a CUDA device, as NVENC does.
bool takes_cuda_frames(const AVCodec& encoder);
// Returns the layout in which it takes pictures of `format` there with all their bits;
// AV_PIX_FMT_NONE where there is none, so that frames have to come through host memory and be
// converted.
AVPixelFormat device_layout(const AVCodec& encoder, const PixelFormat& format);

// Returns the profile for encoders that do not choose one by the pixel format: the input's where it
// has the same codec. Empty: the encoder's own default.
std::string usual_profile(const AVCodec& encoder, const VideoInfo& video, AVPixelFormat coded);
// Returns the kind of Hap, as its encoder calls it: one with transparency where the pictures have
// it, else the input's. Empty: the encoder's own default.
std::string usual_hap(const AVCodec& encoder, const VideoInfo& video);

}  // namespace vidconv
