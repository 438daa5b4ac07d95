#include "pipeline/shards/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/av/frame_layout.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/platform/usable_memory.h"
#include "pipeline/platform/usable_threads.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

std::int64_t ticks_in(const ShardOptions& options, const VideoInfo& video) {
  std::optional<double> seconds = options.length;
  if (options.count > 0) seconds = length_of(video);
  if (!seconds)
    throw Error(MessageKind::command_line, "`shards`", std::to_string(options.count),
                "the length of the input is not known before its end",
                "say how long a part shall be, as `shards` 10s");
  constexpr double most = 0x1p62;
  const double ticks = *seconds / av_q2d(video.time_base);
  return static_cast<std::int64_t>(std::clamp(std::round(ticks), 1., most));
}

// Seconds. Chosen shards are no shorter than the second, which would cost too many bytes: each
// begins with a key frame, and its encoder knows nothing of what was before.
constexpr double usual_length = 10, shortest_chosen = 6;

// Returns how many shards of about the usual length let 2, 4, 8 or 16 encoders have equally many,
// so that none has the last one to itself while the others are idle.
double chosen_parts(double length) {
  constexpr double even = 16;  // or a power of two below it
  const double wanted = std::clamp(length / usual_length, 1., 1e5);
  const double more =
      wanted > even ? even * std::ceil(wanted / even) : std::exp2(std::ceil(std::log2(wanted)));
  if (length >= more * shortest_chosen) return more;
  return wanted > even ? more - even : std::max(1., more / 2);
}

// An encoder with threads of its own keeps two CPUs busy, and waits for itself now and then.
int jobs_of(const ShardOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1, usable_threads() / 2);
}

int jobs_at_most(const ShardOptions& options) {
  return options.count > 0 ? std::min(options.jobs, options.count) : options.jobs;
}

// Returns about how many frames the longest shard has.
double frames_in_part(const ShardOptions& options, const VideoInfo& video) {
  constexpr double usual = 250;
  if (video.frame_rate.num <= 0) return usual;
  const double length = options.count > 0 ? *length_of(video) / options.count : options.length;
  return std::ceil(length * av_q2d(video.frame_rate));
}

// Allows as many frames on their way through the filter as no stage has to wait, and one more for
// each encoder.
int slots_in_turns(int jobs, double frame_bytes, double room) {
  constexpr double bytes_in_filter = 96 << 20, fewest = 4, most = 32, between_stages = 5;
  const double on_their_way =
      std::clamp(std::ceil(bytes_in_filter / frame_bytes), fewest, most) + between_stages;
  const double slots = std::max(3., 1 + std::ceil(on_their_way / jobs));
  return static_cast<int>(std::min(slots, room));
}

// Where frames come in order, an encoder is idle until all frames of the shards before are in front
// of the other encoders.
int default_slots(const ShardOptions& options, const VideoInfo& video, const Notify& notify) {
  constexpr double usual = 4, most = 1e5;
  const int jobs = jobs_at_most(options);
  const double frame = static_cast<double>(packed_bytes(*video.format, video.width, video.height));
  const double room =
      std::clamp(static_cast<double>(usable_memory()) / 4 / (frame * jobs), 1., most);
  if (options.in_turns) return slots_in_turns(jobs, frame, room);
  if (jobs == 1) return static_cast<int>(std::min(usual, room));
  const double frames = std::max(usual, frames_in_part(options, video));
  if (room < frames / 2)
    vidconv::notify(
        notify, MessageKind::fallback,
        fmt::format("of the {:.0f} frames of a part {:.0f} fit into memory: fewer than {} parts "
                    "are encoded at once; shorter parts help",
                    frames, room, jobs));
  return static_cast<int>(std::min(frames, room));
}

std::string kind_of_parts(const ShardOptions& options) {
  if (options.begins) return fmt::format("{} parts between key frames", options.begins->size());
  return options.count > 0 ? fmt::format("{} parts", options.count)
                           : fmt::format("parts of {:g} s", options.length);
}

// Chooses by the length alone, so that the bytes are the same on every machine.
void choose_parts(ShardOptions& options, const VideoInfo& video, const Notify& notify) {
  if (const std::optional<double> length = length_of(video))
    options.count = static_cast<int>(chosen_parts(*length));
  else
    options.length = usual_length;
  vidconv::notify(
      notify, MessageKind::shards_chosen,
      fmt::format("`shards` auto: {}, {} at once", kind_of_parts(options), jobs_at_most(options)));
}

}  // namespace

ShardOptions parse_shards(const std::string& text) {
  constexpr int most = 100'000;
  constexpr double longest = 1e9;  // seconds, as for all times
  if (same_name(text, "auto")) return {.automatic = true};
  if (const auto count = number_of<int>(text, 1, most)) return {.count = *count};
  const bool in_seconds = text.ends_with('s') || text.ends_with('S');
  if (const auto seconds =
          number_of<double>(in_seconds ? text.substr(0, text.size() - 1) : "", 0.1, longest))
    return {.length = *seconds};
  throw Error(Fault::usage, "`shards`", shortened(text, longest_value),
              fmt::format("not a number of parts from 1 to {}", most),
              "use auto, N, or the length of a part such as 10s");
}

bool may_be_in_turns(const ShardOptions& options) {
  return options.count != 1 && (jobs_of(options) > 1 || options.store);
}

ShardOptions settled(ShardOptions options, const VideoInfo& video, const Notify& notify) {
  options.jobs = jobs_of(options);
  if (std::exchange(options.automatic, false)) choose_parts(options, video, notify);
  static_cast<void>(ShardCuts(options, video));  // throws if it cannot be cut so
  // Where shards were kept, one encoder too reads the others alone.
  options.in_turns = video.any_order && (video.times || video.frames) &&
                     (jobs_at_most(options) > 1 || options.store);
  if (options.slots == 0) options.slots = default_slots(options, video, notify);
  // Uses another quarter of the memory. Coded pictures of a shard seldom need as much; lossless
  // ones do.
  if (options.packet_bytes == 0)
    options.packet_bytes = std::max<std::int64_t>(usable_memory() / 4 / options.jobs, 1 << 20);
  return options;
}

std::string describe(const ShardOptions& options, const VideoInfo& video) {
  const int jobs = jobs_at_most(options);
  const double frame =
      static_cast<double>(packed_bytes(*video.format, video.width, video.height)) / (1 << 20);
  const double packets = static_cast<double>(options.packet_bytes) * (jobs - 1) / (1 << 20);
  return fmt::format(
      "{}, {} at once, {}{} frames wait for each: at most {:.1f} MiB, and {:.0f} MiB of packets",
      kind_of_parts(options), jobs, options.in_turns ? "read in turns, " : "", options.slots,
      frame * jobs * options.slots, packets);
}

std::optional<double> length_of(const VideoInfo& video) {
  if (video.seconds) return video.seconds;
  if (!video.frames || video.frame_rate.num <= 0) return std::nullopt;
  return static_cast<double>(*video.frames) / av_q2d(video.frame_rate);
}

std::string setting_of(const ShardOptions& options) {
  return options.begins ? "`keep_unchanged`" : options.store ? "`resume`" : "`shards`";
}

ShardCuts::ShardCuts(const ShardOptions& options, const VideoInfo& video)
    : begins_(options.begins),
      parts_(std::max(1, options.count)),
      ticks_(begins_ ? 1 : ticks_in(options, video)),
      counted_(options.count > 0) {}

std::int64_t ShardCuts::part_of(std::int64_t pts) {
  if (begins_)
    return std::max<std::int64_t>(0,
                                  std::ranges::upper_bound(*begins_, pts) - begins_->begin() - 1);
  if (!first_) first_ = pts;
  const std::int64_t part =
      av_rescale_rnd(std::max<std::int64_t>(0, pts - *first_), parts_, ticks_, AV_ROUND_DOWN);
  return counted_ ? std::min(part, parts_ - 1) : part;
}

}  // namespace vidconv
