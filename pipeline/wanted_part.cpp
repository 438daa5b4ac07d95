#include "pipeline/wanted_part.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {

std::int64_t WantedPart::offset(AVRational time_base) const {
  return cut ? av_rescale_q(start, AV_TIME_BASE_Q, time_base) : 0;
}

WantedPart wanted_part(const AVFormatContext& container, const SourceOptions& options) {
  const auto microseconds = [](double s) { return static_cast<std::int64_t>(s * AV_TIME_BASE); };
  WantedPart part;
  if (container.start_time != AV_NOPTS_VALUE) part.start = container.start_time;
  if (options.start) {
    part.cut = true;
    part.start += microseconds(*options.start);
  }
  if (options.duration) part.end = part.start + microseconds(*options.duration);
  if (options.frames == 0) part.end = part.start;
  return part;
}

}  // namespace vidconv
