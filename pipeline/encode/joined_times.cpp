#include "pipeline/encode/joined_times.h"

#include <algorithm>
#include <string>

#include "pipeline/base/error.h"

namespace vidconv {

void JoinedTimes::set(AVPacket& packet, std::int64_t shown) {
  if (shown_.empty()) {  // as if there were earlier ones
    const std::int64_t step = std::max<std::int64_t>(1, packet.duration);
    for (int i = delay_; i > 0; --i) shown_.push_back(shown - i * step);
  }
  shown_.push_back(shown);
  packet.dts = shown_.front();
  shown_.pop_front();
  if (packet.dts > packet.pts)
    throw Error(Fault::internal, "the encoder moves frames further than it says", "",
                "a packet would be decoded at " + std::to_string(packet.dts) + " and shown at " +
                    std::to_string(packet.pts));
}

}  // namespace vidconv
