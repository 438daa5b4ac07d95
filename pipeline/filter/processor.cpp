#include "pipeline/filter/processor.h"

#include <algorithm>
#include <utility>

#include "kernels/picture/rect.h"
#include "kernels/variants/variants.h"
#include "pipeline/device/cuda.h"
#include "pipeline/filter/processors_dealt.h"

namespace vidconv {
namespace {

constexpr const char* remedy = "leave the variant to vidconv, or see `variants`";

// Throws unless the named variant can be used here, on pictures of this size.
void check_variant(int width, int height, const ProcessorOptions& options) {
  const Variant& variant = *options.variant;
  const std::string name(variant.name);
  if (variant.device != options.device)
    throw Error(Fault::usage, "cannot use the variant", name,
                variant.device == Device::cpu ? "it takes frames in the memory of the CPU"
                                              : "it runs on a CUDA device",
                variant.device == Device::cpu ? "use `device` cpu" : "use `device` cuda");
  if (variant.uses_cuda)
    if (const CudaDevices found = cuda_devices(); found.devices.empty())
      throw Error(Fault::device, "cannot use the variant", name, found.why_none, remedy);
  if (!variant.takes(width, height))
    throw Error(Fault::usage, "cannot use the variant", name,
                "it takes pictures of at most " + std::to_string(variant.largest) + "x" +
                    std::to_string(variant.largest) + ", and these are " + std::to_string(width) +
                    "x" + std::to_string(height),
                remedy);
}

// There is one way to convert linear light on each device; in the table of variants, which compute
// plans, it has no place.
PreparedStep prepare_light(const Step& step, Device device) {
  const LightStep way = step.action == Action::to_light ? LightStep::to_light : LightStep::to_codes;
  if (device == Device::cuda)
    return {"cuda-light", [light = *step.light, way](int) { return make_cuda_light(light, way); }};
  return {"cpu-light",
          [light = *step.light, way](int threads) { return make_cpu_light(light, way, threads); }};
}

// Codes that are brought into a place lie beside the picture already.
class NothingToDo final : public Convolver {
 public:
  void run(std::span<const PlanePair>, CudaStream) override {}
};

PreparedStep prepare_named(const Variant& variant, const Work& work, const Step& step,
                           const CudaAbilities& abilities) {
  if (Prepared convolver = variant.prepare(step.plan, abilities))
    return {variant.name, std::move(convolver)};
  throw Error(Fault::usage, "cannot use the variant", std::string(variant.name),
              "it cannot compute '" + work.links[step.link].text + "' on " +
                  std::to_string(step.plan.sample.depth) + "-bit samples" +
                  (variant.needs.empty() ? "" : "; it needs " + std::string(variant.needs)),
              remedy);
}

// Prepares the step with another variant of the CPU; returns `usual` if only that can compute it.
PreparedStep prepare_another(PreparedStep usual, const Step& step) {
  for (const Variant& other : variants()) {
    if (other.device != Device::cpu || other.name == usual.variant) continue;
    if (Prepared convolver = other.prepare(step.plan, {}))
      return {other.name, std::move(convolver)};
  }
  return usual;
}

}  // namespace

int default_slots(Device device, const PixelFormat& format, int width, int height) {
  constexpr std::size_t in_flight = 144 << 20;  // bytes: 48 frames of 1920x1080 with 8 bits
  constexpr std::size_t least = 4, most = 48;
  if (is_huge(format.id, width, height)) return 1;
  if (device != Device::cuda) return least;
  return static_cast<int>(std::clamp(in_flight / packed_bytes(format, width, height), least, most));
}

std::unique_ptr<Processor> make_processor(TimedWork work, int width, int height,
                                          const ProcessorOptions& options) {
  if (options.variant) check_variant(width, height, options);
  const bool one = options.devices.size() <= 1 && options.stand_ins.empty();
  if (options.device != Device::cpu && is_for_cpu(work))
    throw Error(Fault::device, "cannot filter on the device", "", "that runs on the CPU",
                "use `device` auto or cpu");
  const auto make = options.device == Device::cpu
                        ? (is_staged(work) ? make_staged_processor : make_cpu_processor)
                    : one && !options.cpu_stands_in ? make_cuda_processor
                                                    : make_dealing_processor;
  auto filter = make(work, width, height, options);
  if (!work.leaves_out()) return filter;
  return make_passing_processor(std::move(filter), std::move(work), options);
}

PreparedStep prepare_step(const Work& work, const Step& step, const ProcessorOptions& options) {
  if (step.light) return prepare_light(step, options.device);
  if (step.action == Action::bring_codes)
    return {options.device == Device::cuda ? "cuda-copy" : "cpu-copy",
            [](int) { return std::make_unique<NothingToDo>(); }};
  const CudaAbilities abilities =
      options.device == Device::cuda ? cuda_abilities(options.device_index) : CudaAbilities{};
  const bool filters = step.action == Action::filter;
  const auto best = [&]() -> PreparedStep {
    Choice choice = pick(step.plan, options.device, abilities);
    return {choice.variant->name, std::move(choice.convolver)};
  };
  PreparedStep usual =
      filters && options.variant ? prepare_named(*options.variant, work, step, abilities) : best();
  const bool another = filters && options.second_opinion && options.device == Device::cpu;
  return another ? prepare_another(std::move(usual), step) : usual;
}

std::vector<PreparedStep> prepare_steps(const Work& work, const ProcessorOptions& options) {
  std::vector<PreparedStep> prepared;
  for (const Step& step : work.steps) prepared.push_back(prepare_step(work, step, options));
  return prepared;
}

bool filters_by_field(const Frame& frame, Scan scan) {
  return scan == Scan::automatic ? is_interlaced(frame.av()) : scan == Scan::interlaced;
}

std::vector<Frame> copies_of(const Frame& frame, const FrameLayout& layout) {
  constexpr std::size_t most = 8, most_bytes = 256 << 20;
  FramePool pool(layout, plain_memory);
  const std::size_t count = std::clamp<std::size_t>(most_bytes / layout.bytes, 1, most);
  std::vector<Frame> copies;
  while (copies.size() < count) {
    FramePtr av = pool.get();
    copy_properties(frame.av(), *av);
    av->format = frame.av().format;  // a format that lies in memory as the pool's
    check_av(av_frame_copy(av.get(), &frame.av()), Fault::internal, "cannot copy a frame");
    copies.emplace_back(std::move(av), frame);
  }
  return copies;
}

void add_pairs(ConstBytePlane from, BytePlane to, bool by_field, std::vector<PlanePair>& pairs) {
  if (!by_field) {
    pairs.push_back({from, to});
    return;
  }
  pairs.push_back({field_of(from, 0), field_of(to, 0)});
  if (from.height > 1) pairs.push_back({field_of(from, 1), field_of(to, 1)});
}

}  // namespace vidconv
