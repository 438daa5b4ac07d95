// SteadySource is the base of sources that hold nothing but pictures at a steady rate.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/source/source.h"

namespace vidconv {

// Knows numbers, times and limits: frame n of the input is shown at n / frame_rate. The derived
// class knows where pixels come from.
class SteadySource : public Source {
 public:
  const VideoInfo& video() const override { return info_; }
  void set_order(std::shared_ptr<FrameOrder> order) override { order_ = std::move(order); }
  std::optional<Item> next() override;
  void cancel() override;
  Damage damage() const override { return damage_; }
  std::vector<PacketStatistics> accounts() const override { return {account_}; }
  std::size_t memory() const override { return pool_.bytes(); }

 protected:
  // Takes size, format, frame rate and colour from `info` and fills in the rest. `available`: the
  // number of frames in the input, if known.
  SteadySource(VideoInfo info, const SourceOptions& options, std::optional<std::int64_t> available);

  // Fills the visible picture with frame `index` of the input; called for each index in turn, or
  // after go_to(). Returns false at the end, and at an early end after calling end_early().
  virtual bool read(Frame& frame, std::int64_t index) = 0;
  // Makes read() go on with frame `index`, if takes_order().
  virtual void go_to(std::int64_t) {}
  // Goes to frame `index` without reading, if that is possible; returns false if not: then the
  // frames are read and dropped.
  virtual bool skip_to(std::int64_t) { return false; }

  // Says, before anybody asks, how many frames the input seems to have. The end is where read()
  // finds it.
  void expect(std::int64_t frames);
  void end_early(std::string why) { damage_.truncated = std::move(why); }
  bool stopped() const { return cancelled_ || (interrupted_ && *interrupted_); }

 private:
  Frame frame_for(std::int64_t index);
  std::optional<Item> next_in_order();

  VideoInfo info_;
  FramePool pool_;
  const std::atomic<bool>* interrupted_;
  const bool strict_;
  std::atomic<bool> cancelled_ = false;
  Damage damage_;
  PacketStatistics account_;
  std::int64_t first_ = 0;                                       // the range's first index
  std::int64_t end_ = std::numeric_limits<std::int64_t>::max();  // the index after its last
  // Index of the next frame to read; in another order, after all that were read.
  std::int64_t index_ = 0;
  std::shared_ptr<FrameOrder> order_;  // may be null
};

}  // namespace vidconv
