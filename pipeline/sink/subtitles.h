// SubtitleConverter: re-encodes text subtitles as another container wants them.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

class SubtitleConverter {
 public:
  // Returns nullptr where `from` is no text, or the container holds no text that FFmpeg can make of
  // it.
  static std::unique_ptr<SubtitleConverter> make(const AVStream& from,
                                                 const AVOutputFormat& container);

  // Returns the encoder, which describes the coded text.
  const AVCodecContext& encoder() const { return *encoder_; }

  // Returns the words re-encoded, at their time, in the time base of `from`; nullptr where the
  // packet shows nothing. Throws Error(input) for text that makes no sense.
  PacketPtr convert(const AVPacket& packet);

 private:
  SubtitleConverter(CodecContextPtr decoder, CodecContextPtr encoder, AVRational time_base);

  CodecContextPtr decoder_, encoder_;
  AVRational time_base_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace vidconv
