#include "pipeline/run/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "pipeline/base/stopwatch.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Luma samples that one chroma sample stands for, across.
int chroma_width(const PixelFormat& format) {
  int widest = 1;
  for (const Component& c : format.components) widest = std::max(widest, c.subsampling.x);
  return widest;
}

int rounded_up(int width, int to) { return (width + to - 1) / to * to; }

VideoInfo compared_video(VideoInfo video, const Comparison& comparison) {
  if (comparison.mode == Comparison::Mode::side)
    video.width = 2 * rounded_up(video.width, chroma_width(*video.format));
  return video;
}

// The code of white, or of what else a component has where nothing is to be seen but white.
double white(const Component& c, bool limited) {
  if (c.kind == Component::Kind::chroma) return c.sample.neutral();
  if (c.kind == Component::Kind::luma && limited && c.sample.storage != Storage::f32)
    return 235 << (c.sample.depth - 8);
  return c.sample.max();
}

std::array<std::byte, 4> stored(double code, const SampleType& sample) {
  std::array<std::byte, 4> bytes{};
  if (sample.storage == Storage::f32) {
    const auto value = static_cast<float>(code);
    std::memcpy(bytes.data(), &value, sizeof value);
  } else if (sample.storage == Storage::u16) {
    const auto value = static_cast<std::uint16_t>(static_cast<int>(code) << sample.shift);
    std::memcpy(bytes.data(), &value, sizeof value);
  } else {
    bytes[0] = static_cast<std::byte>(static_cast<int>(code) << sample.shift);
  }
  return bytes;
}

// White from column `from` to before `to`. Samples of chroma belong to it that lie there whole.
void whiten(Frame& frame, int from, int to, bool limited) {
  for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
    const Component& c = frame.format().components[i];
    if (c.fills_up()) continue;
    const std::array<std::byte, 4> code = stored(white(c, limited), c.sample);
    const BytePlane plane = frame.component(i);
    const auto size = static_cast<std::size_t>(c.sample.bytes());
    for (int y = 0; y < plane.height; ++y)
      for (int x = rounded_up(from, c.subsampling.x) / c.subsampling.x; x < to / c.subsampling.x;
           ++x)
        std::memcpy(plane.row(y) + static_cast<std::size_t>(x * plane.step) * size, code.data(),
                    size);
  }
}

// The first `width` columns of `from` to where column `at` of `to` is; both are whole samples of
// chroma, or `width` ends with the picture.
void copy_columns(const Frame& from, int width, Frame& to, int at) {
  const PixelFormat& format = from.format();
  for (int p = 0; p < format.planes; ++p) {
    const std::size_t bytes = format.row_bytes(p, width), skip = at ? format.row_bytes(p, at) : 0;
    for (int y = 0; y < format.rows(p, from.height()); ++y)
      std::memcpy(to.row(p, y) + skip, from.row(p, y), bytes);
  }
}

class CompareProcessor final : public Processor {
 public:
  CompareProcessor(std::unique_ptr<Processor> filter, const VideoInfo& video,
                   const Comparison& comparison)
      : filter_(std::move(filter)),
        comparison_(comparison),
        video_(video),
        unit_(chroma_width(*video.format)),
        limited_(is_limited_range(video)),
        left_(video.width / 2 / unit_ * unit_),
        line_(std::max(2, unit_)) {
    if (comparison.mode == Comparison::Mode::split && (left_ == 0 || left_ + line_ >= video.width))
      throw Error(Fault::usage, "`compare`", "split",
                  "a picture " + std::to_string(video.width) + " wide is too narrow for it",
                  "use `compare` side");
    if (comparison.mode == Comparison::Mode::side)
      pool_.emplace(
          aligned_layout(*video.format, compared_video(video, comparison).width, video.height),
          plain_memory);
  }

  bool submit(Frame frame) override {
    if (frame.on_device())
      throw Error(Fault::internal, "a frame to compare is not in host memory", "", "");
    {
      const std::lock_guard lock(mutex_);
      originals_.push_back(frame.share());
    }
    return filter_->submit(std::move(frame));
  }
  void close() override { filter_->close(); }
  void cancel() override { filter_->cancel(); }

  std::optional<Frame> collect() override {
    std::optional<Frame> filtered = filter_->collect();
    if (!filtered) return std::nullopt;
    std::unique_lock lock(mutex_);
    const Frame original = std::move(originals_.front());
    originals_.pop_front();
    lock.unlock();
    return busy_.time([&] { return join(original, std::move(*filtered)); });
  }

  std::vector<StageTime> stages() const override {
    std::vector<StageTime> all = filter_->stages();
    all.push_back({"compare", busy_.seconds()});
    return all;
  }
  MemoryUse memory() const override {
    MemoryUse all = filter_->memory();
    if (pool_) all.host += pool_->bytes();
    return all;
  }
  std::string device() const override { return filter_->device(); }
  std::vector<std::string> variants() const override { return filter_->variants(); }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return filter_->measure_stages(sample, seconds);
  }
  std::vector<DeviceUse> devices() const override { return filter_->devices(); }
  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    return filter_->measure_bus(sample, seconds);
  }

 private:
  Frame join(const Frame& original, Frame filtered) {
    switch (comparison_.mode) {
      case Comparison::Mode::split:
        copy_columns(original, left_, filtered, 0);
        whiten(filtered, left_, left_ + line_, limited_);
        break;
      case Comparison::Mode::side:
        return beside(original, filtered);
      case Comparison::Mode::flip:
        if (shows_original(filtered.av().pts)) copy_columns(original, video_.width, filtered, 0);
        break;
    }
    return filtered;
  }

  Frame beside(const Frame& original, const Frame& filtered) {
    const int half = rounded_up(video_.width, unit_);
    FramePtr av = pool_->get();
    copy_properties(filtered.av(), *av);
    Frame both(std::move(av), filtered);
    copy_columns(original, video_.width, both, 0);
    copy_columns(filtered, video_.width, both, half);
    whiten(both, video_.width, half, limited_);
    whiten(both, half + video_.width, 2 * half, limited_);
    return both;
  }

  bool shows_original(std::int64_t pts) {
    if (!first_pts_) first_pts_ = pts;
    const auto period = static_cast<int>(std::lround(comparison_.seconds * 1e6));
    return av_rescale_q_rnd(pts - *first_pts_, video_.time_base, {period, 1'000'000},
                            AV_ROUND_DOWN) %
               2 ==
           0;
  }

  const std::unique_ptr<Processor> filter_;
  const Comparison comparison_;
  const VideoInfo video_;
  const int unit_;
  const bool limited_;
  const int left_, line_;          // of split: columns of the original, and of the line
  std::optional<FramePool> pool_;  // of side
  std::optional<std::int64_t> first_pts_;
  std::mutex mutex_;  // of originals_
  std::deque<Frame> originals_;
  Stopwatch busy_;
};

}  // namespace

InputInfo compared(InputInfo input, const Comparison& comparison) {
  for (InputVideo& video : input.videos) video.info = compared_video(video.info, comparison);
  return input;
}

std::unique_ptr<Processor> make_compare_processor(std::unique_ptr<Processor> filter,
                                                  const VideoInfo& video,
                                                  const Comparison& comparison) {
  return std::make_unique<CompareProcessor>(std::move(filter), video, comparison);
}

}  // namespace vidconv
