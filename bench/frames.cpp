// vidconv-frames: the ends of a pipeline without its middle, to measure what decoders, encoders and
// pipes do alone.
//
//   vidconv-frames decode INPUT [--device N,N --sessions N]   frames per second of decoding
//   vidconv-frames encode INPUT OUTPUT --codec C --preset P --frames N --encoders E --threads T
//                       frames per second of encoding the first pictures of INPUT, held in memory,
//                       forth and back, by E encoders side by side, each with its share of the
//                       frames and an output of its own ({n} in OUTPUT is its number), and the CPU
//                       time that this took; --hold as many pictures as there are frames: then all
//                       lie in memory of their own, as those of a video do. Bare frames, for others
//                       to read, with --codec '' --preset '' and OUTPUT.yuv or .y4m
//   vidconv-frames copy                 standard input to standard output, by blocks of 256 KiB
//   vidconv-frames copy --frame BYTES --slots N [--pinned]
//                       likewise, as vidconv does it: one thread reads frames of BYTES bytes into N
//                       slots of memory, another writes them out; nothing lies between
//   vidconv-frames supply BYTES         BYTES bytes to standard output, by such blocks
//   vidconv-frames drain                standard input to nowhere, by such blocks; prints bytes per
//                       second
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/base/channel.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/device/cuda.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv::bench {
namespace {

constexpr int pipe_bytes = 1 << 20;
constexpr std::size_t block_bytes = pipe_bytes / 4;  // carries most, because both ends work at once

struct Options {
  std::string input, output, codec = "libx264", preset = "ultrafast";
  int sessions = -1, encoders = 1, threads = 0;
  std::vector<int> devices = {0};
  std::int64_t frames = 500;
  std::size_t bytes = 0, frame_bytes = 0;
  std::size_t slots = 8, hold = 48;
  bool pinned = false;
};

void report(std::int64_t frames, double seconds) {
  fmt::print("{} frames in {:.3f} s: {:.1f} frames/s\n", frames, seconds,
             static_cast<double>(frames) / seconds);
}

// The CPU time of this process, over all CPUs.
struct CpuSeconds {
  double user, system;
};
CpuSeconds cpu_seconds() {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {seconds(used.ru_utime), seconds(used.ru_stime)};
}

void decode(const Options& o) {
  SourceOptions options;
  if (o.sessions >= 0) {
    options.memory = pinned_memory;
    options.nvdec = NvdecOptions{.devices = o.devices, .sessions = std::nullopt};
    if (o.sessions > 0) options.nvdec->sessions = o.sessions;
  }
  options.notify = [](MessageKind, const std::string& line) { fmt::print(stderr, "{}\n", line); };
  const auto source = open_source(o.input, options);
  const auto start = Clock::now();
  std::int64_t frames = 0;
  while (const auto item = source->next()) frames += std::holds_alternative<Frame>(*item);
  report(frames, seconds_since(start));
}

// The first pictures of an input, repeated forth and back for a video of any length.
class Roll {
 public:
  Roll(Source& source, std::size_t most) {
    while (pictures_.size() < most) {
      auto item = source.next();
      if (!item) break;
      if (Frame* frame = std::get_if<Frame>(&*item)) pictures_.push_back(std::move(*frame));
    }
    if (pictures_.size() < 2) throw std::runtime_error("the input is too short");
    step_ = pictures_[1].av().pts - pictures_[0].av().pts;
  }
  Frame frame(std::int64_t number) const {
    const std::size_t period = 2 * pictures_.size() - 2;
    const std::size_t at = static_cast<std::size_t>(number) % period;
    const Frame& picture = pictures_[at < pictures_.size() ? at : period - at];
    FramePtr copy(av_frame_clone(&picture.av()));
    copy->pts = number * step_;
    return {std::move(copy), number};
  }

 private:
  std::vector<Frame> pictures_;
  std::int64_t step_ = 0;
};

std::string numbered(std::string output, int number) {
  if (const auto at = output.find("{n}"); at != std::string::npos)
    output.replace(at, 3, std::to_string(number));
  return output;
}

void encode(const Options& o) {
  const auto source = open_source(o.input, {});
  SinkOptions options;
  options.encoder.codec = o.codec;
  options.encoder.preset = o.preset;
  options.encoder.threads = o.threads;
  options.overwrite = true;
  std::vector<std::unique_ptr<Sink>> sinks;
  for (int i = 0; i < o.encoders; ++i)
    sinks.push_back(open_sink(numbered(o.output, i), options, source->info()));
  const Roll roll(*source, o.hold);
  std::vector<std::exception_ptr> failures(sinks.size());
  const CpuSeconds before = cpu_seconds();
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sinks.size(); ++i)
      threads.emplace_back([&, i] {
        const auto part = [&](std::size_t n) {
          return o.frames * static_cast<std::int64_t>(n) / std::ssize(sinks);
        };
        try {
          for (std::int64_t n = part(i); n < part(i + 1); ++n) sinks[i]->write(roll.frame(n));
          sinks[i]->finish();
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  const double seconds = seconds_since(start);
  const CpuSeconds after = cpu_seconds();
  fmt::print("{} frames in {:.3f} s: {:.1f} frames/s, CPU {:.2f} s user, {:.2f} s system\n",
             o.frames, seconds, static_cast<double>(o.frames) / seconds, after.user - before.user,
             after.system - before.system);
}

void enlarge(int fd) { fcntl(fd, F_SETPIPE_SZ, pipe_bytes); }

// Writes to standard output. Returns false when nobody reads the pipe any more.
bool write_all(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(1, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void copy() {
  enlarge(0);
  enlarge(1);
  std::vector<char> block(block_bytes);
  for (ssize_t count; (count = read(0, block.data(), block.size())) > 0;)
    if (!write_all({block.data(), static_cast<std::size_t>(count)})) return;
}

// Copies with vidconv's own reader and writer, so that the calls are the same.
void copy_frames(const Options& o) {
  using Slot = std::span<std::byte>;
  const FrameMemory& memory = o.pinned ? pinned_memory : plain_memory;
  ByteReader reader(0, false, "standard input", nullptr);
  ByteWriter writer(1, "standard output");
  Channel<Slot> empty(o.slots), full(o.slots);
  std::vector<std::unique_ptr<std::byte, void (*)(std::byte*)>> blocks;
  for (std::size_t i = 0; i < o.slots; ++i) {
    blocks.emplace_back(memory.allocate(o.frame_bytes, 0), memory.release);
    empty.push({blocks.back().get(), o.frame_bytes});
  }
  const std::jthread read([&] {
    while (const auto slot = empty.pop()) {
      const std::size_t count = reader.read(*slot);
      if (count == 0 || !full.push(slot->first(count)) || count < slot->size()) break;
    }
    full.close();
  });
  while (const auto slot = full.pop()) {
    writer.write({reinterpret_cast<const char*>(slot->data()), slot->size()});
    empty.push(*slot);
  }
  empty.cancel();
}

void supply(const Options& o) {
  enlarge(1);
  std::vector<char> block(block_bytes);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(i * i >> 7);
  for (std::size_t left = o.bytes; left > 0;) {
    const std::size_t now = std::min(left, block.size());
    if (!write_all({block.data(), now})) return;
    left -= now;
  }
}

void drain() {
  enlarge(0);
  std::vector<char> block(block_bytes);
  std::size_t bytes = 0;
  auto start = Clock::now();
  for (ssize_t count; (count = read(0, block.data(), block.size())) > 0;) {
    if (bytes == 0) start = Clock::now();  // the programs before it take their time to start
    bytes += static_cast<std::size_t>(count);
  }
  const double seconds = seconds_since(start);
  fmt::print(stderr, "{} bytes in {:.3f} s: {:.3f} GB/s\n", bytes, seconds,
             1e-9 * static_cast<double>(bytes) / seconds);
}

int run(int argc, char** argv) {
  Options o;
  CLI::App app("What decoders, encoders and pipes do alone.", "vidconv-frames");
  app.require_subcommand(1);
  CLI::App* d = app.add_subcommand("decode");
  d->add_option("input", o.input)->required();
  d->add_option("--sessions", o.sessions, "of NVDEC; 0: as vidconv chooses");
  d->add_option("--device", o.devices)->delimiter(',');
  CLI::App* e = app.add_subcommand("encode");
  e->add_option("input", o.input)->required();
  e->add_option("output", o.output)->required();
  e->add_option("--codec", o.codec);
  e->add_option("--preset", o.preset);
  e->add_option("--frames", o.frames);
  e->add_option("--hold", o.hold, "so many pictures in memory")->capture_default_str();
  e->add_option("--encoders", o.encoders)->check(CLI::PositiveNumber);
  e->add_option("--threads", o.threads, "of each encoder; 0: as the library chooses");
  CLI::App* c = app.add_subcommand("copy");
  c->add_option("--frame", o.frame_bytes);
  c->add_option("--slots", o.slots)->check(CLI::PositiveNumber);
  c->add_flag("--pinned", o.pinned, "memory as a CUDA device wants it");
  CLI::App* s = app.add_subcommand("supply");
  s->add_option("bytes", o.bytes)->required();
  app.add_subcommand("drain");
  CLI11_PARSE(app, argc, argv);
  if (d->parsed())
    decode(o);
  else if (e->parsed())
    encode(o);
  else if (c->parsed() && o.frame_bytes > 0)
    copy_frames(o);
  else if (c->parsed())
    copy();
  else if (s->parsed())
    supply(o);
  else
    drain();
  return 0;
}

}  // namespace
}  // namespace vidconv::bench

int main(int argc, char** argv) {
  try {
    return vidconv::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vidconv-frames: {}\n", error.what());
    return 1;
  }
}
