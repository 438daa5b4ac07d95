// Hdr10Plus: puts HDR10+ metadata of frames into the packets that an encoder makes of them, which
// few of FFmpeg's encoders do.
#pragma once

#include <cstdint>
#include <map>

#include "pipeline/av/av.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

class Hdr10Plus {
 public:
  Hdr10Plus(const EncoderChoice& choice, const EncoderOptions& options);

  // Returns whether it is kept: in the stream for HEVC and AV1, beside the packets for other codecs
  // in Matroska. That needs FFmpeg 6.1, which can write it.
  bool is_kept() const { return place_ != Place::nowhere; }

  // Takes the metadata off a frame that goes into the encoder with the time `inside`, so that the
  // encoder does not write it a second time, or in a place that its container drops.
  void keep(std::int64_t inside, AVFrame& frame);
  // Puts the metadata of its frame into a packet that has come out, with the encoder's times.
  // Throws Error(unaccounted) where the packet has no place for it.
  void restore(AVPacket& packet);

 private:
  enum class Place { nowhere, hevc, av1, beside };
  static Place place_of(const EncoderChoice& choice, bool packets_alone);

  const Place place_;
  std::map<std::int64_t, BufferPtr> held_;  // by time, for frames without packets yet
};

}  // namespace vidconv
