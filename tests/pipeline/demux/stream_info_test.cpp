// StreamInfo knows of a file's streams what would be found of them once more, frames included.
#include "pipeline/demux/stream_info.h"

#include <gtest/gtest.h>

#include <memory>

#include "pipeline/demux/container_input.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::Contents;
using test::output_of;
using test::read_all;
using test::TempDir;

void make_known_clip(const std::string& path, const std::string& encoding, int width = 160) {
  output_of("ffmpeg -v error -y -f lavfi -i testsrc2=s=" + std::to_string(width) +
            "x120:r=25:d=2 -f lavfi -i sine=d=2 -c:a aac " + encoding + " " + path);
}

std::shared_ptr<const StreamInfo> found_in(const std::string& path) {
  return std::make_shared<const StreamInfo>(
      ContainerInput("file:" + path, nullptr, {}).container());
}

// Opens a file without finding anything out.
class Opened {
 public:
  explicit Opened(const std::string& path) {
    EXPECT_EQ(avformat_open_input(&context_, path.c_str(), nullptr, nullptr), 0) << path;
  }
  ~Opened() { avformat_close_input(&context_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  AVFormatContext& get() const { return *context_; }

 private:
  AVFormatContext* context_ = nullptr;
};

TEST(StreamInfo, AreWhatIsFound) {
  const TempDir dir;
  make_known_clip(dir / "a.mp4", "-c:v libx264 -preset ultrafast -g 10 -bf 2");
  make_known_clip(dir / "b.mkv", "-c:v libx264 -preset ultrafast -g 10 -bf 3");
  make_known_clip(dir / "c.mkv", "-c:v mpeg4 -g 12 -bf 2");
  make_known_clip(dir / "d.mkv",
                  "-c:v libx265 -preset ultrafast -x265-params "
                  "open-gop=1:keyint=20:bframes=3:b-adapt=0:log-level=error:pools=2");
  for (const char* name : {"a.mp4", "b.mkv", "c.mkv", "d.mkv"}) {
    SCOPED_TRACE(name);
    const ContainerInput found("file:" + dir / name, nullptr, {});
    const Opened opened(dir / name);
    ASSERT_TRUE(StreamInfo(found.container()).describe(opened.get()));
    EXPECT_EQ(opened.get().start_time, found.container().start_time);
    EXPECT_EQ(opened.get().duration, found.container().duration);
    for (unsigned i = 0; i < opened.get().nb_streams; ++i) {
      const AVStream &a = *opened.get().streams[i], &b = *found.container().streams[i];
      EXPECT_EQ(a.codecpar->format, b.codecpar->format);
      EXPECT_EQ(a.codecpar->width, b.codecpar->width);
      EXPECT_EQ(a.codecpar->video_delay, b.codecpar->video_delay);
      EXPECT_EQ(a.avg_frame_rate.num, b.avg_frame_rate.num);
      EXPECT_EQ(a.avg_frame_rate.den, b.avg_frame_rate.den);
      EXPECT_EQ(a.start_time, b.start_time);
    }

    for (const double start : {0., 0.9}) {
      SourceOptions options;
      if (start > 0) options.start = start;
      const Contents plain = read_all(dir / name, options);
      options.known = found_in(dir / name);
      const Contents with_known = read_all(dir / name, options);
      EXPECT_GT(plain.pictures.size(), 25U);
      EXPECT_EQ(with_known.pictures, plain.pictures) << start;
      EXPECT_EQ(with_known.times, plain.times) << start;
    }
  }
}

TEST(StreamInfo, AreOfOneFile) {
  const TempDir dir;
  make_known_clip(dir / "a.mkv", "-c:v libx264 -preset ultrafast");
  make_known_clip(dir / "wider.mkv", "-c:v libx264 -preset ultrafast", 176);
  make_known_clip(dir / "a.mp4", "-c:v libx264 -preset ultrafast");
  make_known_clip(dir / "a.ts", "-c:v libx264 -preset ultrafast");
  const auto known = found_in(dir / "a.mkv");
  EXPECT_TRUE(known->describe(Opened(dir / "a.mkv").get()));
  for (const char* name : {"wider.mkv", "a.mp4", "a.ts"}) {
    const Opened other(dir / name);
    const AVStream* const stream = other.get().nb_streams > 0 ? other.get().streams[0] : nullptr;
    const int format = stream ? stream->codecpar->format : 0;
    EXPECT_FALSE(known->describe(other.get())) << name;
    EXPECT_EQ(stream ? stream->codecpar->format : 0, format) << name;
  }
  EXPECT_FALSE(found_in(dir / "a.ts")->describe(Opened(dir / "a.ts").get()))
      << "no header names its streams";
}

}  // namespace
}  // namespace vidconv
