// Damaged files through the whole path: a source opens the bytes and decodes them, a filter runs,
// and a sink encodes the frames and copies the other streams. What is refused must be an Error, and
// never one that blames ourselves.
//
// FFmpeg is not instrumented and not what is tested here: its single allocations and the pictures
// that we take are limited, so that a header of some 30 bytes cannot ask for minutes of work.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/parse.h"
#include "pipeline/run.h"

namespace {

using namespace vidconv;

constexpr std::size_t most_bytes = 32 << 20;  // of one allocation
constexpr int most_pixels = 1 << 18;
constexpr int most_frames = 12;

std::byte* allocate(std::size_t bytes) noexcept {
  return bytes > most_bytes ? nullptr : plain_memory.allocate(bytes);
}
const HostMemory limited_memory = {"limited", allocate, plain_memory.release};

// A folder of this process, gone with it.
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

// Where the frames go. Encoders that are quick, and that between them take all kinds of frames.
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
  for (const auto& [stream, video] : source->videos()) {
    if (std::int64_t{video.width} * video.height > most_pixels) return;
    processors.push_back(make_processor(make_work(box, *video.format, {}, {}), video.width,
                                        video.height, {.slots = 1}));
  }

  const bool to_file = std::string_view(way.output).starts_with("out");
  SinkOptions to;
  to.format = way.format;
  to.codec = way.codec;
  to.threads = 1;
  to.overwrite = true;
  to.stdout_fd = null;
  const auto sink = open_sink(to_file ? folder / way.output : way.output, to, *source);
  run_serial(*source, *join_processors(std::move(processors)), *sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  static const bool limited = (av_max_alloc(most_bytes), true);
  (void)limited;

  const int file = memfd_create("fuzzed", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  lseek(file, 0, SEEK_SET);
  // The length, which no format looks at, says which way: where to, by seeking or from a pipe, and
  // whether all videos or the first.
  const Way& way = ways[size % std::size(ways)];
  const std::size_t choice = size / std::size(ways);
  const bool pipe = choice % 2 != 0;
  SourceOptions from;
  from.frames = most_frames;
  from.threads = 1;
  from.memory = limited_memory;
  from.stdin_fd = file;
  from.video = choice / 2 % 2 != 0 ? 0 : 1;
  try {
    filter(pipe ? "-" : "/proc/self/fd/" + std::to_string(file), from, way, folder, null);
  } catch (const Error& error) {
    const bool limit = error.message().find("out of memory") != std::string::npos;
    if (error.fault() == Fault::internal && !limit) {
      std::cerr << error.message() << '\n';
      std::abort();
    }
  }
  close(file);
  return 0;
}
