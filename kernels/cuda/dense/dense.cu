// cuda-dense: a full matrix of any size, any number of terms. Taps lie in device memory and pass
// through shared memory together with the samples, as many kernel rows at a time as fit.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_kernels {
namespace {

constexpr int lanes = 32,
              warps = sm90::dense.warps;  // a block's warps; a lane computes a group of columns
constexpr int strip = sm90::dense.strip;  // rows that a thread computes
constexpr int tile_height = warps * strip;
template <class T>
constexpr int tile_width = group<T>* lanes;

constexpr int shared_bytes = 48 * 1024;  // bytes that every device gives a block by default

template <class Value>
struct DeviceTerm {
  const Value* taps;  // width * height, row by row
  int width, height;
  int anchor_x, anchor_y;
  int left;           // samples loaded to the left of the tile: anchor_x, rounded up for alignment
  int pitch;          // samples in a row of shared memory
  int rows_per_pass;  // kernel rows whose samples and taps fit in shared memory at once
};

template <class Value>
struct Work {
  Batch batch;
  PixelSampling sampling;
  Finish finish;
  const DeviceTerm<Value>* terms;  // in device memory
  int count;
};

// Adds one thread's products of `rows` kernel rows: sum[y][x] grows by the taps of kernel row j
// times the samples of tile row y + j. The samples of its first output's first tap begin at
// samples[skew]; `samples` itself is aligned for a group.
template <class Arith, class T, class Value, int n>
__device__ void accumulate(Value (&sum)[strip][n], const T* samples, int pitch, int skew,
                           const Value* taps, int width, int rows) {
  for (int r = 0; r < strip + rows - 1; ++r) {
    const T* const row = samples + r * pitch;
    Value chain[strip][n] = {};  // this sample row's sums
    auto& into = *(Arith::ordered ? &chain : &sum);

    Value window[2 * n];
    load_group<Value>(window, row);
    for (int c = 0; c < skew + width; c += n) {
      load_group<Value>(window + n, row + c + n);
      // Outputs y of the strip see this row as their kernel row r - y, where there is one.
      const auto apply = [&](auto all_inside) {
#pragma unroll
        for (int q = 0; q < n; ++q) {
          const int i = c + q - skew;
          if (!all_inside && (i < 0 || i >= width)) continue;
#pragma unroll
          for (int y = 0; y < strip; ++y) {
            const int j = r - y;
            if (!all_inside && (j < 0 || j >= rows)) continue;
            const Value tap = taps[j * width + i];
#pragma unroll
            for (int x = 0; x < n; ++x) into[y][x] = multiply_add(tap, window[q + x], into[y][x]);
          }
        }
      };
      if (r >= strip - 1 && r < rows && c >= skew && c + n <= skew + width)
        apply(std::true_type{});
      else
        apply(std::false_type{});
#pragma unroll
      for (int x = 0; x < n; ++x) window[x] = window[n + x];
    }

    if constexpr (Arith::ordered) {
#pragma unroll
      for (int y = 0; y < strip; ++y)
        if (r - y >= 0 && r - y < rows)
#pragma unroll
          for (int x = 0; x < n; ++x) sum[y][x] = sum[y][x] + chain[y][x];
    }
  }
}

template <class T, class Arith>
__global__ void __launch_bounds__(lanes* warps)
    dense_kernel(const __grid_constant__ Work<typename Arith::Value> work) {
  using Value = typename Arith::Value;
  constexpr int n = group<T>;
  extern __shared__ uint4 shared[];
  T* const samples = reinterpret_cast<T*>(shared);

  const Tile tile = this_tile(work.batch, tile_width<T>, tile_height);
  const Plane<const T> src = tile.pair.src.as<const T>();
  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y) * strip;

  Combined<typename Arith::Response> combined[strip][n];
  for (int k = 0; k < work.count; ++k) {
    const DeviceTerm<Value> term = work.terms[k];
    Value sum[strip][n] = {};
    for (int j = 0; j < term.height; j += term.rows_per_pass) {
      const int rows = min(term.rows_per_pass, term.height - j);
      const int tile_rows = tile_height + rows - 1;
      Value* const taps = reinterpret_cast<Value*>(samples + tile_rows * term.pitch);
      __syncthreads();  // all threads are done with what the previous pass loaded
      const Piece piece{tile.x - term.left, tile.y - term.anchor_y + j,
                        term.pitch,         tile_rows,
                        term.width,         term.height};
      load_tile<Rare::called>(samples, piece, src, work.sampling);
      for (int i = thread_index(); i < rows * term.width; i += lanes * warps)
        taps[i] = term.taps[j * term.width + i];
      __syncthreads();
      accumulate<Arith>(sum, samples + first_row * term.pitch + lane * n, term.pitch,
                        term.left - term.anchor_x, taps, term.width, rows);
    }
#pragma unroll
    for (int y = 0; y < strip; ++y)
#pragma unroll
      for (int x = 0; x < n; ++x) {
        const auto response = to_response<Arith>(sum[y][x]);
        if (k == 0)
          combined[y][x].first(work.finish, response);
        else
          combined[y][x].add(work.finish, response);
      }
  }

  store_combined(tile.pair.dst.as<T>(), tile.x + lane * n, tile.y + first_row, work.sampling,
                 work.finish, combined);
}

template <class T, class Arith>
class Dense final : public Convolver {
  using Value = typename Arith::Value;

 public:
  explicit Dense(const Plan& plan) : sampling_(pixel_sampling_of(plan)), finish_(plan.finish) {
    std::vector<DeviceTerm<Value>> terms;
    for (const Taps& taps : plan.terms) {
      const std::vector<Value> values(taps.dense.begin(), taps.dense.end());
      taps_.emplace_back(std::span(values));
      terms.push_back(layout(taps));
      terms.back().taps = taps_.back().data();
    }
    count_ = static_cast<int>(terms.size());
    terms_.emplace(std::span<const DeviceTerm<Value>>(terms));
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width<T>, tile_height, [&](const Batch& batch, int blocks) {
      const Work<Value> work{batch, sampling_, finish_, terms_->data(), count_};
      dense_kernel<T, Arith><<<blocks, dim3(lanes, warps), shared_bytes_, stream>>>(work);
      check_launch("cuda-dense");
    });
  }

 private:
  // Cuts the term into passes, and makes room for the largest.
  DeviceTerm<Value> layout(const Taps& taps) {
    DeviceTerm<Value> term{};
    term.width = taps.width;
    term.height = taps.height;
    term.anchor_x = taps.anchor_x;
    term.anchor_y = taps.anchor_y;
    term.left = round_up(taps.anchor_x, vector_samples<T>);
    // accumulate() reads one group beyond the last tap's, at most.
    const int reach = round_up(term.left - taps.anchor_x + taps.width, group<T>) + group<T>;
    term.pitch = round_up(tile_width<T> + reach, vector_samples<T>);
    const auto bytes = [&](int rows) {
      return (tile_height + rows - 1) * term.pitch * static_cast<int>(sizeof(T)) +
             rows * taps.width * static_cast<int>(sizeof(Value));
    };
    term.rows_per_pass = 1;
    while (term.rows_per_pass < taps.height && bytes(term.rows_per_pass + 1) <= shared_bytes)
      ++term.rows_per_pass;
    shared_bytes_ = std::max(shared_bytes_, bytes(term.rows_per_pass));
    return term;
  }

  PixelSampling sampling_;
  Finish finish_;
  std::vector<DeviceArray<Value>> taps_;
  std::optional<DeviceArray<DeviceTerm<Value>>> terms_;
  int count_ = 0;
  int shared_bytes_ = 0;
};

}  // namespace
}  // namespace dense_kernels

bool supports_dense(const Plan& plan) {
  return std::ranges::none_of(plan.terms, [](const Taps& t) { return t.dense.empty() || t.joins; });
}

std::unique_ptr<Convolver> make_dense(const Plan& plan, int) {
  return with_types(plan, [&]<class T, class Arith>() -> std::unique_ptr<Convolver> {
    return std::make_unique<dense_kernels::Dense<T, Arith>>(plan);
  });
}

}  // namespace vidconv::cuda
