#include "pipeline/av/video.h"

#include "pipeline/av/colour_range.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mathematics.h>
}

namespace vidconv {

Orientation orientation_of(const std::int32_t* matrix) {
  const auto unit = [](std::int32_t value) {  // 16.16
    constexpr int half = 1 << 15;
    return value > half ? 1 : value < -half ? -1 : 0;
  };
  const Orientation shown{unit(matrix[0]), unit(matrix[1]), unit(matrix[3]), unit(matrix[4])};
  const bool straight = shown.b == 0 && shown.c == 0 && shown.a != 0 && shown.d != 0;
  const bool aside = shown.a == 0 && shown.d == 0 && shown.b != 0 && shown.c != 0;
  return straight || aside ? shown : Orientation{};
}

std::array<std::int32_t, 9> display_matrix(const Orientation& shown) {
  constexpr std::int32_t one = 1 << 16;
  return {shown.a * one, shown.b * one, 0, shown.c * one, shown.d * one, 0, 0, 0, 1 << 30};
}

std::string words_without(const Orientation& shown) {
  const bool mirrored = shown.a * shown.d - shown.b * shown.c < 0;
  if (shown.swaps()) return mirrored ? "sideways and mirrored" : "sideways";
  return mirrored ? "mirrored" : "upside down";
}

std::int64_t InputClock::time_of(std::int64_t pts, AVRational time_base) const {
  return av_sat_sub64(av_rescale_q(av_sat_add64(pts, offset), time_base, AV_TIME_BASE_Q), start);
}

bool is_limited_range(const VideoInfo& video) {
  return !is_full_range(video.format->id, video.range);
}

}  // namespace vidconv
