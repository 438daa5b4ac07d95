// PictureFilter filters pictures in the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/filter/processor.h"
#include "pipeline/work/work.h"

namespace vidconv {

// The first byte of a picture's plane, and the distance of its rows.
struct PlaceOfPlane {
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes from one row to the next; may be negative
};

// The size of a picture's plane.
struct PlaneExtent {
  std::int64_t row_bytes = 0;
  int rows = 0;
  int sample_bytes = 0;
};
std::vector<PlaneExtent> extents_of_planes(const PixelFormat& format, int width, int height);

// Runs the steps of a work on pictures of one size. Not thread-safe.
class PictureFilter {
 public:
  virtual ~PictureFilter() = default;
  PictureFilter(const PictureFilter&) = delete;
  PictureFilter& operator=(const PictureFilter&) = delete;

  // `from` and `to`: a place for each plane of the work's format. `from` is only read, and no plane
  // overlaps one that is written. On the CPU the picture is done on return; on a CUDA device the
  // work is queued on `stream`, which belongs to that device. Allocates nothing. Throws
  // Error(device), and Error(usage) for memory that the device cannot use.
  virtual void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
                   CudaStream stream) = 0;
  // Returns the name of each step's variant.
  virtual const std::vector<std::string>& variants() const = 0;
  // Returns the bytes of the pictures between steps.
  virtual std::size_t memory() const = 0;

 protected:
  PictureFilter() = default;
};

// Says where a picture filter's planes lie, and of what samples they are.
struct PictureMemory {
  bool hosted = false;  // they lie in host memory whatever the device, and run() is done on return
  bool halves = false;  // they are half floats, on a CUDA device; the work's samples are floats
};

// Makes a picture filter. `options`: the device, its index, threads, and scan (automatic is
// progressive here). The work's formats outlive the filter. Throws Error(device) or Error(usage),
// also for a CUDA device in a build without CUDA.
std::unique_ptr<PictureFilter> make_picture_filter(Work work, int width, int height,
                                                   const ProcessorOptions& options,
                                                   const PictureMemory& memory);

// Make the two filters that make_picture_filter() chooses from.
std::unique_ptr<PictureFilter> make_cpu_picture_filter(Work work, int width, int height,
                                                       const ProcessorOptions& options);
std::unique_ptr<PictureFilter> make_cuda_picture_filter(Work work, int width, int height,
                                                        const ProcessorOptions& options,
                                                        const PictureMemory& memory);

}  // namespace vidconv
