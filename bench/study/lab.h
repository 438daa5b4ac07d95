// The bench of vidconv-bench study: a plan, a picture, and the time that each variant takes for it.
// No variant is timed before its result was compared with the reference's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/device.h"
#include "bench/report.h"
#include "kernels/plan/plan.h"
#include "kernels/variants/variants.h"

namespace vidconv::bench {

struct Lab {
  Effort effort;
  int threads = 1;       // of the CPU
  double largest = 1e9;  // samples of a picture; larger ones are left out
  // What gave other bytes than the reference: such results are not timed, and the run has failed.
  mutable std::vector<std::string> wrong;

  bool takes(int width, int height) const { return static_cast<double>(width) * height <= largest; }
};

// The published systems: each adds its tables.
void study_a(const Lab&, Report&);
void study_b(const Lab&, Report&);
void study_c(const Lab&, Report&);
void study_d(const Lab&, Report&);
void study_e(const Lab&, Report&);

inline constexpr SampleType byte_samples{Storage::u8, 8, 0};
inline constexpr SampleType float_samples{Storage::f32, 32, 0};

// A plan with zeros outside, as most of the published systems have it.
Plan plan_of(Kernel kernel, SampleType sample);
// The same matrix, defined as one pass where it would be two.
Plan dense_plan_of(const Kernel& kernel, SampleType sample);
// size x size of the binomial coefficients: the Gaussians of courses; exact in integers.
Kernel binomial(int size);
// size x size, rank 1, taps from a seed: whole numbers from 0 to 15, divided so that they sum to 1
// where `unit`.
Kernel random_rank_1(int size, unsigned seed, bool unit);

// Best of vidconv on a device, where a variant's name is expected.
inline constexpr std::string_view best_cpu = "best-cpu", best_cuda = "best-cuda";

class Subject {
 public:
  // A picture of `components` planes of this size, one after another or interleaved.
  Subject(const Lab& lab, Plan plan, int width, int height, int components = 1,
          bool interleaved = false);

  // The median seconds for the picture, `variant` a name of the table of variants. Nothing where
  // this machine cannot run it, it does not support the plan, or its result is not the reference's,
  // which Lab::wrong then says.
  std::optional<double> seconds(std::string_view variant) const;
  // The same in other units.
  std::optional<double> milliseconds(std::string_view variant) const;
  std::optional<double> microseconds(std::string_view variant) const;

  struct Parts {
    double kernel, copies, allocation;  // seconds: kernel; and copies; and allocation too
  };
  // What the same run costs when more of it is timed; Device::cuda only.
  std::optional<Parts> parts(std::string_view variant) const;

  const std::vector<std::byte>& source() const { return source_; }

 private:
  // Nothing where it cannot run.
  std::optional<Choice> find(std::string_view name) const;
  std::vector<PlanePair> pairs(const std::byte* src, std::byte* dst) const;
  // What the reference makes of the source. Where that would take more than `reference_limit`
  // multiply-adds, what the best variant of the CPU makes of it, which the tests compare with the
  // reference.
  const std::vector<std::byte>& expected() const;

  const Lab& lab_;
  Plan plan_;
  int width_, height_, components_;
  bool interleaved_;
  std::vector<std::byte> source_;
  mutable std::vector<std::byte> expected_;  // of the reference, computed when first needed
};

// a / b where both are known.
std::optional<double> ratio(std::optional<double> a, std::optional<double> b);

}  // namespace vidconv::bench
