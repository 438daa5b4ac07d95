#include "pipeline/measure/measure_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/score/score.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void add_to(std::optional<double>& sum, const std::optional<double>& value, bool first) {
  if (first)
    sum = value;
  else if (sum && value)
    *sum += *value;
  else
    sum.reset();
}

// Convert between an XPSNR and the root of the weighted error that it stands for, for samples from
// 0 to 1.
double root_error(double xpsnr) { return std::pow(10, -xpsnr / 20); }
double xpsnr_of(double root_error) { return -20 * std::log10(root_error); }

}  // namespace

void MeasureLog::Lowest::see(double seen, const FrameScore& score) {
  if (known && seen >= value) return;
  known = true;
  value = seen;
  frame = {.number = score.number, .time = score.time, .value = finite(seen)};
}

void MeasureLog::set_formats(const std::string& filtered, const std::string& given,
                             const std::string& decoder) {
  const std::lock_guard lock(mutex_);
  about_.filtered = filtered;
  about_.given = given;
  about_.decoder = decoder;
}

void MeasureLog::expect(std::int64_t pts) {
  const std::lock_guard lock(mutex_);
  expected_.push_back(pts);
}

void MeasureLog::add(FrameScore score) {
  const std::lock_guard lock(mutex_);
  too_early_.emplace(score.pts, score);
  while (!expected_.empty()) {
    const auto next = too_early_.find(expected_.front());
    if (next == too_early_.end()) return;
    next->second.number = about_.frames;
    sum_up(next->second);
    if (options_.each) options_.each(next->second);
    too_early_.erase(next);
    expected_.pop_front();
  }
}

void MeasureLog::sum_up(const FrameScore& score) {
  const bool first = about_.frames++ == 0;
  if (first) {
    sums_.parts = score.parts;
    for (ComponentScore& part : sums_.parts)
      if (part.xpsnr) part.xpsnr = root_error(*part.xpsnr);
    sums_.count = score.count;
    sums_.max = score.max;
    sums_.mse = score.mse;
  } else {
    for (std::size_t i = 0; i < sums_.count; ++i) {
      sums_.parts[i].mse += score.parts[i].mse;
      add_to(sums_.parts[i].ssim, score.parts[i].ssim, false);
      if (sums_.parts[i].xpsnr && score.parts[i].xpsnr)
        *sums_.parts[i].xpsnr += root_error(*score.parts[i].xpsnr);
    }
    sums_.mse += score.mse;
  }
  add_to(sums_.ssim, score.ssim, first);
  add_to(sums_.vmaf, score.vmaf, first);
  lowest_psnr_.see(psnr_of(score.mse, score.max), score);
  if (score.ssim) lowest_ssim_.see(*score.ssim, score);
  if (score.vmaf) lowest_vmaf_.see(*score.vmaf, score);
  if (score.xpsnr) lowest_xpsnr_.see(*score.xpsnr, score);
}

MeasureSummary MeasureLog::psnr() const {
  const auto frames = static_cast<double>(about_.frames);
  MeasureSummary summary;
  summary.all = finite(psnr_of(sums_.mse / frames, sums_.max));
  for (const ComponentScore& part : sums_.components())
    summary.components.emplace_back(part.name, finite(psnr_of(part.mse / frames, part.max)));
  summary.worst = lowest_psnr_.frame;
  return summary;
}

MeasureSummary MeasureLog::ssim() const {
  const auto frames = static_cast<double>(about_.frames);
  const auto mean = [&](const std::optional<double>& sum) {
    return sum ? std::optional(*sum / frames) : std::nullopt;
  };
  MeasureSummary summary;
  summary.all = mean(sums_.ssim);
  for (const ComponentScore& part : sums_.components())
    summary.components.emplace_back(part.name, mean(part.ssim));
  summary.worst = lowest_ssim_.frame;
  return summary;
}

MeasureSummary MeasureLog::xpsnr() const {
  const auto frames = static_cast<double>(about_.frames);
  MeasureSummary summary;
  double largest = 0;
  for (const ComponentScore& part : sums_.components()) {
    if (!part.xpsnr) continue;
    largest = std::max(largest, *part.xpsnr);
    summary.components.emplace_back(part.name, finite(xpsnr_of(*part.xpsnr / frames)));
  }
  summary.all = finite(xpsnr_of(largest / frames));
  summary.worst = lowest_xpsnr_.frame;
  return summary;
}

Measured MeasureLog::result() const {
  const std::lock_guard lock(mutex_);
  Measured result = about_;
  if (result.frames == 0) return result;
  if (options_.measures.psnr) result.psnr = psnr();
  if (options_.measures.ssim) result.ssim = ssim();
  if (options_.measures.vmaf) {
    result.vmaf.emplace();
    if (sums_.vmaf) result.vmaf->all = *sums_.vmaf / static_cast<double>(result.frames);
    result.vmaf->worst = lowest_vmaf_.frame;
  }
  if (options_.measures.xpsnr) result.xpsnr = xpsnr();
  return result;
}

}  // namespace vidconv
