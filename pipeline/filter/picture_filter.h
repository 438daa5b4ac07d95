// PictureFilter: pictures in memory of others, filtered where they lie.
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

// Where a plane of a picture begins.
struct PlaceOfPlane {
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes from one row to the next; may be negative
};

// What plane `p` of a picture takes.
struct PlaneExtent {
  std::int64_t row_bytes = 0;
  int rows = 0;
  int sample_bytes = 0;
};
PlaneExtent extent_of_plane(const PixelFormat& format, int p, int width, int height);

// Runs the steps of a work on pictures of one size. run() belongs to one thread at a time.
class PictureFilter {
 public:
  virtual ~PictureFilter() = default;
  PictureFilter(const PictureFilter&) = delete;
  PictureFilter& operator=(const PictureFilter&) = delete;

  // `from` and `to`: of each plane of the work's format; `from` is only read, and none overlaps one
  // that is written. On the CPU done on return; on a CUDA device queued on `stream`, which is one
  // of that device, and complete when the stream has got so far. Allocates nothing. Throws
  // Error(device), and Error(usage) for memory that the device cannot use.
  virtual void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
                   CudaStream stream) = 0;
  // The name of the variant that computes each step.
  virtual const std::vector<std::string>& variants() const = 0;
  // Bytes of what lies between steps.
  virtual std::size_t memory() const = 0;

 protected:
  PictureFilter() = default;
};

// `options`: the device, its index, threads and scan (automatic is progressive here). `hosted`:
// planes lie in the host's memory whatever the device; run() is done on return then. The work's
// formats outlive it. Throws Error(device), Error(usage); of a CUDA device in a build without CUDA
// as well.
std::unique_ptr<PictureFilter> make_picture_filter(Work work, int width, int height,
                                                   const ProcessorOptions& options, bool hosted);

// The two that it chooses from.
std::unique_ptr<PictureFilter> make_cpu_picture_filter(Work work, int width, int height,
                                                       const ProcessorOptions& options);
std::unique_ptr<PictureFilter> make_cuda_picture_filter(Work work, int width, int height,
                                                        const ProcessorOptions& options,
                                                        bool hosted);

}  // namespace vidconv
