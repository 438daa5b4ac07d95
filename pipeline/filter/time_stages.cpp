#include "pipeline/filter/time_stages.h"

#include <cmath>
#include <cstdlib>
#include <type_traits>

namespace vidconv {
namespace {

// Returns the sum of the differences of two rows' samples.
template <class T>
double row_difference(const ConstBytePlane& a, const ConstBytePlane& b, int y, int shift) {
  const T* p = a.as<const T>().row(y);
  const T* q = b.as<const T>().row(y);
  double sum = 0;
  for (std::ptrdiff_t x = 0; x < a.width; ++x) {
    if constexpr (std::is_same_v<T, float>)
      sum += std::abs(static_cast<double>(p[x * a.step]) - static_cast<double>(q[x * b.step]));
    else
      sum += std::abs((p[x * a.step] >> shift) - (q[x * b.step] >> shift));
  }
  return sum;
}

}  // namespace

std::int64_t number_before(const TimedWork& stage, std::int64_t number) {
  return stage.is_over_time() ? number * stage.over_time().every + stage.over_time().phase : number;
}

std::int64_t count_before(std::span<const TimedWork* const> stages, std::size_t s,
                          std::int64_t count) {
  for (const TimedWork* stage : stages.first(s)) {
    if (!stage->is_over_time()) continue;
    const OverTime& over_time = stage->over_time();
    count =
        std::max<std::int64_t>(0, count - over_time.phase + over_time.every - 1) / over_time.every;
  }
  return count;
}

double mean_difference(const PixelFormat& format, std::span<const ConstBytePlane> a,
                       std::span<const ConstBytePlane> b) {
  double sum = 0, samples = 0;
  const auto& components = format.components;
  const bool luma = std::ranges::any_of(
      components, [](const Component& c) { return c.kind == Component::Kind::luma; });
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Component& c = components[i];
    if (luma ? c.kind != Component::Kind::luma
             : c.kind == Component::Kind::alpha || c.kind == Component::Kind::padding)
      continue;
    const ConstBytePlane &p = a[i], &q = b[i];
    double of_plane = 0;
    for (int y = 0; y < p.height; ++y)
      of_plane += c.sample.storage == Storage::u8 ? row_difference<std::uint8_t>(p, q, y, 0)
                  : c.sample.storage == Storage::u16
                      ? row_difference<std::uint16_t>(p, q, y, c.sample.shift)
                      : row_difference<float>(p, q, y, 0);
    sum += of_plane / c.sample.max();
    samples += static_cast<double>(p.width) * p.height;
  }
  return samples == 0 ? 0 : sum / samples;
}

Scene Scene::reached(std::int64_t first, std::int64_t last, TimeBorder border,
                     std::optional<std::int64_t> count) {
  Scene scene{std::max<std::int64_t>(0, first), count ? std::min(last, *count - 1) : last};
  const auto add = [&](std::int64_t number) {
    const std::int64_t there = scene.standing_for(number, border, count);  // no cut is known yet
    if (there < 0) return;
    scene.first = std::min(scene.first, there);
    scene.last = std::max(scene.last, there);
  };
  for (std::int64_t number = first; number < 0; ++number) add(number);
  for (std::int64_t number = last; count && number >= *count; --number) add(number);
  return scene;
}

std::int64_t Scene::standing_for(std::int64_t number, TimeBorder border,
                                 std::optional<std::int64_t> count) const {
  constexpr std::int64_t no_end = std::int64_t{1} << 30;
  if (cut_before && number < first) return first;
  if (cut_after && number > last) return last;
  std::int64_t there = time_border_index(border, number, count.value_or(no_end));
  if (there < 0) return there;
  if (cut_before) there = std::max(there, first);
  if (cut_after) there = std::min(there, last);
  return there;
}

}  // namespace vidconv
