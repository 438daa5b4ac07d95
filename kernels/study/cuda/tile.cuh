// A tile of samples in shared memory: the samples that the outputs of a block read, with the apron
// around them. Each is then read from global memory once or twice, not once for every tap.
#pragma once

#include "kernels/study/cuda/on_cuda.cuh"

namespace vidconv::study {

struct TileShape {
  int width, height;  // with the apron
  VIDCONV_HD int samples() const { return width * height; }
};

VIDCONV_HD inline TileShape tile_shape(const Lesson& lesson, int block_width, int block_height) {
  return {block_width + lesson.reach.left + lesson.reach.right,
          block_height + lesson.reach.above + lesson.reach.below};
}

inline bool tile_fits(const Plan& plan, int block_width, int block_height) {
  return tile_shape(make_lesson(plan, Prefer::dense), block_width, block_height).samples() *
             static_cast<int>(sizeof(float)) <=
         shared_bytes;
}

// Returns this thread's output sample from a tile whose first sample is the picture's (left, top).
template <class T, class Tap>
__device__ inline T output_from_tile(const Lesson& lesson, int x, int y, Tap tap,
                                     const Sum<T>* tile, int pitch, int left, int top) {
  return output<T, Sum<T>>(lesson, x, y, tap,
                           [&](int u, int v) { return tile[(v - top) * pitch + (u - left)]; });
}

}  // namespace vidconv::study
