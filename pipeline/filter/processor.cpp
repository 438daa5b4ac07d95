#include "pipeline/filter/processor.h"

#include <utility>

#include "kernels/variants/variants.h"
#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

constexpr const char* remedy = "leave the variant to vidconv, or see `variants`";

// The named variant can do all that is asked of it.
void check_variant(const Work& work, int width, int height, const ProcessorOptions& options) {
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
  for (const Step& step : work.steps)
    if (step.action == Action::filter && !variant.supports(step.plan))
      throw Error(Fault::usage, "cannot use the variant", name,
                  "it cannot compute '" + work.links[step.link].text + "' on " +
                      std::to_string(step.plan.sample.depth) + "-bit samples" +
                      (variant.needs.empty() ? "" : "; it needs " + std::string(variant.needs)),
                  remedy);
}

// There is one way to convert linear light on each device; in the table of variants, which compute
// plans, it has no place.
constexpr Variant cpu_light{"cpu-light", "linear light; threads", Device::cpu, nullptr, nullptr};
constexpr Variant cuda_light{"cuda-light", "linear light", Device::cuda, nullptr, nullptr};

}  // namespace

int default_slots(Device device, const PixelFormat& format, int width, int height) {
  constexpr std::size_t small = 8 << 20;  // bytes: a little more than 1920x1080 at 16 bits
  if (is_huge(format.id, width, height)) return 1;
  return device == Device::cuda && packed_bytes(format, width, height) <= small ? 16 : 4;
}

std::unique_ptr<Processor> make_processor(Work work, int width, int height,
                                          const ProcessorOptions& options) {
  if (options.variant) check_variant(work, width, height, options);
  const auto make = options.device == Device::cuda ? make_cuda_processor : make_cpu_processor;
  return make(std::move(work), width, height, options);
}

const Variant& choose_variant(const Step& step, const ProcessorOptions& options) {
  if (step.light) return options.device == Device::cuda ? cuda_light : cpu_light;
  const bool named = options.variant && step.action == Action::filter;
  const Variant& usual = named ? *options.variant : pick(step.plan, options.device);
  if (!options.second_opinion || step.action != Action::filter) return usual;
  for (const Variant& other : variants())
    if (other.device == Device::cpu && other.name != usual.name && other.supports(step.plan))
      return other;
  return usual;  // the definition itself
}

bool filters_by_field(const Frame& frame, Scan scan) {
  return scan == Scan::automatic ? is_interlaced(frame.av()) : scan == Scan::interlaced;
}

void add_pairs(ConstBytePlane from, BytePlane to, bool by_field, std::vector<PlanePair>& pairs) {
  if (!by_field) {
    pairs.push_back({from, to});
    return;
  }
  const auto field = [](auto plane, int which) {
    plane.data = plane.row(which);
    plane.stride *= 2;
    plane.height = (plane.height + 1 - which) / 2;
    return plane;
  };
  pairs.push_back({field(from, 0), field(to, 0)});
  if (from.height > 1) pairs.push_back({field(from, 1), field(to, 1)});
}

std::unique_ptr<Convolver> make_convolver(const Step& step, const ProcessorOptions& options) {
  if (!step.light) return choose_variant(step, options).make(step.plan, options.threads);
  const LightStep way = step.action == Action::to_light ? LightStep::to_light : LightStep::to_codes;
  return options.device == Device::cuda ? make_cuda_light(*step.light, way)
                                        : make_cpu_light(*step.light, way, options.threads);
}

}  // namespace vidconv
