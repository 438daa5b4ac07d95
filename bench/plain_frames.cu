#include <algorithm>
#include <stdexcept>

#include "bench/plain_frames.h"
#include "kernels/cuda/common/launch.cuh"

namespace vidconv::bench {
namespace {

constexpr int threads = 256;

struct Work {
  const uint4* frames[most_plain_frames];
  uint4* to;
  unsigned count;  // vectors of a frame
};

template <int frames, int vectors>
__global__ void __launch_bounds__(threads) plain_kernel(const __grid_constant__ Work work) {
  const unsigned first = blockIdx.x * (threads * vectors) + threadIdx.x;
  cuda::let_next_kernel_start();
  cuda::wait_for_earlier_kernels();
  uint4 seen[vectors][frames];
#pragma unroll
  for (int v = 0; v < vectors; ++v)
#pragma unroll
    for (int f = 0; f < frames; ++f)
      if (first + v * threads < work.count)
        seen[v][f] = __ldg(work.frames[f] + first + v * threads);
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    uint4 sum = seen[v][0];
#pragma unroll
    for (int f = 1; f < frames; ++f) {
      sum.x += seen[v][f].x;
      sum.y += seen[v][f].y;
      sum.z += seen[v][f].z;
      sum.w += seen[v][f].w;
    }
    if (first + v * threads < work.count) work.to[first + v * threads] = sum;
  }
}

template <int frames>
auto kernel_for(int vectors) {
  return vectors == 1   ? plain_kernel<frames, 1>
         : vectors == 2 ? plain_kernel<frames, 2>
                        : plain_kernel<frames, 4>;
}

}  // namespace

void read_and_write(std::span<const std::byte* const> frames, std::byte* to, std::size_t bytes,
                    int vectors, CudaStream stream) {
  Work work{.frames = {},
            .to = reinterpret_cast<uint4*>(to),
            .count = static_cast<unsigned>(bytes / sizeof(uint4))};
  std::ranges::transform(frames, work.frames, [](const std::byte* frame) {
    return reinterpret_cast<const uint4*>(frame);
  });
  const auto kernel = frames.size() == 1   ? kernel_for<1>(vectors)
                      : frames.size() == 3 ? kernel_for<3>(vectors)
                      : frames.size() == 5 ? kernel_for<5>(vectors)
                      : frames.size() == 9 ? kernel_for<9>(vectors)
                                           : nullptr;
  if (!kernel) throw std::invalid_argument("a plain kernel reads 1, 3, 5 or 9 frames");
  const unsigned in_block = static_cast<unsigned>(threads * vectors);
  cuda::launch("a plain kernel", kernel, static_cast<int>((work.count + in_block - 1) / in_block),
               dim3(threads), 0, stream, work);
}

}  // namespace vidconv::bench
