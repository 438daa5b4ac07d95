// Makes one header of a stream's own and that of an encoder which goes on in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/shards/stream_fit.h"
#include "pipeline/unchanged/hevc_numbers.h"

namespace vidconv {

class JoinedHeader final : public StreamFit {
 public:
  // `stream` describes the video whose packets are copied, `encoded` what the encoder makes, for
  // this container; `delay` as delay() says; `numbers` for the encoder of H.265. Throws
  // Error(output) where one header cannot be for both.
  JoinedHeader(const AVCodecParameters& stream, const AVCodecParameters& encoded,
               const AVOutputFormat& container, int delay, std::optional<HevcNumbers> numbers);

  void describe(AVCodecParameters& encoded) const override;
  void fit(AVPacket& packet) const override;
  int delay() const override { return delay_; }

 private:
  bool has_units() const;
  std::vector<std::string> parameter_sets(const AVCodecParameters& encoded) const;
  std::string joined(const AVCodecParameters& stream, const AVCodecParameters& encoded) const;

  const int delay_;
  const std::optional<HevcNumbers> numbers_;
  const AVCodecID codec_;
  const std::string encoded_;  // the encoder's header, when it was tried
  const int nal_lengths_;      // the stream's; encoders write start codes
  const int profile_, level_;
  const unsigned tag_;
  std::string header_;
};

}  // namespace vidconv
