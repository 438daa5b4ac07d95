// Makes a processor for each of several CUDA devices, and for stand-ins of one that fails.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <set>
#include <utility>

#include "pipeline/filter/processor_fit.h"
#include "pipeline/filter/processors_dealt.h"

namespace vidconv {
namespace {

class Devices {
 public:
  Devices(TimedWork work, int width, int height, const ProcessorOptions& options)
      : work_(std::move(work)),
        width_(width),
        height_(height),
        options_(options),
        at_(options.devices.empty() ? std::vector{options.device_index} : options.devices) {}

  // Makes all at once, because most of it is waiting for the devices. A stand-in replaces a device
  // that fails already here, except for lack of memory: then the caller may ask for less.
  std::vector<std::unique_ptr<Processor>> make_all() {
    std::vector<std::future<std::unique_ptr<Processor>>> made;
    for (std::size_t place = 0; place < at_.size(); ++place)
      made.push_back(std::async(
          at_.size() == 1 ? std::launch::deferred : std::launch::async,
          [this, device = at_[place], name = track(place)] { return make(device, name, 0); }));
    std::vector<std::unique_ptr<Processor>> all;
    for (std::size_t place = 0; place < at_.size(); ++place) try {
        all.push_back(made[place].get());
      } catch (const Error& error) {
        if (error.fault() != Fault::device || error.kind() == MessageKind::memory ||
            !has_stand_in(place))
          throw;
        all.push_back(replace(place, error));
      }
    return all;
  }

  // Is the ReplaceProcessor of these devices.
  std::unique_ptr<Processor> replace(std::size_t place, const Error& failure) {
    const int failed = at_[place];
    if (failed == cpu) throw failure;
    failed_.insert(failed);
    std::unique_ptr<Processor> next = take_over(place);
    if (!next) throw failure;
    notify(options_.notify, kind_of_fallback(failure),
           fmt::format("{} filters the frames of cuda:{} from here on: {}", name_of(at_[place]),
                       failed, failure.message()));
    return next;
  }

 private:
  static constexpr int cpu = -1;

  static std::string name_of(int device) {
    return device == cpu ? "the CPU" : fmt::format("cuda:{}", device);
  }

  // Makes the first stand-in that has not failed and does not fail now; null if there is none.
  std::unique_ptr<Processor> take_over(std::size_t place) {
    for (const int device : options_.stand_ins) {
      if (failed_.contains(device)) continue;
      try {
        auto next = make(device, name_of(device), 1);
        at_[place] = device;
        return next;
      } catch (const Error& error) {
        if (error.fault() != Fault::device) throw;
        failed_.insert(device);
      }
    }
    if (!options_.cpu_stands_in) return nullptr;
    at_[place] = cpu;
    return make(cpu, "", 1);
  }

  bool has_stand_in(std::size_t place) const {
    return std::ranges::any_of(options_.stand_ins, [&](int device) {
      return device != at_[place] && !failed_.contains(device);
    });
  }

  std::unique_ptr<Processor> make(int device, const std::string& track, int more_slots) const {
    ProcessorOptions one = options_;
    one.slots += more_slots;
    one.track = track;
    if (device == cpu) {
      one.device = Device::cpu;
      one.variant = nullptr;
      const auto on_cpu = is_staged(work_) ? make_staged_processor : make_cpu_processor;
      return on_cpu(work_, width_, height_, one);
    }
    one.device_index = device;
    return make_cuda_processor(work_, width_, height_, one);
  }

  // Returns the name of a place's rows in a trace.
  std::string track(std::size_t place) const {
    if (at_.size() == 1) return options_.track;
    const auto end = at_.begin() + static_cast<std::ptrdiff_t>(place);
    const auto before = std::count(at_.begin(), end, *end);
    return before == 0 ? fmt::format("cuda:{}", *end)
                       : fmt::format("cuda:{} ({})", *end, before + 1);
  }

  const TimedWork work_;
  const int width_, height_;
  const ProcessorOptions options_;
  std::vector<int> at_;  // the device in each place
  std::set<int> failed_;
};

}  // namespace

std::unique_ptr<Processor> make_dealing_processor(TimedWork work, int width, int height,
                                                  const ProcessorOptions& options) {
  // Windows overlap: a device that gets all frames of its slots in a row is sent few of them twice.
  const int in_a_row = is_staged(work) ? options.slots : 1;
  const auto devices = std::make_shared<Devices>(std::move(work), width, height, options);
  ReplaceProcessor replace;
  if (!options.stand_ins.empty() || options.cpu_stands_in)
    replace = [devices](std::size_t place, const Error& failure) {
      return devices->replace(place, failure);
    };
  return deal_to_processors(devices->make_all(), std::move(replace), in_a_row);
}

}  // namespace vidconv
