// Several decoders on one stream give the frames of one, in closed and open groups of pictures,
// with segments shorter and longer than what may wait, and where sessions are refused.
#include "pipeline/decode/segment_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "pipeline/decode/decoder_choice.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::TempDir;

struct CodedClip {
  const char* name;
  const char* encoding;
  int least_parts;  // segments that the clip is made for
};

constexpr CodedClip coded_clips[] = {
    {"h264.mkv", "-c:v libx264 -g 10 -bf 3 -x264-params scenecut=0", 5},
    {"h264_open.mkv", "-c:v libx264 -g 10 -bf 3 -x264-params scenecut=0:open-gop=1", 1},
    {"h264_fields.mkv", "-c:v libx264 -g 10 -bf 3 -x264-params scenecut=0:tff=1", 5},
    {"h264_deep.mkv", "-c:v libx264 -g 10 -bf 6 -x264-params scenecut=0:b-pyramid=normal:ref=6", 5},
    {"h264.ts", "-c:v libx264 -g 10 -bf 3 -x264-params scenecut=0", 5},
    {"hevc.mkv", "-c:v libx265 -x265-params keyint=10:min-keyint=10:open-gop=0:log-level=error", 5},
    {"hevc_open.mp4", "-c:v libx265 -x265-params keyint=10:min-keyint=10:log-level=error", 5},
    {"vp9.webm", "-c:v libvpx-vp9 -g 10 -b:v 200k -cpu-used 8 -deadline realtime", 5},
    {"mpeg2.mkv", "-c:v mpeg2video -g 10 -bf 2", 1},
};

// Makes a clip of 75 frames, the first kind unless told otherwise, and returns its path.
std::string make_coded_clip(const TempDir& dir, const CodedClip& clip = coded_clips[0]) {
  std::string path = dir / clip.name;
  test::output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=size=96x64:rate=25 -frames:v 75 -pix_fmt yuv420p " +
      std::string(clip.encoding) + " " + path);
  return path;
}

InputPtr open_clip(const std::string& path) {
  AVFormatContext* container = nullptr;
  if (avformat_open_input(&container, path.c_str(), nullptr, nullptr) < 0)
    throw std::runtime_error("cannot open " + path);
  InputPtr input(container);
  EXPECT_GE(avformat_find_stream_info(container, nullptr), 0);
  return input;
}

std::vector<std::string> decode(AVFormatContext& input, VideoDecoder& decoder) {
  using Result = VideoDecoder::Result;
  std::vector<std::string> pictures;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (;;) {
    FramePtr frame;
    const Result result = decoder.receive(frame);
    if (result == Result::end || result == Result::refused) return pictures;
    EXPECT_NE(result, Result::damaged);
    if (result == Result::done) {
      EXPECT_GT(frame->pts, last);
      last = frame->pts;
      pictures.push_back(test::packed(Frame(std::move(frame), 0)));
    }
    if (result != Result::again) continue;
    const PacketPtr packet = make_packet();
    const bool more = av_read_frame(&input, packet.get()) >= 0;
    decoder.send(more ? packet.get() : nullptr);
  }
}

class Parts : public testing::TestWithParam<CodedClip> {};

TEST_P(Parts, GiveTheFramesOfOneDecoder) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir, GetParam());
  const DecoderOptions options{.threads = 1};
  const InputPtr whole = open_clip(path);
  Decoder one(*whole->streams[0], options);
  const std::vector<std::string> wanted = decode(*whole, one);
  ASSERT_EQ(wanted.size(), 75u);
  const bool join = can_join(whole->streams[0]->codecpar->codec_id);
  for (const SegmentOptions& parted :
       {SegmentOptions{.sessions = 1, .frames = 2, .least_packets = 1},
        SegmentOptions{.sessions = 3, .frames = 2, .least_packets = 5},
        SegmentOptions{.sessions = 4, .frames = 64, .least_packets = 12},
        SegmentOptions{.sessions = 1, .frames = 64, .least_packets = 1, .join = join},
        SegmentOptions{.sessions = 2, .frames = 2, .least_packets = 5, .join = join}}) {
    const InputPtr input = open_clip(path);
    const AVStream& stream = *input->streams[0];
    SegmentDecoder several(
        stream, [&] { return std::make_unique<Decoder>(stream, options); }, parted);
    EXPECT_TRUE(decode(*input, several) == wanted)
        << parted.sessions << " sessions" << (parted.join ? ", joined" : "");
    EXPECT_EQ(several.errors(), 0) << several.first_error();
  }
}

// Without such cuts, the test above would prove nothing.
TEST_P(Parts, AreCutWhereTheyMayBe) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir, GetParam());
  const InputPtr input = open_clip(path);
  int cuts = 0;
  for (const PacketPtr packet = make_packet(); av_read_frame(input.get(), packet.get()) >= 0;
       av_packet_unref(packet.get()))
    cuts += cut_at(*packet, *input->streams[0]->codecpar) != Cut::no;
  EXPECT_GE(cuts, GetParam().least_parts > 1 ? GetParam().least_parts : 0);
}

std::string name_of_clip(const testing::TestParamInfo<CodedClip>& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Clips, Parts, testing::ValuesIn(coded_clips), name_of_clip);

void drop_after(const std::string& path, int frames, const SegmentOptions& options) {
  const auto input = open_clip(path);
  const AVStream& stream = *input->streams[0];
  SegmentDecoder decoder(
      stream, [&] { return std::make_unique<Decoder>(stream, DecoderOptions{.threads = 1}); },
      options);
  for (int seen = 0; seen < frames;) {
    FramePtr frame;
    const auto result = decoder.receive(frame);
    seen += result == VideoDecoder::Result::done;
    if (result != VideoDecoder::Result::again) continue;
    const PacketPtr packet = make_packet();
    const bool more = av_read_frame(input.get(), packet.get()) >= 0;
    decoder.send(more ? packet.get() : nullptr);
  }
}

TEST(SegmentDecoder, CanBeDroppedAtAnyMoment) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir);
  for (int frames = 0; frames < 40; frames += 3) {
    drop_after(path, frames, {.sessions = 3, .frames = 2, .least_packets = 5});
    // Sessions meanwhile wait for segments to join, which without an end would come only with more
    // packets.
    drop_after(path, frames,
               {.sessions = 3,
                .frames = 256,
                .least_packets = 5,
                .join = true,
                .patience = std::chrono::hours(1)});
  }
}

// Acts as a device that has no room for so many decoders, or none of this kind.
class RefusingDecoder final : public Decoder {
 public:
  RefusingDecoder(const AVStream& stream, int packets, bool slow = false)
      : Decoder(stream, {.threads = 1}), left_(packets), slow_(slow) {}
  Result send(const AVPacket* packet) override {
    if (left_-- > 0) return Decoder::send(packet);
    // Waits until others have done what they can.
    if (slow_) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Result::refused;
  }

 private:
  int left_;
  const bool slow_;
};

// Makes a decoder whose sessions from the `good`th on are refused, after this many packets.
std::unique_ptr<VideoDecoder> make_partly_refused(const AVStream& stream, int good, int packets,
                                                  bool slow = false, std::size_t frames = 3) {
  return std::make_unique<SegmentDecoder>(
      stream,
      [&stream, packets, slow, left = std::make_shared<std::atomic<int>>(good)] {
        return std::make_unique<RefusingDecoder>(stream, (*left)-- > 0 ? 1000 : packets, slow);
      },
      SegmentOptions{.sessions = 4, .frames = frames, .least_packets = 5});
}

std::vector<std::string> decode_on_one(const std::string& path) {
  const auto input = open_clip(path);
  Decoder decoder(*input->streams[0], {.threads = 1});
  return decode(*input, decoder);
}

TEST(SegmentDecoder, LeavesPartsOfRefusedSessionsToOthers) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir);
  const std::vector<std::string> wanted = decode_on_one(path);
  for (int good = 1; good < 4; ++good)
    for (const bool slow : {false, true})
      for (const std::size_t frames : {3u, 256u}) {
        const auto input = open_clip(path);
        const auto decoder = make_partly_refused(*input->streams[0], good, 0, slow, frames);
        EXPECT_TRUE(decode(*input, *decoder) == wanted)
            << good << " sessions, " << frames << " frames" << (slow ? ", slow to refuse" : "");
      }
}

// Counts how often the decoder is told that a stream has ended.
class EndedDecoder final : public Decoder {
 public:
  EndedDecoder(const AVStream& stream, std::atomic<int>& ends, std::chrono::milliseconds delay)
      : Decoder(stream, {.threads = 1}), ends_(ends), delay_(delay) {}
  Result send(const AVPacket* packet) override {
    if (!packet) ++ends_;
    std::this_thread::sleep_for(delay_);
    return Decoder::send(packet);
  }

 private:
  std::atomic<int>& ends_;
  const std::chrono::milliseconds delay_;
};

// Ending a stream and beginning another takes a device long, and while one session lags, the others
// run out of segments.
TEST(SegmentDecoder, JoinsPartsUntilTheStreamEnds) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir);
  const std::vector<std::string> wanted = decode_on_one(path);
  for (const int sessions : {1, 2, 3})
    for (const std::size_t frames : {2u, 256u}) {
      const auto input = open_clip(path);
      const AVStream& stream = *input->streams[0];
      std::atomic<int> made = 0, ends = 0;
      SegmentDecoder decoder(stream,
                             [&] {
                               const std::chrono::milliseconds delay(made++ == 0 ? 5 : 0);
                               return std::make_unique<EndedDecoder>(stream, ends, delay);
                             },
                             {.sessions = sessions,
                              .frames = frames,
                              .least_packets = 5,
                              .join = true,
                              .patience = std::chrono::hours(1)});
      EXPECT_TRUE(decode(*input, decoder) == wanted) << sessions << " sessions";
      EXPECT_LE(ends, made) << sessions << " sessions, " << frames << " frames";
    }
}

class Fallback : public testing::TestWithParam<CodedClip> {
 protected:
  void SetUp() override {
    path_ = make_coded_clip(dir_, GetParam());
    wanted_ = decode_on_one(path_);
    ASSERT_EQ(wanted_.size(), 75u);
  }

  // Decodes by `first` and, from where that refuses, by one decoder of the CPU; `begun`: after a
  // frame.
  void expect_all(std::unique_ptr<VideoDecoder> first, AVFormatContext& input, bool begun) const {
    const AVStream& stream = *input.streams[0];
    int fallbacks = 0;
    const auto decoder = make_fallible_decoder(
        std::move(first), *stream.codecpar, [&](const std::string&, bool late) {
          ++fallbacks;
          EXPECT_EQ(late, begun);
          return std::make_unique<Decoder>(stream, DecoderOptions{.threads = 1});
        });
    EXPECT_TRUE(decode(input, *decoder) == wanted_);
    EXPECT_EQ(fallbacks, 1);
    EXPECT_EQ(decoder->errors(), 0) << decoder->first_error();
  }

  const TempDir dir_;
  std::string path_;
  std::vector<std::string> wanted_;
};

TEST_P(Fallback, BeforeTheFirstFrameLosesNone) {
  for (const int packets : {0, 1}) {  // too few for a frame of a clip with B frames
    if (packets > 0 && GetParam().name == std::string("vp9.webm")) continue;
    SCOPED_TRACE(packets);
    const auto input = open_clip(path_);
    expect_all(make_partly_refused(*input->streams[0], 0, packets), *input, false);
  }
}

// Wherever in a group of pictures the device stops, the CPU goes on with the same frames.
TEST_P(Fallback, AfterTheFirstFrameLosesNone) {
  for (int packets = 12; packets < 75; ++packets) {
    SCOPED_TRACE(packets);
    const auto input = open_clip(path_);
    expect_all(std::make_unique<RefusingDecoder>(*input->streams[0], packets), *input, true);
  }
}

// Sessions that work ahead have frames that are not out yet.
TEST_P(Fallback, OfSeveralSessionsLosesNone) {
  for (const int packets : {13, 20, 31}) {
    SCOPED_TRACE(packets);
    const auto input = open_clip(path_);
    const AVStream& stream = *input->streams[0];
    auto several = std::make_unique<SegmentDecoder>(
        stream, [&stream, packets] { return std::make_unique<RefusingDecoder>(stream, packets); },
        SegmentOptions{.sessions = 2, .frames = 64, .least_packets = 5});
    int fallbacks = 0;
    const auto decoder =
        make_fallible_decoder(std::move(several), *stream.codecpar, [&](const std::string&, bool) {
          ++fallbacks;
          return std::make_unique<Decoder>(stream, DecoderOptions{.threads = 1});
        });
    EXPECT_TRUE(decode(*input, *decoder) == wanted_);
    EXPECT_EQ(fallbacks, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, Fallback, testing::ValuesIn(coded_clips), name_of_clip);

// Two clips follow each other, the second with a header of its own, as in a file with two sample
// entries: segments that begin later know only the first header.
TEST(FallbackOfHeaders, WhereTheHeaderChangesTheCpuGoesOn) {
  const TempDir dir;
  const std::string first = make_coded_clip(dir);
  const std::string second = make_coded_clip(
      dir, {"other.mkv", "-c:v libx264 -g 10 -bf 0 -x264-params cabac=0:scenecut=0:ref=1", 5});
  const auto join = [&](VideoDecoder& decoder, AVFormatContext& a, AVFormatContext& b) {
    std::vector<PacketPtr> packets;
    std::int64_t last = 0;
    for (AVFormatContext* input : {&a, &b}) {
      const std::int64_t offset = input == &b ? last + 1000 : 0;
      bool begins = input == &b;
      for (PacketPtr packet = make_packet(); av_read_frame(input, packet.get()) >= 0;
           packet = make_packet()) {
        if (std::exchange(begins, false)) {
          const AVCodecParameters& p = *b.streams[0]->codecpar;
          std::copy_n(p.extradata, p.extradata_size,
                      av_packet_new_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA,
                                              static_cast<std::size_t>(p.extradata_size)));
        }
        packet->pts += offset;
        last = std::max(last, packet->pts);
        packets.push_back(std::move(packet));
      }
    }
    std::vector<std::string> pictures;
    for (std::size_t next = 0;;) {
      FramePtr frame;
      const auto result = decoder.receive(frame);
      if (result == VideoDecoder::Result::end) return pictures;
      if (result == VideoDecoder::Result::done)
        pictures.push_back(test::packed(Frame(std::move(frame), 0)));
      if (result == VideoDecoder::Result::again)
        decoder.send(next < packets.size() ? packets[next++].get() : nullptr);
    }
  };
  const DecoderOptions options{.threads = 1};
  auto a = open_clip(first), b = open_clip(second);
  Decoder one(*a->streams[0], options);
  const std::vector<std::string> wanted = join(one, *a, *b);
  ASSERT_EQ(wanted.size(), 150u);
  for (const int sessions : {1, 3}) {
    a = open_clip(first), b = open_clip(second);
    const AVStream& stream = *a->streams[0];
    int fallbacks = 0;
    const auto decoder = make_fallible_decoder(
        std::make_unique<SegmentDecoder>(
            stream, [&] { return std::make_unique<Decoder>(stream, options); },
            SegmentOptions{.sessions = sessions, .frames = 64, .least_packets = 5}),
        *stream.codecpar, [&](const std::string&, bool) {
          ++fallbacks;
          return std::make_unique<Decoder>(stream, options);
        });
    EXPECT_TRUE(join(*decoder, *a, *b) == wanted) << sessions << " sessions";
    EXPECT_EQ(fallbacks, 1);
    EXPECT_EQ(decoder->errors(), 0) << decoder->first_error();
  }
}

// A session that begins behind the change has never seen the colours before it.
TEST(FallbackOfColours, WhereTheColoursChangeTheCpuGoesOn) {
  for (const auto& [now, what] : {std::pair("-colorspace smpte170m", "matrix"),
                                  std::pair("-colorspace bt709 -color_range pc", "range")}) {
    const TempDir dir;
    const std::string coded = "-c:v libx264 -g 10 -bf 3 -x264-params scenecut=0 ";
    const std::string first =
        make_coded_clip(dir, {"first.ts", (coded + "-colorspace bt709").c_str(), 5});
    const std::string second =
        make_coded_clip(dir, {"second.ts", (coded + now + " -output_ts_offset 10").c_str(), 5});
    const std::string both = dir / "both.ts";
    test::output_of("cat " + first + " " + second + " > " + both);
    const std::vector<std::string> wanted = decode_on_one(both);
    ASSERT_EQ(wanted.size(), 150u);
    for (const int sessions : {1, 3}) {
      SCOPED_TRACE(std::string(what) + ", " + std::to_string(sessions) + " sessions");
      const auto input = open_clip(both);
      const AVStream& stream = *input->streams[0];
      const DecoderOptions options{.threads = 1};
      std::vector<std::string> reasons;
      const auto decoder = make_fallible_decoder(
          std::make_unique<SegmentDecoder>(
              stream, [&] { return std::make_unique<Decoder>(stream, options); },
              SegmentOptions{.sessions = sessions, .frames = 256, .least_packets = 5}),
          *stream.codecpar, [&](const std::string& why, bool begun) {
            reasons.push_back(why);
            EXPECT_TRUE(begun);
            return std::make_unique<Decoder>(stream, options);
          });
      EXPECT_TRUE(decode(*input, *decoder) == wanted);
      EXPECT_EQ(reasons, std::vector<std::string>{"the picture changes its colours"});
      EXPECT_EQ(decoder->errors(), 0) << decoder->first_error();
    }
  }
}

// Nobody knows which frames are out already.
TEST(FallbackOfHeaders, WithoutTimesItIsAnError) {
  const TempDir dir;
  const std::string path = make_coded_clip(dir);
  const auto input = open_clip(path);
  const AVStream& stream = *input->streams[0];
  const auto decoder =
      make_fallible_decoder(std::make_unique<RefusingDecoder>(stream, 20), *stream.codecpar,
                            [](const std::string&, bool) -> std::unique_ptr<VideoDecoder> {
                              ADD_FAILURE();
                              return nullptr;
                            });
  test::expect_error(Fault::device, {"`decoder` cpu"}, [&] {
    for (;;) {
      FramePtr frame;
      if (decoder->receive(frame) != VideoDecoder::Result::again) continue;
      const PacketPtr packet = make_packet();
      if (av_read_frame(input.get(), packet.get()) < 0) return;
      packet->pts = packet->dts = AV_NOPTS_VALUE;
      decoder->send(packet.get());
    }
  });
}

}  // namespace
}  // namespace vidconv
