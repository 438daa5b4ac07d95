// The bench of vidconv-bench study: a plan, a picture, and the time that each variant takes for it.
// No variant is timed before its result has been compared with the reference's.
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
  int threads = 1;       // CPU threads
  double largest = 1e9;  // samples of a picture; larger ones are left out
  // Messages on results other than the reference's bytes: these are not timed, and the run has
  // failed.
  mutable std::vector<std::string> wrong;

  bool takes(int width, int height) const { return static_cast<double>(width) * height <= largest; }
};

// These measure the published systems; each adds its tables.
void study_a(const Lab&, Report&);
void study_b(const Lab&, Report&);
void study_c(const Lab&, Report&);
void study_d(const Lab&, Report&);
void study_e(const Lab&, Report&);

inline constexpr SampleType byte_samples{Storage::u8, 8, 0};
inline constexpr SampleType float_samples{Storage::f32, 32, 0};

// Returns a plan with zeros outside, as most of the published systems have it.
Plan plan_of(Kernel kernel, SampleType sample);
// Returns a plan for the matrix in one pass, even where it would be two.
Plan dense_plan_of(const Kernel& kernel, SampleType sample);
// Returns the binomial coefficients, size x size: the Gaussians of courses, which are exact in
// integers.
Kernel binomial(int size);
// Returns a kernel of size x size, of rank 1, with taps from a seed: whole numbers from 0 to 15,
// divided so that they sum to 1 where `unit`.
Kernel random_rank_1(int size, unsigned seed, bool unit);

// These stand for vidconv's best variant on a device, where a variant's name is expected.
inline constexpr std::string_view best_cpu = "best-cpu", best_cuda = "best-cuda";

class Subject {
 public:
  // Makes a picture of `components` planes of this size, one after another or interleaved.
  Subject(const Lab& lab, Plan plan, int width, int height, int components = 1,
          bool interleaved = false);

  // Returns the median seconds for the picture; `variant` is a name of the table of variants.
  // Returns nullopt where this machine cannot run it, it does not support the plan, or its result
  // is not the reference's, which Lab::wrong then says.
  std::optional<double> seconds(std::string_view variant) const;
  // Return the median in other units.
  std::optional<double> milliseconds(std::string_view variant) const;
  std::optional<double> microseconds(std::string_view variant) const;

  struct Parts {
    double kernel, copies, allocation;  // seconds: the kernel; with copies; with allocation too
  };
  // Returns a run's times, with more or less of it timed; Device::cuda only.
  std::optional<Parts> parts(std::string_view variant) const;

  const std::vector<std::byte>& source() const { return source_; }

 private:
  // Returns nullopt where the variant cannot run.
  std::optional<Choice> find(std::string_view name) const;
  std::vector<PlanePair> pairs(const std::byte* src, std::byte* dst) const;
  // Returns the reference's result for the source. Where that would take more than
  // `reference_limit` multiply-adds, returns the result of the best variant of the CPU, which the
  // tests compare with the reference.
  const std::vector<std::byte>& expected() const;

  const Lab& lab_;
  Plan plan_;
  int width_, height_, components_;
  bool interleaved_;
  std::vector<std::byte> source_;
  mutable std::vector<std::byte> expected_;  // the reference's result, computed when first needed
};

// Returns a / b where both have a value.
std::optional<double> ratio(std::optional<double> a, std::optional<double> b);

}  // namespace vidconv::bench
