#include "pipeline/run/mask_videos.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/source/source_kinds.h"

namespace vidconv {
namespace {

// Containers round times to milliseconds: a picture that begins this soon is shown.
constexpr std::int64_t nearby_picture = 1000;  // microseconds

template <class T>
void set_weights(Weights& weights, const Plane<const T>& luma, const SampleType& sample) {
  for (int y = 0; y < weights.height(); ++y) {
    std::uint8_t* to = weights.row(y);
    const T* from = luma.row(y);
    for (int x = 0; x < weights.width(); ++x, from += luma.step) to[x] = weight_of(*from, sample);
  }
}

std::size_t mask_component(const PixelFormat& format) {
  using Kind = Component::Kind;
  const auto has = [&](Kind kind) {
    return std::ranges::find(format.components, kind, &Component::kind);
  };
  const auto refuse = [&](const char* why) {
    throw Error(Fault::usage, "cannot read the mask", "",
                fmt::format("its pixels are {}, {}", format.name, why), "make it grey");
  };
  if (has(Kind::luma) == format.components.end()) refuse("which have no luma");
  if (has(Kind::alpha) != format.components.end()) refuse("which are transparent");
  return static_cast<std::size_t>(has(Kind::luma) - format.components.begin());
}

class ReadMask final : public MaskVideo {
 public:
  // Calls `when_ended` with the mask's length, in seconds, when the mask has ended before the
  // frame.
  ReadMask(std::string path, SourceOptions options, std::function<void(double)> when_ended)
      : path_(std::move(path)), options_(std::move(options)), when_ended_(std::move(when_ended)) {
    begin();
  }

  MaskVideos::Size size() const { return {weights_.width(), weights_.height()}; }

  const Weights& at(std::int64_t time) override {
    if (time + nearby_picture < from_) begin();
    bool is_new = false;
    while (next_ && time_of(*next_) <= time + nearby_picture) {
      take_next();
      is_new = true;
    }
    if (is_new) look();
    const bool is_over = !next_ && time >= end_ + nearby_picture;
    if (is_over && pictures_ > 1) when_ended_(static_cast<double>(end_) / 1e6);
    return weights_;
  }

 private:
  // Reads the first picture, which is shown for all times before it.
  void begin() {
    source_ = open_source(path_, options_);
    const VideoInfo& video = source_->video();
    if (!video.shown.is_upright())
      throw Error(Fault::usage, "cannot read the mask", "", "it is stored turned",
                  "store it as it is seen");
    luma_ = mask_component(*video.format);
    next_ = read();
    if (!next_) throw Error(Fault::input, "cannot read the mask", "", "it has no picture");
    take_next();
    from_ = INT64_MIN;
    pictures_ = 1;
    look();
  }

  std::optional<Frame> read() {
    try {
      while (std::optional<Item> item = source_->next())
        if (Frame* frame = std::get_if<Frame>(&*item)) return std::move(*frame);
      if (source_->damage().any()) refuse_damage(source_->damage(), path_);
    } catch (const Error& error) {
      throw Error(error.kind(), "cannot read the mask", path_, error.why(), "write it anew");
    }
    return std::nullopt;
  }

  void take_next() {
    now_ = std::move(next_);
    ++pictures_;
    from_ = time_of(*now_);
    end_ = from_ +
           av_rescale_q(frame_duration(now_->av()), source_->video().time_base, AV_TIME_BASE_Q);
    next_ = read();
  }

  std::int64_t time_of(const Frame& frame) const {
    const VideoInfo& video = source_->video();
    return video.clock.time_of(frame.av().pts, video.time_base);
  }

  void look() {
    if (weights_.width() != now_->width() || weights_.height() != now_->height())
      weights_ = Weights(now_->width(), now_->height());
    const SampleType& sample = now_->format().components[luma_].sample;
    const ConstBytePlane luma = std::as_const(*now_).component(luma_);
    switch (sample.storage) {
      case Storage::u8:
        return set_weights(weights_, luma.as<const std::uint8_t>(), sample);
      case Storage::u16:
        return set_weights(weights_, luma.as<const std::uint16_t>(), sample);
      case Storage::f32:
        return set_weights(weights_, luma.as<const float>(), sample);
    }
  }

  const std::string path_;
  const SourceOptions options_;
  const std::function<void(double)> when_ended_;
  std::unique_ptr<Source> source_;
  std::size_t luma_ = 0;  // the index of the component
  std::optional<Frame> now_, next_;
  std::int64_t from_ = 0, end_ = 0;  // the shown picture's, microseconds
  std::int64_t pictures_ = 0;        // so far; a single picture cannot end early
  Weights weights_{0, 0};            // the shown picture's
};

class ReadMasks final : public MaskVideos, public std::enable_shared_from_this<ReadMasks> {
 public:
  ReadMasks(const SourceOptions& input, Notify notify) : notify_(std::move(notify)) {
    options_.strict = true;  // a damaged mask may fail to hide something
    options_.timeout = input.timeout;
    options_.max_pixels = input.max_pixels;
    options_.threads = input.threads;
  }

  Size size(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const auto known = sizes_.find(path);
    if (known != sizes_.end()) return known->second;
    return sizes_[path] = read(path)->size();
  }

  std::unique_ptr<MaskVideo> open(const std::string& path) override { return read(path); }

 private:
  std::unique_ptr<ReadMask> read(const std::string& path) {
    // The path names a file, even if it looks like an address.
    return std::make_unique<ReadMask>(
        path.starts_with('/') ? path : "./" + path, options_,
        [self = shared_from_this(), path](double end) { self->say_ended(path, end); });
  }

  void say_ended(const std::string& path, double end) {
    {
      const std::lock_guard lock(mutex_);
      if (!said_.insert(path).second) return;
    }
    notify(notify_, MessageKind::ended_early,
           fmt::format("the mask {} ends at {:.6g} s: its last picture is used from there on",
                       printable(path), end));
  }

  SourceOptions options_;
  const Notify notify_;
  std::mutex mutex_;  // guards all below
  std::map<std::string, Size> sizes_;
  std::set<std::string> said_;
};

}  // namespace

std::shared_ptr<MaskVideos> make_mask_videos(const SourceOptions& input, const Notify& notify) {
  return std::make_shared<ReadMasks>(input, notify);
}

}  // namespace vidconv
