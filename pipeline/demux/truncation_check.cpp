#include "pipeline/demux/truncation_check.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "pipeline/av/container.h"
#include "pipeline/base/url.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mathematics.h>
}

namespace vidconv {

namespace {

// FFmpeg's AVI muxer writes this if it cannot come back to write the number of frames.
constexpr std::int64_t unknown_in_avi = 1 << 30;
// An unknown 32-bit length, as in fragments of a live stream.
constexpr std::int64_t unknown_in_mp4 = 0xffffffff;

// Returns whether the header says how long the input is meant to become: these formats' muxers
// write that first, and leave it if they cannot come back.
bool announces(const AVFormatContext& container) {
  const std::string_view name = container.iformat->name;
  const bool once = container.pb && !(container.pb->seekable & AVIO_SEEKABLE_NORMAL);
  return once && (name.ends_with("flv") || name.starts_with("matroska"));
}

std::string too_short(std::int64_t arrived, std::int64_t claimed) {
  return fmt::format("it ends after {:.2f} of {:.2f} seconds",
                     static_cast<double>(arrived) / AV_TIME_BASE,
                     static_cast<double>(claimed) / AV_TIME_BASE);
}

std::string too_few(const char* type, std::int64_t came, std::int64_t listed) {
  return fmt::format("only {} of {} {} packets are there", came, listed, type);
}

// Says what is wrong if numbered pictures follow after a gap behind `count` of them: libavformat
// reads them up to the first that is not there.
std::string gap_in_numbers(const std::string& name, std::int64_t count) {
  constexpr int highest_first = 100'000, longest_gap = 1000;
  const auto there = [&](int number) {
    struct stat status;
    return stat(numbered(name, number).c_str(), &status) == 0;
  };
  int next = 0;
  while (next < highest_first && !there(next)) ++next;
  next += static_cast<int>(count);
  if (there(next)) return {};  // it ended for another reason
  for (int later = next + 1; later < next + longest_gap; ++later)
    if (there(later))
      return fmt::format("'{}' is not there, and '{}' is", numbered(name, next),
                         numbered(name, later));
  return {};
}

}  // namespace

TruncationCheck::TruncationCheck(const AVFormatContext& container, AVStream& video, bool video_only)
    : container_(container),
      video_(video),
      video_only_(video_only),
      indexed_(std::string_view(container.iformat->name).find("mp4") != std::string_view::npos),
      ticks_(std::string_view(container.iformat->name) == "avi"),
      announced_(announces(container)),
      counts_(container.nb_streams) {}

void TruncationCheck::count(const AVPacket& packet) {
  if (counts_.size() < container_.nb_streams) counts_.resize(container_.nb_streams);  // found late
  Counts& counts = counts_[static_cast<std::size_t>(packet.stream_index)];
  ++counts.came;
  // The later of the two counts: a picture that is decoded last may be shown long before the end.
  const std::int64_t time = std::max(packet.dts, packet.pts);
  if (time == AV_NOPTS_VALUE) return;
  counts.until =
      std::max(counts.until, av_sat_add64(time, std::max<std::int64_t>(1, packet.duration)));
  const AVRational time_base =
      container_.streams[static_cast<unsigned>(packet.stream_index)]->time_base;
  until_ = std::max(until_,
                    av_rescale_q(av_sat_add64(time, packet.duration), time_base, AV_TIME_BASE_Q));
}

std::string TruncationCheck::missing(const FileEnding& ending) const {
  if (std::string_view(container_.iformat->name) == "image2" && is_numbered(container_.url))
    return gap_in_numbers(local_path(container_.url), video().came);
  std::string missing = missing_of_index();
  // The last picture may be held for as long as the header says.
  const bool whole = ending.known && ending.missing.empty();
  if (missing.empty() && !whole && (ending.known || !announced_)) missing = missing_of_header();
  return missing.empty() ? ending.missing : missing;
}

// Packets of fragments are listed as they come.
std::int64_t TruncationCheck::indexed(unsigned stream) const {
  return indexed_ ? avformat_index_get_entries_count(container_.streams[stream]) : 0;
}

std::string TruncationCheck::less_than_announced() const {
  return announced_ ? missing_of_header() : "";
}

std::string TruncationCheck::missing_of_index() const {
  for (unsigned i = 0; i < counts_.size(); ++i) {
    const AVStream& stream = *container_.streams[i];
    const std::int64_t came = counts_[i].came, listed = indexed(i);
    if (came >= listed || stream.discard == AVDISCARD_ALL) continue;
    const char* type = av_get_media_type_string(stream.codecpar->codec_type);
    return too_few(type ? type : "unknown", came, listed);
  }
  return {};
}

std::string TruncationCheck::missing_of_header() const {
  // Frames of AVI that repeat the one before, or fall between two, have no packet.
  const std::int64_t packets = ticks_ ? video().until : video().came, frames = claimed_frames();
  if (packets + 1 + frames / 100 < frames) {
    const auto time = [&](std::int64_t ticks) {
      return av_rescale_q(ticks, video_.time_base, AV_TIME_BASE_Q);
    };
    return ticks_ ? too_short(time(packets), time(frames)) : too_few("video", packets, frames);
  }
  // Matroska's duration is counted from 0, as that of fragments is; others' from the first packet.
  const bool fragments = indexed_ && video_.nb_frames == 0;
  const bool from_zero =
      fragments || std::string_view(container_.iformat->name).find("matroska") == 0;
  const std::int64_t start =
      from_zero || container_.start_time == AV_NOPTS_VALUE ? 0 : container_.start_time;
  const std::int64_t claimed = claimed_duration(), arrived = until_ - start;
  const std::int64_t tolerance = std::max<std::int64_t>(AV_TIME_BASE / 2, claimed / 100);
  if (arrived + tolerance >= claimed) return {};
  return too_short(arrived, claimed);
}

std::int64_t TruncationCheck::claimed_frames() const {
  const bool listed = indexed(static_cast<unsigned>(video_.index)) > 0;
  return listed || video_.nb_frames == unknown_in_avi ? 0 : video_.nb_frames;
}

std::int64_t TruncationCheck::claimed_duration() const {
  std::int64_t claimed = 0;
  const bool known = container_.duration_estimation_method == AVFMT_DURATION_FROM_STREAM &&
                     video_.nb_frames != unknown_in_avi;
  // Takes the longest stream that is read: chapters may have one that is not.
  for (unsigned i = 0; known && !video_only_ && i < container_.nb_streams; ++i) {
    const AVStream& stream = *container_.streams[i];
    if (stream.discard == AVDISCARD_ALL || (indexed_ && stream.duration == unknown_in_mp4))
      continue;
    const std::int64_t length =
        stream.duration == AV_NOPTS_VALUE
            ? container_.duration
            : av_rescale_q(stream.duration, stream.time_base, AV_TIME_BASE_Q);
    claimed = std::max(claimed, std::min(length, container_.duration));
  }
  return claimed;
}

}  // namespace vidconv
