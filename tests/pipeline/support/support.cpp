#include "tests/pipeline/support/support.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "pipeline/device/cuda.h"
#include "pipeline/source/source_windowed.h"

namespace vidconv::test {

namespace fs = std::filesystem;

TempDir::TempDir() {
  std::string name = (fs::temp_directory_path() / "vidconv-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TempDir::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string packed(const Frame& frame) {
  std::string bytes;
  for (int p = 0; p < frame.format().planes; ++p)
    for (int y = 0; y < frame.format().rows(p, frame.height()); ++y)
      bytes.append(reinterpret_cast<const char*>(frame.row(p, y)),
                   frame.format().row_bytes(p, frame.width()));
  return bytes;
}

void MemorySink::write(Frame frame) {
  pictures.push_back(packed(frame));
  times.push_back(frame.av().pts);
}

std::vector<Device> all_devices() {
  const CudaDevices cuda = cuda_devices();
  if (!cuda.devices.empty()) return {Device::cpu, Device::cuda};
  const char* required = std::getenv("VIDCONV_REQUIRE_CUDA");
  EXPECT_FALSE(required && std::string_view(required) == "1") << cuda.why_none;
  return {Device::cpu};
}

bool has(Device device) {
  static const std::vector<Device> all = all_devices();
  return std::ranges::find(all, device) != all.end();
}

SourceOptions source_options_for(Device device) {
  return {.memory = device == Device::cuda ? pinned_memory : plain_memory};
}

TimedWork work_for(const Source& source, const std::vector<std::string>& chain) {
  std::vector<FilterSpec> specs;
  for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
  const VideoInfo& video = source.video();
  return in_stages(specs, video, [&](std::span<const FilterSpec> acting) {
    return make_work(acting, *video.format, {}, {});
  });
}

std::unique_ptr<Processor> processor_for(const Source& source,
                                         const std::vector<std::string>& chain,
                                         ProcessorOptions options) {
  const VideoInfo& video = source.video();
  return make_processor(work_for(source, chain), video.width, video.height, options);
}

std::unique_ptr<Source> windowed(std::unique_ptr<Source> source,
                                 const std::vector<std::string>& chain) {
  const TimedWork work = work_for(*source, chain);
  return is_staged(work) ? give_windows(std::move(source), {work.reach()}, {}) : std::move(source);
}

Contents read_all(Source& source) {
  Contents contents;
  while (std::optional<Item> item = source.next()) {
    if (const Frame* frame = std::get_if<Frame>(&*item)) {
      EXPECT_EQ(frame->number(), std::ssize(contents.pictures));
      contents.pictures.push_back(packed(*frame));
      contents.times.push_back(frame->av().pts);
    } else {
      ++contents.packets[std::get<PacketPtr>(*item)->stream_index];
    }
  }
  contents.damage = source.damage();
  return contents;
}

Contents read_all(const std::string& input, const SourceOptions& options) {
  return read_all(*open_source(input, options));
}

RunResult convert(const std::string& input, const std::string& output,
                  const std::vector<std::string>& chain, SinkOptions options,
                  const SourceOptions& source_options) {
  RunFiles files;
  SourceOptions from = source_options;
  from.files = options.files = &files;
  const auto source = open_source(input, from);
  const auto sink = open_sink(output, options, source->info());
  const auto processor = processor_for(*source, chain);
  return run(*source, *processor, *sink);
}

}  // namespace vidconv::test
