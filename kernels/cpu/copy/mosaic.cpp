// cpu-mosaic: the mean of each block, over sums of columns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
namespace {

// The rows of one row of blocks, and the planes that they lie in.
template <class T>
class BlockRow {
 public:
  BlockRow(const Plan& plan, const PlanePair& pair, int row)
      : plan_(plan),
        src_(pair.src.as<const T>()),
        dst_(pair.dst.as<T>()),
        top_(plan.blocks.down.begin(row, src_.height)),
        bottom_(plan.blocks.down.end(row, src_.height)) {}

  // `sums`: room for a number for each column.
  void make(std::uint32_t* sums) const {
    if (top_ == bottom_) return;
    if constexpr (!std::is_same_v<T, float>) add_columns(sums);
    const BlockAxis& across = plan_.blocks.across;
    const int blocks = across.blocks(src_.width);
    for (int block = 0; block < blocks; ++block) {
      const int left = across.begin(block, src_.width), right = across.end(block, src_.width);
      if (left == right) continue;
      fill(top_, left, right, mean(left, right, sums));
    }
    for (int y = top_ + 1; y < bottom_; ++y) repeat_first(y);
  }

 private:
  // A block has at most BlockAxis::size rows, of codes of 16 bits: 32 bits hold the sum.
  void add_columns(std::uint32_t* __restrict sums) const {
    const int shift = plan_.sample.shift;
    std::fill_n(sums, src_.width, 0U);
    for (int y = top_; y < bottom_; ++y) {
      const T* __restrict from = src_.row(y);
      if (src_.step == 1)
        for (int x = 0; x < src_.width; ++x) sums[x] += static_cast<unsigned>(from[x]) >> shift;
      else
        for (int x = 0; x < src_.width; ++x, from += src_.step)
          sums[x] += static_cast<unsigned>(*from) >> shift;
    }
  }

  T mean(int left, int right, const std::uint32_t* sums) const {
    const int count = (right - left) * (bottom_ - top_);
    if constexpr (std::is_same_v<T, float>) {
      double sum = 0;
      for (int y = top_; y < bottom_; ++y) {
        const float* from = src_.row(y) + std::ptrdiff_t{left} * src_.step;
        double of_row = 0;
        for (int x = left; x < right; ++x, from += src_.step) of_row += static_cast<double>(*from);
        sum += of_row;
      }
      return mean_float(sum, count);
    } else {
      std::uint64_t sum = 0;
      for (int x = left; x < right; ++x) sum += sums[x];
      const int code = mean_code(sum, static_cast<std::uint64_t>(count));
      return static_cast<T>(std::clamp(code, plan_.finish.min, plan_.finish.max)
                            << plan_.sample.shift);
    }
  }

  void fill(int y, int left, int right, T value) const {
    T* to = dst_.row(y) + std::ptrdiff_t{left} * dst_.step;
    for (int x = left; x < right; ++x, to += dst_.step) *to = value;
  }

  void repeat_first(int y) const {
    const T* from = dst_.row(top_);
    T* to = dst_.row(y);
    if (dst_.step == 1) {
      std::copy_n(from, dst_.width, to);
      return;
    }
    for (std::ptrdiff_t x = 0; x < dst_.width; ++x) to[x * dst_.step] = from[x * dst_.step];
  }

  const Plan& plan_;
  const Plane<const T> src_;
  const Plane<T> dst_;
  const int top_, bottom_;
};

class Mosaic final : public Convolver {
 public:
  Mosaic(const Plan& plan, int threads)
      : plan_(plan),
        pool_(shared_thread_pool(threads)),
        sums_(static_cast<std::size_t>(pool_->threads())) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) {
      if (plan_.sample.storage == Storage::u8)
        make<std::uint8_t>(pair);
      else if (plan_.sample.storage == Storage::u16)
        make<std::uint16_t>(pair);
      else
        make<float>(pair);
    }
  }

 private:
  template <class T>
  void make(const PlanePair& pair) {
    const auto width = static_cast<std::size_t>(pair.src.width);
    for (std::vector<std::uint32_t>& sums : sums_) sums.resize(std::max(sums.size(), width));
    const double nanoseconds = 0.3 * sizeof(T) * static_cast<double>(width) * pair.src.height;
    pool_->run(
        plan_.blocks.down.blocks(pair.src.height),
        [&](int row, int thread) {
          BlockRow<T>(plan_, pair, row).make(sums_[static_cast<std::size_t>(thread)].data());
        },
        worth_threads(pool_->threads(), nanoseconds));
  }

  const Plan plan_;
  const std::shared_ptr<ThreadPool> pool_;
  std::vector<std::vector<std::uint32_t>> sums_;  // one per thread
};

}  // namespace

std::unique_ptr<Convolver> make_cpu_mosaic(const Plan& plan, int threads) {
  return std::make_unique<Mosaic>(plan, threads);
}

}  // namespace vidconv
