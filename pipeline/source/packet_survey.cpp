#include "pipeline/source/packet_survey.h"

#include <algorithm>

#include "pipeline/base/stopwatch.h"
#include "pipeline/base/url.h"
#include "pipeline/demux/container_input.h"
#include "pipeline/demux/input_range.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Returns whether no frame of the range comes after this packet, in whatever order frames are
// decoded.
bool is_past(const AVPacket& packet, const AVStream& stream, const InputRange& part) {
  return part.end != INT64_MAX && packet.dts != AV_NOPTS_VALUE &&
         av_rescale_q(packet.dts, stream.time_base, AV_TIME_BASE_Q) - AV_TIME_BASE > part.end;
}

}  // namespace

std::string container_url(const std::string& input) {
  return is_url(input) ? input : "file:" + local_path(input);
}

Survey survey_packets(const std::string& input, const SourceOptions& options, const Source& source,
                      std::int64_t first, double patience, const Source::SeePacket& see) {
  const Clock::time_point begun = Clock::now();
  ContainerInput container(container_url(input), nullptr, options);
  const AVStream& stream =
      *container.container().streams[static_cast<unsigned>(source.video_stream())];
  const InputRange part = input_range(container.container(), options);
  const std::int64_t offset = part.offset(stream.time_base);
  const bool fields = source.video().field_order > AV_FIELD_PROGRESSIVE;
  Survey survey{.times = {}, .exact = source.video().codec != AV_CODEC_ID_VP8 && !fields};
  std::int64_t last = first, last_key = first;
  const PacketPtr packet = make_packet();
  int code = 0;
  for (; (code = container.read(*packet)) >= 0; av_packet_unref(packet.get())) {
    if (container.follows() == Follows::anew) survey.seeks = false;
    if (packet->stream_index != stream.index) continue;
    if (is_past(*packet, stream, part)) break;
    if (see && packet->pts != AV_NOPTS_VALUE) see(*packet, av_sat_sub64(packet->pts, offset));
    if (packet->flags & AV_PKT_FLAG_DISCARD) continue;
    if (packet->size == 0 || (packet->flags & AV_PKT_FLAG_CORRUPT)) survey.exact = false;
    if (packet->pts == AV_NOPTS_VALUE) {
      survey.exact = false;
      survey.seeks = survey.seeks && fields;  // the second one has the time of the first
      continue;
    }
    const std::int64_t time = av_rescale_q(packet->pts, stream.time_base, AV_TIME_BASE_Q);
    const std::int64_t shown = av_sat_sub64(packet->pts, offset);
    if (time < part.end && shown >= first) {
      survey.times.push_back(shown);
      survey.bytes += packet->size;
    }
    last = std::max(last, shown);
    if (packet->flags & AV_PKT_FLAG_KEY) {
      survey.longest_gap = std::max(survey.longest_gap, av_sat_sub64(shown, last_key));
      last_key = shown;
    }
    if (seconds_since(begun) > patience) {
      survey.exact = false;
      return survey;
    }
  }
  survey.longest_gap = std::max(survey.longest_gap, av_sat_sub64(last, last_key));
  container.refuse_stopped();
  std::ranges::sort(survey.times);
  const bool twice = std::ranges::adjacent_find(survey.times) != survey.times.end();
  if (twice && !fields) survey.seeks = false;
  if (twice || !survey.seeks || (code < 0 && code != AVERROR_EOF) ||
      container.errors().count() > 0 || survey.times.empty() || survey.times[0] != first)
    survey.exact = false;
  return survey;
}

Sample sample(const std::string& input, const SourceOptions& options) {
  const ContainerInput container(container_url(input), nullptr, options);
  if (container.lies_in_others())
    throw Error(MessageKind::input_reference, "cannot share the input", container.name(),
                "it refers to other files, which may change, and be others on another host",
                "name a file that holds the video");
  AVIOContext* io = container.container().pb;
  const std::int64_t bytes = io && (io->seekable & AVIO_SEEKABLE_NORMAL) ? avio_size(io) : -1;
  if (bytes <= 0)
    throw Error(Fault::input, "cannot share the input", container.name(),
                "it is no file of which every host can read any place",
                "name a file, or a URL of one on a server that sends ranges");
  constexpr int pieces = 16, piece = 64 << 10, end = 1 << 20;
  Sample sample{.bytes = bytes, .pieces = {}};
  const auto read = [&](std::int64_t from, std::int64_t count) {
    const std::size_t at = sample.pieces.size();
    sample.pieces.resize(at + static_cast<std::size_t>(count));
    const std::int64_t moved = avio_seek(io, from, SEEK_SET);
    const int code = moved < 0 ? static_cast<int>(moved)
                               : avio_read(io, reinterpret_cast<unsigned char*>(&sample.pieces[at]),
                                           static_cast<int>(count));
    if (code != count)
      throw Error(Fault::input, "cannot read the input", container.name(),
                  code < 0 ? av_message(code) : "it is shorter than it was");
  };
  if (bytes <= 4 * end) {
    read(0, bytes);
    return sample;
  }
  read(0, end);
  for (int i = 1; i <= pieces; ++i) read(end + (bytes - 2 * end - piece) / pieces * i, piece);
  read(bytes - end, end);
  return sample;
}

}  // namespace vidconv
