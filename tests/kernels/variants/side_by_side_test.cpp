// Convolvers of one variant that live at the same time, as those of luma and chroma do: one must
// not take away what another one needs of the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

// Returns matrices without two passes, rows, columns, boxes and Gaussians of every size that some
// variant treats apart.
std::vector<Filter> filters_of_many_sizes() {
  std::vector<Filter> filters;
  for (const int size : {3, 5, 9, 11, 17, 25, 31, 33, 49, 63, 101, 145, 243}) {
    filters.push_back(FilterSpec::parse("box:size=" + std::to_string(size)).make());
    filters.push_back(
        FilterSpec::parse("gaussian:sigma=" + std::to_string((size - 1) / 6.0)).make());
    if (size > 33) continue;
    std::minstd_rand random(static_cast<unsigned>(size));
    std::vector<double> taps;
    for (int i = 0; i < size * size; ++i)
      taps.push_back(static_cast<double>(random() % 100) / (50.0 * size * size));
    filters.push_back({.kernels = {Kernel(size, size, std::move(taps))}});
    if (size == 3) filters.push_back(FilterSpec::parse("sobel").make());
  }
  return filters;
}

struct Job {
  Plan plan;
  Picture source, wanted;
};

// Jobs for each variant of CUDA; the CPU's variants share no state.
using Jobs = std::map<const Variant*, std::vector<Job>>;

Jobs make_jobs() {
  Jobs jobs;
  constexpr int width = 203, height = 19;
  unsigned seed = 0;
  for (const SampleType sample : {u8, SampleType{Storage::u16, 10, 0}, u16, f32})
    for (const Filter& filter : filters_of_many_sizes()) {
      const Plan plan = make_plan(filter, sample, {}, Role::colour);
      std::optional<Job> job;
      for (const Variant* variant : runnable_variants(width, height)) {
        if (variant->device != Device::cuda || !supports(*variant, plan)) continue;
        if (!job) {
          Picture source(sample, width, height, {}, ++seed);
          source.draw(Content::noise, seed);
          Picture wanted = expected(plan, source, Picture(sample, width, height, {}, 7));
          job = Job{plan, std::move(source), std::move(wanted)};
        }
        jobs[variant].push_back(*job);
      }
    }
  return jobs;
}

const Jobs& jobs_of_variants() {
  static const Jobs jobs = make_jobs();
  return jobs;
}

// Makes all convolvers, in this order and on each device in turn, then runs them, in the same order
// and back. Returns how many results were not those of the definition.
int wrong_of(const Variant& variant, const std::vector<const Job*>& jobs) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (const Job* job : jobs) {
    use_cuda_device(static_cast<int>(runners.size()) % cuda_devices());
    runners.push_back(std::make_unique<Runner>(variant, job->plan));
  }
  int wrong = 0;
  const auto run = [&](std::size_t i) {
    const Picture& source = jobs[i]->source;
    Picture got(source.sample(), source.width(), source.height(), {}, 7);
    runners[i]->run(source, got);
    wrong += got.bytes() != jobs[i]->wanted.bytes() ? 1 : 0;
  };
  for (std::size_t i = 0; i < jobs.size(); ++i) run(i);
  for (std::size_t i = jobs.size(); i-- > 0;) run(i);
  return wrong;
}

std::vector<const Job*> in_order(const std::vector<Job>& jobs) {
  std::vector<const Job*> order;
  for (const Job& job : jobs) order.push_back(&job);
  return order;
}

class SideBySide : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_works()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(SideBySide, InEveryOrder) {
  for (const auto& [variant, jobs] : jobs_of_variants()) {
    SCOPED_TRACE(variant->name);
    std::vector<const Job*> order = in_order(jobs);
    EXPECT_EQ(wrong_of(*variant, order), 0) << "the smallest first";
    std::ranges::reverse(order);
    EXPECT_EQ(wrong_of(*variant, order), 0) << "the largest first";
    std::minstd_rand random(1);
    for (int round = 0; round < 2; ++round) {
      std::ranges::shuffle(order, random);
      EXPECT_EQ(wrong_of(*variant, order), 0) << "shuffled, round " << round;
    }
  }
}

TEST_F(SideBySide, FromSeveralThreads) {
  for (const auto& [variant, jobs] : jobs_of_variants()) {
    constexpr int thread_count = 4;
    std::vector<int> wrong(thread_count, -1);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t, &variant = *variant, &jobs = jobs] {
          std::vector<const Job*> order = in_order(jobs);
          std::minstd_rand random(static_cast<unsigned>(t) + 1);
          std::ranges::shuffle(order, random);
          try {
            wrong[static_cast<std::size_t>(t)] = wrong_of(variant, order);
          } catch (const std::exception& error) {
            ADD_FAILURE() << variant.name << ": " << error.what();
          }
        });
    }
    for (const int count : wrong) EXPECT_EQ(count, 0) << variant->name;
  }
}

}  // namespace
}  // namespace vidconv::test
