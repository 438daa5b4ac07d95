#include "pipeline/filter/processors_dealt.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

// Adds `more` to `all`; `combine` adds a stage to one of the same name.
template <class T, class F>
void merge(std::vector<T>& all, const std::vector<T>& more, F&& combine) {
  for (const T& stage : more) {
    const auto found = std::ranges::find(all, stage.name, &T::name);
    if (found == all.end())
      all.push_back(stage);
    else
      combine(*found, stage);
  }
}

void add_rate(StageRate& to, const StageRate& more) {
  to.frames_per_second += more.frames_per_second;
  to.bytes_per_second += more.bytes_per_second;
}

class DealtProcessors final : public Processor {
 public:
  DealtProcessors(std::vector<std::unique_ptr<Processor>> processors, ReplaceProcessor replace,
                  int in_a_row)
      : replace_(std::move(replace)),
        places_(processors.size()),
        order_(most_in_flight),
        in_a_row_(static_cast<std::size_t>(in_a_row)) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::vector<DeviceUse> used = processors[i]->devices();
      devices_.push_back(used.empty() ? -1 : used[0].index);
      places_[i].processors.push_back(std::move(processors[i]));
    }
  }

  bool submit(Frame frame) override {
    const std::size_t number = place_for(frame);
    if (!order_.push(number)) return false;
    Place& place = places_[number];
    Processor* processor = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return cancelled_ || !place.failure; });
      if (cancelled_) return false;
      place.submitting = true;
      processor = &place.now();
    }
    bool taken = false;
    std::optional<Error> failure;
    try {
      taken = processor->submit(std::move(frame));
    } catch (const Error& error) {
      if (!replaceable(error)) throw;
      failure = error;
    }
    const std::lock_guard lock(mutex_);
    place.submitting = false;
    if (failure) place.fail(*failure);
    changed_.notify_all();
    // A processor that has failed gives back a frame that it did not take, so none is lost.
    return taken || (place.failure && !cancelled_);
  }

  void close() override {
    order_.close();
    const std::lock_guard lock(mutex_);
    for (Place& place : places_) {
      place.closed = true;
      place.now().close();
    }
  }

  void cancel() override {
    order_.cancel();
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    for (Place& place : places_) place.now().cancel();
    changed_.notify_all();
  }

  std::optional<Frame> collect() override {
    const std::optional<std::size_t> number = order_.pop();
    if (!number) return std::nullopt;
    Place& place = places_[*number];
    for (;;) {
      try {
        if (std::optional<Frame> frame = place.now().collect()) return frame;
      } catch (const Error& error) {
        if (!replaceable(error)) throw;
        const std::lock_guard lock(mutex_);
        place.fail(error);
      }
      if (!replace(*number)) return std::nullopt;
    }
  }

  // Returns each stage's time in the place where it has worked longest: places work side by side.
  std::vector<StageTime> stages() const override {
    const std::lock_guard lock(mutex_);
    std::vector<StageTime> all;
    for (const Place& place : places_) {
      std::vector<StageTime> here;
      for (const auto& processor : place.processors)
        merge(here, processor->stages(),
              [](StageTime& to, const StageTime& more) { to.seconds += more.seconds; });
      merge(all, here, [](StageTime& to, const StageTime& more) {
        to.seconds = std::max(to.seconds, more.seconds);
      });
    }
    return all;
  }

  MemoryUse memory() const override {
    const std::lock_guard lock(mutex_);
    MemoryUse all;
    for (const Place& place : places_)
      for (const auto& processor : place.processors) {
        all.host += processor->memory().host;
        all.device += processor->memory().device;
      }
    return all;
  }

  std::string device() const override {
    const std::lock_guard lock(mutex_);
    if (places_.size() == 1) return places_[0].now().device();
    std::string all, name, numbers;
    bool same = true;
    for (const Place& place : places_) {
      all += (all.empty() ? "" : " + ") + place.now().device();
      const std::vector<DeviceUse> used = place.now().devices();
      if (name.empty() && !used.empty()) name = used[0].name;
      same = same && !used.empty() && used[0].name == name;
      if (same) numbers += fmt::format("{}cuda:{}", numbers.empty() ? "" : ", ", used[0].index);
    }
    return same ? fmt::format("{} x {} ({})", places_.size(), name, numbers) : all;
  }

  std::vector<DeviceUse> devices() const override {
    const std::lock_guard lock(mutex_);
    std::vector<DeviceUse> all, later;
    for (const Place& place : places_)
      for (std::size_t i = 0; i < place.processors.size(); ++i)
        for (DeviceUse& used : place.processors[i]->devices()) {
          used.failed = place.failure || i + 1 < place.processors.size();
          (i == 0 ? all : later).push_back(std::move(used));
        }
    all.insert(all.end(), later.begin(), later.end());
    return all;
  }

  std::vector<std::string> variants() const override {
    const std::lock_guard lock(mutex_);
    return places_[0].now().variants();
  }

  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return measure_all(sample, [&](Processor& processor, const Frame& frame) {
      return processor.measure_stages(frame, seconds);
    });
  }

  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    const auto measure = [&](Processor& processor, const Frame& frame) {
      return processor.measure_bus(frame, seconds);
    };
    std::vector<StageRate> rates = measure_all(sample, measure);
    if (places_.size() == 1) return rates;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (StageRate& alone : measure(places_[i].now(), sample)) {
        alone.name += fmt::format(" of cuda:{}", devices_[i]);
        rates.push_back(std::move(alone));
      }
    return rates;
  }

 private:
  // The processor in one place, after those that have failed there.
  struct Place {
    std::vector<std::unique_ptr<Processor>> processors;
    std::optional<Error> failure;  // the last one's; set until it is replaced
    bool submitting = false;       // somebody is in its submit()
    bool closed = false;

    Processor& now() const { return *processors.back(); }
    void fail(const Error& error) {
      if (!failure) failure = error;
      now().cancel();  // wakes whoever waits for it
    }
  };

  static constexpr std::size_t most_in_flight = 1 << 12;

  bool replaceable(const Error& error) const { return replace_ && error.fault() == Fault::device; }

  // Returns the places in turn. NVDEC's sessions deliver some dozens of frames from one device
  // after the other: where that device alone can read them, the other devices wait meanwhile.
  std::size_t place_for(const Frame& frame) {
    if (!frame.on_device() || places_.size() == 1) return next_place();
    if (!shared_) shared_ = reach_each_other(devices_);
    if (*shared_) return next_place();
    const int device = device_of(frame.extent().data());
    for (std::size_t tried = 0; tried < places_.size(); ++tried, next_ += in_a_row_)
      if (devices_[place_now()] == device) return next_place();
    throw Error(Fault::internal, "a frame lies on a device that filters none",
                fmt::format("cuda:{}", device), "");
  }

  std::size_t place_now() const { return next_ / in_a_row_ % places_.size(); }
  std::size_t next_place() {
    const std::size_t place = place_now();
    ++next_;
    return place;
  }

  // Puts another processor in the place of one that has failed; called by the thread that collects.
  // Returns false after cancel().
  bool replace(std::size_t number) {
    Place& place = places_[number];
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cancelled_ || !place.submitting; });
    if (cancelled_) return false;
    if (!place.failure) throw Error(Fault::internal, "a processor has ended early", "", "");
    std::vector<Frame> left = place.now().give_back();
    const Error failure = *place.failure;
    lock.unlock();  // nobody submits to a place that has failed
    std::unique_ptr<Processor> next = replace_(number, failure);
    for (Frame& frame : left) next->submit(std::move(frame));
    lock.lock();
    if (cancelled_) return false;
    if (place.closed) next->close();
    place.processors.push_back(std::move(next));
    place.failure.reset();
    changed_.notify_all();
    return true;
  }

  // Returns the rates that `measure` finds in all places at once, added up.
  template <class F>
  std::vector<StageRate> measure_all(const Frame& sample, F&& measure) {
    if (sample.on_device() && places_.size() > 1)
      throw Error(Fault::usage, "cannot measure on several devices", device(),
                  "frames that NVDEC decodes lie on one of them",
                  "use `decoder` cpu, or a `device`");
    std::vector<std::vector<StageRate>> rates(places_.size());
    std::vector<std::exception_ptr> failures(places_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < places_.size(); ++i)
        threads.emplace_back([&, i] {
          try {
            rates[i] = measure(places_[i].now(), sample);
          } catch (...) {
            failures[i] = std::current_exception();
          }
        });
    }
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    for (std::size_t i = 1; i < rates.size(); ++i) merge(rates[0], rates[i], add_rate);
    return rates[0];
  }

  const ReplaceProcessor replace_;
  mutable std::mutex mutex_;  // guards the contents of places_; only collect() adds processors
  std::condition_variable changed_;
  std::vector<Place> places_;
  std::vector<int> devices_;  // each place's first device; -1: none
  bool cancelled_ = false;
  Channel<std::size_t> order_;  // the place of each frame in flight
  // Only the thread that submits uses these.
  const std::size_t in_a_row_;
  std::size_t next_ = 0;
  std::optional<bool> shared_;  // each device reads the others' memory; none: not asked yet
};

}  // namespace

std::unique_ptr<Processor> deal_to_processors(std::vector<std::unique_ptr<Processor>> processors,
                                              ReplaceProcessor replace, int in_a_row) {
  return std::make_unique<DealtProcessors>(std::move(processors), std::move(replace), in_a_row);
}

}  // namespace vidconv
