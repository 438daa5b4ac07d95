// A convolver that computes bands of rows, each thread with lines of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/convolve.h"
#include "kernels/cpu/bands.h"
#include "kernels/cpu/window.h"

namespace vidconv {

template <class Lane>
class BandedConvolver : public Convolver {
 public:
  void run(std::span<const PlanePair> pairs, CudaStream) final {
    int height = 0;
    for (const PlanePair& pair : pairs) {
      height = std::max(height, pair.dst.height);
      for (Window<Lane>& window : windows_) window.reserve(layout(pair.dst.width));
    }
    for_bands(*pool_, pairs, band_count(pool_->threads(), height, overlap_),
              [this](const PlanePair& pair, int first, int last, int thread) {
                band(pair, first, last, windows_[static_cast<std::size_t>(thread)]);
              });
  }

 protected:
  BandedConvolver(const Reach& reach, int threads)
      : overlap_(reach.above + reach.below),
        pool_(shared_thread_pool(threads)),
        windows_(static_cast<std::size_t>(threads)) {}

  virtual WindowLayout layout(int width) const = 0;
  // Computes the output rows from `first` up to `last`.
  virtual void band(const PlanePair& pair, int first, int last, Window<Lane>& window) const = 0;

 private:
  const int overlap_;  // rows that neighbouring bands both read
  std::shared_ptr<ThreadPool> pool_;
  std::vector<Window<Lane>> windows_;  // one per thread
};

}  // namespace vidconv
