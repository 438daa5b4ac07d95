// WindowFilter filters pictures of a video in the caller's memory, each with those around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/picture_filter.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Pictures of a video that follow each other. The video ends with the last of them, unless they
// reach as far behind the filtered one as results depend on (TimedWork::reach()).
struct PictureWindow {
  std::int64_t result = 0;               // the number of the result among all results
  std::int64_t first = 0;                // the number of the first picture in the video
  std::span<const PlaceOfPlane> planes;  // picture after picture
};

// Runs the stages of a work. Not thread-safe.
class WindowFilter {
 public:
  virtual ~WindowFilter() = default;
  WindowFilter(const WindowFilter&) = delete;
  WindowFilter& operator=(const WindowFilter&) = delete;

  // Filters one picture into `to`, as PictureFilter::run() does, but allocates pictures between the
  // stages for the first windows. `goes_on`: the window is of the same video as the last one, so
  // that what was made between the stages still holds. The window reaches as far back as the result
  // depends on, or to the first picture. On a CUDA device it waits for the stream where pictures
  // are compared (OverTime::cut).
  virtual void run(const PictureWindow& window, bool goes_on, std::span<const PlaceOfPlane> to,
                   CudaStream stream) = 0;
  // Returns the name of each step's variant, stage after stage.
  virtual const std::vector<std::string>& variants() const = 0;
  virtual std::size_t memory() const = 0;  // bytes

 protected:
  WindowFilter() = default;
};

// Makes a window filter, as make_picture_filter() does for a work without stages.
std::unique_ptr<WindowFilter> make_window_filter(const TimedWork& work, int width, int height,
                                                 const ProcessorOptions& options,
                                                 const PictureMemory& memory);
// Makes the filter that make_window_filter() chooses for a CUDA device.
std::unique_ptr<WindowFilter> make_cuda_window_filter(const TimedWork& work, int width, int height,
                                                      const ProcessorOptions& options,
                                                      const PictureMemory& memory);

}  // namespace vidconv
