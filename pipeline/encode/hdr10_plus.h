// Hdr10Plus: HDR10+ metadata of frames into the packets that an encoder makes of them, which few of
// FFmpeg's encoders do.
#pragma once

#include <cstdint>
#include <map>

#include "pipeline/av/av.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

class Hdr10Plus {
 public:
  Hdr10Plus(const EncoderChoice& choice, const EncoderOptions& options);

  // Whether it is kept: in the stream of HEVC and AV1, beside the packets of others in Matroska,
  // from FFmpeg 6.1 on, which can write it.
  bool is_kept() const { return place_ != Place::nowhere; }

  // A frame goes into the encoder with the time `inside`. Takes what it has off it, so that an
  // encoder does not write it a second time, or in a place that its container forgets.
  void keep(std::int64_t inside, AVFrame& frame);
  // A packet has come out, with the encoder's times: it gets what its frame had. Throws
  // Error(unaccounted) where the packet has no place for it.
  void restore(AVPacket& packet);

 private:
  enum class Place { nowhere, hevc, av1, beside };
  static Place place_of(const EncoderChoice& choice, bool packets_alone);

  const Place place_;
  std::map<std::int64_t, BufferPtr> held_;  // by time, of frames whose packets have not come
};

}  // namespace vidconv
