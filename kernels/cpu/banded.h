// Spreads the rows of planes over threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/convolve.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/window.h"

namespace vidconv {

// Each thread takes one band of rows of every plane; nothing is shared, so no thread waits for
// another before the end, and the result does not depend on their number.
template <class Lane>
class BandedConvolver : public Convolver {
 public:
  void run(std::span<const PlanePair> pairs, CudaStream) final {
    for (const PlanePair& pair : pairs)
      for (Window<Lane>& window : windows_) window.reserve(layout(pair.dst.width));
    const int threads = static_cast<int>(windows_.size());
    parallel(threads, [&](std::int64_t thread, std::int64_t count) {
      for (const PlanePair& pair : pairs) {
        const int first = static_cast<int>(pair.dst.height * thread / count);
        const int last = static_cast<int>(pair.dst.height * (thread + 1) / count);
        if (first < last) band(pair, first, last, windows_[static_cast<std::size_t>(thread)]);
      }
    });
  }

 protected:
  explicit BandedConvolver(int threads) : windows_(static_cast<std::size_t>(threads)) {}

  virtual WindowLayout layout(int width) const = 0;
  // Computes the output rows from `first` up to `last`.
  virtual void band(const PlanePair& pair, int first, int last, Window<Lane>& window) const = 0;

 private:
  std::vector<Window<Lane>> windows_;  // one per thread
};

}  // namespace vidconv
