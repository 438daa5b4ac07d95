#include "pipeline/processor.h"

#include <utility>

namespace vidconv {

std::unique_ptr<Processor> make_processor(Work work, int width, int height,
                                          const ProcessorOptions& options) {
  const auto make = options.device == Device::cuda ? make_cuda_processor : make_cpu_processor;
  return make(std::move(work), width, height, options);
}

const Variant& choose_variant(const Plan& plan, const ProcessorOptions& options) {
  if (options.variant.empty()) return pick(plan, options.device);
  const Variant* variant = find_variant(options.variant);
  if (!variant || variant->device != options.device)
    throw Error(Fault::usage, "there is no such variant for the device", options.variant, "");
  if (!variant->supports(plan))
    throw Error(Fault::usage, "the variant cannot compute this filter", options.variant, "");
  return *variant;
}

}  // namespace vidconv
