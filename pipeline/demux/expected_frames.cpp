#include "pipeline/demux/expected_frames.h"

#include <algorithm>
#include <string_view>

extern "C" {
#include <libavutil/mathematics.h>
#include <libavutil/parseutils.h>
}

namespace vidconv {
namespace {

// Returns the packets in an index of all packets that edit lists do not hide; 0 without an index.
std::int64_t shown_packets(const AVFormatContext& container, AVStream& video) {
  const bool indexed = std::string_view(container.iformat->name).find("mp4") != std::string::npos;
  if (!indexed || video.nb_frames == 0) return 0;  // fragments have no index before they are read
  std::int64_t shown = 0;
  for (int i = 0; i < avformat_index_get_entries_count(&video); ++i)
    shown += !(avformat_index_get_entry(&video, i)->flags & AVINDEX_DISCARD_FRAME);
  return shown;
}

// Returns when the video ends, microseconds of the container's time; none if nothing better is
// known than the size of the file.
std::optional<std::int64_t> end_of(const AVFormatContext& container, const AVStream& video) {
  const auto from = [](std::int64_t start) { return start == AV_NOPTS_VALUE ? 0 : start; };
  if (container.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE) return std::nullopt;
  // Matroska's tag counts from time 0. Some writers add the language to its name.
  const AVDictionaryEntry* tag = av_dict_get(video.metadata, "DURATION", nullptr, 0);
  if (!tag) tag = av_dict_get(video.metadata, "DURATION-", nullptr, AV_DICT_IGNORE_SUFFIX);
  if (tag) {
    std::int64_t end = 0;
    if (av_parse_time(&end, tag->value, 1) >= 0 && end > 0) return end;
  }
  if (video.duration > 0)
    return av_rescale_q(av_sat_add64(from(video.start_time), video.duration), video.time_base,
                        AV_TIME_BASE_Q);
  if (container.duration > 0) return av_sat_add64(from(container.start_time), container.duration);
  return std::nullopt;
}

}  // namespace

Expected expect(const AVFormatContext& container, AVStream& video, const InputRange& part,
                AVRational frame_rate, std::optional<std::int64_t> most) {
  Expected expected;
  const bool whole = part.is_whole();
  if (const auto end = end_of(container, video)) {
    std::int64_t start = part.start;
    if (video.start_time != AV_NOPTS_VALUE)
      start = std::max(start, av_rescale_q(video.start_time, video.time_base, AV_TIME_BASE_Q));
    const std::int64_t length = std::max<std::int64_t>(0, std::min(*end, part.end) - start);
    expected.seconds = static_cast<double>(length) / AV_TIME_BASE;
  }
  if (const std::int64_t shown = whole ? shown_packets(container, video) : 0; shown > 0) {
    expected.frames = shown;
    expected.exact = true;
  } else if (whole && !expected.seconds && video.nb_frames > 0) {
    expected.frames = video.nb_frames;
  }
  // At the nominal rate, so many frames would be longer than the video is.
  const bool too_many = most && expected.seconds && frame_rate.num > 0 &&
                        static_cast<double>(*most) >= *expected.seconds * av_q2d(frame_rate);
  if (most && !(too_many && !expected.exact)) {
    expected.frames = std::min(expected.frames.value_or(*most), *most);
    // Frames without an index may be fewer, or the last of them earlier than the end.
    if (!expected.exact || *expected.frames == *most) expected.seconds.reset();
  }
  return expected;
}

}  // namespace vidconv
