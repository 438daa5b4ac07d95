// TimeConvolver: a plan over time made ready to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// Where the planes of a frame lie in memory.
struct TimeFrame {
  struct Plane {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;  // bytes from one row to the next; may be negative
    int rows = 0;
  };
  // Counts frames of equal contents: those of two windows that have the same one are the same.
  // Below 0: there is no such frame.
  std::int64_t number = -1;
  std::array<Plane, 4> planes = {};
};

// The source planes of run() are those of one frame, or parts of them; the plan's columns are that
// frame and others of the same format and size.
class TimeConvolver : public Convolver {
 public:
  // Sets the frames of the next calls: one for each of the plan's taps, in order, and the one whose
  // planes run() gets. Their memory is not copied. Those that are missing are the first or the last
  // ones. `before` is the frame before the first tap's, if it is at hand: means can be carried on.
  void set_frames(std::span<const TimeFrame> taps, const TimeFrame& here,
                  const TimeFrame& before = {});

  // Without frames, as for a video of one picture, all taps are on the planes that run() gets.
  void run(std::span<const PlanePair> pairs, CudaStream stream) override;

 protected:
  explicit TimeConvolver(const Plan& plan, int threads);

  // Rows of samples that lie in as many frames as the plan has taps, and the frame filtered.
  struct Rows {
    const std::byte* data;
    std::ptrdiff_t stride;
    const std::byte* row(int y) const { return data + stride * y; }
  };
  // Where planes begin in a frame, and how many of its rows they go down at a time.
  struct Place {
    std::size_t plane = 0;
    std::ptrdiff_t row = 0, byte = 0, rows = 1;
    bool operator==(const Place&) const = default;
  };
  struct Group {
    std::span<const PlanePair> pairs;  // interleaved in the same pixels, or one
    Place place;                       // all of these are the first pair's
    std::span<const Rows> taps;
    Rows here, before;
    std::span<const TimeFrame> frames;  // as in set_frames(); empty without
    std::int64_t before_number;         // below 0: it is not at hand
  };
  virtual void run_group(const Group& group) = 0;
  // Returns rows of the border's value, as long as the plane's, for frames that are missing.
  virtual Rows outside(const ConstBytePlane& plane);

  const Plan plan_;
  const int threads_;

 private:
  // Makes a convolver of the same kind.
  virtual std::unique_ptr<TimeConvolver> make(const Plan& plan) const = 0;

  Place place_of(const ConstBytePlane& plane) const;
  bool shrinks() const;

  std::vector<TimeFrame> taps_;
  TimeFrame here_, before_;
  std::vector<Rows> rows_;
  std::vector<std::byte> outside_;  // a row of the border's value
  // By the number of frames that are missing before and after.
  std::map<std::pair<int, int>, std::unique_ptr<TimeConvolver>> shrunk_;
  TimeConvolver* instead_ = nullptr;  // one of them, or none
};

}  // namespace vidconv
