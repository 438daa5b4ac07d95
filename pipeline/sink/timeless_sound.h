// TimelessSound: keeps sound in step with the picture in containers that give sound no times, where
// it is heard from the beginning on, without the gaps that it had.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

class TimelessSound {
 public:
  // `notify` hears of silence that is added, `lose` of sound that is heard at another time or is
  // not kept. `container` outlives this object.
  TimelessSound(const AVFormatContext& container, Notify notify, Notify lose);

  // Returns whether the container gives sound no times.
  static bool is_of(const AVOutputFormat& container);

  using Write = std::function<void(AVPacket&)>;
  // Hears of the first picture's time, microseconds, before all packets.
  void begin(std::int64_t picture);
  // Hears of the next packet of the output, in its own time base, and writes what is to be silent
  // before it.
  void before(const AVPacket& packet, const Write& write);
  // Writes silence up to the end of the picture where the container would end it with the sound.
  void end(const Write& write);

 private:
  struct Track {
    std::int64_t heard = 0;  // samples
    bool begun = false, told = false;
  };
  void fill(int stream, Track& track, std::int64_t samples, const Write& write);
  void tell(int stream, Track& track, std::int64_t samples, bool filled);

  const AVFormatContext& container_;
  const Notify notify_, lose_;
  std::int64_t begin_ = 0, end_ = 0;  // the picture's, microseconds
  std::map<int, Track> tracks_;       // by stream
};

}  // namespace vidconv
