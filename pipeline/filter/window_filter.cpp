#include "pipeline/filter/window_filter.h"

#include "pipeline/filter/window_steps.h"

namespace vidconv {
namespace {

class CpuWindowFilter final : public WindowFilter {
 public:
  CpuWindowFilter(const TimedWork& work, int width, int height, const ProcessorOptions& options)
      : steps_(work, width, height, options, plain_memory,
               [](std::span<const PlaceOfPlane> picture, int) { return picture; }) {}

  void run(const PictureWindow& window, bool goes_on, std::span<const PlaceOfPlane> to,
           CudaStream) override {
    steps_.run(window, goes_on, to, nullptr);
  }
  const std::vector<std::string>& variants() const override { return steps_.variants(); }
  std::size_t memory() const override { return steps_.memory(); }

 private:
  WindowSteps steps_;
};

}  // namespace

std::unique_ptr<WindowFilter> make_window_filter(const TimedWork& work, int width, int height,
                                                 const ProcessorOptions& options,
                                                 const PictureMemory& memory) {
  if (options.device == Device::cuda)
    return make_cuda_window_filter(work, width, height, options, memory);
  return std::make_unique<CpuWindowFilter>(work, width, height, options);
}

}  // namespace vidconv
