// Brings filtered pieces into a picture on a CUDA device, entirely or by weights.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernels/convolver/blend.h"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_buffer.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"

namespace vidconv {
namespace blend_kernels {
namespace {

constexpr int lanes = 32, warps = 8;  // lanes and warps of a block: a row of a piece for each warp
constexpr int strip = 4;              // columns that a thread blends, a warp's width apart
constexpr int blended_width = lanes * strip;
template <class T>
constexpr int copied_width = lanes* cuda::vector_samples<T>;  // one vector for each lane

struct Piece {
  ConstBytePlane filtered;
  BytePlane picture;
  const std::uint8_t* weights;  // nullptr: all are 255
  std::ptrdiff_t weights_stride;
  MapLevel level;
  int columns;  // blocks side by side
  int lead;     // samples before the piece where whole vectors of both planes begin; -1: nowhere
};

// The pieces that one launch brings in: those of a picture's planes, which are often few and small.
struct Pieces {
  static constexpr int capacity = 16;
  Piece pieces[capacity];
  int first_block[capacity];  // each piece's first block; behind the last one, the size of the grid
  int shift;                  // shift of the sample type
};

template <class T>
__device__ void copy_vector(const Piece& piece, int column, int y) {
  constexpr int n = cuda::vector_samples<T>;
  const T* from = piece.filtered.as<const T>().row(y);
  T* to = piece.picture.as<T>().row(y);
  const int width = piece.picture.width;
  const int x = (column * lanes + static_cast<int>(threadIdx.x)) * n - piece.lead;
  if (x >= 0 && x + n <= width) {
    *reinterpret_cast<uint4*>(to + x) = *reinterpret_cast<const uint4*>(from + x);
    return;
  }
  for (int i = max(x, 0); i < min(x + n, width); ++i) to[i] = from[i];
}

template <class T>
__device__ void blend_strip(const Piece& piece, int column, int y, int shift) {
  const Plane<const T> filtered = piece.filtered.as<const T>();
  const Plane<T> picture = piece.picture.as<T>();
  const std::uint8_t* weights = piece.weights ? piece.weights + piece.weights_stride * y : nullptr;
  const T* from = filtered.row(y);
  T* to = picture.row(y);
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    const std::ptrdiff_t x = column * blended_width + i * lanes + static_cast<int>(threadIdx.x);
    if (x >= picture.width) return;
    const unsigned weight =
        weights ? static_cast<unsigned>(piece.level.weight_at(weights[x])) : 255;
    if (weight == 0) continue;
    T& was = to[x * picture.step];
    const T sample = from[x * filtered.step];
    // A replaced sample takes over the bits below its code, too.
    was = weights ? blended_stored(was, sample, weight, shift) : sample;
  }
}

template <class T>
__global__ void __launch_bounds__(lanes* warps) blend_kernel(const __grid_constant__ Pieces all) {
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
#pragma unroll
  for (int half = Pieces::capacity / 2; half > 0; half /= 2)
    if (block >= all.first_block[i + half]) i += half;
  const Piece& piece = all.pieces[i];
  const int tile = block - all.first_block[i];
  const int row = tile / piece.columns, column = tile - row * piece.columns;
  const int y = row * warps + static_cast<int>(threadIdx.y);
  cuda::let_next_kernel_start();
  cuda::wait_for_earlier_kernels();
  if (y >= piece.picture.height) return;
  if (piece.lead >= 0)
    copy_vector<T>(piece, column, y);
  else
    blend_strip<T>(piece, column, y, all.shift);
}

// Returns Piece::lead for these planes.
template <class T>
int lead_of(const PlanePair& planes) {
  constexpr std::uintptr_t vector = 16;
  const auto from = reinterpret_cast<std::uintptr_t>(planes.src.data);
  const auto to = reinterpret_cast<std::uintptr_t>(planes.dst.data);
  const bool alike = planes.src.step == 1 && planes.dst.step == 1 &&
                     planes.src.stride % static_cast<std::ptrdiff_t>(vector) == 0 &&
                     planes.dst.stride % static_cast<std::ptrdiff_t>(vector) == 0 &&
                     from % vector == to % vector && from % sizeof(T) == 0;
  return alike ? static_cast<int>(from % vector / sizeof(T)) : -1;
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
    Pieces all{};
    all.shift = shift_;
    int count = 0, blocks = 0;
    const auto flush = [&] {
      if (count == 0) return;
      std::fill(all.first_block + count, std::end(all.first_block), blocks);
      cuda::launch("cuda-blend", blend_kernel<T>, blocks, dim3(lanes, warps), 0, stream, all);
      count = blocks = 0;
    };
    for (const Blend& blend : blends) {
      const BytePlane& picture = blend.planes.dst;
      if (picture.width < 1 || picture.height < 1) continue;
      const int lead = blend.weights.data ? -1 : lead_of<T>(blend.planes);
      const int width = lead < 0 ? blended_width : copied_width<T>;
      const int columns = (picture.width + std::max(lead, 0) + width - 1) / width;
      all.pieces[count] = {.filtered = blend.planes.src,
                           .picture = picture,
                           .weights = blend.weights.data,
                           .weights_stride = blend.weights.stride,
                           .level = blend.level,
                           .columns = columns,
                           .lead = lead};
      all.first_block[count] = blocks;
      blocks += columns * ((picture.height + warps - 1) / warps);
      if (++count == Pieces::capacity) flush();
    }
    flush();
  }

 private:
  const int shift_;
};

}  // namespace
}  // namespace blend_kernels

std::unique_ptr<Blender> make_cuda_blender(const SampleType& sample) {
  switch (sample.storage) {
    case Storage::u8:
      return std::make_unique<blend_kernels::CudaBlender<std::uint8_t>>(sample.shift);
    case Storage::u16:
      return std::make_unique<blend_kernels::CudaBlender<std::uint16_t>>(sample.shift);
    default:
      return std::make_unique<blend_kernels::CudaBlender<float>>(0);
  }
}

}  // namespace vidconv
