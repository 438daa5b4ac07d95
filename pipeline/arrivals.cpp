#include "pipeline/arrivals.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "pipeline/container.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {

namespace {

// libavformat reads numbered pictures up to the first that is not there. What is wrong where others
// come after `count` of them.
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

Arrivals::Arrivals(const AVFormatContext& container, AVStream& video)
    : container_(container), video_(video) {
  // Only this family has an index of every packet before the first one is read.
  if (std::string_view(container.iformat->name).find("mp4") != std::string_view::npos)
    indexed_ = avformat_index_get_entries_count(&video);
}

void Arrivals::count(const AVPacket& packet) {
  if (packet.stream_index == video_.index) ++packets_;
  // What is decoded last may be shown long before the end: the later of the two counts.
  const std::int64_t time = std::max(packet.dts, packet.pts);
  if (time == AV_NOPTS_VALUE) return;
  const AVRational time_base =
      container_.streams[static_cast<unsigned>(packet.stream_index)]->time_base;
  until_ = std::max(until_, av_rescale_q(time + packet.duration, time_base, AV_TIME_BASE_Q));
}

std::string Arrivals::missing() const {
  if (std::string_view(container_.iformat->name) == "image2" && is_numbered(container_.url))
    return gap_in_numbers(container_.url, packets_);
  if (packets_ < indexed_)
    return fmt::format("only {} of {} video packets are there", packets_, indexed_);
  // Headers of AVI count frames; those that repeat the one before may have no packet.
  if (indexed_ == 0 && packets_ + 1 + video_.nb_frames / 100 < video_.nb_frames)
    return fmt::format("only {} of {} video packets are there", packets_, video_.nb_frames);
  // Matroska's duration is counted from 0, the others' from the first packet.
  const bool from_zero = std::string_view(container_.iformat->name).find("matroska") == 0;
  const std::int64_t start =
      from_zero || container_.start_time == AV_NOPTS_VALUE ? 0 : container_.start_time;
  const std::int64_t claimed = claimed_duration(), arrived = until_ - start;
  const std::int64_t tolerance = std::max<std::int64_t>(AV_TIME_BASE / 2, claimed / 100);
  if (arrived + tolerance >= claimed) return {};
  return fmt::format("it ends after {:.2f} of {:.2f} seconds",
                     static_cast<double>(arrived) / AV_TIME_BASE,
                     static_cast<double>(claimed) / AV_TIME_BASE);
}

std::int64_t Arrivals::claimed_duration() const {
  std::int64_t claimed = 0;
  if (container_.duration_estimation_method == AVFMT_DURATION_FROM_STREAM)
    claimed = std::max(claimed, container_.duration);
  if (indexed_ == 0 && video_.nb_frames > 0 && video_.avg_frame_rate.num > 0)
    claimed = std::max(
        claimed, av_rescale_q(video_.nb_frames, av_inv_q(video_.avg_frame_rate), AV_TIME_BASE_Q));
  return claimed;
}

}  // namespace vidconv
