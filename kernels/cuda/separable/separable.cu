// cuda-separable: two passes of any size that a matrix may have, in one kernel, for any number of
// terms. The row pass leaves its sums in shared memory, the column pass adds them up from there;
// sample rows come as many at a time as fit.
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
namespace separable_kernels {
namespace {

constexpr int lanes = 32, warps = sm90::separable.warps;  // lanes and warps of a block
constexpr int columns = 4;  // adjacent columns that a lane sums in the column pass
constexpr int strip = sm90::separable.strip;  // rows that a thread sums in the column pass
constexpr int tile_width = lanes * columns;
constexpr int tile_height = warps * strip;

constexpr int shared_limit = 48 * 1024;  // bytes that every device gives a block by default

template <class Value>
struct Term {
  const Value* taps;  // row, then column; in device memory
  int width, height;
  int anchor_x, anchor_y;
  int row_shift;
  int left;           // samples loaded to the left of the tile: anchor_x, rounded up for alignment
  int pitch;          // samples in a row of shared memory
  int rows_per_pass;  // sample rows that fit in shared memory together with their sums
  bool joins;         // as in Taps
  bool last;          // no other term joins the kernel that this one belongs to
};

template <class Value>
struct Work {
  Batch batch;
  PixelSampling sampling;
  Finish finish;
  int count;                  // number of terms
  Term<Value> first;          // kept here, because most plans have no other
  const Term<Value>* others;  // in device memory
};

// Does the row pass: makes sums[r][0 .. tile_width) of `rows` sample rows; `samples` are as in
// load_tile().
template <class Arith, class T, class Value>
__device__ void sum_rows(Value* sums, const T* samples, int rows, const Value* taps,
                         const Term<Value>& term) {
  constexpr int n = group<T>;
  constexpr int groups = tile_width / n;
  const int skew = term.left - term.anchor_x;
  for (int item = thread_index(); item < rows * groups; item += lanes * warps) {
    const int r = item / groups, x0 = item % groups * n;
    const T* const row = samples + r * term.pitch + x0;
    Value sum[n] = {};
    Value window[2 * n];
    load_group<Value>(window, row);
    for (int c = 0; c < skew + term.width; c += n) {
      load_group<Value>(window + n, row + c + n);
      const bool all_inside = c >= skew && c + n <= skew + term.width;
#pragma unroll
      for (int q = 0; q < n; ++q) {
        const int i = c + q - skew;
        if (!all_inside && (i < 0 || i >= term.width)) continue;
        const Value tap = taps[i];
#pragma unroll
        for (int x = 0; x < n; ++x) sum[x] = multiply_add(tap, window[q + x], sum[x]);
      }
#pragma unroll
      for (int x = 0; x < n; ++x) window[x] = window[n + x];
    }
#pragma unroll
    for (int x = 0; x < n; ++x) {
      if constexpr (std::is_same_v<Arith, Integer>)
        sum[x] = (sum[x] + (1 << term.row_shift >> 1)) >> term.row_shift;
      sums[r * tile_width + x0 + x] = sum[x];
    }
  }
}

// Does the column pass: adds `rows` rows of sums to this thread's outputs. Output row y sees row 0
// of `sums`, which begins at the thread's first column, as its kernel row first - y.
template <class Value>
__device__ void sum_columns(Value (&total)[strip][columns], const Value* sums, int rows, int first,
                            const Value* taps, int height) {
  // No row of the strip sees rows before or after these.
  const int begin = max(0, -first), end = min(rows, height + strip - 1 - first);
  for (int r = begin; r < end; ++r) {
    Value between[columns];
#pragma unroll
    for (int x = 0; x < columns; ++x) between[x] = sums[r * tile_width + x];
    const bool all_inside = first + r >= strip - 1 && first + r < height;
#pragma unroll
    for (int y = 0; y < strip; ++y) {
      const int j = first + r - y;
      if (!all_inside && (j < 0 || j >= height)) continue;
      const Value tap = taps[j];
#pragma unroll
      for (int x = 0; x < columns; ++x) total[y][x] = multiply_add(tap, between[x], total[y][x]);
    }
  }
}

// Adds one term to this thread's outputs, in `total`.
template <class Arith, class T, class Value>
__device__ void sum_term(Value (&total)[strip][columns], const Term<Value>& term, const Tile& tile,
                         const PixelSampling& sampling, uint4* shared) {
  T* const samples = reinterpret_cast<T*>(shared);
  Value* const sums = reinterpret_cast<Value*>(samples + term.rows_per_pass * term.pitch);
  Value* const taps = sums + term.rows_per_pass * tile_width;
  for (int i = thread_index(); i < term.width + term.height; i += lanes * warps)
    taps[i] = term.taps[i];

  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  const int all_rows = tile_height + term.height - 1;
  for (int r = 0; r < all_rows; r += term.rows_per_pass) {
    const int rows = min(term.rows_per_pass, all_rows - r);
    const Piece piece{tile.x - term.left, tile.y - term.anchor_y + r, term.pitch, rows, term.width,
                      term.height};
    load_tile<Rare::called>(samples, piece, tile.pair.src.as<const T>(), sampling);
    __syncthreads();  // samples are there, and all threads are done with the previous sums
    sum_rows<Arith>(sums, samples, rows, taps, term);
    __syncthreads();
    sum_columns(total, sums + lane * columns, rows, r - first_row, taps + term.width, term.height);
  }
}

// `single` says that there is one term of a linear filter; then its sums are all that a thread
// keeps.
template <class T, class Arith, bool single>
__global__ void __launch_bounds__(lanes* warps)
    separable_kernel(const __grid_constant__ Work<typename Arith::Value> work) {
  using Value = typename Arith::Value;
  extern __shared__ uint4 shared[];
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const int x0 = tile.x + static_cast<int>(threadIdx.x) * columns;
  const int y0 = tile.y + static_cast<int>(threadIdx.y) * strip;
  const Plane<T> dst = tile.pair.dst.as<T>();

  if constexpr (single) {
    Value total[strip][columns] = {};
    sum_term<Arith, T>(total, work.first, tile, work.sampling, shared);
    store_outputs<columns, strip>(dst, x0, y0, work.sampling, work.finish,
                                  [&](int x, int y) { return to_response<Arith>(total[y][x]); });
  } else {
    Combined<typename Arith::Response> combined[strip][columns];
    Value total[strip][columns];
    bool first = true;
#pragma unroll 1
    for (int k = 0; k < work.count; ++k) {
      const Term<Value> term = k == 0 ? work.first : work.others[k - 1];
      Value next[strip][columns] = {};
      __syncthreads();  // all threads are done with the previous sums and taps
      sum_term<Arith, T>(next, term, tile, work.sampling, shared);
#pragma unroll
      for (int y = 0; y < strip; ++y)
#pragma unroll
        for (int x = 0; x < columns; ++x)
          total[y][x] = term.joins ? add(total[y][x], next[y][x]) : next[y][x];
      if (!term.last) continue;
#pragma unroll
      for (int y = 0; y < strip; ++y)
#pragma unroll
        for (int x = 0; x < columns; ++x) {
          const auto response = to_response<Arith>(total[y][x]);
          if (first)
            combined[y][x].first(work.finish, response);
          else
            combined[y][x].add(work.finish, response);
        }
      first = false;
    }
    store_combined(dst, x0, y0, work.sampling, work.finish, combined);
  }
}

template <class T, class Arith>
class Separable final : public Convolver {
  using Value = typename Arith::Value;

 public:
  explicit Separable(const Plan& plan) {
    work_.sampling = pixel_sampling_of(plan);
    work_.finish = plan.finish;
    work_.count = static_cast<int>(plan.terms.size());
    std::vector<Term<Value>> terms;
    for (const Taps& taps : plan.terms) {
      if (taps.joins) terms.back().last = false;
      terms.push_back(layout(taps));
    }
    work_.first = terms[0];
    if (terms.size() == 1) return;
    others_.emplace(std::span<const Term<Value>>(terms).subspan(1));
    work_.others = others_->data();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      const bool single = work_.count == 1 && work_.finish.combine == Combine::linear;
      const auto kernel =
          single ? separable_kernel<T, Arith, true> : separable_kernel<T, Arith, false>;
      kernel<<<blocks, dim3(lanes, warps), shared_bytes_, stream>>>(work_);
      check_launch("cuda-separable");
    });
  }

 private:
  // Uploads the term's taps and makes room for as many of its rows as fit.
  Term<Value> layout(const Taps& taps) {
    std::vector<Value> values(taps.row.begin(), taps.row.end());
    values.insert(values.end(), taps.column.begin(), taps.column.end());
    taps_.emplace_back(std::span<const Value>(values));

    Term<Value> term{};
    term.taps = taps_.back().data();
    term.width = taps.width;
    term.height = taps.height;
    term.anchor_x = taps.anchor_x;
    term.anchor_y = taps.anchor_y;
    term.row_shift = taps.row_shift;
    term.joins = taps.joins;
    term.last = true;
    term.left = round_up(taps.anchor_x, vector_samples<T>);
    // sum_rows() reads one group beyond the last tap's, at most.
    const int reach = round_up(term.left - taps.anchor_x + taps.width, group<T>) + group<T>;
    term.pitch = round_up(tile_width + reach, vector_samples<T>);

    const int value_bytes = static_cast<int>(sizeof(Value));
    const int tap_bytes = (taps.width + taps.height) * value_bytes;
    const int row_bytes = term.pitch * static_cast<int>(sizeof(T)) + tile_width * value_bytes;
    term.rows_per_pass =
        std::min(tile_height + taps.height - 1, (shared_limit - tap_bytes) / row_bytes);
    shared_bytes_ = std::max(shared_bytes_, term.rows_per_pass * row_bytes + tap_bytes);
    return term;
  }

  std::vector<DeviceArray<Value>> taps_;  // taps of each term
  std::optional<DeviceArray<Term<Value>>> others_;
  Work<Value> work_{};
  int shared_bytes_ = 0;
};

}  // namespace
}  // namespace separable_kernels

bool supports_separable(const Plan& plan) {
  // Taps of longer passes would leave no shared memory for rows.
  return std::ranges::all_of(plan.terms, [](const Taps& t) {
    return t.separable() && !t.pairwise && std::max(t.width, t.height) <= Kernel::max_size;
  });
}

std::unique_ptr<Convolver> make_separable(const Plan& plan, int) {
  using namespace separable_kernels;
  return with_types(plan, [&]<class T, class Arith>() -> std::unique_ptr<Convolver> {
    return std::make_unique<Separable<T, Arith>>(plan);
  });
}

}  // namespace vidconv::cuda
