#include "src/options/option_names.h"

#include <algorithm>

namespace vidconv {
namespace {

struct Row {
  std::string_view setting, option;
};
constexpr Row table[] = {
    {"audio", "--audio"},
    {"bitrate", "--bitrate"},
    {"codec", "--codec"},
    {"compare", "--compare"},
    {"copy_times", "--copy-times"},
    {"crf", "--crf"},
    {"decoder", "--decoder"},
    {"device", "--device"},
    {"devices", "--list-devices"},
    {"duration", "--duration"},
    {"encoder_options", "--encoder-opt"},
    {"format", "--format"},
    {"frame_rate", "--fps"},
    {"frames", "--frames"},
    {"help", "--help"},
    {"input_format", "--format-in"},
    {"input_options", "--input-opt"},
    {"insecure", "--insecure"},
    {"kernel", "--kernel"},
    {"kernels", "--list-kernels"},
    {"latency", "--latency"},
    {"linear", "--linear"},
    {"max_pixels", "--max-pixels"},
    {"measure", "--measure"},
    {"muxer_options", "--muxer-opt"},
    {"orientation", "--orientation"},
    {"overwrite", "-y"},
    {"pixel_format", "--pix-fmt"},
    {"preset", "--preset"},
    {"raw", "--raw"},
    {"shards", "--shards"},
    {"slots", "--slots"},
    {"start", "--start"},
    {"strict", "--strict"},
    {"threads", "--threads"},
    {"timeout", "--timeout"},
    {"variants", "--list-variants"},
    {"verify", "--verify"},
    {"video", "--video"},
};

}  // namespace

std::string with_option_names(std::string_view text) {
  std::string named;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('`'), text.size());
    named += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const bool doubled = text.starts_with("``");
    const std::size_t end = text.find('`', 1);
    const std::string_view setting = doubled || end == text.npos ? "" : text.substr(1, end - 1);
    const Row* row = std::ranges::find(table, setting, &Row::setting);
    const bool known = row != std::end(table);
    named += known ? row->option : text.substr(0, 1);
    text.remove_prefix(known ? end + 1 : doubled ? 2 : 1);
  }
  return named;
}

}  // namespace vidconv
