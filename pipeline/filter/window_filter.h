// WindowFilter filters pictures of a video in the caller's memory, each with those around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/picture_steps.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Pictures of a video that follow each other. The video ends with the last of them, unless they
// reach as far behind the filtered one as results depend on (TimedWork::reach()).
struct PictureWindow {
  std::int64_t result = 0;               // the number of the result among all results
  std::int64_t first = 0;                // the number of the first picture in the video
  std::span<const PlaceOfPlane> planes;  // picture after picture
};

// Runs the stages of a work on the CPU. Not thread-safe.
class WindowFilter {
 public:
  WindowFilter(const TimedWork& work, int width, int height, const ProcessorOptions& options);

  // Filters one picture into `to`. `goes_on`: the window is of the same video as the last one, so
  // that what was made between the stages still holds. Pictures are only read. The window reaches
  // as far back as the result depends on, or to the first picture.
  void run(const PictureWindow& window, bool goes_on, std::span<const PlaceOfPlane> to);

  const std::vector<std::string>& variants() const { return variants_; }
  std::size_t memory() const;

 private:
  using Planes = std::span<const PlaceOfPlane>;

  // A picture between two stages.
  struct Made {
    std::shared_ptr<const OwnPicture> picture;
    bool used = true;  // for the result being made
  };
  struct Stage {
    const TimedWork* work;
    std::unique_ptr<PictureSteps> steps;
    std::map<std::int64_t, Made> made;  // by number
  };

  std::int64_t count_of(std::size_t s) const;
  Planes before(std::size_t s, std::int64_t number);
  bool is_at_hand(std::size_t s, std::int64_t number) const;
  void make(std::size_t s, std::int64_t number, Planes to);
  void set_frames(std::size_t s, std::int64_t here, Planes centre);
  bool is_cut_before(std::size_t s, std::int64_t number);
  TimeFrame frame(Planes planes, std::int64_t number) const;
  void forget_unused();

  const TimedWork work_;
  const std::vector<const TimedWork*> works_;
  const PixelFormat& format_;
  const int width_, height_;
  std::vector<int> rows_;  // one number for each plane
  std::vector<Stage> stages_;
  std::vector<std::string> variants_;
  std::vector<std::shared_ptr<OwnPicture>> pictures_;  // all that were made
  PictureWindow window_;                               // the one being filtered
  // Counts videos: numbers of pictures of two videos are never the same.
  std::int64_t video_ = 0;
};

}  // namespace vidconv
