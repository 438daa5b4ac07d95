// What the rows of the table of sources are made of. Inside the pipeline only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pipeline/io/byte_io.h"
#include "pipeline/source/source.h"

namespace vidconv {

std::unique_ptr<Source> open_pattern_source(const std::string& input, const SourceOptions&);
std::unique_ptr<Source> open_raw_source(const std::string& input, const SourceOptions&);
std::unique_ptr<Source> open_pipe_source(const std::string& input, const SourceOptions&);
std::unique_ptr<Source> open_device_source(const std::string& input, const SourceOptions& options);
std::unique_ptr<Source> open_file_source(const std::string& input, const SourceOptions&);

// What a pipe or a file turns out to hold.
constexpr std::string_view y4m_magic = "YUV4MPEG2 ";
std::unique_ptr<Source> open_y4m(std::unique_ptr<ByteReader> reader, const SourceOptions&);
// A container behind a URL, or from `reader` where there is one (`url` is its name then).
std::unique_ptr<Source> open_container(const std::string& url, std::unique_ptr<ByteReader> reader,
                                       const SourceOptions&);

// All videos of what `first` has opened, which is a file with several; it is read once for each.
std::unique_ptr<Source> open_videos(std::unique_ptr<Source> first, const std::string& input,
                                    const SourceOptions&);

// Throws Error(damaged) where there is damage.
void refuse_damage(const Damage& damage, const std::string& name);

// What "-" reads. Throws Error(input) for a terminal.
std::unique_ptr<ByteReader> read_stdin(const SourceOptions& options);

// What an input that is no address reads: a file, or a pipe with a name, for whose writer a read
// waits. Throws Error(input).
std::unique_ptr<ByteReader> read_file(const std::string& input, const SourceOptions& options);

// WxH[:PIXFMT][@FPS][#FRAMES]
struct PictureSpec {
  int width = 0, height = 0;
  const PixelFormat* format = nullptr;  // nullptr where not given
  bool swapped = false;  // the bytes of its samples come in the order that is not this machine's
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVRational frame_rate{25, 1};
  std::optional<std::int64_t> frames;
};
// `what` is for messages. Throws Error(usage).
PictureSpec parse_picture_spec(std::string_view text, const std::string& what,
                               std::int64_t max_pixels);

}  // namespace vidconv
