#include "src/run/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pipeline/base/printable.h"
#include "pipeline/work/light.h"
#include "pipeline/work/work_names.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "kernels/plan/factor.h"

namespace vidconv {
namespace {

constexpr int largest_printed = 15;  // rows and columns of a matrix that is still readable

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string numbers(std::span<const double> values) {
  std::string text;
  for (double v : values) text += fmt::format(" {:g}", v);
  return text;
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Returns the divisor of all passes together: a code is this many units of the sums.
double units_per_code(const Plan& plan) { return plan.finish.real_divisor; }

double dc_gain(const Plan& plan, const Taps& taps) {
  const double gain = taps.dense.empty() ? sum(taps.row) * sum(taps.column) : sum(taps.dense);
  return gain / units_per_code(plan) / std::ldexp(1.0, taps.row_shift);
}

std::string structure(const Taps& taps) {
  if (taps.dense.empty())
    return fmt::format("two passes: row {} and column {}", taps.width, taps.height);
  if (taps.separable())
    return fmt::format("one pass or two passes (row {}, column {}), the same bytes", taps.width,
                       taps.height);
  return "one pass";
}

// Returns the rank of the kernel that is the sum of `parts`; each part but a matrix has rank 1.
int rank_of(std::span<const Taps> parts) {
  const Taps& t = parts[0];
  if (t.separable()) return static_cast<int>(parts.size());
  return static_cast<int>(factor(t.dense, t.width, t.height, std::min(t.width, t.height)).size());
}

std::string precision(const Plan& plan) {
  if (plan.exact) return "exact";
  return fmt::format("within {:.2g} codes of real arithmetic before rounding", plan.error_bound);
}

std::string line(std::string_view label, std::span<const double> values) {
  return fmt::format("      {}{}\n", label, numbers(values));
}

// Prints rows of `width` values, unless there are too many to read.
std::string matrix_text(std::span<const double> values, int width) {
  const auto row = static_cast<std::size_t>(width);
  if (width > largest_printed || values.size() / row > largest_printed)
    return fmt::format("      (too large to print: {}x{})\n", width, values.size() / row);
  std::string text;
  for (std::size_t at = 0; at < values.size(); at += row) text += line("", values.subspan(at, row));
  return text;
}

// Prints the taps in the units of the sums.
std::string taps_text(const Plan& plan, const Taps& taps) {
  std::string text;
  if (std::max(taps.width, taps.height) > 4 * largest_printed) {
    text += "      (too large to print)\n";
  } else if (!taps.row.empty()) {
    text += line("row   ", taps.row);
    text += line("column", taps.column);
    if (taps.row_shift > 0)
      text += fmt::format("      row sums are rounded to {} bits less\n", taps.row_shift);
  } else {
    text += matrix_text(taps.dense, taps.width);
  }
  if (units_per_code(plan) != 1)
    text += fmt::format("      divided by {:.0f}\n", units_per_code(plan));
  return text;
}

std::string_view name_of(Combine combine) {
  switch (combine) {
    case Combine::linear:
      return "linear";
    case Combine::l2:
      return "square root of the sum of squares";
    case Combine::l1:
      return "sum of absolute values";
    case Combine::max:
      return "largest absolute value";
    case Combine::signed_max:
      return "largest value";
    case Combine::unsharp:
      return "the first, and what of the second is beyond the threshold";
  }
  return "";
}

// Describes the taps of a volume, plane below plane.
std::string describe_volume(const Plan& plan) {
  const Taps& t = plan.terms[0];
  const int rows = plan.plane_rows();
  return fmt::format(
             "    DC gain {:.6g}\n    {}x{}x{}, anchor {},{},{}, planes from top to bottom\n",
             dc_gain(plan, t), t.width, rows, plan.tap_frames().count, t.anchor_x,
             t.anchor_y % rows, plan.tap_frames().anchor) +
         taps_text(plan, t);
}

// `kernel` is as the user specified it; `parts` are the terms that compute it.
std::string describe_kernel(const Plan& plan, const Kernel& kernel, std::span<const Taps> parts) {
  double gain = 0;
  for (const Taps& t : parts) gain += dc_gain(plan, t);
  std::string text = fmt::format("    DC gain {:.6g}, rank {}", gain, rank_of(parts));
  if (parts.size() > 1) text += fmt::format(": the sum of {} products", parts.size());
  text += '\n';
  if (!kernel.is_product()) text += matrix_text(kernel.taps(), kernel.width());
  for (const Taps& t : parts) {
    text += fmt::format("    {}x{}, anchor {},{}, {}\n", t.width, t.height, t.anchor_x, t.anchor_y,
                        structure(t));
    text += taps_text(plan, t);
  }
  return text;
}

// Describes a step that fills, or makes a mosaic.
std::string describe_plain(const Plan& plan) {
  if (plan.fill) return fmt::format("    {:g} everywhere\n", *plan.fill);
  const auto samples = [](const BlockAxis& axis) {
    return fmt::format("{:g}", static_cast<double>(axis.size) / axis.per_sample);
  };
  return fmt::format("    the mean of each block of {}x{} samples, {}\n",
                     samples(plan.blocks.across), samples(plan.blocks.down),
                     plan.sample.storage == Storage::f32 ? "added up in float64" : "exact");
}

// Says which frames a filter reads.
std::string describe_frames(const Plan& plan) {
  const OverTime& over_time = plan.over_time->filter.over_time.value();
  const TapFrames frames = plan.tap_frames();
  std::string text =
      fmt::format("    over {} frames before and {} after", frames.anchor, frames.after());
  if (over_time.every > 1)
    text += fmt::format(", for one frame of {}, first frame {}", over_time.every, over_time.phase);
  if (over_time.cut) text += fmt::format(", no further than a cut of {:g}", *over_time.cut);
  if (plan.over_time->threshold >= 0)
    text += fmt::format(", samples within {:g} of the frame's", plan.over_time->threshold);
  return text + '\n';
}

// Says what the samples count by.
std::string describe_weights(const WeightPlan& weighted) {
  if (weighted.weights == Subsampling{}) return "    weighted by alpha\n";
  return fmt::format("    weighted by alpha, of {}x{} pixels each\n", weighted.weights.x,
                     weighted.weights.y);
}

std::string describe_plan(const Plan& plan, const Filter& filter) {
  if (plan.fill || plan.blocks.any()) return describe_plain(plan);
  std::string text = plan.over_time ? describe_frames(plan) : "";
  if (plan.weighted) text += describe_weights(*plan.weighted);
  text += fmt::format("    {} arithmetic, {}", name_of(plan.arith), precision(plan));
  if (plan.over_time) {
    const TimeBorder border = plan.over_time->filter.over_time->border;
    text += fmt::format(", border {}", name_of(border));
    if (plan.plane_rows() > 0) text += fmt::format(", in space {}", name_of(plan.border));
  } else {
    text += fmt::format(", border {}", name_of(plan.border));
    if (plan.border == BorderMode::constant) text += fmt::format(" {:g}", plan.outside);
  }
  if (plan.finish.min > 0)
    text += fmt::format(", clamped to {}..{}", plan.finish.min, plan.finish.max);
  text += '\n';
  if (plan.kernels() > 1)
    text += fmt::format("    {} kernels, combined by {}\n", plan.kernels(),
                        name_of(plan.finish.combine));
  if (plan.finish.combine == Combine::unsharp)
    text += fmt::format("    threshold {:.6g} codes\n",
                        plan.finish.real_threshold / plan.finish.real_divisor);
  if (plan.finish.real_offset != 0)
    text +=
        fmt::format("    then {:+.6g} codes\n", plan.finish.real_offset / plan.finish.real_divisor);
  if (plan.finish.absolute) text += "    then its absolute value\n";
  if (plan.over_time && plan.plane_rows() > 0) return text + describe_volume(plan);
  auto kernel = filter.kernels.begin();
  for (auto from = plan.terms.begin(); from != plan.terms.end();) {
    const auto to =
        std::find_if(from + 1, plan.terms.end(), [](const Taps& t) { return !t.joins; });
    text += describe_kernel(plan, *kernel++, {from, to});
    from = to;
  }
  return text;
}

std::string describe_part(const FilterSpec& where, const VideoInfo& video) {
  if (where.acts_in_boxes()) return "    in the boxes of each frame; all else stays as it is\n";
  if (const auto& edges = where.place().edges())
    return fmt::format("    by the weights that {} makes of each picture\n",
                       printable(edges->text()));
  if (const std::string& mask = where.place().mask_video(); !mask.empty())
    return fmt::format("    by the weights that the video {} has for each picture\n",
                       printable(mask));
  const PicturePart part = where.place_in(video.width, video.height);
  if (const auto& level = where.place().level(); level && level->number > 0)
    return fmt::format("    level {} of {}, on {:.3g}% of the pixels, by weight\n", level->number,
                       level->count, 100 * part.pixels() / video.width / video.height);
  return fmt::format("    on {:.3g}% of the pixels{}; all others stay as they are\n",
                     100 * part.pixels() / video.width / video.height,
                     part.weights ? ", by weight" : "");
}

// Describes the filters of `work` and their steps. `variants` has one name for each step.
std::string describe_work(const Work& work, const VideoInfo& video,
                          std::span<const std::string> variants) {
  std::string text;
  for (std::size_t link = 0; link < work.links.size(); ++link) {
    text += fmt::format("filter  {}\n", printable(work.links[link].text));
    for (std::size_t i = 0; i < work.steps.size(); ++i) {
      const Step& step = work.steps[i];
      if (step.link != link) continue;
      text += fmt::format("  {}: {} by {}\n", component_names(work, step), name_of(step.action),
                          variants[i]);
      if (step.where) text += describe_part(*step.where, video);
      const bool fills = step.action == Action::fill && work.links[link].fill;
      if (step.action == Action::filter || fills) text += describe_plan(step.plan, step.filter);
      if (step.light) text += fmt::format("    {}\n", describe(*step.light));
    }
  }
  return text;
}

// Describes each set of filters that act together on some frame; of many sets only the first ones.
std::string describe_cases(const TimedWork& timed, const VideoInfo& video,
                           std::span<const std::string> variants) {
  constexpr std::size_t most = 8;
  const std::size_t count = timed.cases().size();
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const Work& work = timed.cases()[i];
    const auto its_variants = variants.first(work.steps.size());
    variants = variants.subspan(work.steps.size());
    if (count > most && i == most - 1)
      text += fmt::format("frames  with other values: {} more sets of filters\n", count - most);
    if (i + 1 >= most && i + 1 < count) continue;
    if (work.links.empty())
      text +=
          "frames  on which no filter acts: passed on as they are, neither computed nor copied\n";
    else if (count > 1)
      text += fmt::format("frames  on which {}:\n", work.links.size() == 1
                                                        ? "one filter acts alone"
                                                        : "these filters act together");
    text += describe_work(work, video, its_variants);
  }
  return text;
}

// Says which frames go to which of several devices, and the NUMA node of the memory they copy from
// and to.
std::string describe_devices(const std::vector<DeviceUse>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::string about;
    if (devices.size() > 1) about = fmt::format("frames {} + {}k", i, devices.size());
    if (devices[i].node)
      about += fmt::format("{}memory of the host's NUMA node {}", about.empty() ? "" : ", ",
                           *devices[i].node);
    if (!about.empty()) text += fmt::format("  cuda:{}: {}\n", devices[i].index, about);
  }
  return text;
}

// Describes the copies between host and device that each frame needs.
std::string copies(bool decoded_there, bool encoded_there, bool filtered_there, bool shared) {
  if (!filtered_there)
    return "none: frames are decoded into, filtered from and encoded from one memory";
  if (decoded_there)
    return encoded_there ? "none over the bus: NVDEC decodes and NVENC encodes on the device"
                         : "one from the device per frame; NVDEC decodes there";
  return fmt::format("one to the device{}{} per frame{}", shared ? " for all outputs" : "",
                     encoded_there ? "" : " and one from it",
                     encoded_there ? "; NVENC encodes there" : "");
}

}  // namespace

std::string component_names(const Work& work, const Step& step) {
  const bool in_scratch =
      step.from != Place::input && step.to != Place::output && step.to != Place::codes;
  const PixelFormat& format = in_scratch ? *work.scratch_format : *work.format;
  std::string names;
  for (std::size_t i : step.components) {
    if (!names.empty()) names += ' ';
    names += format.components[i].name;
  }
  return names;
}

std::string describe_video(const VideoInfo& video) {
  std::string text = fmt::format("{}x{} {}", video.width, video.height, video.format->name);
  if (video.range != AVCOL_RANGE_UNSPECIFIED)
    text += fmt::format(", {} range", video.range == AVCOL_RANGE_JPEG ? "full" : "limited");
  if (video.frame_rate.num > 0) text += fmt::format(", {:.6g} frames/s", av_q2d(video.frame_rate));
  if (video.frames) text += fmt::format(", {} frames", *video.frames);
  return text;
}

std::string explain(const LatencyLimits& limits) {
  return fmt::format(
      "latency {:g} ms from the decoder to the output: {} frames at most are on their way, {} "
      "wait; "
      "what would be late is dropped and counted; decoder and encoder begin no frame before they "
      "are done with the last\n",
      1e3 * limits.seconds, limits.in_flight, limits.waiting);
}

std::string explain(const std::string& input, const VideoInfo& video, bool decoded_there,
                    bool encoded_there, bool shared_uploads, const TimedWork& work,
                    const Processor& processor, int slots) {
  std::string text = fmt::format("input   {}: {}\n", printable(input), describe_video(video));
  text += fmt::format("device  {}\n", processor.device());
  const std::vector<DeviceUse> devices = processor.devices();
  text += describe_devices(devices);

  const std::vector<std::string> all = processor.variants();
  std::span<const std::string> variants = all;
  for (const TimedWork* one : stages_of(work)) {
    std::size_t steps = 0;
    for (const Work& of_case : one->cases()) steps += of_case.steps.size();
    text += describe_cases(*one, video, variants.first(steps));
    variants = variants.subspan(steps);
  }
  if (const FrameReach reach = work.reach(); !reach.none())
    text += fmt::format("window  {} frames before and {} after each are held: {:.1f} MiB\n",
                        reach.before, reach.after,
                        mebibytes(static_cast<std::size_t>(reach.before + 1 + reach.after) *
                                  packed_bytes(*video.format, video.width, video.height)));

  const MemoryUse memory = processor.memory();
  text += fmt::format(
      "memory  {} frames in flight{}: {:.1f} MiB of host memory for filtered frames, "
      "{:.1f} MiB on the device; as much again for decoded frames and what the "
      "decoder refers to\n",
      slots, devices.size() > 1 ? " on each device" : "", mebibytes(memory.host),
      mebibytes(memory.device));
  text += fmt::format("copies  {}\n",
                      copies(decoded_there, encoded_there, memory.device > 0, shared_uploads));
  return text;
}

}  // namespace vidconv
