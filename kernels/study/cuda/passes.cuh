// Two passes over global memory: the row pass writes its sums to an array between them, the column
// pass reads them from there. Each pass costs a sample its number of taps: width + height together
// instead of width * height.
#pragma once

#include "kernels/study/cuda/on_cuda.cuh"

namespace vidconv::study {

// The sums between the passes. at() returns row v's at column x; v may lie outside the picture.
template <class T>
struct Between {
  Sum<T>* sums;    // width * height
  Sum<T> outside;  // the sum over a row that is all `constant` border

  __device__ Sum<T> at(const Work<T>& work, int x, int v) const {
    const int row = border_index(work.lesson.border, v, work.dst.height);
    return row < 0 ? outside : sums[static_cast<std::ptrdiff_t>(row) * work.dst.width + x];
  }
};

// The state of methods of two passes between launches.
template <class T>
class Passes {
 public:
  explicit Passes(const Plan& plan) {
    const Lesson lesson = make_lesson(plan, Prefer::two_passes);
    const std::vector<double>& row = plan.terms[0].row;
    outside_ = between_passes(
        dot<Sum<T>>(
            lesson.matrices[0].width,
            [&](int i) { return static_cast<Sum<T>>(row[static_cast<std::size_t>(i)]); },
            [&](int) { return static_cast<T>(lesson.outside); }),
        lesson.matrices[0].row_shift);
  }

  Sum<T> outside() const { return outside_; }

  Between<T> between(const Work<T>& work) {
    const std::size_t count =
        static_cast<std::size_t>(work.dst.width) * static_cast<std::size_t>(work.dst.height);
    return {scratch_.reserve<Sum<T>>(count), outside_};
  }

 private:
  Scratch scratch_;
  Sum<T> outside_;
};

template <class T>
__device__ inline T finish_one(const Lesson& lesson, Sum<T> response) {
  return finish<T>(lesson.finish, &response, 1);
}

}  // namespace vidconv::study
