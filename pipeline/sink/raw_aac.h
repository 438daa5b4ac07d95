// RawAac: takes AAC out of ADTS for a muxer that does not do so itself.
#pragma once

#include <memory>
#include <string>

#include "pipeline/av/av.h"

extern "C" {
#include <libavcodec/bsf.h>
}

namespace vidconv {

class RawAac {
 public:
  // Returns null where the container takes the stream's packets as they are; else it will write its
  // header behind the first of them, which tells what has to be in there.
  static std::unique_ptr<RawAac> make(const AVStream& from, AVFormatContext& to);

  explicit RawAac(const AVStream& from);

  // Replaces the packet. Returns why that is impossible, for people; empty where it is not.
  std::string convert(AVPacket& packet);

 private:
  struct Free {
    void operator()(AVBSFContext* filter) const { av_bsf_free(&filter); }
  };
  std::unique_ptr<AVBSFContext, Free> filter_;
};

}  // namespace vidconv
