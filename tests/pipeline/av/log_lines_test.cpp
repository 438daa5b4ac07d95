// FFmpeg is made to say every line that decides something. If this fails, the FFmpeg at hand words
// a line differently, and pipeline/av/log_lines.h has to learn it. Three lines need a server,
// and their effects are tested there: `chunk` and `ends_early` (corpus.named), `certificate`
// (Secure.*).
#include "pipeline/av/log_lines.h"

#include <gtest/gtest.h>

#include "pipeline/av/av.h"
#include "pipeline/av/av_log.h"
#include "pipeline/platform/process.h"
#include "tests/pipeline/support/support.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vidconv {
namespace {

using test::output_of;

class LogLines : public testing::Test {
 protected:
  LogLines() { capture_av_log(); }

  // Returns what is said while the input is opened with such options and read to its end.
  std::string read(const std::string& input, const std::map<std::string, std::string>& options = {},
                   bool decode = false) {
    const AvLines said({}, AV_LOG_DEBUG);
    AVDictionary* with = nullptr;
    for (const auto& [name, value] : options) av_dict_set(&with, name.c_str(), value.c_str(), 0);
    AVFormatContext* container = nullptr;
    const int code = avformat_open_input(&container, input.c_str(), nullptr, &with);
    av_dict_free(&with);
    if (code < 0) return said.text();
    CodecContextPtr decoder;
    const PacketPtr packet = make_packet();
    const FramePtr frame = make_frame();
    if (decode) {
      const AVCodecParameters& video = *container->streams[0]->codecpar;
      decoder.reset(avcodec_alloc_context3(avcodec_find_decoder(video.codec_id)));
      avcodec_parameters_to_context(decoder.get(), &video);
      avcodec_open2(decoder.get(), nullptr, nullptr);
    }
    while (av_read_frame(container, packet.get()) >= 0) {
      if (decoder && avcodec_send_packet(decoder.get(), packet.get()) >= 0)
        while (avcodec_receive_frame(decoder.get(), frame.get()) >= 0) av_frame_unref(frame.get());
      av_packet_unref(packet.get());
    }
    avformat_close_input(&container);
    return said.text();
  }
  std::string make(const std::string& name, const std::string& options) const {
    output_of("ffmpeg -v error -f lavfi -i testsrc2=s=160x120:r=25:d=1 " + options + " " +
              dir_ / name);
    return dir_ / name;
  }
  std::string write(const std::string& name, const std::string& content) const {
    test::write_file(dir_ / name, content);
    return dir_ / name;
  }
  static std::string playlist(const std::string& part) {
    return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + part + "\n#EXT-X-ENDLIST\n";
  }
  const test::TempDir dir_;
};

bool said_so(const std::string& said, std::string_view begin, std::string_view end = {}) {
  const std::size_t at = said.find(begin);
  return at != said.npos && said.find(end, at + begin.size()) != said.npos;
}

TEST_F(LogLines, AreOfThisVersion) { EXPECT_EQ(untried_ffmpeg(), ""); }

TEST_F(LogLines, RefusedSizes) {
  const AvLines said;
  EXPECT_LT(av_image_check_size2(0, 5, 100, AV_PIX_FMT_NONE, 0, nullptr), 0);
  EXPECT_TRUE(said_so(said.text(), std::string(log_lines::refused_size) + "0x5")) << said.text();
  EXPECT_LT(av_image_check_size2(20, 20, 100, AV_PIX_FMT_NONE, 0, nullptr), 0);
  EXPECT_TRUE(said_so(said.text(), std::string(log_lines::refused_size) + "20x20",
                      std::string(log_lines::beyond_limit) + "100"))
      << said.text();
}

// A complaint names a size, in the name of the decoder that was asked for the picture.
TEST_F(LogLines, NamesOfClasses) {
  const CodecContextPtr decoder(avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG)));
  int key = 0;
  decoder->opaque = &key;
  decoder->max_pixels = 100;
  const AvErrors errors(&key);
  EXPECT_LT(av_image_check_size2(20, 20, 100, AV_PIX_FMT_NONE, 0, decoder.get()), 0);
  EXPECT_EQ(errors.count(), 1);
  EXPECT_EQ(log_lines::of_codec, decoder->av_class->class_name);
  AVFormatContext* const container = avformat_alloc_context();
  EXPECT_EQ(log_lines::of_container, container->av_class->class_name);
  avformat_free_context(container);
}

TEST_F(LogLines, BrokenPackets) {
  std::string bytes = test::read_file(make("a.ts", "-c:v mpeg2video -g 5"));
  constexpr std::size_t packet = 188;
  std::string marked = bytes;
  marked[packet * 20 + 1] = static_cast<char>(marked[packet * 20 + 1] | 0x80);  // its error bit
  EXPECT_TRUE(said_so(read(write("marked.ts", marked)), log_lines::broken_packet[1]));
  bytes.erase(packet * 20, packet * 16);
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=160x120:r=25:d=1 -f lavfi -i sine=d=1 -c:a mp2 "
      "-c:v mpeg2video " +
      dir_ / "b.ts");
  // Sound says how long it is: half of the file's packets are missing in the middle.
  std::string both = test::read_file(dir_ / "b.ts");
  const std::size_t packets = both.size() / packet;
  std::string kept;
  for (std::size_t i = 0; i < packets; ++i)
    if (i < packets / 4 || i % 3 != 0) kept += both.substr(i * packet, packet);
  EXPECT_TRUE(said_so(read(write("missing.ts", kept)), log_lines::broken_packet[0]));
}

TEST_F(LogLines, ConcealedErrors) {
  std::string bytes = test::read_file(make("a.avi", "-c:v mpeg4 -q:v 2"));
  for (std::size_t i = bytes.size() / 3; i < bytes.size() / 2; i += 97) bytes[i] = '\xff';
  EXPECT_TRUE(said_so(read(write("broken.avi", bytes), {}, true), log_lines::concealed));
}

TEST_F(LogLines, PartsOfPlaylists) {
  make("part.ts", "-c:v mpeg2video");
  std::filesystem::rename(dir_ / "part.ts", dir_ / "part.odd");
  const std::string misnamed = read(write("a.m3u8", playlist("part.odd")));
  EXPECT_TRUE(said_so(misnamed, log_lines::refused_name)) << misnamed;
  EXPECT_TRUE(said_so(misnamed, log_lines::misnamed_begin, log_lines::misnamed_end) ||
              said_so(misnamed, log_lines::not_allowed_begin, log_lines::not_allowed_end))
      << misnamed;
  const std::string missing = read(write("b.m3u8", playlist("gopher://nowhere/part.ts")));
  EXPECT_TRUE(said_so(missing, log_lines::first_segment_begin, log_lines::first_segment_end))
      << missing;
}

TEST_F(LogLines, Whitelists) {
  const std::string file = make("a.avi", "-c:v mpeg4");
  EXPECT_TRUE(said_so(read(file, {{"format_whitelist", "mp3"}}), log_lines::refused_format));
  const std::string said = read(file, {{"protocol_whitelist", "http"}});
  EXPECT_TRUE(said_so(said, std::string(log_lines::refused_protocol_begin) + "file",
                      log_lines::refused_protocol_end))
      << said;
}

TEST_F(LogLines, EncodersWithoutFrameThreads) {
  const CodecContextPtr encoder(avcodec_alloc_context3(avcodec_find_encoder_by_name("png")));
  encoder->width = encoder->height = 64;
  encoder->pix_fmt = AV_PIX_FMT_RGB24;
  encoder->time_base = {1, 25};
  encoder->thread_count = 2;
  encoder->thread_type = FF_THREAD_FRAME;
  AVDictionary* options = nullptr;
  for (const char* either : {"dpi", "dpm"}) av_dict_set(&options, either, "100", 0);
  const AvLines said;
  EXPECT_LT(avcodec_open2(encoder.get(), nullptr, &options), 0);
  av_dict_free(&options);
  EXPECT_TRUE(said_so(said.text(), log_lines::no_frame_threads)) << said.text();
}

TEST_F(LogLines, ContainersThatSeek) {
  const std::string said = output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 -f mp4 - "
      "2>&1 >/dev/null || true");
  EXPECT_TRUE(said_so(said, log_lines::wants_to_seek)) << said;
}

}  // namespace
}  // namespace vidconv
