// GatheredTime: a plan over time whose planes take few launches.
#pragma once

#include <climits>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/convolver/time_convolver.h"

namespace vidconv::cuda {

inline constexpr std::ptrdiff_t not_there = PTRDIFF_MIN;

// The places of the frames under the taps.
struct FramesApart {
  // Bytes from a plane of the filtered frame to that of each tap's frame, the same for all planes
  // of a launch; not_there: there is no such frame.
  std::vector<std::ptrdiff_t> bytes;
  // By how many bytes the rows of each tap's frame are further apart.
  std::vector<int> skew;
  // All frames are there, their rows lie alike, and vectors of them are aligned alike.
  bool direct = true;
};

class GatheredTime : public TimeConvolver {
 public:
  explicit GatheredTime(const Plan& plan) : TimeConvolver(plan, 1) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    stream_ = stream;
    TimeConvolver::run(pairs, stream);
    flush();
  }

 protected:
  // Queues the work of planes whose sources are those of the filtered frame.
  virtual void start(std::span<const PlanePair> pairs, const FramesApart& apart) = 0;
  // Returns planes that hold the same samples as `pairs`, which lie interleaved, or one of them.
  virtual std::vector<PlanePair> merged(std::span<const PlanePair> pairs) const {
    return {pairs.begin(), pairs.end()};
  }
  CudaStream stream() const { return stream_; }  // the current run's

 private:
  Rows outside(const ConstBytePlane&) override { return {}; }

  void run_group(const Group& group) override {
    const std::vector<PlanePair> pairs = merged(group.pairs);
    set_distances(group);
    if (!pending_.empty() && (!apart_.direct || apart_.bytes != pending_apart_.bytes)) flush();
    if (!apart_.direct) return start(pairs, apart_);
    pending_apart_ = apart_;
    pending_.insert(pending_.end(), pairs.begin(), pairs.end());
  }

  void set_distances(const Group& group) {
    apart_.bytes.clear();
    apart_.skew.clear();
    apart_.direct = true;
    for (const Rows& rows : group.taps) {
      const bool there = rows.data != nullptr;
      apart_.bytes.push_back(there ? rows.data - group.here.data : not_there);
      apart_.skew.push_back(there ? static_cast<int>(rows.stride - group.here.stride) : 0);
      apart_.direct =
          apart_.direct && there && apart_.skew.back() == 0 && apart_.bytes.back() % 16 == 0;
    }
  }

  void flush() {
    if (!pending_.empty()) start(pending_, pending_apart_);
    pending_.clear();
  }

  CudaStream stream_ = nullptr;
  FramesApart apart_, pending_apart_;
  std::vector<PlanePair> pending_;  // planes that wait for a launch
};

}  // namespace vidconv::cuda
