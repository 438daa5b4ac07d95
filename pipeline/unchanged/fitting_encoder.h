// Sets an encoder so that it goes on in a stream that another one has begun.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/encode/encoder_choice.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

struct FittingEncoder {
  const AVCodecParameters& stream;
  const VideoInfo& video;
  std::set<unsigned> taken;            // numbers of parameter sets within packets
  const AVPacket& key;                 // a key packet of the stream
  int delay = 0;                       // StreamFit::delay()
  std::optional<double> quality = {};  // the stream's, on the scale of its encoder
};

// Returns `options`, which have shards, with what is needed and ShardOptions::fit, when a decoder
// has shown that it works. Throws Error(output) where it does not; its reason is for people.
EncoderOptions fit_encoder(const FittingEncoder& how, const std::string& output,
                           const SinkOptions& sink, EncoderOptions options);

}  // namespace vidconv
