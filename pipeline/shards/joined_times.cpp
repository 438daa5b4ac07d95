#include "pipeline/shards/joined_times.h"

#include <algorithm>
#include <string>

#include "pipeline/base/error.h"

namespace vidconv {

void JoinedTimes::add(AVPacket& packet, std::int64_t shown, const Receive& receive) {
  if (begun_) {
    set(packet, shown);
    return receive(packet);
  }
  PacketPtr kept = make_packet();
  av_packet_move_ref(kept.get(), &packet);
  waiting_.emplace_back(std::move(kept), shown);
  // From this packet on the encoder's dts are those of frames that are shown.
  const std::int64_t dts = waiting_.back().first->dts;
  if (dts == AV_NOPTS_VALUE || dts >= waiting_.front().second) begin(receive);
}

void JoinedTimes::end_first_part(const Receive& receive) {
  if (!begun_ && !waiting_.empty()) begin(receive);
}

void JoinedTimes::begin(const Receive& receive) {
  begun_ = true;
  const auto& [first, begin] = waiting_.front();
  const std::int64_t step = std::max<std::int64_t>(1, first->duration);
  const auto early = std::ranges::count_if(
      waiting_, [&](const auto& w) { return w.first->dts < waiting_.front().second; });
  const bool knows = first->dts != AV_NOPTS_VALUE;
  if (knows) delay_ = std::max(delay_, static_cast<int>(early));
  // The shard is so short that every packet has a dts before its first frame is shown.
  if (knows && early == std::ssize(waiting_))
    delay_ = std::max(delay_, static_cast<int>(std::min<std::int64_t>(
                                  (begin - first->dts + step - 1) / step, 16)));
  for (int i = delay_; i > 0; --i) shown_.push_back(begin - i * step);  // as if there were some
  for (; !waiting_.empty(); waiting_.pop_front()) {
    auto& [packet, shown] = waiting_.front();
    set(*packet, shown);
    receive(*packet);
  }
}

void JoinedTimes::set(AVPacket& packet, std::int64_t shown) {
  shown_.push_back(shown);
  packet.dts = shown_.front();
  shown_.pop_front();
  if (packet.dts > packet.pts)
    throw Error(Fault::internal, "the encoder moves frames further than it says", "",
                "a packet would be decoded at " + std::to_string(packet.dts) + " and shown at " +
                    std::to_string(packet.pts));
}

}  // namespace vidconv
