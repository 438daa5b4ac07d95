#include "pipeline/unchanged/kept_packets.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "pipeline/io/md5.h"

namespace vidconv {

class KeptPackets::Shard final : public KeptShard {
 public:
  Shard(const KeptPackets& of, PacketStretch stretch)
      : of_(of),
        stretch_(stretch),
        at_(stretch.first),
        shown_(of.times_->begin() + static_cast<std::ptrdiff_t>(stretch.begin),
               of.times_->begin() + static_cast<std::ptrdiff_t>(stretch.end)) {}

  const std::vector<std::int64_t>& shown() const override { return shown_; }

  PacketPtr read() override {
    // Packets that lead it were encoded anew: they need what is not there any longer.
    while (of_.video_.packets[at_].shown < shown_.front()) ++at_;
    PacketPtr packet = of_.reader_->read(at_++);
    const auto size = static_cast<std::size_t>(packet->size);
    md5_.add(reinterpret_cast<const std::byte*>(packet->data), size);
    bytes_ += size;
    if (++count_ == shown_.size()) add_audit();
    return packet;
  }

 private:
  void add_audit() {
    const auto digest = md5_.take();
    of_.audit_.push_back(fmt::format(
        "{{\"kept\":{{\"frame\":{},\"time\":{:.6f},\"frames\":{},\"bytes\":{},\"md5\":\"{}\"}}}}\n",
        stretch_.begin, static_cast<double>(shown_.front()) * av_q2d(of_.video_.time_base),
        shown_.size(), bytes_, std::string_view(digest.data(), digest.size())));
  }

  const KeptPackets& of_;
  const PacketStretch stretch_;
  std::size_t at_, count_ = 0, bytes_ = 0;
  const std::vector<std::int64_t> shown_;
  Md5 md5_;
};

KeptPackets::KeptPackets(PacketsOfVideo video,
                         std::shared_ptr<const std::vector<std::int64_t>> times,
                         std::vector<PacketStretch> stretches)
    : video_(std::move(video)),
      times_(std::move(times)),
      stretches_(std::move(stretches)),
      reader_(std::make_unique<PacketReader>(video_)) {
  std::int64_t ticks = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const PacketStretch& stretch = stretches_[i];
    if (!stretch.kept) continue;
    shards_.push_back(static_cast<std::int64_t>(i));
    frames_ += static_cast<std::int64_t>(stretch.end - stretch.begin);
    for (std::size_t p = stretch.begin; p < stretch.end; ++p) ticks += video_.packets[p].duration;
  }
  seconds_ = static_cast<double>(ticks) * av_q2d(video_.time_base);
}

KeptPackets::~KeptPackets() = default;

std::unique_ptr<KeptShard> KeptPackets::read(std::int64_t shard) const {
  return std::make_unique<Shard>(*this, stretches_.at(static_cast<std::size_t>(shard)));
}

}  // namespace vidconv
