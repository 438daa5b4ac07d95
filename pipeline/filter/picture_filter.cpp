#include "pipeline/filter/picture_filter.h"

#include <algorithm>
#include <utility>

#include "kernels/convolver/packed.h"
#include "pipeline/filter/picture_steps.h"

namespace vidconv {
namespace {

constexpr std::size_t own_row_alignment = 64;  // bytes, of pictures of our own

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

}  // namespace

std::vector<PlaneExtent> extents_of_planes(const PixelFormat& format, int width, int height) {
  std::vector<PlaneExtent> extents;
  for (int p = 0; p < format.planes; ++p)
    extents.push_back(extent_of_plane(format, p, width, height));
  return extents;
}

PictureSteps::PictureSteps(Work work, int width, int height, const ProcessorOptions& options,
                           const FrameMemory& memory)
    : work_(std::move(work)),
      width_(width),
      height_(height),
      threads_(options.threads),
      by_field_(options.scan == Scan::interlaced) {
  std::size_t most = 0;
  for (const Step& step : work_.steps) most = std::max(most, step.components.size());
  turns_.resize(work_.steps.size());
  for (Turn& turn : turns_) turn.pairs.reserve(2 * (most + 1 + most_packed));  // two fields
  for (const PreparedStep& step : prepare_steps(work_, options)) {
    variants_.emplace_back(step.variant);
    convolvers_.push_back(step.convolver(options.threads));
  }
  std::vector<const Convolver*> convolvers;
  for (const auto& convolver : convolvers_) convolvers.push_back(convolver.get());
  step_planes_ = planes_of_steps(work_, width_, convolvers);
  parts_ = make_region_steps(work_, width_, height_, options, places_);
  planes_.reserve(most + 1);  // and weights
  components_.reserve(work_.format->components.size());
  const int pictures = work_.scratch_frames() + (work_.has_regions() ? 1 : 0);
  scratch_.reserve(static_cast<std::size_t>(pictures));
  for (int i = 0; i < pictures; ++i)
    scratch_.emplace_back(*work_.scratch_format, width_, height_, memory,
                          "for what lies between two filters");
  if (work_.brings_codes())
    codes_.emplace(*work_.format, width_, height_, memory, "for codes that are made of light");
}

OwnPicture::OwnPicture(const PixelFormat& format, int width, int height, const FrameMemory& memory,
                       const char* what)
    : planes(static_cast<std::size_t>(format.planes)) {
  const std::vector<PlaneExtent> extents = extents_of_planes(format, width, height);
  std::vector<std::size_t> offsets;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const auto row = static_cast<std::size_t>(extents[p].row_bytes);
    std::size_t stride = (row + own_row_alignment - 1) / own_row_alignment * own_row_alignment;
    while (memory.rows == Rows::apart && rows_crowd(stride)) stride += own_row_alignment;
    planes[p].stride = static_cast<std::ptrdiff_t>(stride);
    offsets.push_back(bytes);
    bytes += stride * static_cast<std::size_t>(extents[p].rows);
  }
  bytes += own_row_alignment;
  memory_ = {memory.allocate(bytes, memory.nodes), Release{memory.release}};
  if (!memory_) throw_out_of_memory(what);
  for (std::size_t p = 0; p < planes.size(); ++p) planes[p].data = memory_.get() + offsets[p];
}

std::size_t PictureSteps::memory() const {
  std::size_t bytes = places_.bytes();
  for (const OwnPicture& picture : scratch_) bytes += picture.bytes;
  return bytes + (codes_ ? codes_->bytes : 0);
}

BytePlane component_of(std::span<const PlaceOfPlane> picture, const PixelFormat& format, int width,
                       int height, std::size_t component) {
  const Component& c = format.components[component];
  const PlaceOfPlane& place = picture[static_cast<std::size_t>(c.plane)];
  return {.data = place.data + format.offset_of(c, width),
          .stride = place.stride,
          .width = format.width_of(c, width),
          .height = format.height_of(c, height),
          .step = c.step};
}

void PictureSteps::set_frames(std::span<const TimeFrame> taps, const TimeFrame& here,
                              const TimeFrame& before) {
  for (std::size_t s = 0; s < work_.steps.size(); ++s)
    if (work_.steps[s].plan.operation() == Operation::over_time)
      dynamic_cast<TimeConvolver&>(*convolvers_[s]).set_frames(taps, here, before);
}

void PictureSteps::run(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to,
                       CudaStream stream) {
  const auto component = [&](Place place, std::size_t i) {
    switch (place) {
      case Place::input:
        return component_of(from, *work_.format, width_, height_, i);
      case Place::output:
        return component_of(to, *work_.format, width_, height_, i);
      case Place::codes:
        return component_of(codes_->planes, *work_.format, width_, height_, i);
      default:
        return component_of(scratch_[place == Place::scratch0 ? 0 : 1].planes,
                            *work_.scratch_format, width_, height_, i);
    }
  };
  components_.clear();
  for (std::size_t i = 0; work_.has_regions() && i < work_.format->components.size(); ++i)
    components_.push_back(component(Place::input, i).as<const std::byte>());
  for (std::size_t s = 0; s < work_.steps.size(); ++s) {
    const Step& step = work_.steps[s];
    if (parts_[s]) {
      parts_[s]->set_picture(components_, by_field_, stream);
      planes_.clear();
      for (const std::size_t i : step.components)
        planes_.push_back(
            {component(step.from, i).as<const std::byte>(), component(step.to, i),
             step.action == Action::bring_codes
                 ? component(Place::codes, i)
                 : component_of(scratch_.back().planes, *work_.scratch_format, width_, height_, i),
             step.adds});
      if (step.weights)
        planes_.push_back({component(step.from, *step.weights).as<const std::byte>(), {}, {}});
      parts_[s]->run(*convolvers_[s], planes_, by_field_, stream, parts_[s]->now());
      continue;
    }
    const std::size_t in_turn = step_planes_[s].in_turn;
    for (std::size_t i = 0; i < in_turn; ++i) {
      const Step& one = work_.steps[s + i];
      turns_[i].convolver = convolvers_[s + i].get();
      set_pairs(
          step_planes_[s + i],
          [&](std::size_t c) { return component(one.from, c).as<const std::byte>(); },
          [&](std::size_t c) { return component(one.to, c); }, by_field_ && !one.light,
          turns_[i].pairs);
    }
    run_in_turn(std::span(turns_).first(in_turn), threads_, stream);
    s += in_turn - 1;
  }
}

std::unique_ptr<PictureFilter> make_picture_filter(Work work, int width, int height,
                                                   const ProcessorOptions& options,
                                                   const PictureMemory& memory) {
  if (options.device == Device::cuda)
    return make_cuda_picture_filter(std::move(work), width, height, options, memory);
  return make_cpu_picture_filter(std::move(work), width, height, options);
}

std::unique_ptr<PictureFilter> make_cpu_picture_filter(Work work, int width, int height,
                                                       const ProcessorOptions& options) {
  return std::make_unique<CpuPictureFilter>(std::move(work), width, height, options);
}

}  // namespace vidconv
