#include "src/run/run_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/score/score.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/av/convert/turner.h"
#include "pipeline/encode/picture_file.h"

namespace vidconv {
namespace {

constexpr int widest = 1280;
constexpr std::size_t most_points = 512;

// Joins pairs of neighbours into one.
template <class T, class Join>
void halve(std::vector<T>& points, Join&& join) {
  std::vector<T> half;
  for (std::size_t i = 0; i < points.size(); i += 2)
    half.push_back(i + 1 < points.size() ? join(points[i], points[i + 1]) : points[i]);
  points.swap(half);
}

}  // namespace

RunWatch::RunWatch(std::optional<std::int64_t> frames, const Orientation& shown, bool originals)
    : shown_(shown), originals_(originals) {
  if (frames && *frames > 0)
    wanted_ = {*frames / 10, *frames / 2, *frames * 9 / 10};
  else
    wanted_ = {0, 50, 500};
}

// Both pictures of a pair are made this way.
std::string RunWatch::as_png(const Frame& frame) const {
  Converter converter(*find_format(AV_PIX_FMT_RGB24), AVCOL_RANGE_JPEG, AVCOL_SPC_UNSPECIFIED,
                      plain_memory);
  if (frame.width() > widest)
    converter.scale_to(widest, std::max(1, static_cast<int>(std::int64_t{frame.height()} * widest /
                                                            frame.width())));
  const Frame rgb(converter.convert(frame.av()), 0);
  if (shown_.is_upright()) return encode_picture(rgb.av(), ".png");
  VideoInfo stored;
  stored.format = &rgb.format();
  stored.width = rgb.width();
  stored.height = rgb.height();
  stored.shown = shown_;
  return encode_picture(Turner(stored, plain_memory).turn(rgb).av(), ".png");
}

void RunWatch::before(const Frame& frame) {
  if (frame.video() != 0 || std::ranges::find(wanted_, frame.number()) == wanted_.end()) return;
  Picture picture;
  picture.number = frame.number();
  picture.width = frame.width();
  picture.height = frame.height();
  if (shown_.swaps()) std::swap(picture.width, picture.height);
  if (originals_) picture.before = as_png(frame);
  const std::lock_guard lock(mutex_);
  pictures_[frame.number()] = std::move(picture);
}

void RunWatch::after(const Frame& frame) {
  if (frame.video() != 0 || std::ranges::find(wanted_, frame.number()) == wanted_.end()) return;
  std::string png = as_png(frame);
  const std::lock_guard lock(mutex_);
  pictures_[frame.number()].after = std::move(png);
}

std::vector<RunWatch::Picture> RunWatch::pictures() const {
  const std::lock_guard lock(mutex_);
  std::vector<Picture> all;
  for (const auto& [number, picture] : pictures_)
    if (picture.before.empty() != originals_ && !picture.after.empty()) all.push_back(picture);
  return all;
}

void RunWatch::see(const Progress& progress) {
  if (progress.seconds < next_sample_) return;
  samples_.push_back({progress.seconds, progress.encoded, progress.stages});
  if (samples_.size() >= most_points) {
    halve(samples_, [](const Sample&, const Sample& later) { return later; });
    between_samples_ *= 2;
  }
  next_sample_ = progress.seconds + between_samples_;
}

void RunWatch::see(const FrameScore& score) {
  constexpr double identical = 100;  // dB, the top of the chart
  const Score now{.number = score.number,
                  .time = score.time,
                  .psnr = std::min(identical, psnr_of(score.mse, score.max)),
                  .ssim = score.ssim.value_or(0)};
  const auto worse = [](const Score& a, const Score& b) {
    Score both = a.psnr <= b.psnr ? a : b;
    both.ssim = std::min(a.ssim, b.ssim);
    return both;
  };
  if (scores_seen_++ % scores_each_ == 0)
    scores_.push_back(now);
  else
    scores_.back() = worse(scores_.back(), now);
  if (scores_.size() < most_points || scores_seen_ % scores_each_ != 0) return;
  halve(scores_, worse);
  scores_each_ *= 2;
}

}  // namespace vidconv
