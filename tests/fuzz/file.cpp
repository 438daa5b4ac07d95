// Damaged files through the whole path: a source opens the bytes and decodes them, a filter runs,
// and a sink encodes the frames and copies the other streams. What is refused must be an Error, and
// never one that blames ourselves.
//
// Pictures are limited as for users, by max_pixels, so that a header of some 30 bytes cannot ask
// for minutes of work.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/spec/parse.h"
#include "pipeline/run/run.h"
#include "tests/fuzz/input.h"

namespace {

using namespace vidconv;

constexpr int most_pixels = 1 << 18;
constexpr int most_frames = 12;

// A folder of this process that is removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "vidconv-fuzz-XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Outputs for the frames: quick encoders that together take all kinds of frames.
struct Way {
  const char* output;
  const char* format;
  const char* codec;
};
constexpr Way ways[] = {
    {"md5:", "", ""},         {"-", "nut", "rawvideo"},     {"out.mkv", "", "ffv1"},
    {"out.mp4", "", "mpeg4"}, {"out.ts", "", "mpeg2video"}, {"-", "y4m", ""},
    {"out.gif", "", ""},
};

void filter(const std::string& input, const SourceOptions& from, const Way& way,
            const Folder& folder, int null) {
  const auto source = open_source(input, from);
  const FilterSpec box[] = {FilterSpec::parse("box")};
  std::vector<std::unique_ptr<Processor>> processors;
  for (const auto& [stream, video] : source->videos())
    processors.push_back(make_processor(make_work(box, *video.format, {}, {}), video.width,
                                        video.height, {.slots = 1}));

  const bool to_file = std::string_view(way.output).starts_with("out");
  SinkOptions to;
  to.format = way.format;
  to.encoder.codec = way.codec;
  to.encoder.threads = 1;
  to.overwrite = true;
  to.stdout_fd = null;
  const auto sink = open_sink(to_file ? folder / way.output : way.output, to, source->info());
  run_serial(*source, *join_processors(std::move(processors)), *sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  static const bool limited = (av_max_alloc(fuzz::most_bytes), true);
  (void)limited;

  const fuzz::FuzzedFile file({data, size});
  // The length, which no format depends on, selects the way: the output, seeking or a pipe, and all
  // videos or the first.
  const Way& way = ways[size % std::size(ways)];
  const std::size_t choice = size / std::size(ways);
  const bool pipe = choice % 2 != 0;
  SourceOptions from;
  from.frames = most_frames;
  from.threads = 1;
  from.max_pixels = most_pixels;
  from.memory = fuzz::limited_memory;
  from.stdin_fd = file.fd();
  if (choice / 2 % 2 != 0) from.video = std::nullopt;
  fuzz::expect_no_fault_of_ours([&] { filter(pipe ? "-" : file.path(), from, way, folder, null); });
  return 0;
}
