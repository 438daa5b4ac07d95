// StreamFit: makes what an encoder makes go on in a stream that another one has begun.
#pragma once

#include "pipeline/av/av.h"

namespace vidconv {

// Thread-safe.
class StreamFit {
 public:
  virtual ~StreamFit() = default;

  // Makes the encoder's description that of the whole stream. Throws Error(output) where the
  // encoder is not the one that was tried.
  virtual void describe(AVCodecParameters& encoded) const = 0;
  // Brings a packet of the encoder into the form that packets have in the stream.
  virtual void fit(AVPacket& packet) const = 0;
  // How many places the stream's own packets come before the order in which they are shown.
  virtual int delay() const = 0;
};

}  // namespace vidconv
