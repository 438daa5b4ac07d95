#include "pipeline/source/stream_statistics.h"

namespace vidconv {

StreamStatistics::StreamStatistics(const AVFormatContext& container, const AVStream& filtered)
    : container_(container), filtered_(filtered) {
  of(static_cast<int>(container.nb_streams) - 1);
}

PacketStatistics& StreamStatistics::of(int stream) {
  for (auto i = static_cast<int>(accounts_.size()); i <= stream; ++i) {
    const AVStream& found = *container_.streams[i];
    const char* type = av_get_media_type_string(found.codecpar->codec_type);
    PacketStatistics& account = accounts_.emplace_back();
    account.stream = i;
    account.type = type ? type : "unknown";
    account.codec = avcodec_get_name(found.codecpar->codec_id);
    account.filtered = &found == &filtered_;
  }
  return accounts_[static_cast<std::size_t>(stream)];
}

void StreamStatistics::hand_on(const Item& item) {
  if (const PacketPtr* packet = std::get_if<PacketPtr>(&item))
    ++of((*packet)->stream_index).handed_on;
  else
    ++filtered().frames_handed_on;
}

std::vector<PacketStatistics> StreamStatistics::without(const std::deque<Item>& waiting) const {
  std::vector<PacketStatistics> accounts = accounts_;
  for (const Item& item : waiting) {
    if (const PacketPtr* packet = std::get_if<PacketPtr>(&item))
      ++accounts[static_cast<std::size_t>((*packet)->stream_index)].unused;
    else
      ++accounts[static_cast<std::size_t>(filtered_.index)].frames_unused;
  }
  return accounts;
}

}  // namespace vidconv
