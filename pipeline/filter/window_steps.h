// WindowSteps is the part that window filters of the CPU and of CUDA share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/picture_steps.h"
#include "pipeline/filter/window_filter.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// The stages of a work, ready to run on planes in memory of one kind, with the pictures between
// them. Not thread-safe.
class WindowSteps {
 public:
  using Planes = std::span<const PlaceOfPlane>;
  // Returns where the CPU can read a picture that is made when the work queued so far is done,
  // until it is called with the same `side` again, 0 or 1.
  using ForCpu = std::function<Planes(Planes picture, int side)>;

  // `memory`: where pictures between steps and stages are allocated.
  WindowSteps(const TimedWork& work, int width, int height, const ProcessorOptions& options,
              const FrameMemory& memory, ForCpu for_cpu);

  void run(const PictureWindow& window, bool goes_on, Planes to, CudaStream stream);

  const std::vector<std::string>& variants() const { return variants_; }
  std::size_t memory() const;

 private:
  // A picture between two stages.
  struct Made {
    std::shared_ptr<const OwnPicture> picture;
    bool used = true;  // for the result being made
  };
  // The outcome of comparing two pictures.
  struct Cut {
    bool found;
    bool used = true;  // as above
  };
  struct Stage {
    const TimedWork* work;
    std::unique_ptr<PictureSteps> steps;
    std::map<std::int64_t, Made> made;  // by number
    std::map<std::int64_t, Cut> cuts;   // by the number of the picture behind it
  };

  std::int64_t count_of(std::size_t s) const;
  Planes before(std::size_t s, std::int64_t number);
  bool is_at_hand(std::size_t s, std::int64_t number) const;
  void make(std::size_t s, std::int64_t number, Planes to);
  void set_frames(std::size_t s, std::int64_t here, Planes centre);
  bool is_cut_before(std::size_t s, std::int64_t number);
  bool differ(std::size_t s, std::int64_t number);
  TimeFrame frame(Planes planes, std::int64_t number) const;
  void forget_unused();

  const TimedWork work_;
  const std::vector<const TimedWork*> works_;
  const PixelFormat& format_;
  const int width_, height_;
  const FrameMemory memory_;
  const ForCpu for_cpu_;
  std::vector<int> rows_;  // one number for each plane
  std::vector<Stage> stages_;
  std::vector<std::string> variants_;
  std::vector<std::shared_ptr<OwnPicture>> pictures_;  // all that were made
  PictureWindow window_;                               // the one being filtered
  CudaStream stream_ = nullptr;                        // its
  // Counts videos: numbers of pictures of two videos are never the same.
  std::int64_t video_ = 0;
};

}  // namespace vidconv
