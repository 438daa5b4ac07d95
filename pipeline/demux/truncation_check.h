// TruncationCheck finds out whether a container has delivered what its header promises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/demux/container_trailer.h"

namespace vidconv {

class TruncationCheck {
 public:
  // Is made before the first packet is read. `container` and `video` outlive this object.
  // `video_only`: packets of other streams are not counted, though they may last longer.
  TruncationCheck(const AVFormatContext& container, AVStream& video, bool video_only);

  void count(const AVPacket& packet);

  // Says for people what is missing, after the last packet, if the input ends as `ending` says;
  // empty if nothing is known to be.
  std::string missing(const FileEnding& ending) const;
  // Says so if only a header tells that was written before the rest, as in live streams.
  std::string less_than_announced() const;

 private:
  struct Counts {
    std::int64_t came = 0;
    std::int64_t until = 0;  // when the last packet is over, in the stream's time base
  };

  const Counts& video() const { return counts_[static_cast<std::size_t>(video_.index)]; }
  // Returns how many packets of a stream a complete index lists; 0: there is none.
  std::int64_t indexed(unsigned stream) const;
  std::string missing_of_index() const;
  std::string missing_of_header() const;
  // Return what the header says; 0 if it says nothing. Guesses do not count. Time in microseconds.
  std::int64_t claimed_frames() const;
  std::int64_t claimed_duration() const;

  const AVFormatContext& container_;
  const AVStream& video_;
  const bool video_only_;
  const bool indexed_;          // the index lists each packet
  const bool ticks_;            // "frames" of the header are ticks, some of which show nothing new
  const bool announced_;        // by a header that was written before the rest
  std::vector<Counts> counts_;  // by stream
  std::int64_t until_ = 0;      // when the last packet ends, microseconds of the container's time
};

}  // namespace vidconv
