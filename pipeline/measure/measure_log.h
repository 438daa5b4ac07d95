// MeasureLog: collects the scores of all frames of a video, in the order of their times.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/measure/frame_score.h"

namespace vidconv {

// Names the frame with the lowest value of a measure.
struct WorstFrame {
  std::int64_t number = 0;
  double time = 0;              // seconds
  std::optional<double> value;  // none: infinite, the PSNR of equal pictures
};

// Sums up one measure over all frames.
struct MeasureSummary {
  std::optional<double> all;  // none: infinite, as in WorstFrame, or it could not be measured
  std::vector<std::pair<char, std::optional<double>>> components;  // empty for VMAF
  WorstFrame worst;
};

struct Measured {
  std::int64_t frames = 0;
  // The pixel format of filtered frames, and the encoder's input format, in which frames were
  // compared.
  std::string filtered, given;
  std::string decoder;
  // PSNR is that of the mean of all frames' squared errors, XPSNR that of the mean of the roots of
  // their weighted errors, as FFmpeg's filter computes it; the others are means.
  std::optional<MeasureSummary> psnr, ssim, vmaf, xpsnr;
};

struct MeasureOptions {
  Measures measures;
  // Hears of each frame in order, on any thread, but one at a time. May be empty; may throw.
  std::function<void(const FrameScore&)> each;
};

// Thread-safe, except expect(), which belongs to one thread. Keeps nothing of frames that come in
// order.
class MeasureLog {
 public:
  explicit MeasureLog(MeasureOptions options) : options_(std::move(options)) {}

  const Measures& measures() const { return options_.measures; }
  void set_formats(const std::string& filtered, const std::string& given,
                   const std::string& decoder);

  // Announces a frame on its way into an encoder.
  void expect(std::int64_t pts);
  // Takes the score of a frame that was decoded again. Frames come in any order; each was expected.
  void add(FrameScore score);

  Measured result() const;

 private:
  struct Lowest {
    WorstFrame frame;
    double value = 0;
    bool known = false;
    void see(double value, const FrameScore& score);
  };
  void sum_up(const FrameScore& score);
  MeasureSummary psnr() const;
  MeasureSummary ssim() const;
  MeasureSummary xpsnr() const;

  const MeasureOptions options_;
  mutable std::mutex mutex_;  // guards all below
  Measured about_;
  std::deque<std::int64_t> expected_;             // pts of frames that were not handed on
  std::map<std::int64_t, FrameScore> too_early_;  // by pts
  FrameScore sums_;  // mse, ssim, vmaf and, for xpsnr, roots of weighted errors, over all frames
  Lowest lowest_psnr_, lowest_ssim_, lowest_vmaf_, lowest_xpsnr_;
};

}  // namespace vidconv
