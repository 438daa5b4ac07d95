// Plans without neighbours: planes that are copied, and planes that are filled with one code.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/packed.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
namespace {

// A mask of the bits that are written into interleaved rows, and of those that are kept. It repeats
// after a piece, which is a whole number of pixels and of vectors.
template <class T>
class Stencil {
 public:
  // `bits`: the bits of each sample that are written.
  Stencil(const PixelLayout& layout, T bits) {
    kept_.fill(static_cast<T>(-1));
    for (int x = 0; x < piece; x += layout.step)
      for (int k = 0; k < layout.count; ++k) {
        const auto at = static_cast<std::size_t>(x + layout.place[static_cast<std::size_t>(k)]);
        coming_[at] = bits;
        kept_[at] = 0;
      }
  }

  // Writes `count` samples of a row; source(i) may go into sample i.
  template <class Source>
  void bring(const Source& source, int count, T* to) const {
    int begin = 0;
    for (; begin + piece <= count; begin += piece) bring(source, begin, piece, to);
    bring(source, begin, count - begin, to);
  }

 private:
  static constexpr int piece = 192 / sizeof(T);

  template <class Source>
  void bring(const Source& source, int begin, int count, T* to) const {
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      to[begin + i] =
          static_cast<T>((source(begin + i) & coming_[at]) | (to[begin + i] & kept_[at]));
    }
  }

  std::array<T, piece> coming_{}, kept_;
};

// Calls job.operator()<sample type>(band) for bands of the pairs of each pixel.
template <class Job>
void for_packed_bands(ThreadPool& pool, std::span<const PlanePair> pairs, RowRange rows,
                      const SampleType& sample, const Job& job) {
  const auto together = [&](std::span<const PlanePair> rest) {
    return packed_together(rest, sample.bytes());
  };
  const double nanoseconds = 0.05 * sample.bytes() * samples_of(pairs, rows);
  const int threads = worth_threads(pool.threads(), nanoseconds);
  for_bands(pool, pairs, rows, {.threads = threads}, together, [&](const Band& band, int) {
    if (sample.storage == Storage::u8)
      job.template operator()<std::uint8_t>(band);
    else if (sample.storage == Storage::u16)
      job.template operator()<std::uint16_t>(band);
    else
      job.template operator()<std::uint32_t>(band);  // the bits of a float
  });
}

// Whether a stencil can be laid on rows of the layout.
bool repeats(const PixelLayout& layout) { return layout.step >= 2 && layout.step <= most_packed; }

// Returns the number of samples from the first component of a row to its last.
int samples_of_row(const PixelLayout& layout, int width) {
  return (width - 1) * layout.step + layout.span();
}

class Copy final : public Convolver {
 public:
  Copy(const Plan& plan, int threads) : sample_(plan.sample), pool_(shared_thread_pool(threads)) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override { run_rows(pairs, all_rows); }

  bool run_rows(std::span<const PlanePair> pairs, RowRange rows) override {
    for_packed_bands(*pool_, pairs, rows, sample_,
                     [this]<class T>(const Band& band) { copy_rows<T>(band); });
    return true;
  }

 private:
  template <class T>
  void copy_rows(const Band& band) const {
    const PixelLayout src = pixel_layout<T>(band.pairs, &PlanePair::src);
    const PixelLayout dst = pixel_layout<T>(band.pairs, &PlanePair::dst);
    if (!repeats(dst) || src.step != dst.step || src.place != dst.place) {
      for (const PlanePair& pair : band.pairs)
        for (int y = band.first; y < band.last; ++y)
          copy_row(pair.src.as<const T>(), pair.dst.as<T>(), y);
      return;
    }
    const Stencil<T> stencil(dst, static_cast<T>(~0U));
    const int count = samples_of_row(dst, band.pairs.front().dst.width);
    for (int y = band.first; y < band.last; ++y) {
      const T* const from = reinterpret_cast<const T*>(src.row(y));
      stencil.bring([from](int i) { return from[i]; }, count, reinterpret_cast<T*>(dst.row(y)));
    }
  }

  template <class T>
  static void copy_row(const Plane<const T>& src, const Plane<T>& dst, int y) {
    const T* from = src.row(y);
    T* to = dst.row(y);
    if (src.step == 1 && dst.step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(dst.width) * sizeof(T));
      return;
    }
    for (std::ptrdiff_t x = 0; x < dst.width; ++x) to[x * dst.step] = from[x * src.step];
  }

  SampleType sample_;
  std::shared_ptr<ThreadPool> pool_;
};

class Fill final : public Convolver {
 public:
  Fill(const Plan& plan, int threads) : sample_(plan.sample), pool_(shared_thread_pool(threads)) {
    if (sample_.storage == Storage::f32) {
      stored_ = std::bit_cast<std::uint32_t>(static_cast<float>(*plan.fill));
      return;
    }
    const std::vector<std::int32_t> responses(static_cast<std::size_t>(plan.kernels()));
    const std::uint32_t code =
        plan.fill ? static_cast<std::uint32_t>(*plan.fill)
                  : finish<std::uint16_t>(plan.finish, responses.data(), plan.kernels());
    stored_ = code << sample_.shift;
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override { run_rows(pairs, all_rows); }

  bool run_rows(std::span<const PlanePair> pairs, RowRange rows) override {
    for_packed_bands(*pool_, pairs, rows, sample_,
                     [this]<class T>(const Band& band) { fill_rows<T>(band); });
    return true;
  }

 private:
  template <class T>
  void fill_rows(const Band& band) const {
    const T value = static_cast<T>(stored_);
    const PixelLayout dst = pixel_layout<T>(band.pairs, &PlanePair::dst);
    if (!repeats(dst)) {
      for (const PlanePair& pair : band.pairs)
        for (int y = band.first; y < band.last; ++y) fill_row(pair.dst.as<T>(), value, y);
      return;
    }
    const Stencil<T> stencil(dst, value);
    const int count = samples_of_row(dst, band.pairs.front().dst.width);
    for (int y = band.first; y < band.last; ++y)
      stencil.bring([](int) { return static_cast<T>(-1); }, count,
                    reinterpret_cast<T*>(dst.row(y)));
  }

  template <class T>
  static void fill_row(const Plane<T>& dst, T value, int y) {
    if (dst.step == 1) {
      std::fill_n(dst.row(y), dst.width, value);
      return;
    }
    for (std::ptrdiff_t x = 0; x < dst.width; ++x) dst.row(y)[x * dst.step] = value;
  }

  SampleType sample_;
  std::shared_ptr<ThreadPool> pool_;
  std::uint32_t stored_;  // the sample as it lies in memory
};

}  // namespace

bool cpu_copy_supports(const Plan& plan) { return plan.is_copy(); }

std::unique_ptr<Convolver> make_cpu_copy(const Plan& plan, int threads) {
  return std::make_unique<Copy>(plan, threads);
}

bool cpu_fill_supports(const Plan& plan) {
  if (plan.operation() != Operation::sums) return plan.operation() == Operation::fill;
  const auto zero = [](const Taps& t) {
    return !t.dense.empty() && std::ranges::all_of(t.dense, [](double tap) { return tap == 0; });
  };
  // In real arithmetic 0 times infinity is not 0.
  return plan.arith == Arith::int32 && std::ranges::all_of(plan.terms, zero);
}

std::unique_ptr<Convolver> make_cpu_fill(const Plan& plan, int threads) {
  return std::make_unique<Fill>(plan, threads);
}

}  // namespace vidconv
