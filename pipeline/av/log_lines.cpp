#include "pipeline/av/log_lines.h"

#include <fmt/format.h>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vidconv {

std::string untried_ffmpeg() {
  const unsigned major = AV_VERSION_MAJOR(avformat_version());
  if (major >= log_lines::first_tried && major <= log_lines::last_tried) return {};
  return fmt::format(
      "this FFmpeg (libavformat {}) is none that vidconv was tried with ({} to {}): damage and "
      "refusals that nothing but its log tells of may go unnoticed",
      major, log_lines::first_tried, log_lines::last_tried);
}

}  // namespace vidconv
