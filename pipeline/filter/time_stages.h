// The questions of the stages of a chain with filters over time: which frames stand for which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/picture/plane.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Returns the number of the frame of the stage before that frame `number` of this one is of.
std::int64_t number_before(const TimedWork& stage, std::int64_t number);

// Returns how many frames come out of the stages before stage `s`, where so many go in.
std::int64_t count_before(std::span<const TimedWork* const> stages, std::size_t s,
                          std::int64_t count);

// Returns by how much the luma of two frames differs in the mean, as a fraction of full scale; of
// pictures without luma, by how much all colours do. `a` and `b`: all components.
double mean_difference(const PixelFormat& format, std::span<const ConstBytePlane> a,
                       std::span<const ConstBytePlane> b);

// Frames between which no cut lies.
struct Scene {
  std::int64_t first, last;
  bool cut_before = false, cut_after = false;

  // Returns the scene of `here`, as far as it bears on taps that lie on frames `first` to `last`,
  // some of which may not be there: those that stand for them count too. `count`: how many frames
  // there are; none where that is not known, and none of the taps' is missing then. cut(number)
  // says whether a scene ends before that frame.
  template <class Cut>
  static Scene around(std::int64_t here, std::int64_t first, std::int64_t last, TimeBorder border,
                      std::optional<std::int64_t> count, const Cut& cut) {
    Scene scene = Scene::reached(first, last, border, count);
    for (std::int64_t number = here; number > scene.first && !scene.cut_before; --number)
      if (cut(number)) scene.first = number, scene.cut_before = true;
    for (std::int64_t number = here + 1; number <= scene.last && !scene.cut_after; ++number)
      if (cut(number)) scene.last = number - 1, scene.cut_after = true;
    return scene;
  }

  // Returns the number of the frame that stands for one that may be beyond a cut or not be there.
  // `count`: how many there are; none where that is not known yet.
  std::int64_t standing_for(std::int64_t number, TimeBorder border,
                            std::optional<std::int64_t> count) const;

  // Returns all frames that taps on frames `first` to `last` depend on, and those between them.
  static Scene reached(std::int64_t first, std::int64_t last, TimeBorder border,
                       std::optional<std::int64_t> count);
};

}  // namespace vidconv
