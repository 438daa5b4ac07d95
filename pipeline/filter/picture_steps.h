// What picture filters of the CPU and of CUDA have in common.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/av/pool.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/region_step.h"
#include "pipeline/filter/step_planes.h"

namespace vidconv {

// A picture in memory of our own, its planes one after the other.
class OwnPicture {
 public:
  // Throws Error(device) where memory is out; `what`: what it is for.
  OwnPicture(const PixelFormat& format, int width, int height, const FrameMemory& memory,
             const char* what);

  std::byte* data() const { return memory_.get(); }

  std::vector<PlaceOfPlane> planes;
  std::size_t bytes = 0;  // in all

 private:
  struct Release {
    void (*release)(std::byte*) noexcept;
    void operator()(std::byte* memory) const { release(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_{nullptr, Release{nullptr}};
};

// The steps of a work, ready to run on planes in memory of one kind, with what lies between them.
class PictureSteps {
 public:
  // `memory`: of the scratch pictures.
  PictureSteps(Work work, int width, int height, const ProcessorOptions& options,
               const FrameMemory& memory);

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to, CudaStream stream);
  const std::vector<std::string>& variants() const { return variants_; }
  std::size_t memory() const;

 private:
  BytePlane plane(std::span<const PlaceOfPlane> picture, const PixelFormat& format,
                  std::size_t component) const;

  const Work work_;
  const int width_, height_, threads_;
  const bool by_field_;
  std::vector<std::string> variants_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;  // one per step
  std::vector<StepPlanes> step_planes_;                 // of each
  std::vector<OwnPicture> scratch_;  // those of the work, then one where parts are filtered
  std::vector<Turn> turns_;          // the steps being run
  SharedRegions places_;
  RegionSteps parts_;                       // of the steps that act on a part
  std::vector<ConstBytePlane> components_;  // of the input
  std::vector<RegionStep::Planes> planes_;  // of the one being run
};

}  // namespace vidconv
