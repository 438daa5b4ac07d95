#include "pipeline/source/source_steady.h"

#include <algorithm>
#include <cmath>
#include <utility>

extern "C" {
#include <libavutil/common.h>
}

#include "pipeline/source/source_kinds.h"

namespace vidconv {
namespace {

// The most frames in flight with the usual slots and channels: one being read, two in the channel,
// one being handed over, four that wait for the processor, one that it filters. With more slots the
// pool grows.
constexpr std::int64_t most_in_flight = 9;

}  // namespace

SteadySource::SteadySource(VideoInfo info, const SourceOptions& options,
                           std::optional<std::int64_t> available)
    : info_(std::move(info)),
      pool_(packed_layout(*info_.format, info_.width, info_.height), options.memory),
      interrupted_(options.interrupted),
      strict_(options.strict) {
  info_.time_base = av_inv_q(info_.frame_rate);
  info_.steady = true;
  account_.type = "video";
  account_.filtered = true;
  const double rate = av_q2d(info_.frame_rate);
  // A little less than exact, so that decimals of times such as 0.04 find their frame.
  const auto frames_in = [&](double seconds) {
    return static_cast<std::int64_t>(std::clamp(std::ceil(seconds * rate - 1e-6), 0., 0x1p62));
  };
  if (options.start) first_ = frames_in(*options.start);
  if (options.duration) end_ = std::min(end_, first_ + frames_in(*options.duration));
  if (options.frames) end_ = std::min(end_, av_sat_add64(first_, *options.frames));
  if (available) end_ = std::min(end_, std::max(first_, *available));
  const std::int64_t frames = std::max<std::int64_t>(0, end_ - first_);
  const bool huge = is_huge(info_.format->id, info_.width, info_.height);
  pool_.reserve(static_cast<int>(std::min(huge ? 1 : most_in_flight, frames)));
  info_.clock.offset = first_;
  info_.clock.frames_before = first_;
  if (end_ == std::numeric_limits<std::int64_t>::max()) return;
  info_.frames = end_ - first_;
  info_.frames_are_exact = available.has_value();
  info_.seconds = static_cast<double>(*info_.frames) / rate;
}

void SteadySource::expect(std::int64_t frames) {
  info_.frames = std::max<std::int64_t>(0, std::min(end_, frames) - first_);
  info_.seconds = static_cast<double>(*info_.frames) / av_q2d(info_.frame_rate);
}

void SteadySource::cancel() {
  cancelled_ = true;
  if (order_) order_->cancel();
}

Frame SteadySource::frame_for(std::int64_t index) {
  FramePtr av = pool_.get();
  av->pts = index - first_;
  set_frame_duration(*av, 1);
  av->sample_aspect_ratio = info_.sample_aspect;
  av->color_range = info_.range;
  av->chroma_location = info_.chroma_location;
  set_interlaced(*av, info_.field_order == AV_FIELD_TT || info_.field_order == AV_FIELD_BB,
                 info_.field_order == AV_FIELD_TT);
  return {std::move(av), index - first_};
}

std::optional<Item> SteadySource::next() {
  if (order_) return next_in_order();
  if (index_ < first_ && skip_to(first_)) index_ = first_;
  while (index_ < end_ && !stopped()) {
    Frame frame = frame_for(index_);
    if (!read(frame, index_)) {
      end_ = index_;
      if (strict_) refuse_damage(damage_, "");
      break;
    }
    ++account_.frames;
    if (index_++ >= first_) {
      ++account_.frames_handed_on;
      return Item(std::move(frame));
    }
    ++account_.frames_outside;
  }
  return std::nullopt;
}

std::optional<Item> SteadySource::next_in_order() {
  while (const std::optional<std::int64_t> wanted = order_->next()) {
    if (stopped()) break;
    const std::int64_t index = first_ + *wanted;
    try {
      go_to(index);
      Frame frame = frame_for(index);
      if (index < end_ && read(frame, index)) {
        index_ = std::max(index_, index + 1);
        ++account_.frames;
        ++account_.frames_handed_on;
        return Item(std::move(frame));
      }
      if (stopped()) break;
      end_ = std::min(end_, index);
      if (strict_) refuse_damage(damage_, "");
      if (index_ > index)
        throw Error(Fault::input, "the input was cut off while it was read", "",
                    "frames behind its end have been encoded", "begin again");
    } catch (...) {
      Error error = current_error();
      error.set_frame(*wanted);
      throw error;
    }
    order_->end_at(*wanted);
  }
  return std::nullopt;
}

}  // namespace vidconv
