// Blends by weights on a CUDA device.
#include <algorithm>
#include <array>
#include <type_traits>

#include "kernels/convolver/blend.h"
#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/check.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/device_buffer.h"

namespace vidconv {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int strip = 4;  // columns that a thread blends, a warp's width apart
constexpr int tile_width = lanes * strip, tile_height = warps;

// Pairs of filtered samples and the picture, none of them empty, with the weights of each.
struct WeightedBatch {
  cuda::Batch planes;
  Plane<const std::uint8_t> weights[cuda::Batch::capacity];
};

template <class T>
__global__ void __launch_bounds__(lanes* warps)
    blend_kernel(const __grid_constant__ WeightedBatch batch, int shift) {
  const cuda::Tile tile = cuda::this_tile(batch.planes, tile_width, tile_height);
  int pair = 0;
#pragma unroll
  for (int k = 1; k < cuda::Batch::capacity; ++k)
    pair += static_cast<int>(blockIdx.x) >= batch.planes.first_block[k];
  const Plane<const T> filtered = tile.pair.src.as<const T>();
  const Plane<T> picture = tile.pair.dst.as<T>();
  const int y = tile.y + static_cast<int>(threadIdx.y);
  if (y >= picture.height) return;
  const std::uint8_t* weights = batch.weights[pair].row(y);
  const T* from = filtered.row(y);
  T* to = picture.row(y);
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    const std::ptrdiff_t x = tile.x + static_cast<int>(threadIdx.x) + i * lanes;
    if (x >= picture.width) return;
    const unsigned weight = weights[x];
    if (weight == 0) continue;
    T& sample = to[x * picture.step];
    sample = blended_stored(sample, from[x * filtered.step], weight, shift);
  }
}

template <class T>
class CudaBlender final : public Blender {
 public:
  explicit CudaBlender(int shift) : shift_(shift) {}

  std::shared_ptr<const std::uint8_t> hold(std::span<const std::uint8_t> weights) const override {
    const auto buffer = std::make_shared<cuda::DeviceBuffer>(cuda::current_device(), weights.size(),
                                                             "device memory for weights");
    buffer->upload(std::as_bytes(weights), nullptr);
    return {buffer, reinterpret_cast<const std::uint8_t*>(buffer->data())};
  }

  void run(std::span<const Blend> blends, CudaStream stream) override {
    WeightedBatch batch;
    std::array<PlanePair, cuda::Batch::capacity> pairs;
    std::size_t count = 0;
    const auto flush = [&] {
      cuda::for_each_batch(std::span(pairs).first(count), tile_width, tile_height,
                           [&](const cuda::Batch& planes, int blocks) {
                             batch.planes = planes;
                             blend_kernel<T>
                                 <<<blocks, dim3(lanes, warps), 0, stream>>>(batch, shift_);
                             cuda::check_launch("cuda-blend");
                           });
      count = 0;
    };
    for (const Blend& blend : blends) {
      if (blend.weights.width < 1 || blend.weights.height < 1) continue;
      pairs[count] = blend.planes;
      batch.weights[count] = blend.weights;
      if (++count == pairs.size()) flush();
    }
    flush();
  }

 private:
  const int shift_;
};

}  // namespace

std::unique_ptr<Blender> make_cuda_blender(const SampleType& sample) {
  switch (sample.storage) {
    case Storage::u8:
      return std::make_unique<CudaBlender<std::uint8_t>>(sample.shift);
    case Storage::u16:
      return std::make_unique<CudaBlender<std::uint16_t>>(sample.shift);
    default:
      return std::make_unique<CudaBlender<float>>(0);
  }
}

}  // namespace vidconv
