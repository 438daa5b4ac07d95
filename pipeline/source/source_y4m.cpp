// Reads YUV4MPEG2 straight into frames: https://wiki.multimedia.cx/index.php/YUV4MPEG2
#include <array>
#include <charconv>
#include <utility>

#include "pipeline/io/y4m.h"
#include "pipeline/source/source_kinds.h"
#include "pipeline/source/source_steady.h"

namespace vidconv {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::string_view plain_frame = "FRAME\n";

// Returns the text up to the next newline, which is taken too; none at the end of the input.
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

// Parses a number and nothing else.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Parses "30000:1001", or "0:0" for unknown, which gives {0, 1}.
std::optional<AVRational> parse_ratio(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto num = parse_number<int>(text.substr(0, colon));
  const auto den = parse_number<int>(text.substr(colon + 1));
  if (num == 0 && den == 0) return AVRational{0, 1};
  if (!num || !den || *num < 1 || *den < 1) return std::nullopt;
  return AVRational{*num, *den};
}

// Parses `line`, the header without its magic and newline.
VideoInfo parse_header(std::string_view line, const ByteReader& reader, std::int64_t max_pixels) {
  VideoInfo info;
  std::int64_t width = 0, height = 0;
  std::string_view chroma = "420jpeg";  // the default of a header without C
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line.remove_prefix(space == line.npos ? line.size() : space + 1);
    if (word.empty()) continue;
    const std::string_view value = word.substr(1);
    const auto parsed = [&](const auto& number, const char* wanted) {
      if (!number) refuse(reader, "'" + verbatim(word) + "' is not " + wanted);
      return *number;
    };
    switch (word[0]) {
      case 'W':
        width = parsed(parse_number<std::int64_t>(value), "a width");
        break;
      case 'H':
        height = parsed(parse_number<std::int64_t>(value), "a height");
        break;
      case 'F':
        info.frame_rate = parsed(parse_ratio(value), "a frame rate");
        break;
      case 'A':
        info.sample_aspect = parsed(parse_ratio(value), "an aspect ratio");
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
  if (!kind) refuse(reader, "its pixel format C" + verbatim(chroma) + " is not supported");
  info.format = find_format(kind->format);
  info.chroma_location = kind->location;
  check_picture_size(width, height, kind->format, max_pixels, Fault::input,
                     "cannot read the y4m header of", reader.name());
  info.width = static_cast<int>(width);
  info.height = static_cast<int>(height);
  if (info.frame_rate.num == 0) info.frame_rate = {25, 1};  // "unknown", which a player needs too
  return info;
}

class Y4mSource final : public SteadySource {
 public:
  Y4mSource(VideoInfo info, const SourceOptions& options, std::unique_ptr<ByteReader> reader,
            std::int64_t header_bytes)
      : SteadySource(info, options, std::nullopt),
        reader_(std::move(reader)),
        header_bytes_(header_bytes),
        frame_bytes_(static_cast<std::int64_t>(
            plain_frame.size() + packed_bytes(*info.format, info.width, info.height))) {
    reader_->read_by(threads_that_read());
    // Few writers put anything behind FRAME; if one does, there are fewer frames.
    if (reader_->size() > header_bytes_) expect(frames_in_file());
  }

  // Returns whether nothing is behind FRAME, and each is where it should be.
  bool takes_order() override {
    if (reader_->size() <= header_bytes_) return false;
    std::array<std::byte, plain_frame.size()> start;
    for (std::int64_t i = 0; i < frames_in_file() && !stopped(); ++i) {
      const std::size_t got = reader_->read_at(begin_of(i), start);
      if (!plain_frame.starts_with({reinterpret_cast<const char*>(start.data()), got}))
        return false;
    }
    return true;
  }

  void cancel() override {
    SteadySource::cancel();
    reader_->cancel();
  }

 private:
  std::int64_t begin_of(std::int64_t frame) const { return header_bytes_ + frame * frame_bytes_; }
  // The last frame may be cut off.
  std::int64_t frames_in_file() const {
    return (reader_->size() - header_bytes_ + frame_bytes_ - 1) / frame_bytes_;
  }

  void go_to(std::int64_t index) override { reader_->seek(begin_of(index)); }

  bool read(Frame& frame, std::int64_t index) override {
    std::array<std::byte, plain_frame.size()> start;  // "FRAME" and a newline or a space
    const std::size_t got = reader_->read(start);
    if (got == 0 || reader_->stopped()) return false;
    const std::string_view magic(reinterpret_cast<const char*>(start.data()), got);
    if (!magic.starts_with("FRAME") || (magic != plain_frame && !read_line(*reader_)))
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
  const std::int64_t header_bytes_, frame_bytes_;  // a frame's, with its own header
};

}  // namespace

std::unique_ptr<Source> open_y4m(std::unique_ptr<ByteReader> reader, const SourceOptions& options) {
  const auto line = read_line(*reader);
  if (!options.frame_rate.empty())
    throw Error(Fault::usage, "`frame_rate`", options.frame_rate,
                "y4m says itself when its frames are shown", "leave it out");
  if (!line || !line->starts_with(y4m_magic)) refuse(*reader, "it does not end");
  const VideoInfo info =
      parse_header(std::string_view(*line).substr(y4m_magic.size()), *reader, options.max_pixels);
  return std::make_unique<Y4mSource>(info, options, std::move(reader), std::ssize(*line) + 1);
}

}  // namespace vidconv
