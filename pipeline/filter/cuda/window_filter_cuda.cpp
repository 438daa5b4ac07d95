// Window filters on CUDA devices: on the caller's stream, and for pictures in host memory.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "pipeline/device/cuda.h"
#include "pipeline/filter/cuda/caller_pictures_cuda.h"
#include "pipeline/filter/window_steps.h"

namespace vidconv {
namespace {

// Pictures of device memory in pinned memory, where the CPU compares two of them.
class ComparedPictures {
 public:
  ComparedPictures(const PixelFormat& format, int width, int height)
      : extents_(extents_of_planes(format, width, height)),
        sides_{OwnPicture(format, width, height, pinned_memory, purpose),
               OwnPicture(format, width, height, pinned_memory, purpose)} {}

  // Waits for the stream.
  std::span<const PlaceOfPlane> copy(std::span<const PlaceOfPlane> picture, int side,
                                     CudaStream stream) {
    std::vector<PlaceOfPlane>& places = places_.at(static_cast<std::size_t>(side));
    places = sides_.at(static_cast<std::size_t>(side)).planes;
    for (std::size_t p = 0; p < extents_.size(); ++p) {
      const auto [row_bytes, rows, sample_bytes] = extents_[p];
      // Copies take no stride below 0, and those of one row none below its bytes.
      const bool upwards = picture[p].stride < 0 && rows > 1;
      const std::ptrdiff_t stride = rows > 1 ? std::abs(picture[p].stride) : row_bytes;
      const std::byte* const lowest = picture[p].data - (upwards ? stride * (rows - 1) : 0);
      check_cuda(
          cudaMemcpy2DAsync(places[p].data, static_cast<std::size_t>(places[p].stride), lowest,
                            static_cast<std::size_t>(stride), static_cast<std::size_t>(row_bytes),
                            static_cast<std::size_t>(rows), cudaMemcpyDefault, stream),
          "cannot download a picture");
      if (!upwards) continue;
      places[p].data += places[p].stride * (rows - 1);
      places[p].stride = -places[p].stride;
    }
    check_cuda(cudaStreamSynchronize(stream), "cannot download a picture");
    return places;
  }
  std::size_t memory() const { return 2 * sides_[0].bytes; }

 private:
  static constexpr const char* purpose = "for pictures that are compared";

  const std::vector<PlaneExtent> extents_;
  const std::array<OwnPicture, 2> sides_;
  std::array<std::vector<PlaceOfPlane>, 2> places_;  // the sides' planes, turned as the pictures'
};

bool compares_pictures(const TimedWork& work) {
  return std::ranges::any_of(stages_of(work), [](const TimedWork* stage) {
    return stage->is_over_time() && stage->over_time().cut;
  });
}

class CudaWindowFilter final : public WindowFilter {
 public:
  // The device must be current.
  CudaWindowFilter(const TimedWork& work, int width, int height, const ProcessorOptions& options,
                   bool halves)
      : halves_(halves ? std::make_unique<HalvesOnDevice>(work.format(), width, height) : nullptr),
        compared_(compares_pictures(work)
                      ? std::make_unique<ComparedPictures>(work.format(), width, height)
                      : nullptr),
        steps_(as_device_error(use_cpu,
                               [&] {
                                 return std::make_unique<WindowSteps>(
                                     work, width, height, options, device_memory,
                                     [this](std::span<const PlaceOfPlane> picture, int side) {
                                       return compared_->copy(picture, side, stream_);
                                     });
                               })),
        runs_(options.device_index) {}

  void run(const PictureWindow& window, bool goes_on, std::span<const PlaceOfPlane> to,
           CudaStream stream) override {
    stream_ = stream;
    runs_.run(window.planes, to, stream, [&] {
      if (!halves_) return steps_->run(window, goes_on, to, stream);
      PictureWindow floats = window;
      floats.planes = halves_->floats_of(window.planes, stream);
      steps_->run(floats, goes_on, halves_->result(), stream);
      halves_->store(to, stream);
    });
  }
  const std::vector<std::string>& variants() const override { return steps_->variants(); }
  std::size_t memory() const override {
    return steps_->memory() + (halves_ ? halves_->memory() : 0) +
           (compared_ ? compared_->memory() : 0);
  }

 private:
  const std::unique_ptr<HalvesOnDevice> halves_;      // null for other samples
  const std::unique_ptr<ComparedPictures> compared_;  // null where nothing is compared
  CudaStream stream_ = nullptr;                       // the current run's
  const std::unique_ptr<WindowSteps> steps_;
  QueuedRuns runs_;  // waits for their work before the memory goes
};

// Pictures in the host's memory, copied through pinned memory. Those of a video that goes on are
// copied to the device once.
class HostedWindowFilter final : public WindowFilter {
 public:
  // The device must be current.
  HostedWindowFilter(const TimedWork& work, int width, int height, const ProcessorOptions& options)
      : device_(options.device_index),
        format_(work.format()),
        width_(width),
        height_(height),
        extents_(extents_of_planes(format_, width, height)),
        pinned_(format_, width, height, pinned_memory, "for a picture on its way"),
        to_(format_, width, height, device_memory, on_device),
        filter_(std::make_unique<CudaWindowFilter>(work, width, height, options, false)) {}

  void run(const PictureWindow& window, bool goes_on, std::span<const PlaceOfPlane> to,
           CudaStream) override {
    const CurrentDevice current(device_);
    const std::int64_t pictures = std::ssize(window.planes) / std::ssize(extents_);
    forget([&](std::int64_t number) {
      return !goes_on || number < window.first || number >= window.first + pictures;
    });
    try {
      places_.clear();
      for (std::int64_t i = 0; i < pictures; ++i) {
        const OwnPicture& there = upload(
            window.first + i,
            window.planes.subspan(static_cast<std::size_t>(i) * extents_.size(), extents_.size()));
        places_.insert(places_.end(), there.planes.begin(), there.planes.end());
      }
      filter_->run({.result = window.result, .first = window.first, .planes = places_}, goes_on,
                   to_.planes, stream_.get());
      stream_.download(pinned_.data(), to_.data(), pinned_.bytes);
      stream_.synchronise();
    } catch (...) {
      cudaStreamSynchronize(stream_.get());  // pinned memory may still be read
      forget([](std::int64_t) { return true; });
      throw;
    }
    copy_rows(extents_, pinned_.planes, to);
  }
  const std::vector<std::string>& variants() const override { return filter_->variants(); }
  std::size_t memory() const override {
    return filter_->memory() + pinned_.bytes + to_.bytes * (1 + held_.size() + spare_.size());
  }

 private:
  static constexpr const char* on_device = "for a picture on the device";

  // Makes room of the pictures whose numbers `is_over` says yes to. The device has done its work.
  template <class IsOver>
  void forget(const IsOver& is_over) {
    for (auto held = held_.begin(); held != held_.end();) {
      const auto next = std::next(held);
      if (is_over(held->first)) {
        if (held->second) spare_.push_back(std::move(held->second));
        held_.erase(held);
      }
      held = next;
    }
  }

  const OwnPicture& upload(std::int64_t number, std::span<const PlaceOfPlane> picture) {
    std::unique_ptr<OwnPicture>& place = held_[number];
    if (place) return *place;
    if (spare_.empty()) {
      place = std::make_unique<OwnPicture>(format_, width_, height_, device_memory, on_device);
    } else {
      place = std::move(spare_.back());
      spare_.pop_back();
    }
    stream_.synchronise();  // the picture before this one has left pinned memory
    copy_rows(extents_, picture, pinned_.planes);
    stream_.upload(place->data(), pinned_.data(), pinned_.bytes);
    return *place;
  }

  const int device_;
  const PixelFormat& format_;
  const int width_, height_;
  const std::vector<PlaneExtent> extents_;
  const OwnPicture pinned_, to_;
  std::map<std::int64_t, std::unique_ptr<OwnPicture>> held_;  // by number
  std::vector<std::unique_ptr<OwnPicture>> spare_;
  std::vector<PlaceOfPlane> places_;  // the window's planes on the device
  const Stream stream_;
  const std::unique_ptr<CudaWindowFilter> filter_;  // waits for its work before the memory goes
};

}  // namespace

std::unique_ptr<WindowFilter> make_cuda_window_filter(const TimedWork& work, int width, int height,
                                                      const ProcessorOptions& options,
                                                      const PictureMemory& memory) {
  check_there_is_device(options.device_index);
  const CurrentDevice current(options.device_index);
  if (memory.hosted) return std::make_unique<HostedWindowFilter>(work, width, height, options);
  return std::make_unique<CudaWindowFilter>(work, width, height, options, memory.halves);
}

}  // namespace vidconv
