// Makes one header of a stream's own and that of an encoder which goes on in it.
#pragma once

#include <set>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/shards/stream_fit.h"

namespace vidconv {

// Returns the numbers of the parameter sets in a header of H.264, of either kind.
std::set<unsigned> parameter_sets_in(const AVCodecParameters& video);

class JoinedHeader final : public StreamFit {
 public:
  // `stream` describes the video whose packets are copied, `encoded` what the encoder makes, for
  // this container; `delay` as delay() says. Throws Error(output) where one header cannot be for
  // both.
  JoinedHeader(const AVCodecParameters& stream, const AVCodecParameters& encoded,
               const AVOutputFormat& container, int delay);

  void describe(AVCodecParameters& encoded) const override;
  void fit(AVPacket& packet) const override;
  int delay() const override { return delay_; }

 private:
  const std::string encoded_;  // the encoder's header, when it was tried
  const int nal_lengths_;      // the stream's; encoders write start codes
  const int profile_, level_, delay_;
  const unsigned tag_;
  std::string header_;
};

}  // namespace vidconv
