// Which encoder, for which container and which device.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/av.h"
#include "pipeline/encoder_table.h"
#include "pipeline/sink.h"
#include "pipeline/video.h"

namespace vidconv {

// An encoder that this FFmpeg has and `container` takes.
struct EncoderChoice {
  const AVCodec* codec;
  EncoderDefaults defaults;
};

// As SinkOptions::codec says, else the codec of `video` where that can be. Throws Error(usage) for
// an unknown encoder, Error(output) where the container does not take it or no encoder is there.
EncoderChoice choose_encoder(const AVOutputFormat& container, const SinkOptions& options,
                             const VideoInfo& video);

// The preferred encoder of a codec for a video like this; nullptr where there is none. One that
// needs a chip of its own only where this FFmpeg has no other.
const AVCodec* usual_encoder(AVCodecID id, const VideoInfo& video);

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

}  // namespace vidconv
