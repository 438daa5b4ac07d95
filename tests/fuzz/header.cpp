// Tests extreme descriptions of pictures in inputs. The first byte tells which reader gets the
// rest:
//
//   f  a file, p  a pipe: y4m or a container
//   r  bare frames, after a line that describes them
//   g  a pattern
//   k  a kernel file
//
// Accepted input is laid out in every way, and its first frame is filtered. Half of the mutations
// replace a number of the header by an extreme one.
#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "kernels/spec/parse.h"
#include "pipeline/filter/processor.h"
#include "pipeline/run/compare.h"
#include "pipeline/work/light.h"
#include "tests/fuzz/extremes.h"
#include "tests/fuzz/input.h"

namespace {

using namespace vidconv;

void make_processors(const VideoInfo& video, std::unique_ptr<Processor>& box) {
  const FilterSpec filter[] = {FilterSpec::parse("box")};
  const auto make = [&](Work work) {
    return make_processor(std::move(work), video.width, video.height, {.slots = 1});
  };
  box = make(make_work(filter, *video.format, {}, {}));
  for (const auto mode : {Comparison::Mode::side, Comparison::Mode::split})
    fuzz::expect_no_fault_of_ours([&] {
      make_compare_processor(make(make_work(filter, *video.format, {}, {})), video, {.mode = mode});
    });
  fuzz::expect_no_fault_of_ours(
      [&] { make(make_light_work(filter, *video.format, {}, make_light_plan(video, {}, {}))); });
}

void read(const std::string& input, const SourceOptions& options) {
  const auto source = open_source(input, options);
  if (exceeds(source->video().width, source->video().height, options.max_pixels)) std::abort();
  std::unique_ptr<Processor> box;
  make_processors(source->video(), box);
  while (std::optional<Item> item = source->next())
    if (Frame* frame = std::get_if<Frame>(&*item)) {
      box->submit(std::move(*frame));
      box->collect();
      break;
    }
}

// Returns where the next digits at or after `from` begin and end; both `line.size()` if there are
// none.
std::pair<std::size_t, std::size_t> number_in(std::string_view line, std::size_t from) {
  constexpr const char* digits = "0123456789";
  const std::size_t begin = std::min(line.find_first_of(digits, from), line.size());
  return {begin, std::min(line.find_first_not_of(digits, begin), line.size())};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  std::minstd_rand random(seed);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view line = std::string_view(bytes).substr(0, bytes.find('\n'));
  if (random() % 2 == 0 || line.empty()) return LLVMFuzzerMutate(data, size, max);
  const auto [begin, end] = number_in(line, random() % line.size());
  if (begin == end) return LLVMFuzzerMutate(data, size, max);
  std::string changed = bytes.substr(0, begin);
  changed += fuzz::extremes[random() % std::size(fuzz::extremes)];
  changed += bytes.substr(end);
  changed.resize(std::min(changed.size(), max));
  std::ranges::copy(changed, data);
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool limited = (av_max_alloc(fuzz::most_bytes), true);
  (void)limited;
  if (size == 0) return 0;
  std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SourceOptions options;
  options.frames = 1;
  options.threads = 1;
  options.max_pixels = 1 << 16;
  options.memory = fuzz::limited_memory;
  if (data[0] == 'g') {
    fuzz::expect_no_fault_of_ours([&] { read("pattern:" + std::string(text), options); });
    return 0;
  }
  if (data[0] == 'k') {
    try {
      FilterSpec::parse_file("k", text);
    } catch (const SpecError&) {
    }
    return 0;
  }
  if (data[0] == 'r') {
    options.raw = text.substr(0, text.find('\n'));
    if (options.raw.empty()) return 0;
    bytes = bytes.subspan(std::min(options.raw.size() + 1, bytes.size()));
  }
  const fuzz::FuzzedFile file(bytes);
  options.stdin_fd = file.fd();
  fuzz::expect_no_fault_of_ours([&] { read(data[0] == 'p' ? "-" : file.path(), options); });
  return 0;
}
