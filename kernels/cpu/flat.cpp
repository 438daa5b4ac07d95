// Plans without neighbours: planes that are copied, and planes that become one colour.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/convolver/bands.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
namespace {

class Copy final : public Convolver {
 public:
  Copy(const Plan& plan, int threads) : sample_(plan.sample), pool_(shared_thread_pool(threads)) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for_rows(*pool_, pairs, [this](const PlanePair& pair, int y) {
      if (sample_.storage == Storage::u8)
        copy_row(pair.src.as<const std::uint8_t>(), pair.dst.as<std::uint8_t>(), y);
      else
        copy_row(pair.src.as<const std::uint16_t>(), pair.dst.as<std::uint16_t>(), y);
    });
  }

 private:
  template <class T>
  void copy_row(const Plane<const T>& src, const Plane<T>& dst, int y) const {
    const T* from = src.row(y);
    T* to = dst.row(y);
    if (src.step == 1 && dst.step == 1 && sample_.shift == 0) {
      std::memcpy(to, from, static_cast<std::size_t>(dst.width) * sizeof(T));
      return;
    }
    // What lies below the code is not part of the sample.
    for (std::ptrdiff_t x = 0; x < dst.width; ++x)
      to[x * dst.step] = static_cast<T>(from[x * src.step] >> sample_.shift << sample_.shift);
  }

  SampleType sample_;
  std::shared_ptr<ThreadPool> pool_;
};

class Fill final : public Convolver {
 public:
  Fill(const Plan& plan, int threads) : sample_(plan.sample), pool_(shared_thread_pool(threads)) {
    const std::vector<std::int32_t> responses(static_cast<std::size_t>(plan.kernels()));
    code_ = finish<std::uint16_t>(plan.finish, responses.data(), plan.kernels());
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for_rows(*pool_, pairs, [this](const PlanePair& pair, int y) {
      if (sample_.storage == Storage::u8)
        fill_row(pair.dst.as<std::uint8_t>(), y);
      else
        fill_row(pair.dst.as<std::uint16_t>(), y);
    });
  }

 private:
  template <class T>
  void fill_row(const Plane<T>& dst, int y) const {
    const T value = static_cast<T>(code_ << sample_.shift);
    if (dst.step == 1) {
      std::fill_n(dst.row(y), dst.width, value);
      return;
    }
    for (std::ptrdiff_t x = 0; x < dst.width; ++x) dst.row(y)[x * dst.step] = value;
  }

  SampleType sample_;
  std::shared_ptr<ThreadPool> pool_;
  int code_;
};

}  // namespace

bool cpu_copy_supports(const Plan& plan) { return plan.is_copy(); }

std::unique_ptr<Convolver> make_cpu_copy(const Plan& plan, int threads) {
  return std::make_unique<Copy>(plan, threads);
}

bool cpu_fill_supports(const Plan& plan) {
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
