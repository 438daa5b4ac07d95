#include "pipeline/filter/picture_filter.h"

#include <algorithm>
#include <utility>

#include "pipeline/filter/picture_steps.h"

namespace vidconv {
namespace {

constexpr std::size_t scratch_alignment = 64;  // bytes, of scratch pictures

std::size_t scratch_stride(std::size_t bytes) {
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

class CpuPictureFilter final : public PictureFilter {
 public:
  CpuPictureFilter(Work work, int width, int height, const ProcessorOptions& options)
      : steps_(std::move(work), width, height, options, plain_memory) {}

  void run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
           CudaStream) override {
    steps_.run(from, to, nullptr);
  }
  const std::vector<std::string>& variants() const override { return steps_.variants(); }
  std::size_t memory() const override { return steps_.memory(); }

 private:
  PictureSteps steps_;
};

}  // namespace

PlaneExtent extent_of_plane(const PixelFormat& format, int p, int width, int height) {
  PlaneExtent extent;
  for (const Component& c : format.components) {
    if (c.plane != p) continue;
    const std::int64_t samples = format.width_of(c, width);
    if (samples == 0) continue;
    const std::int64_t end =
        format.offset_of(c, width) + ((samples - 1) * c.step + 1) * c.sample.bytes();
    extent.row_bytes = std::max(extent.row_bytes, end);
    extent.rows = std::max(extent.rows, format.height_of(c, height));
    extent.sample_bytes = c.sample.bytes();
  }
  return extent;
}

PictureSteps::PictureSteps(Work work, int width, int height, const ProcessorOptions& options,
                           const FrameMemory& memory)
    : work_(std::move(work)),
      width_(width),
      height_(height),
      by_field_(options.scan == Scan::interlaced) {
  std::size_t most = 0;
  for (const Step& step : work_.steps) most = std::max(most, step.components.size());
  pairs_.reserve(2 * most);  // two fields
  for (const PreparedStep& step : prepare_steps(work_, options)) {
    variants_.emplace_back(step.variant);
    convolvers_.push_back(step.convolver(options.threads));
  }
  for (int i = 0; i < work_.scratch_frames(); ++i) allocate_scratch(memory);
}

void PictureSteps::allocate_scratch(const FrameMemory& memory) {
  const PixelFormat& format = *work_.scratch_format;
  std::vector<PlaceOfPlane> planes(static_cast<std::size_t>(format.planes));
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const PlaneExtent extent = extent_of_plane(format, static_cast<int>(p), width_, height_);
    planes[p].stride =
        static_cast<std::ptrdiff_t>(scratch_stride(static_cast<std::size_t>(extent.row_bytes)));
    offsets.push_back(bytes);
    bytes += static_cast<std::size_t>(planes[p].stride) * static_cast<std::size_t>(extent.rows);
  }
  bytes += scratch_alignment;
  std::byte* const begin = memory.allocate(bytes, memory.nodes);
  if (!begin) throw_out_of_memory("for what lies between two filters");
  scratch_memory_.emplace_back(begin, Release{memory.release});
  scratch_bytes_ += bytes;
  for (std::size_t p = 0; p < planes.size(); ++p) planes[p].data = begin + offsets[p];
  scratch_.push_back(std::move(planes));
}

BytePlane PictureSteps::plane(std::span<const PlaceOfPlane> picture, const PixelFormat& format,
                              std::size_t component) const {
  const Component& c = format.components[component];
  const PlaceOfPlane& place = picture[static_cast<std::size_t>(c.plane)];
  return {.data = place.data + format.offset_of(c, width_),
          .stride = place.stride,
          .width = format.width_of(c, width_),
          .height = format.height_of(c, height_),
          .step = c.step};
}

void PictureSteps::run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
                       CudaStream stream) {
  const auto component = [&](Place place, std::size_t i) {
    switch (place) {
      case Place::input:
        return plane(from, *work_.format, i);
      case Place::output:
        return plane(to, *work_.format, i);
      default:
        return plane(scratch_[place == Place::scratch0 ? 0 : 1], *work_.scratch_format, i);
    }
  };
  for (std::size_t s = 0; s < work_.steps.size(); ++s) {
    const Step& step = work_.steps[s];
    pairs_.clear();
    for (const std::size_t i : step.components)
      add_pairs(component(step.from, i).as<const std::byte>(), component(step.to, i),
                by_field_ && !step.light, pairs_);
    convolvers_[s]->run(pairs_, stream);
  }
}

std::unique_ptr<PictureFilter> make_picture_filter(Work work, int width, int height,
                                                   const ProcessorOptions& options) {
  const auto make =
      options.device == Device::cpu ? make_cpu_picture_filter : make_cuda_picture_filter;
  return make(std::move(work), width, height, options);
}

std::unique_ptr<PictureFilter> make_cpu_picture_filter(Work work, int width, int height,
                                                       const ProcessorOptions& options) {
  return std::make_unique<CpuPictureFilter>(std::move(work), width, height, options);
}

}  // namespace vidconv
