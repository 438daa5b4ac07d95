// Records what --report shows beyond the final statistics: pictures before and after filtering, and
// progress over time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/measure/measure_log.h"
#include "pipeline/run/run.h"

namespace vidconv {

class RunWatch final : public FrameWatcher {
 public:
  // The run is over so many frames, none where that is not known, of a video that is seen so.
  // `originals`: pictures are kept as they were, too.
  RunWatch(std::optional<std::int64_t> frames, const Orientation& shown, bool originals);

  void before(const Frame& frame) override;
  void after(const Frame& frame) override;
  void see(const Progress& progress);
  void see(const FrameScore& score);

  struct Picture {
    std::int64_t number = 0;
    double time = 0;            // seconds
    int width = 0, height = 0;  // the frame's
    std::string before, after;  // PNG, no wider than 1280; before: empty without originals
  };
  struct Sample {
    double seconds = 0;
    std::int64_t encoded = 0;
    std::vector<StageTime> stages;  // busy times since the start
  };
  struct Score {
    std::int64_t number = 0;
    double time = 0, psnr = 0, ssim = 0;  // worst values of the frames that the score stands for
  };
  // To be called after the run.
  std::vector<Picture> pictures() const;
  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<Score>& scores() const { return scores_; }

 private:
  std::string as_png(const Frame& frame) const;

  const Orientation shown_;
  const bool originals_;
  std::vector<std::int64_t> wanted_;  // numbers of frames
  mutable std::mutex mutex_;          // guards pictures_
  std::map<std::int64_t, Picture> pictures_;
  // Both hold a few hundred points at most: when full, each point stands for twice as many.
  std::vector<Sample> samples_;
  double next_sample_ = 0, between_samples_ = 0.1;  // seconds
  std::vector<Score> scores_;
  std::int64_t scores_each_ = 1, scores_seen_ = 0;
};

}  // namespace vidconv
