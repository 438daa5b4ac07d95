#include "pipeline/demux/missed_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

std::int64_t decoded_at(const AVPacket& packet, const AVStream& stream) {
  const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
  return time == AV_NOPTS_VALUE ? INT64_MIN : av_rescale_q(time, stream.time_base, AV_TIME_BASE_Q);
}

}  // namespace

MissedStreams::MissedStreams(const AVFormatContext& container, const AVStream& video, Notify lose)
    : container_(container),
      video_(video),
      lose_(std::move(lose)),
      known_(static_cast<int>(container.nb_streams)) {}

void MissedStreams::see(const AVStream& stream, const AVPacket& packet) {
  const std::int64_t time = decoded_at(packet, stream);
  if (&stream == &video_) video_until_ = std::max(video_until_, time);
  if (stream.index < known_ || time == INT64_MIN) return;
  if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO) other_until_ = time;
  if (!named_.insert(stream.index).second) return;
  const char* type = av_get_media_type_string(stream.codecpar->codec_type);
  const std::int64_t start = container_.start_time == AV_NOPTS_VALUE ? 0 : container_.start_time;
  notify(lose_, MessageKind::left_out,
         fmt::format("stream #{} ({}, {}) was found too late to be in the output, at {:.6g} s: it "
                     "is left out",
                     stream.index, type ? type : "unknown",
                     avcodec_get_name(stream.codecpar->codec_id),
                     static_cast<double>(time - start) / AV_TIME_BASE));
}

std::string MissedStreams::rest_of_video() const {
  return other_until_ > video_until_ + AV_TIME_BASE
             ? "it goes on in another video stream, which was found too late"
             : "";
}

}  // namespace vidconv
