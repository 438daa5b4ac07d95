// PictureSteps is the part that picture filters of the CPU and of CUDA share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/convolver/time_convolver.h"
#include "pipeline/av/pool.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/region_step.h"
#include "pipeline/filter/step_planes.h"

namespace vidconv {

// A picture in memory of its own, its planes one after the other.
class OwnPicture {
 public:
  // Throws Error(device) if memory runs out; `what` says what it is for.
  OwnPicture(const PixelFormat& format, int width, int height, const FrameMemory& memory,
             const char* what);

  std::byte* data() const { return memory_.get(); }

  std::vector<PlaceOfPlane> planes;
  std::size_t bytes = 0;  // bytes of all planes

 private:
  struct Release {
    void (*release)(std::byte*) noexcept;
    void operator()(std::byte* memory) const { release(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_{nullptr, Release{nullptr}};
};

// Returns the plane of a component of a picture.
BytePlane component_of(std::span<const PlaceOfPlane> picture, const PixelFormat& format, int width,
                       int height, std::size_t component);

// The steps of a work, ready to run on planes in memory of one kind, with their scratch pictures.
class PictureSteps {
 public:
  // `memory`: where scratch pictures are allocated.
  PictureSteps(Work work, int width, int height, const ProcessorOptions& options,
               const FrameMemory& memory);

  // Tells the filter over time, if there is one, which frames its taps are on in the next run
  // (TimeConvolver::set_frames()).
  void set_frames(std::span<const TimeFrame> taps, const TimeFrame& here, const TimeFrame& before);
  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to, CudaStream stream);
  const std::vector<std::string>& variants() const { return variants_; }
  std::size_t memory() const;

 private:
  const Work work_;
  const int width_, height_, threads_;
  const bool by_field_;
  std::vector<std::string> variants_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;  // one per step
  std::vector<StepPlanes> step_planes_;                 // one per step
  std::vector<OwnPicture> scratch_;  // the work's, then one where regions are filtered
  std::optional<OwnPicture> codes_;  // Place::codes
  std::vector<Turn> turns_;          // the steps being run
  SharedRegions places_;
  RegionSteps parts_;                       // nullptr for steps on whole pictures
  std::vector<ConstBytePlane> components_;  // the input's
  std::vector<RegionStep::Planes> planes_;  // planes of the step being run
};

}  // namespace vidconv
