#include "pipeline/demux/source_options.h"

#include "pipeline/av/devices.h"
#include "pipeline/base/url.h"

namespace vidconv {

bool is_live(const std::string& input, const SourceOptions& options) {
  return options.raw.empty() &&
         (is_device(input, options.format) || is_live_address(input) || options.format == "sdp");
}

}  // namespace vidconv
