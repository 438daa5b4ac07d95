// Convolver: a plan made ready to run; Variant: a way to make one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/picture/plane.h"
#include "kernels/plan/plan.h"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace vidconv {

using CudaStream = CUstream_st*;

enum class Device : std::uint8_t { cpu, cuda };

// A plan made ready by one variant: taps in their final form, scratch memory allocated.
class Convolver {
 public:
  virtual ~Convolver() = default;

  // Applies the plan to each pair; all pairs hold samples of the plan's type, and each pair's two
  // planes have equal size. Widths and heights may differ from call to call.
  //
  // Device::cpu: `stream` is ignored, the work is done on return. Not to be called from two
  // threads at once (make one Convolver for each).
  // Device::cuda: planes lie in device memory; the work is enqueued on `stream` and the call
  // returns; `pairs` may be dropped then, the planes not. Throws std::runtime_error where a
  // launch is refused.
  virtual void run(std::span<const PlanePair> pairs, CudaStream stream) = 0;
};

struct Variant {
  std::string_view name;
  std::string_view description;
  Device device;
  bool (*supports)(const Plan&);
  // `threads`: how many CPU threads run() may use, at least 1; ignored for Device::cuda, where
  // the convolver belongs to the device that is current when it is made.
  std::unique_ptr<Convolver> (*make)(const Plan&, int threads);

  // What supports() asks of a plan, for people; empty: nothing.
  std::string_view needs = "";
  // The largest width and height of a plane, in samples; 0: any. run() throws
  // std::invalid_argument for a larger one.
  int largest = 0;
  // A variant for Device::cpu that uses the current CUDA device: planes lie in host memory.
  bool uses_cuda = false;

  constexpr bool takes(int width, int height) const {
    return largest == 0 || (width <= largest && height <= largest);
  }
};

}  // namespace vidconv
