// What picture filters of the CPU and of CUDA have in common.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/av/pool.h"
#include "pipeline/filter/picture_filter.h"

namespace vidconv {

// The steps of a work, ready to run on planes in memory of one kind, with what lies between them.
class PictureSteps {
 public:
  // `memory`: of the scratch pictures.
  PictureSteps(Work work, int width, int height, const ProcessorOptions& options,
               const FrameMemory& memory);

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to, CudaStream stream);
  const std::vector<std::string>& variants() const { return variants_; }
  std::size_t memory() const { return scratch_bytes_; }

 private:
  struct Release {
    void (*release)(std::byte*) noexcept;
    void operator()(std::byte* memory) const { release(memory); }
  };
  void allocate_scratch(const FrameMemory& memory);
  BytePlane plane(std::span<const PlaceOfPlane> picture, const PixelFormat& format,
                  std::size_t component) const;

  const Work work_;
  const int width_, height_;
  const bool by_field_;
  std::vector<std::string> variants_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;  // one per step
  std::vector<std::unique_ptr<std::byte, Release>> scratch_memory_;
  std::vector<std::vector<PlaceOfPlane>> scratch_;  // the planes of each scratch picture
  std::size_t scratch_bytes_ = 0;
  std::vector<PlanePair> pairs_;  // of the step being run
};

}  // namespace vidconv
