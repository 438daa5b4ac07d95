#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "pipeline/base/printable.h"
#include "pipeline/source/source_kinds.h"

extern "C" {
#include <libavutil/parseutils.h>
}

namespace vidconv {
namespace {

constexpr std::size_t longest_shown = 80;  // bytes of a description in a message

// Takes the longest number at the start of `text`; none if there is none. A number beyond 64 bits
// counts as the largest.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<std::int64_t>::max();
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Takes the text from `mark` to the next mark, if `text` starts with it.
std::optional<std::string> take_part(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return std::nullopt;
  const std::size_t end = text.find_first_of(":@#", 1);
  const std::string part(text.substr(1, end == text.npos ? end : end - 1));
  text.remove_prefix(end == text.npos ? text.size() : end);
  return part;
}

// Returns whether the text is like 25, 30000/1001 or ntsc-film. libavutil alone would take "0x19",
// "PI" and " 5*5 " too.
bool looks_like_rate(std::string_view text) {
  return text.find_first_not_of("0123456789./") == text.npos ||
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == text.npos;
}

}  // namespace

std::optional<AVRational> frame_rate_of(const std::string& text) {
  AVRational rate{};
  if (!looks_like_rate(text) || av_parse_video_rate(&rate, text.c_str()) < 0) return std::nullopt;
  return rate;
}

PictureSpec parse_picture_spec(std::string_view text, const std::string& what,
                               std::int64_t max_pixels) {
  const auto shown = [](std::string_view part) {
    return fmt::format("'{}'", verbatim(shortened(part, 40)));
  };
  const auto refuse = [&](const std::string& why) {
    throw Error(Fault::usage, "cannot understand " + what, shortened(text, longest_shown), why,
                "write WxH[:PIXFMT][@FPS], as in 1920x1080:yuv420p@25");
  };
  PictureSpec spec;
  std::string_view rest = text;
  const auto width = take_number(rest);
  if (!width || !rest.starts_with('x')) refuse("it does not start with a size");
  rest.remove_prefix(1);
  const auto height = take_number(rest);
  if (!height) refuse("it does not start with a size");

  if (const auto name = take_part(rest, ':')) {
    const AVPixelFormat id = av_get_pix_fmt(name->c_str());
    if (id == AV_PIX_FMT_NONE)
      refuse("there is no pixel format " + shown(*name) + format_meant(*name));
    spec.format = find_format(without_range(id, spec.range));
    if (!spec.format) {
      spec.format = find_swapped(id);
      spec.swapped = true;
    }
    if (!spec.format)
      refuse("the pixel format '" + verbatim(*name) +
             "' is not supported: " + why_not_filtered(id));
  }
  check_picture_size(*width, *height, spec.format ? spec.format->id : AV_PIX_FMT_NONE, max_pixels,
                     Fault::usage, "cannot understand " + what, shortened(text, longest_shown));
  spec.width = static_cast<int>(*width);
  spec.height = static_cast<int>(*height);
  if (const auto text_of_rate = take_part(rest, '@')) {
    const auto rate = frame_rate_of(*text_of_rate);
    if (!rate) refuse(shown(*text_of_rate) + " is not a number of frames per second");
    spec.frame_rate = *rate;
  }
  if (const auto frames = take_part(rest, '#')) {
    std::int64_t count = -1;
    const auto [end, error] =
        std::from_chars(frames->data(), frames->data() + frames->size(), count);
    if (error != std::errc{} || end != frames->data() + frames->size() || count < 0)
      refuse(shown(*frames) + " is not a number of frames");
    spec.frames = count;
  }
  if (!rest.empty()) refuse(shown(rest) + " is not understood");
  return spec;
}

}  // namespace vidconv
