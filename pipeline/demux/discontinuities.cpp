#include "pipeline/demux/discontinuities.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mathematics.h>
}

#include "pipeline/demux/stream_video.h"

namespace vidconv {
namespace {

constexpr std::int64_t no_time = AV_NOPTS_VALUE;
// ffmpeg(1)'s dts_delta_threshold and dts_error_threshold, and how far back is no reordering.
constexpr std::int64_t far = 10LL * AV_TIME_BASE;
constexpr std::int64_t absurd = 30LL * 3600 * AV_TIME_BASE;
constexpr std::int64_t back = AV_TIME_BASE / 10;
// In the middle of a stream, sound may begin with the rest of a frame: libavformat takes the time
// of what comes next for its own, and says it again.
constexpr std::int64_t guessed = AV_TIME_BASE;

bool is_far(std::int64_t by) { return by > far || by < -far; }

void move(AVPacket& packet, std::int64_t by, AVRational time_base) {
  const std::int64_t ticks = av_rescale_q(by, AV_TIME_BASE_Q, time_base);
  if (packet.pts != no_time) packet.pts = av_sat_add64(packet.pts, ticks);
  if (packet.dts != no_time) packet.dts = av_sat_add64(packet.dts, ticks);
}

bool goes_on(const AVStream& stream) {
  const AVMediaType type = stream.codecpar->codec_type;
  return type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO;
}

const AVProgram* program_of(const AVFormatContext& container, int index) {
  // const_cast: it only reads, and does not say so.
  return av_find_program_from_stream(const_cast<AVFormatContext*>(&container), nullptr, index);
}

// Programs that are given the same references (ISO/IEC 13818-1, 2.4.2) share a clock.
int clock_of(const AVProgram& program) {
  constexpr int no_references = 0x1fff;
  const bool has_some = program.pcr_pid > 0 && program.pcr_pid < no_references;
  return has_some ? program.pcr_pid : no_references + program.id;
}

std::optional<int> clock_of(const AVFormatContext& container, int index) {
  const AVProgram* program = program_of(container, index);
  return program ? std::optional(clock_of(*program)) : std::nullopt;
}

std::map<int, std::int64_t> starts_of_clocks(const AVFormatContext& container) {
  std::map<int, std::int64_t> starts;
  for (const AVStream* stream : std::span(container.streams, container.nb_streams)) {
    const std::optional<int> clock = clock_of(container, stream->index);
    if (!clock || stream->start_time == no_time || !goes_on(*stream)) continue;
    const std::int64_t start = av_rescale_q(stream->start_time, stream->time_base, AV_TIME_BASE_Q);
    const auto [entry, is_new] = starts.emplace(*clock, start);
    if (!is_new) entry->second = std::min(entry->second, start);
  }
  return starts;
}

// Returns the clock of the video with that number.
std::optional<int> leading_clock(const AVFormatContext& container, int video) {
  const std::vector<int> videos = video_streams(container);
  const auto at = static_cast<std::size_t>(video - 1);
  return at < videos.size() ? clock_of(container, videos[at]) : std::nullopt;
}

// Returns how much later something begins than the input, if it is far: near ones may share a
// clock.
std::int64_t apart(const AVFormatContext& container, std::int64_t start) {
  const std::int64_t by =
      container.start_time == no_time ? 0 : av_sat_sub64(start, container.start_time);
  return is_far(by) ? by : 0;
}

}  // namespace

std::string begin_with_program_of(AVFormatContext& container, int video) {
  const std::map<int, std::int64_t> starts = starts_of_clocks(container);
  const std::optional<int> leading = leading_clock(container, video);
  const auto start = leading ? starts.find(*leading) : starts.end();
  if (start == starts.end() || !(container.iformat->flags & AVFMT_TS_DISCONT)) return {};
  if (apart(container, start->second) != 0) container.start_time = start->second;
  std::string others;
  for (const AVProgram* program : std::span(container.programs, container.nb_programs)) {
    const auto other = starts.find(clock_of(*program));
    const std::int64_t by = other == starts.end() ? 0 : apart(container, other->second);
    if (by == 0) continue;
    others += fmt::format("{}{} ({:+.6g} s)", others.empty() ? "" : ", ", program->id,
                          static_cast<double>(by) / AV_TIME_BASE);
  }
  return others;
}

Discontinuities::Discontinuities(const AVFormatContext& container, const Options& options,
                                 Notify notify)
    : container_(container),
      options_(options),
      restarts_(container.iformat->flags & AVFMT_TS_DISCONT),
      notify_(std::move(notify)),
      starts_(starts_of_clocks(container)) {}

void Discontinuities::follow(AVPacket& packet) {
  if (streams_.size() < container_.nb_streams) streams_.resize(container_.nb_streams);
  const AVStream& of = *container_.streams[packet.stream_index];
  Stream& stream = streams_[static_cast<std::size_t>(packet.stream_index)];
  watch(packet, stream, of.time_base);
  if (options_.leave) return;
  Clock& clock = clock_at(of.index);
  move(packet, clock.offset, of.time_base);
  if (packet.dts == no_time) return;
  std::int64_t time = av_rescale_q(packet.dts, of.time_base, AV_TIME_BASE_Q);
  if (const std::int64_t by = goes_on(of) ? jump(stream, clock, time) : 0; by != 0) {
    tell(of.index, av_sat_sub64(time, clock.offset), by);
    move(packet, av_sat_sub64(0, by), of.time_base);
    time = av_sat_sub64(time, by);
    // Otherwise this packet alone is wrong.
    if (restarts_) clock.offset = av_sat_sub64(clock.offset, by);
  }
  stream.last = time;
  if (goes_on(of)) last_ = clock.last = time;
  if (!stream.first) stream.first = time;
  stream.next = av_sat_add64(time, av_rescale_q(packet.duration, of.time_base, AV_TIME_BASE_Q));
}

void Discontinuities::watch(const AVPacket& packet, Stream& stream, AVRational time_base) {
  follows_ = Follows::on_time;
  if (packet.dts == no_time) return;
  const std::int64_t time = av_rescale_q(packet.dts, time_base, AV_TIME_BASE_Q);
  // The durations that packets give need not be true.
  const std::int64_t duration = av_rescale_q(packet.duration, time_base, AV_TIME_BASE_Q);
  const std::int64_t step = stream.of_input ? av_sat_sub64(time, *stream.of_input) : 0;
  if (restarts_ && (step < 0 || step > far))
    follows_ = Follows::anew;
  else if (step / 3 * 2 > stream.longest_step)
    follows_ = Follows::late;
  if (follows_ != Follows::anew)
    stream.longest_step = std::max({stream.longest_step, step, duration});
  stream.of_input = time;
}

Discontinuities::Clock& Discontinuities::clock_at(int index) {
  constexpr int of_no_program = -1;
  Stream& stream = streams_[static_cast<std::size_t>(index)];
  const std::optional<int> before = stream.clock;
  // A stream that no list has any more goes on by the clock that it had.
  stream.clock = clock_of(container_, index).value_or(before.value_or(of_no_program));
  const auto [entry, begins] = clocks_.try_emplace(*stream.clock);
  Clock& clock = entry->second;
  if (begins && before)
    clock.offset = clocks_[*before].offset;
  else if (const auto start = starts_.find(*stream.clock); begins && start != starts_.end())
    clock.offset = -apart(container_, start->second);
  return clock;
}

std::int64_t Discontinuities::jump(const Stream& stream, const Clock& clock,
                                   std::int64_t time) const {
  if (!stream.next) {  // the stream begins
    const bool leads = stream.clock == leading_clock(container_, options_.video);
    const std::optional<std::int64_t> last = clock.last || leads ? clock.last : last_;
    const std::int64_t by = restarts_ && last ? av_sat_sub64(time, *last) : 0;
    return is_far(by) ? by : 0;
  }
  const std::int64_t by = av_sat_sub64(time, *stream.next);
  if (!restarts_) return by > absurd || by < -absurd ? by : 0;
  if (is_far(by)) return by;
  const bool guesses = options_.in_the_middle && *stream.last - *stream.first < guessed;
  return !guesses && av_sat_add64(time, back) < *stream.last ? by : 0;
}

void Discontinuities::tell(int index, std::int64_t time, std::int64_t by) const {
  const auto seconds = [](std::int64_t t) { return static_cast<double>(t) / AV_TIME_BASE; };
  const AVProgram* program = container_.nb_programs > 1 ? program_of(container_, index) : nullptr;
  notify(notify_, MessageKind::times_moved,
         fmt::format("{}'s times jump by {:+.6g} s to {:.6g} s: {} streams go on there without it; "
                     "`copy_times` leaves them",
                     program ? fmt::format("program {}", program->id) : "the input", seconds(by),
                     seconds(time), program ? "its" : "all"));
}

}  // namespace vidconv
