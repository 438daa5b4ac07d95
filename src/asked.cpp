#include "src/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/base/names.h"
#include "kernels/convolver/usable_threads.h"
#include "kernels/study/study.h"
#include "kernels/variants/variants.h"
#include "pipeline/base/printable.h"
#include "pipeline/device/cuda.h"
#include "pipeline/filter/light.h"
#include "src/option_values.h"

namespace vidconv {
namespace {

Codes codes(const Options& options, const VideoInfo& video, const Notify& notify_user) {
  if (!options.clamp_range) return Codes::all;
  if (is_limited_range(video)) return Codes::limited;
  notify(notify_user, Message::no_effect, "--range clamp changes nothing: the video is full range");
  return Codes::all;
}

}  // namespace

int threads(const Options& options) {
  return options.threads > 0 ? options.threads : usable_threads();
}

const Variant& variant_named(std::string_view name) {
  if (const Variant* variant = find_any_variant(name)) return *variant;
  std::vector<std::string_view> names;
  for (const std::span<const Variant> table : {variants(), study_variants()})
    for (const Variant& variant : table) names.push_back(variant.name);
  throw Error(Fault::usage, "there is no such variant", std::string(name),
              "this build has no variant of that name" + did_you_mean(name, names),
              "leave the variant to vidconv, or see --list-variants");
}

std::string device_word(const Options& options) {
  if (options.device != "auto" || options.variant.empty()) return options.device;
  return variant_named(options.variant).device == Device::cpu ? "cpu" : "cuda";
}

bool decodes_on_device(const Options& options) { return options.decoder.starts_with("nvdec"); }

int slots(const Options& options, const DeviceChoice& device, const VideoInfo& video) {
  if (options.slots > 0) return options.slots;
  return default_slots(device.device, *video.format, video.width, video.height);
}

PlaneSelection planes(const Options& options) {
  if (options.planes.empty()) return {};
  try {
    return PlaneSelection::parse(options.planes);
  } catch (const std::invalid_argument& error) {
    throw Error(Message::filter_spec, "--planes", shortened(options.planes, longest_value),
                error.what(), "see --help");
  }
}

Work work_for(const Options& options, const VideoInfo& video, const Notify& notify) {
  if (!options.linear)
    return make_work(options.filters, *video.format, planes(options), options.border,
                     codes(options, video, notify));
  if (!options.planes.empty())
    throw Error(Fault::usage, "--planes", options.planes,
                "filters in linear light act on all colours", "leave out --planes or --linear");
  return make_light_work(options.filters, *video.format, options.border,
                         make_light_plan(video, codes(options, video, notify), notify));
}

SourceOptions source_options(const Options& options, const Notify& notify) {
  SourceOptions o;
  o.raw = options.raw;
  o.format = options.input_format;
  o.insecure = options.insecure;
  if (options.start > 0) o.start = options.start;
  o.duration = options.duration;
  o.frames = options.frames;
  o.video = options.video;
  if (o.video == 0 && (options.benchmark_seconds || options.gallery)) {
    o.video = 1;
    notify(Message::no_effect, "--video all: this is of the first video, others by --video N");
  }
  o.strict = options.strict;
  o.timeout = options.timeout;
  o.max_pixels = options.max_pixels;
  o.threads = options.threads;
  // Before the device is known: pinned memory is plain memory where there is none.
  if (!options.gallery && device_word(options) != "cpu" && has_cuda_driver())
    o.memory = pinned_memory;
  o.notify = notify;
  return o;
}

SinkOptions sink_options(const Options& options, const Notify& notify) {
  SinkOptions o;
  o.format = options.output_format;
  o.encoder.codec = options.codec;
  if (options.crf) o.encoder.crf = fmt::format("{}", *options.crf);
  o.encoder.preset = options.preset;
  o.encoder.bitrate = options.bitrate;
  o.encoder.pixel_format = options.pixel_format;
  o.audio = options.audio;
  o.muxer_options = options.muxer_options;
  o.encoder.own = options.encoder_options;
  o.overwrite = options.overwrite;
  // Encoders count CPUs themselves, and know nothing of quotas.
  o.encoder.threads = options.threads > 0 || usable_cpus().by_quota ? threads(options) : 0;
  o.notify = notify;
  if (options.strict)
    o.lose = [](Message kind, const std::string& loss) {
      if (kind == Message::damaged)
        throw Error(kind, "the input is damaged", "", loss, "without --strict the rest is kept");
      throw Error(Message::strict, "--strict", "", loss, "without it the rest is kept");
    };
  return o;
}

ProcessorOptions processor_options(const Options& options, const DeviceChoice& device,
                                   const VideoInfo& video, Trace* trace) {
  ProcessorOptions o;
  o.device = device.device;
  o.device_index = device.index;
  o.slots = slots(options, device, video);
  o.trace = trace;
  if (options.scan == "progressive") o.scan = Scan::progressive;
  if (options.scan == "interlaced") o.scan = Scan::interlaced;
  if (!options.variant.empty()) o.variant = &variant_named(options.variant);
  o.threads = threads(options);
  return o;
}

ProcessorOptions verifying_options(const Options& options, const DeviceChoice& device,
                                   const VideoInfo& video) {
  ProcessorOptions o = processor_options(options, device, video, nullptr);
  o.slots = 1;
  const bool on_cpu = o.device == Device::cpu;
  o.second_opinion = on_cpu && cuda_devices().devices.empty();
  if (!o.second_opinion) {
    o.variant = nullptr;
    o.device = on_cpu ? Device::cuda : Device::cpu;
  }
  return o;
}

}  // namespace vidconv
