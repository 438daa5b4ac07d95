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

// The rows from `first` up to (not including) `last`.
struct RowRange {
  int first, last;
};

// A plan made ready by one variant: taps in their final form, scratch memory allocated.
class Convolver {
 public:
  virtual ~Convolver() = default;

  // Applies the plan to each pair. All pairs hold samples of the plan's type, and each pair's two
  // planes have equal size; sizes may differ from call to call. In interleaved results, the samples
  // between those of a pair keep their values but may be read and written back: no other thread may
  // write there meanwhile.
  //
  // Device::cpu: `stream` is ignored, and the call blocks until the work is done. Not thread-safe:
  // make one Convolver for each thread. Device::cuda: planes lie in device memory; the work is
  // enqueued on `stream` and the call does not wait for it. `pairs` may be dropped on return, the
  // planes not. Throws std::runtime_error where a launch is refused.
  virtual void run(std::span<const PlanePair> pairs, CudaStream stream) = 0;

  // Whether run() accepts PlanePair::copied, pairs whose samples lie beside computed ones and are
  // at hand when these are. Such pairs follow the others of their pixel, packed_together() takes
  // them together, and they lie in the same places in source and result.
  virtual bool copies_in_passing() const { return false; }

  // Runs as run() does, but only on these rows of each pair, so that convolvers of interleaved
  // components can take turns while rows are in a cache. Does nothing and returns false where the
  // variant cannot. Only for Device::cpu.
  virtual bool run_rows(std::span<const PlanePair> /*pairs*/, RowRange /*rows*/) { return false; }
};

// A plan that a variant has prepared: makes convolvers of it, and owns what that takes. `threads`
// says how many CPU threads run() may use, at least 1; ignored for Device::cuda, where the
// convolver belongs to the device that is current when it is made.
using Prepared = std::function<std::unique_ptr<Convolver>(int threads)>;

// The abilities of a CUDA device that plans are prepared for.
struct CudaAbilities {
  // The major number of the compute capability. 0: only what every device can do.
  int generation = 0;

  // Whether there are integer tensor cores with mma.m16n8k32.
  constexpr bool sm80() const { return generation >= 8; }
};

struct Variant {
  std::string_view name;
  std::string_view description;
  Device device;
  // See prepare(); of a plan of sums, where the variant is for no other.
  Prepared (*prepare_plan)(const Plan&, const CudaAbilities&);

  // A requirement on plans, in words for people; empty where there is none.
  std::string_view needs = "";
  // The largest width and height of a plane, in samples; 0: any. run() throws std::invalid_argument
  // for a larger one.
  int largest = 0;
  // Whether it is a variant for Device::cpu that uses the current CUDA device; planes lie in host
  // memory.
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

// Variant::prepare for variants that see at a glance whether they support a plan, and do all else
// when a convolver is made.
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
