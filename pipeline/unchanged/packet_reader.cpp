#include "pipeline/unchanged/packet_reader.h"

#include <utility>

#include "pipeline/base/url.h"
#include "pipeline/demux/input_range.h"
#include "pipeline/source/packet_survey.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {

bool PacketReader::seek(std::size_t place) {
  open();
  const std::int64_t time = av_rescale_q(av_sat_add64(video_.packets[place].shown, offset_),
                                         video_.time_base, AV_TIME_BASE_Q);
  if (!input_->seek(time)) return false;
  const IndexedPacket& wanted = video_.packets[place];
  for (const PacketPtr packet = make_packet(); next(*packet); av_packet_unref(packet.get()))
    if (is(*packet, wanted)) {
      at_ = place;
      waiting_ = share_packet(*packet);
      return true;
    }
  return false;
}

PacketPtr PacketReader::read(std::size_t place) {
  open();
  PacketPtr packet = std::exchange(waiting_, nullptr);
  if (packet) ++at_;
  if (!packet) packet = make_packet();
  for (; at_ <= place; ++at_) {
    av_packet_unref(packet.get());
    if (!next(*packet)) fail();
  }
  const IndexedPacket& expected = video_.packets[place];
  if (!is(*packet, expected)) fail();
  packet->pts = expected.shown;
  if (packet->dts != AV_NOPTS_VALUE) packet->dts = av_sat_sub64(packet->dts, offset_);
  packet->pos = -1;
  return packet;
}

void PacketReader::open() {
  if (input_) return;
  input_.emplace(container_url(video_.input), nullptr, video_.options);
  offset_ = input_range(input_->container(), video_.options).offset(video_.time_base);
}

bool PacketReader::next(AVPacket& packet) {
  for (; input_->read(packet) >= 0; av_packet_unref(&packet))
    if (packet.stream_index == video_.stream) return true;
  return false;
}

bool PacketReader::is(const AVPacket& packet, const IndexedPacket& expected) const {
  return packet.pts != AV_NOPTS_VALUE && packet.size == expected.size &&
         av_sat_sub64(packet.pts, offset_) == expected.shown;
}

void PacketReader::fail() const {
  input_->refuse_stopped();
  throw Error(Fault::input, "cannot copy packets of", redacted(video_.input),
              "they are not those that were there before", "it must not change meanwhile");
}

std::vector<PacketPtr> read_packets(const PacketsOfVideo& video, std::size_t begin,
                                    std::size_t end) {
  std::optional<PacketReader> reader(video);
  if (begin > 0 && !reader->seek(begin)) reader.emplace(video);  // then from the beginning on
  std::vector<PacketPtr> packets;
  for (std::size_t place = begin; place < end; ++place) packets.push_back(reader->read(place));
  return packets;
}

}  // namespace vidconv
