// Convolver: a plan made ready to run; Variant: a way to make one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "kernels/picture/plane.h"
#include "kernels/plan/plan.h"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace vidconv {

using CudaStream = CUstream_st*;

enum class Device : std::uint8_t { cpu, cuda };

// From `first` up to `last`.
struct RowRange {
  int first, last;
};

// A plan made ready by one variant: taps in their final form, scratch memory allocated.
class Convolver {
 public:
  virtual ~Convolver() = default;

  // Applies the plan to each pair; all pairs hold samples of the plan's type, and each pair's two
  // planes have equal size. Widths and heights may differ from call to call. Where components lie
  // side by side, what lies between those of a pair's result is left as it is, but may be read and
  // written anew: nobody else may write there meanwhile.
  //
  // Device::cpu: `stream` is ignored, the work is done on return. Not to be called from two
  // threads at once (make one Convolver for each).
  // Device::cuda: planes lie in device memory; the work is enqueued on `stream` and the call
  // returns; `pairs` may be dropped then, the planes not. Throws std::runtime_error where a
  // launch is refused.
  virtual void run(std::span<const PlanePair> pairs, CudaStream stream) = 0;

  // Whether run() takes PlanePair::copied: what lies beside the samples of a pixel that are
  // computed is there at hand. Such pairs follow those of the pixel, with which
  // packed_together() takes them, and lie in the source's pixels as they do in the result's.
  virtual bool copies_in_passing() const { return false; }

  // As run(), those rows only, of each pair its own: so that convolvers whose components lie in the
  // same memory can take turns while it is in a cache. Returns false, and does nothing, where the
  // variant cannot. For Device::cpu.
  virtual bool run_rows(std::span<const PlanePair> /*pairs*/, RowRange /*rows*/) { return false; }
};

// What a variant made of a plan that it supports; makes convolvers of it, and holds what it needs
// for that. `threads`: how many CPU threads run() may use, at least 1; ignored for Device::cuda,
// where the convolver belongs to the device that is current when it is made.
using Prepared = std::function<std::unique_ptr<Convolver>(int threads)>;

// What the CUDA device can do that plans are prepared for.
struct CudaAbilities {
  // The first number of its compute capability. 0: nothing that not every device can do.
  int generation = 0;

  // What came with sm_80: integer tensor cores with mma.m16n8k32.
  constexpr bool sm80() const { return generation >= 8; }
};

struct Variant {
  std::string_view name;
  std::string_view description;
  Device device;
  // See prepare(); of a plan of sums, where the variant is for no other.
  Prepared (*prepare_plan)(const Plan&, const CudaAbilities&);

  // What the variant asks of a plan, for people; empty: nothing.
  std::string_view needs = "";
  // The largest width and height of a plane, in samples; 0: any. run() throws
  // std::invalid_argument for a larger one.
  int largest = 0;
  // A variant for Device::cpu that uses the current CUDA device: planes lie in host memory.
  bool uses_cuda = false;
  // It is for plans of sums of taps, as most are.
  bool only_sums = true;

  // Empty where the variant does not support the plan. Touches no device.
  Prepared prepare(const Plan& plan, const CudaAbilities& abilities) const {
    if (only_sums && plan.operation() != Operation::sums) return nullptr;
    return prepare_plan(plan, abilities);
  }

  constexpr bool takes(int width, int height) const {
    return largest == 0 || (width <= largest && height <= largest);
  }
};

// Variant::prepare of a variant that knows at a glance whether it supports a plan, and does all
// else when it is made.
template <auto supports, std::unique_ptr<Convolver> (*make)(const Plan&, int threads)>
Prepared prepare_if(const Plan& plan, const CudaAbilities& abilities) {
  bool supported = false;
  if constexpr (std::is_invocable_v<decltype(supports), const Plan&>)
    supported = supports(plan);
  else
    supported = supports(plan, abilities);
  if (!supported) return nullptr;
  return [plan](int threads) { return make(plan, threads); };
}

}  // namespace vidconv
