// Pipes are slow, cut, closed early or stalled.
#include "pipeline/io/byte_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <utility>

#include "pipeline/io/partial_file.h"
#include "pipeline/io/pipe_io.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::convert;
using test::expect_error;
using test::output_of;
using test::read_all;
using test::TempDir;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }
  int reader() const { return ends[0]; }
  int writer() const { return ends[1]; }

 private:
  void close_end(std::size_t i) {
    if (ends[i] >= 0) close(std::exchange(ends[i], -1));
  }
  std::array<int, 2> ends{-1, -1};
};

// Writes `bytes` into the pipe in pieces of odd sizes and closes it.
std::jthread feed(Pipe& pipe, std::string bytes) {
  return std::jthread([&pipe, bytes = std::move(bytes)] {
    std::size_t done = 0;
    for (std::size_t piece = 1; done < bytes.size(); piece = piece * 3 % 8191 + 1) {
      const std::size_t count = std::min(piece, bytes.size() - done);
      if (write(pipe.writer(), bytes.data() + done, count) < 0) break;
      done += count;
    }
    pipe.close_writer();
  });
}

SourceOptions from(const Pipe& pipe, const std::string& raw = {}) {
  SourceOptions options;
  options.stdin_fd = pipe.reader();
  options.raw = raw;
  return options;
}

TEST(Pipes, Y4mInPieces) {
  const TempDir dir;
  convert("pattern:33x21#6", dir / "a.y4m");
  Pipe pipe;
  const auto feeder = feed(pipe, test::read_file(dir / "a.y4m"));
  EXPECT_EQ(read_all("-", from(pipe)).pictures, read_all("pattern:33x21#6").pictures);
}

TEST(Pipes, RawInPieces) {
  const TempDir dir;
  convert("pattern:33x21#6", dir / "a.yuv");
  Pipe pipe;
  const auto feeder = feed(pipe, test::read_file(dir / "a.yuv"));
  EXPECT_EQ(read_all("-", from(pipe, "33x21:yuv420p")).pictures,
            read_all("pattern:33x21#6").pictures);
}

TEST(Pipes, ContainerInPieces) {
  const TempDir dir;
  SinkOptions options;
  options.encoder.codec = "ffv1";
  convert("pattern:33x21#6", dir / "a.mkv", {"identity"}, options);
  Pipe pipe;
  const auto feeder = feed(pipe, test::read_file(dir / "a.mkv"));
  const auto all = read_all("-", from(pipe));
  EXPECT_EQ(all.pictures, read_all("pattern:33x21#6").pictures);
  EXPECT_FALSE(all.damage.any());
}

TEST(Pipes, FifoByName) {
  const TempDir dir;
  convert("pattern:33x21#6", dir / "a.y4m");
  output_of("mkfifo " + dir / "fifo");
  const std::jthread writer([&] { output_of("cat " + dir / "a.y4m" + " > " + dir / "fifo"); });
  EXPECT_EQ(read_all(dir / "fifo").pictures.size(), 6u);
}

TEST(Pipes, EmptyOnesAreErrors) {
  for (const char* raw : {"", "8x8:gray"}) {
    Pipe pipe;
    pipe.close_writer();
    expect_error(Fault::input, {"empty"}, [&] { read_all("-", from(pipe, raw)); });
  }
}

TEST(Pipes, GarbageIsAnError) {
  Pipe pipe;
  const auto feeder = feed(pipe, std::string(100000, 'g'));
  expect_error(Fault::input, {"standard input"}, [&] { read_all("-", from(pipe)); });
}

TEST(Pipes, StalledInputCanBeCancelled) {
  Pipe pipe;
  const std::string header = "YUV4MPEG2 W8 H8 F25:1\n";
  ASSERT_EQ(write(pipe.writer(), header.data(), header.size()), std::ssize(header));
  const auto source = open_source("-", from(pipe));
  std::jthread reader([&] { EXPECT_FALSE(source->next()); });
  source->cancel();
  reader.join();
  EXPECT_FALSE(source->damage().any());
}

TEST(Pipes, StalledInputCanBeInterrupted) {
  Pipe pipe;
  std::atomic<bool> interrupted = false;
  SourceOptions options = from(pipe, "8x8:gray");
  options.interrupted = &interrupted;
  const auto source = open_source("-", options);
  std::jthread reader([&] { EXPECT_FALSE(source->next()); });
  interrupted = true;
}

// The sink of a run fails while the input is stalled.
TEST(Pipes, FailureEndsAWaitForInput) {
  const TempDir dir;
  convert("pattern:8x8#3", dir / "a.y4m");
  const std::string bytes = test::read_file(dir / "a.y4m");
  Pipe pipe, output;
  ASSERT_EQ(write(pipe.writer(), bytes.data(), bytes.size()), std::ssize(bytes));
  const auto source = open_source("-", from(pipe));
  SinkOptions options;
  options.stdout_fd = output.writer();
  const auto sink = open_sink("-", options, source->info());
  output.close_reader();
  const auto processor = test::processor_for(*source, {"identity"});
  expect_error(Fault::output, {"standard output", "closed"},
               [&] { run(*source, *processor, *sink); });
}

// Nobody reads what is written, and the input fails.
TEST(Pipes, FailureEndsAWaitForTheReader) {
  for (const char* format : {"y4m", "raw", "nut"}) {
    SCOPED_TRACE(format);
    Pipe pipe, output;
    const std::string frame(std::size_t{640} * 480, 'x');
    SourceOptions source_options = from(pipe, "640x480:gray");
    source_options.timeout = 1;
    const auto source = open_source("-", source_options);
    SinkOptions options;
    options.format = format;
    if (std::string_view(format) == "nut") options.encoder.codec = "rawvideo";
    options.stdout_fd = output.writer();
    const auto sink = open_sink("-", options, source->info());
    const auto processor = test::processor_for(*source, {"identity"});
    // Writes more than the output's pipe holds, then nothing.
    std::jthread feeder([&] {
      for (int i = 0; i < 6; ++i) {
        std::string_view rest = frame;
        while (!rest.empty()) {
          const ssize_t count = write(pipe.writer(), rest.data(), rest.size());
          if (count <= 0) return;
          rest.remove_prefix(static_cast<std::size_t>(count));
        }
      }
    });
    expect_error(Fault::input, {"nothing came for 1 s"}, [&] { run(*source, *processor, *sink); });
    EXPECT_EQ(fcntl(output.writer(), F_GETFL) & O_NONBLOCK, 0) << "others share the descriptor";
    pipe.close_reader();
  }
}

TEST(Pipes, ReaderThatLeavesEarlyIsAnOutputError) {
  for (const char* format : {"y4m", "raw", "nut", "matroska"}) {
    Pipe pipe;
    std::jthread reader([&] {
      std::array<char, 10000> some;
      EXPECT_GT(read(pipe.reader(), some.data(), some.size()), 0);
      pipe.close_reader();
    });
    SinkOptions options;
    options.format = format;
    options.stdout_fd = pipe.writer();
    expect_error(Fault::output, {"standard output", "closed"},
                 [&] { convert("pattern:320x240#500", "-", {"identity"}, options); });
  }
}

TEST(Pipes, SlowNonBlockingOutputGetsEverything) {
  Pipe pipe;
  fcntl(pipe.writer(), F_SETFL, O_NONBLOCK);
  std::string got;
  std::jthread reader([&] {
    std::array<char, 777> some;
    ssize_t count;
    while ((count = read(pipe.reader(), some.data(), some.size())) > 0)
      got.append(some.data(), static_cast<std::size_t>(count));
  });
  SinkOptions options;
  options.format = "raw";
  options.stdout_fd = pipe.writer();
  convert("pattern:320x240#20", "-", {"identity"}, options);
  pipe.close_writer();
  reader.join();
  std::string expected;
  for (const auto& picture : read_all("pattern:320x240#20").pictures) expected += picture;
  EXPECT_TRUE(got == expected);
}

// Several threads read in pieces what one thread reads, also if the file ends within a piece, or is
// cut while it is read.
TEST(ByteReader, SeveralThreadsReadAFileAsOneDoes) {
  const TempDir dir;
  constexpr std::size_t bytes = (9 << 20) + 123;
  std::string content(bytes, 0);
  for (std::size_t i = 0; i < bytes; i += 997) content[i] = static_cast<char>(i / 997);
  std::ofstream(dir / "a") << content;
  const auto reader = ByteReader::open(dir / "a", nullptr);
  reader->read_by(3);
  EXPECT_EQ(reader->peek(5), content.substr(0, 5));
  std::string all, part;
  constexpr std::size_t mib = 1 << 20;
  for (const std::size_t wanted :
       {2 * mib, 3 * mib + 7, std::size_t{11}, 2 * mib, 16 * mib, 4 * mib}) {
    part.resize(wanted);
    part.resize(reader->read(std::as_writable_bytes(std::span(part))));
    EXPECT_EQ(part.size(), std::min(wanted, bytes - all.size()));
    all += part;
  }
  EXPECT_TRUE(all == content);
  const auto cut = ByteReader::open(dir / "a", nullptr);
  cut->read_by(3);
  std::filesystem::resize_file(dir / "a", 5 << 20);
  part.resize(bytes);
  EXPECT_EQ(cut->read(std::as_writable_bytes(std::span(part))), std::size_t{5 << 20});
}

TEST(ByteReader, SeveralThreadsFailAsOneDoes) {
  const TempDir dir;
  std::ofstream(dir / "a") << std::string(4 << 20, 'a');
  ByteReader reader(open((dir / "a").c_str(), O_WRONLY), true, "the file", nullptr);
  reader.read_by(3);
  std::string all(4 << 20, 0);
  expect_error(Fault::input, {"cannot read the input 'the file'", "not open for reading"},
               [&] { reader.read(std::as_writable_bytes(std::span(all))); });
}

TEST(ByteReader, PeekTakesNothing) {
  const TempDir dir;
  test::write_file(dir / "a", "0123456789");
  const auto reader = ByteReader::open(dir / "a", nullptr);
  EXPECT_EQ(reader->peek(4), "0123");
  std::array<char, 10> all;
  EXPECT_EQ(reader->read(std::as_writable_bytes(std::span(all))), 10u);
  EXPECT_EQ(std::string(all.begin(), all.end()), "0123456789");
  EXPECT_EQ(reader->peek(4), "");
}

// Muxers that move what they have written make room by reading it.
TEST(PipeOutputTest, LetsMuxersGoOverTheirFileOnceMore) {
  const TempDir dir;
  convert("pattern:64x48#20", dir / "in.mkv");
  {
    PartialFile file(dir / "out.mp4", {});
    ByteWriter writer(file.fd(), "out.mp4");
    PipeOutput output(writer, true);
    AVFormatContext *in = nullptr, *out = nullptr;
    ASSERT_EQ(avformat_open_input(&in, (dir / "in.mkv").c_str(), nullptr, nullptr), 0);
    const InputPtr input(in);
    ASSERT_GE(avformat_alloc_output_context2(&out, nullptr, "mp4", "out.mp4"), 0);
    const OutputPtr mp4(out);
    ASSERT_GE(avformat_find_stream_info(in, nullptr), 0);
    avcodec_parameters_copy(avformat_new_stream(out, nullptr)->codecpar, in->streams[0]->codecpar);
    out->streams[0]->codecpar->codec_tag = 0;
    output.connect(*out);
    AVDictionary* options = nullptr;
    av_dict_set(&options, "movflags", "+faststart", 0);
    ASSERT_GE(avformat_write_header(out, &options), 0);
    av_dict_free(&options);
    for (const PacketPtr packet = make_packet(); av_read_frame(in, packet.get()) >= 0;) {
      av_packet_rescale_ts(packet.get(), in->streams[0]->time_base, out->streams[0]->time_base);
      ASSERT_GE(av_interleaved_write_frame(out, packet.get()), 0);
    }
    ASSERT_EQ(av_write_trailer(out), 0);
    // No other file can be opened, nor this one by its name.
    AVIOContext* other = nullptr;
    EXPECT_EQ(out->io_open(out, &other, "out.mp4", AVIO_FLAG_WRITE, nullptr), AVERROR(EPERM));
    EXPECT_EQ(out->io_open(out, &other, (dir / "in.mkv").c_str(), AVIO_FLAG_READ, nullptr),
              AVERROR(EPERM));
    file.commit();
  }
  const std::string bytes = test::read_file(dir / "out.mp4");
  EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
  EXPECT_EQ(read_all(dir / "out.mp4").pictures, read_all(dir / "in.mkv").pictures);
}

}  // namespace
}  // namespace vidconv
