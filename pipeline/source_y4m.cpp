// YUV4MPEG2, read straight into frames: https://wiki.multimedia.cx/index.php/YUV4MPEG2
#include <array>
#include <charconv>
#include <utility>

#include "pipeline/source_kinds.h"
#include "pipeline/source_steady.h"
#include "pipeline/y4m.h"

namespace vidconv {
namespace {

constexpr std::size_t longest_line = 4096;

// The text up to the next newline, which is taken too; none at the end of the input.
std::optional<std::string> read_line(ByteReader& reader) {
  std::string line;
  std::byte next;
  while (line.size() < longest_line && reader.read({&next, 1}) == 1) {
    if (next == std::byte{'\n'}) return line;
    line += static_cast<char>(next);
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const ByteReader& reader, const std::string& why) {
  throw Error(Fault::input, "cannot read the y4m header of", reader.name(), why);
}

// "30000:1001"; {0, 1} where it is malformed.
AVRational parse_ratio(std::string_view text) {
  AVRational ratio{0, 0};
  const char* const end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, ratio.num);
  if (error == std::errc{} && colon != end && *colon == ':')
    std::from_chars(colon + 1, end, ratio.den);
  return ratio.num > 0 && ratio.den > 0 ? ratio : AVRational{0, 1};
}

int parse_size(std::string_view text) {
  int size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

// `line`: the header without its magic and newline.
VideoInfo parse_header(std::string_view line, const ByteReader& reader) {
  VideoInfo info;
  std::string_view chroma = "420jpeg";  // what a header without C means
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line.remove_prefix(space == line.npos ? line.size() : space + 1);
    if (word.empty()) continue;
    const std::string_view value = word.substr(1);
    switch (word[0]) {
      case 'W':
        info.width = parse_size(value);
        break;
      case 'H':
        info.height = parse_size(value);
        break;
      case 'F':
        info.frame_rate = parse_ratio(value);
        break;
      case 'A':
        info.sample_aspect = parse_ratio(value);
        break;
      case 'I':
        info.field_order = y4m_field_order(value);
        break;
      case 'C':
        chroma = value;
        break;
      case 'X':
        if (value == "COLORRANGE=FULL") info.range = AVCOL_RANGE_JPEG;
        if (value == "COLORRANGE=LIMITED") info.range = AVCOL_RANGE_MPEG;
        break;
    }
  }
  const Y4mChroma* kind = find_y4m_chroma(chroma);
  if (!kind) refuse(reader, "its pixel format C" + std::string(chroma) + " is not supported");
  info.format = find_format(kind->format);
  info.chroma_location = kind->location;
  if (info.width < 1 || info.height < 1) refuse(reader, "it has no picture size");
  if (info.frame_rate.num == 0) info.frame_rate = {25, 1};  // "unknown", which a player needs too
  return info;
}

class Y4mSource final : public SteadySource {
 public:
  Y4mSource(VideoInfo info, const SourceOptions& options, std::unique_ptr<ByteReader> reader)
      : SteadySource(info, options, std::nullopt), reader_(std::move(reader)) {}

  void cancel() override {
    SteadySource::cancel();
    reader_->cancel();
  }

 private:
  bool read(Frame& frame, std::int64_t index) override {
    std::array<std::byte, 6> start;  // "FRAME" and a newline or a space
    const std::size_t got = reader_->read(start);
    if (got == 0 || reader_->stopped()) return false;
    const std::string_view magic(reinterpret_cast<const char*>(start.data()), got);
    if (!magic.starts_with("FRAME") || (magic != "FRAME\n" && !read_line(*reader_)))
      return fail(index,
                  "there is no frame header where frame " + std::to_string(index) + " should be");
    const std::span<std::byte> picture = frame.extent();  // packed: the extent is the frame
    const std::size_t bytes = reader_->read(picture);
    if (bytes == picture.size()) return true;
    if (reader_->stopped()) return false;
    return fail(index, "frame " + std::to_string(index) + " has " + std::to_string(bytes) + " of " +
                           std::to_string(picture.size()) + " bytes");
  }

  bool fail(std::int64_t index, const std::string& why) {
    if (index == 0) throw Error(Fault::input, "cannot read the y4m input", reader_->name(), why);
    end_early(why);
    return false;
  }

  std::unique_ptr<ByteReader> reader_;
};

}  // namespace

std::unique_ptr<Source> open_y4m(std::unique_ptr<ByteReader> reader, const SourceOptions& options) {
  const auto line = read_line(*reader);
  if (!line || !line->starts_with(y4m_magic)) refuse(*reader, "it does not end");
  const VideoInfo info = parse_header(std::string_view(*line).substr(y4m_magic.size()), *reader);
  return std::make_unique<Y4mSource>(info, options, std::move(reader));
}

}  // namespace vidconv
