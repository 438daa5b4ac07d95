#include "bench/study/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "bench/planes.h"
#include "kernels/study/study.h"
#include "kernels/variants/variants.h"

namespace vidconv::bench {
namespace {

constexpr double reference_limit = 5e9;  // multiply-adds: seconds on a few cores

}  // namespace

Plan plan_of(Kernel kernel, SampleType sample) {
  Filter filter;
  filter.kernels = {std::move(kernel)};
  return make_plan(filter, sample, {BorderMode::constant, 0}, Role::colour);
}

Plan dense_plan_of(const Kernel& kernel, SampleType sample) {
  Plan plan = plan_of(kernel, sample);
  const bool one_pass = plan.terms.size() == 1 && !plan.terms[0].dense.empty();
  plan.terms.resize(1);
  Taps& taps = plan.terms[0];
  if (!one_pass) {
    if (plan.arith != Arith::float32) throw std::logic_error("not the taps of a dense plan");
    taps.dense.clear();
    for (const double tap : kernel.taps()) taps.dense.push_back(static_cast<float>(tap));
  }
  taps.row.clear();
  taps.column.clear();
  return plan;
}

Kernel binomial(int size) {
  std::vector<double> line = {1};
  while (static_cast<int>(line.size()) < size) {
    line.push_back(0);
    for (std::size_t i = line.size() - 1; i > 0; --i) line[i] += line[i - 1];
  }
  const double sum = std::ldexp(1.0, size - 1);
  return outer_product(line, line).scaled(1 / (sum * sum));
}

Kernel random_rank_1(int size, unsigned seed, bool unit) {
  std::minstd_rand random(seed);
  const auto line = [&] {
    std::vector<double> taps;
    for (int i = 0; i < size; ++i) taps.push_back(static_cast<double>(random() >> 8 & 15));
    taps[0] += 1;  // never all zero
    return taps;
  };
  const std::vector<double> row = line(), column = line();
  const Kernel kernel = outer_product(column, row);
  return unit ? kernel.scaled(1 / kernel.sum()) : kernel;
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a / *b;
}

Subject::Subject(const Lab& lab, Plan plan, int width, int height, int components, bool interleaved)
    : lab_(lab),
      plan_(std::move(plan)),
      width_(width),
      height_(height),
      components_(components),
      interleaved_(interleaved),
      source_(noise(plan_.sample,
                    static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                        static_cast<std::size_t>(components),
                    7)) {}

std::optional<Choice> Subject::find(std::string_view name) const {
  if (name == best_cpu) return pick(plan_, Device::cpu);
  const Variant* const variant = find_any_variant(name);
  const bool cuda =
      name == best_cuda || (variant && (variant->device == Device::cuda || variant->uses_cuda));
  if (cuda && !have_cuda()) return std::nullopt;
  const CudaAbilities abilities = cuda_abilities(0);
  if (name == best_cuda) return pick(plan_, Device::cuda, abilities);
  if (!variant || !variant->takes(width_, height_)) return std::nullopt;
  Prepared convolver = variant->prepare(plan_, abilities);
  return convolver ? std::optional(Choice{variant, std::move(convolver)}) : std::nullopt;
}

std::vector<PlanePair> Subject::pairs(const std::byte* src, std::byte* dst) const {
  const std::ptrdiff_t sample = plan_.sample.bytes();
  const int step = interleaved_ ? components_ : 1;
  const std::ptrdiff_t stride = sample * width_ * step;
  const std::ptrdiff_t component = interleaved_ ? sample : stride * height_;
  std::vector<PlanePair> result;
  for (int c = 0; c < components_; ++c) {
    const ConstBytePlane from{.data = src + c * component,
                              .stride = stride,
                              .width = width_,
                              .height = height_,
                              .step = step};
    result.push_back({from, from.at(dst + c * component)});
  }
  return result;
}

const std::vector<std::byte>& Subject::expected() const {
  if (expected_.empty()) {
    expected_.resize(source_.size());
    double work = 0;
    for (const Taps& t : plan_.terms)
      work += static_cast<double>(source_.size()) / plan_.sample.bytes() * t.width * t.height;
    const Prepared judge = work > reference_limit
                               ? pick(plan_, Device::cpu).convolver
                               : find_any_variant("reference")->prepare(plan_, {});
    judge(lab_.threads)->run(pairs(source_.data(), expected_.data()), nullptr);
  }
  return expected_;
}

std::optional<double> Subject::seconds(std::string_view name) const {
  const std::optional<Choice> found = find(name);
  if (!found) return std::nullopt;
  const Variant* const variant = found->variant;
  const Device device = variant->device;
  const auto convolver = found->convolver(lab_.threads);
  const Memory src(device, source_.size()), dst(device, source_.size());
  src.upload(source_);
  std::vector<std::byte> result(source_.size(), std::byte{0xA5});
  dst.upload(result);
  const std::vector<PlanePair> work = pairs(src.data(), dst.data());
  convolver->run(work, stream_of(device));
  wait(device);
  dst.download(result);
  if (result != expected()) {
    lab_.wrong.push_back(fmt::format(
        "{} is wrong: {}x{} samples, {} components{}, a kernel of {}x{}: not the bytes of the "
        "reference",
        variant->name, width_, height_, components_, interleaved_ ? " interleaved" : "",
        plan_.terms[0].width, plan_.terms[0].height));
    return std::nullopt;
  }
  return median_seconds(
      device, [&](int) { convolver->run(work, stream_of(device)); }, lab_.effort);
}

std::optional<double> Subject::milliseconds(std::string_view variant) const {
  return ratio(seconds(variant), 1e-3);
}

std::optional<double> Subject::microseconds(std::string_view variant) const {
  return ratio(seconds(variant), 1e-6);
}

std::optional<Subject::Parts> Subject::parts(std::string_view name) const {
  const std::optional<Choice> found = find(name);
  if (!found || found->variant->device != Device::cuda) return std::nullopt;
  Parts parts{};
  const auto kernel = seconds(name);
  if (!kernel) return std::nullopt;
  parts.kernel = *kernel;
  const auto convolver = found->convolver(lab_.threads);
  std::vector<std::byte> result(source_.size());
  const auto copies = [&](const Memory& src, const Memory& dst) {
    src.upload(source_);
    convolver->run(pairs(src.data(), dst.data()), stream_of(Device::cuda));
    wait(Device::cuda);
    dst.download(result);
  };
  // Whole runs are timed by the clock, as on the CPU.
  const Memory kept_src(Device::cuda, source_.size()), kept_dst(Device::cuda, source_.size());
  parts.copies = median_seconds(
      Device::cpu, [&](int) { copies(kept_src, kept_dst); }, lab_.effort);
  parts.allocation = median_seconds(
      Device::cpu,
      [&](int) {
        const Memory src(Device::cuda, source_.size()), dst(Device::cuda, source_.size());
        copies(src, dst);
      },
      lab_.effort);
  if (result != expected()) throw std::runtime_error("copies lost the result");
  return parts;
}

}  // namespace vidconv::bench
