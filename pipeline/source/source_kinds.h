// These functions are the rows of the table of sources. For the pipeline only.
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

// A pipe or a file may turn out to hold Y4M, or else a container.
constexpr std::string_view y4m_magic = "YUV4MPEG2 ";
std::unique_ptr<Source> open_y4m(std::unique_ptr<ByteReader> reader, const SourceOptions&);
// Opens a container behind a URL, or from `reader` if there is one (`url` is its name then).
std::unique_ptr<Source> open_container(const std::string& url, std::unique_ptr<ByteReader> reader,
                                       const SourceOptions&);

// Opens all videos of the file that `first` has opened, which has several; reads it once for each.
std::unique_ptr<Source> open_videos(std::unique_ptr<Source> first, const std::string& input,
                                    const SourceOptions&);

// Throws Error(damaged) if there is damage.
void refuse_damage(const Damage& damage, const std::string& name);

// Returns the reader of "-". Throws Error(input) for a terminal.
std::unique_ptr<ByteReader> read_stdin(const SourceOptions& options);

// Returns the reader of an input that is no address: a file, or a named pipe, for whose writer a
// read waits. Throws Error(input).
std::unique_ptr<ByteReader> read_file(const std::string& input, const SourceOptions& options);

// The parsed form of WxH[:PIXFMT][@FPS][#FRAMES].
struct PictureSpec {
  int width = 0, height = 0;
  const PixelFormat* format = nullptr;  // nullptr if not given
  bool swapped = false;                 // its samples' bytes are not in this machine's order
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVRational frame_rate{25, 1};
  std::optional<std::int64_t> frames;
};
// Parses a description. `what` is for messages. Throws Error(usage).
PictureSpec parse_picture_spec(std::string_view text, const std::string& what,
                               std::int64_t max_pixels);

}  // namespace vidconv
