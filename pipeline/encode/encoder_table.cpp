#include "pipeline/encode/encoder_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "pipeline/av/container.h"

namespace vidconv {
namespace {

constexpr QualityScale x264{.option = "crf", .usual = 23, .best = 0, .worst = 51};
constexpr QualityScale quantiser{.option = "qscale", .usual = 4, .best = 1, .worst = 31};
constexpr QualityScale webp{.option = "quality", .usual = 75, .best = 100, .worst = 0};

// NVENC's cq is on the scale of x264's and x265's crf; it needs rc=vbr, and 0 means none.
constexpr QualityScale nvenc(double usual) {
  return {.option = "cq",
          .usual = usual,
          .best = 1,
          .worst = 51,
          .beside = {"rc", "vbr"},
          .may_be_capped = true};
}

// Describes encoders that have only a fixed quantiser, or a rate.
constexpr EncoderDefaults quantised(std::string_view name, AVCodecID codec, bool has_bitrate) {
  return {.name = name,
          .codec = codec,
          .quality = quantiser,
          .has_bitrate = has_bitrate,
          .in_parts = true};
}

// x264's AVX-512 code that propagates block costs from frame to frame (mbtree) reads uninitialised
// memory in pictures of 352, 720 or 848 columns and others: equal runs gave different bytes.
constexpr std::pair<const char*, const char*> repeatable_x264 = {"x264-params",
                                                                 "cpu-independent=1"};

constexpr EncoderDefaults known_encoders[] = {
    {.name = "libx264rgb",
     .codec = AV_CODEC_ID_H264,
     .quality = x264,
     .options = {{"preset", "medium"}, repeatable_x264},
     .for_low_delay = {{"tune", "zerolatency"}},
     .rgb_only = true,
     .in_parts = true,
     .for_parts = {"x264-params", "stitchable=1"}},
    {.name = "libx264",
     .codec = AV_CODEC_ID_H264,
     .quality = x264,
     .options = {{"preset", "medium"}, repeatable_x264},
     .for_low_delay = {{"tune", "zerolatency"}},
     .whole_chroma = true,
     .in_parts = true,
     .for_parts = {"x264-params", "stitchable=1"}},
    {.name = "libx265",
     .codec = AV_CODEC_ID_HEVC,
     .quality = {.option = "crf", .usual = 28, .best = 0, .worst = 51},
     .options = {{"preset", "medium"}, {"x265-params", "log-level=error"}},
     .for_low_delay = {{"tune", "zerolatency"}},
     .whole_chroma = true,
     .in_parts = true,
     // With more frame threads, one may hang at the end of a shard (x265 3.5): it checks for the
     // last frame, and then waits to be told, without holding its lock in between.
     .for_parts = {"x265-params", "frame-threads=1"}},
    {.name = "libvpx-vp9",
     .codec = AV_CODEC_ID_VP9,
     .quality = {"crf", 31, 0, 63, {"b", "0"}, true},
     .options = {{"row-mt", "1"}},
     .for_low_delay = {{"deadline", "realtime"}, {"lag-in-frames", "0"}, {"cpu-used", "6"}},
     .in_parts = true},
    // Its quality only works below a rate limit, which is not to be reached.
    {.name = "libvpx",
     .codec = AV_CODEC_ID_VP8,
     .quality = {"crf", 10, 0, 63, {"b", "200M"}, true},
     .for_low_delay = {{"deadline", "realtime"}, {"lag-in-frames", "0"}, {"cpu-used", "6"}},
     .in_parts = true},
    {.name = "libsvtav1",
     .codec = AV_CODEC_ID_AV1,
     .quality = {.option = "crf", .usual = 35, .best = 1, .worst = 63},
     .options = {{"preset", "8"}},
     .for_low_delay = {{"svtav1-params", "pred-struct=1:lookahead=0"}},
     .in_parts = true},
    {.name = "libaom-av1",
     .codec = AV_CODEC_ID_AV1,
     .quality = {"crf", 32, 0, 63, {"b", "0"}, true},
     .options = {{"cpu-used", "6"}},
     .for_low_delay = {{"usage", "realtime"}, {"lag-in-frames", "0"}},
     .in_parts = true},
    {.name = "librav1e",
     .codec = AV_CODEC_ID_AV1,
     .quality = {.option = "qp", .usual = 100, .best = 0, .worst = 255},
     .for_low_delay = {{"rav1e-params", "low_latency=true"}},
     .in_parts = true},
    {.name = "mjpeg",
     .codec = AV_CODEC_ID_MJPEG,
     .quality = {.option = "qscale", .usual = 3, .best = 1, .worst = 31},
     .full_range_only = true},
    {.name = "mpeg4",
     .codec = AV_CODEC_ID_MPEG4,
     .quality = quantiser,
     .counts_frames = true,
     .in_parts = true},
    // It makes no shards: each encoder that begins stops all others of the process
    // (process_tables.h).
    {.name = "libxvid", .codec = AV_CODEC_ID_MPEG4, .quality = quantiser, .counts_frames = true},
    {.name = "mpeg2video",
     .codec = AV_CODEC_ID_MPEG2VIDEO,
     .quality = quantiser,
     .counts_frames = true,
     .in_parts = true},
    {.name = "mpeg1video",
     .codec = AV_CODEC_ID_MPEG1VIDEO,
     .quality = quantiser,
     .counts_frames = true,
     .in_parts = true},
    {.name = "libtheora",
     .codec = AV_CODEC_ID_THEORA,
     .quality = {.option = "qscale", .usual = 7, .best = 10, .worst = 0},
     .counts_frames = true,
     .in_parts = true},
    {.name = "amv", .codec = AV_CODEC_ID_AMV, .quality = quantiser, .full_range_only = true},
    {.name = "roqvideo", .codec = AV_CODEC_ID_ROQ, .has_bitrate = false, .full_range_only = true},
    {.name = "ljpeg", .codec = AV_CODEC_ID_LJPEG, .has_bitrate = false, .full_range_only = true},
    quantised("flv", AV_CODEC_ID_FLV1, true),
    quantised("h261", AV_CODEC_ID_H261, true),
    quantised("h263", AV_CODEC_ID_H263, true),
    quantised("h263p", AV_CODEC_ID_H263P, true),
    quantised("msmpeg4v2", AV_CODEC_ID_MSMPEG4V2, true),
    quantised("msmpeg4", AV_CODEC_ID_MSMPEG4V3, true),
    quantised("wmv1", AV_CODEC_ID_WMV1, true),
    quantised("wmv2", AV_CODEC_ID_WMV2, true),
    quantised("rv10", AV_CODEC_ID_RV10, true),
    quantised("rv20", AV_CODEC_ID_RV20, true),
    quantised("snow", AV_CODEC_ID_SNOW, true),
    {.name = "vc2", .codec = AV_CODEC_ID_DIRAC},
    quantised("speedhq", AV_CODEC_ID_SPEEDHQ, true),
    quantised("asv1", AV_CODEC_ID_ASV1, false),
    quantised("asv2", AV_CODEC_ID_ASV2, false),
    quantised("svq1", AV_CODEC_ID_SVQ1, false),
    {.name = "libwebp_anim",
     .codec = AV_CODEC_ID_WEBP,
     .quality = webp,
     .has_bitrate = false,
     .joins_frames = true},
    {.name = "libwebp", .codec = AV_CODEC_ID_WEBP, .quality = webp, .has_bitrate = false},
    {.name = "libjxl",
     .codec = AV_CODEC_ID_JPEGXL,
     .quality = {.option = "distance", .usual = 1, .best = 0, .worst = 15},
     .has_bitrate = false},
    {.name = "ffv1", .codec = AV_CODEC_ID_FFV1, .has_bitrate = false, .in_parts = true},
    // NVENC's encoders are used only where they are named. They count frames, not ticks.
    {.name = "h264_nvenc",
     .codec = AV_CODEC_ID_H264,
     .quality = nvenc(23),
     .options = {{"profile", "high"}},
     .for_low_delay = {{"zerolatency", "1"}, {"delay", "0"}, {"bf", "0"}},
     .counts_frames = true,
     .depth = 10},
    {.name = "hevc_nvenc",
     .codec = AV_CODEC_ID_HEVC,
     .quality = nvenc(28),
     .for_low_delay = {{"zerolatency", "1"}, {"delay", "0"}, {"bf", "0"}},
     .counts_frames = true,
     .depth = 10},
    {.name = "av1_nvenc",
     .codec = AV_CODEC_ID_AV1,
     .quality = nvenc(35),
     .for_low_delay = {{"zerolatency", "1"}, {"delay", "0"}, {"bf", "0"}},
     .counts_frames = true,
     .depth = 10},
};

// Tells what a codec's own data says, and what its decoders show whatever a container says. Other
// codecs say nothing.
struct CodecWords {
  AVCodecID codec;
  unsigned says, fixed;
  AVColorSpace only_matrix = AVCOL_SPC_UNSPECIFIED;
  AVChromaLocation only_siting = AVCHROMA_LOC_UNSPECIFIED;
};
constexpr unsigned range = 1, matrix = 2, primaries = 4, transfer = 8, siting = 16;
constexpr unsigned points = matrix | primaries | transfer;  // ITU-T H.273's code points

// Lists what FFmpeg's encoders write and its decoders read; tests/corpus/colours.py checks each.
constexpr auto jpeg = AVCOL_SPC_BT470BG;
constexpr auto middle = AVCHROMA_LOC_CENTER;
constexpr auto any_matrix = AVCOL_SPC_UNSPECIFIED;
// FFmpeg 6.1 is the first whose PNG has the chunk cICP.
constexpr unsigned png =
    LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 0) ? primaries | transfer : 0;
constexpr CodecWords codec_words[] = {
    {AV_CODEC_ID_H264, range | points | siting, 0},
    {AV_CODEC_ID_HEVC, range | points | siting, 0},
    {AV_CODEC_ID_AV1, range | points, 0},
    {AV_CODEC_ID_VP9, range | matrix, 0},
    {AV_CODEC_ID_VP8, 0, range | matrix, jpeg},
    {AV_CODEC_ID_PRORES, points, range},
    {AV_CODEC_ID_DNXHD, 0, matrix, AVCOL_SPC_BT709},
    {AV_CODEC_ID_DIRAC, range, points, AVCOL_SPC_BT709},
    {AV_CODEC_ID_MPEG1VIDEO, 0, range | siting, any_matrix, middle},
    {AV_CODEC_ID_MPEG2VIDEO, points, range | siting},
    {AV_CODEC_ID_MPEG4, 0, siting},
    {AV_CODEC_ID_H263, 0, siting, any_matrix, middle},
    {AV_CODEC_ID_H263P, 0, siting, any_matrix, middle},
    {AV_CODEC_ID_THEORA, 0, siting, any_matrix, middle},
    {AV_CODEC_ID_DVVIDEO, 0, siting, any_matrix, AVCHROMA_LOC_TOPLEFT},
    {AV_CODEC_ID_SPEEDHQ, 0, matrix | siting, jpeg, middle},
    {AV_CODEC_ID_MJPEG, 0, range | matrix | siting, jpeg, middle},
    {AV_CODEC_ID_LJPEG, range, matrix | siting, jpeg, middle},
    {AV_CODEC_ID_AMV, 0, range | matrix | siting, jpeg, middle},
    {AV_CODEC_ID_WEBP, 0, range | matrix, jpeg},
    {AV_CODEC_ID_PNG, png, 0},
    {AV_CODEC_ID_APNG, png, 0},
    {AV_CODEC_ID_UTVIDEO, matrix, 0},
    {AV_CODEC_ID_MAGICYUV, 0, range},
};

// Returns what the container says where the codec is silent.
unsigned container_words(const AVOutputFormat& container, const VideoInfo& video) {
  if (is_matroska(container)) return range | points | siting;
  // FFmpeg writes all three or none, and QuickTime has no place for the range.
  const bool all = video.primaries != AVCOL_PRI_UNSPECIFIED &&
                   video.transfer != AVCOL_TRC_UNSPECIFIED && video.matrix != AVCOL_SPC_UNSPECIFIED;
  const std::string_view name = container.name;
  if (name == "mxf" || (name == "mp4" && all)) return range | points;
  return name == "mov" && all ? points : 0;
}

bool is_lossy(AVCodecID id) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(id);
  return descriptor && !(descriptor->props & AV_CODEC_PROP_LOSSLESS);
}

const EncoderDefaults* row_of(const AVCodec& encoder) {
  const auto* row =
      std::ranges::find(known_encoders, std::string_view(encoder.name), &EncoderDefaults::name);
  return row == std::end(known_encoders) ? nullptr : row;
}

}  // namespace

std::span<const EncoderDefaults> encoder_table() { return known_encoders; }

bool goes_by_rate(const AVCodec& encoder) {
  return !row_of(encoder) && is_lossy(encoder.id) && encoder.wrapper_name;
}

bool is_lossless(const AVCodec& encoder) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(encoder.id);
  constexpr int either = AV_CODEC_PROP_LOSSLESS | AV_CODEC_PROP_LOSSY;
  return descriptor && (descriptor->props & either) == AV_CODEC_PROP_LOSSLESS;
}

bool codes_fields(const AVCodec& encoder) {
  if (std::string_view(encoder.name) == "libxvid") return false;  // does not mark its stream
  switch (encoder.id) {
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_DNXHD:
    case AV_CODEC_ID_PRORES:
    case AV_CODEC_ID_DVVIDEO:
      return true;
    default:
      return false;
  }
}

bool tells_fields(const AVCodec& encoder, std::string_view container) {
  if (encoder.id == AV_CODEC_ID_RAWVIDEO) return container == "mov" || container == "matroska";
  return codes_fields(encoder) || encoder.id == AV_CODEC_ID_FFV1;
}

EncoderDefaults defaults_of(const AVCodec& encoder) {
  if (const EncoderDefaults* row = row_of(encoder)) return *row;
  return {.name = encoder.name, .codec = encoder.id, .has_bitrate = goes_by_rate(encoder)};
}

ColourWords colour_words(const AVCodec& encoder, const AVOutputFormat& container,
                         const VideoInfo& video) {
  const auto* row = std::ranges::find(codec_words, encoder.id, &CodecWords::codec);
  CodecWords codec = row == std::end(codec_words) ? CodecWords{encoder.id, 0, 0} : *row;
  // Ut Video names two matrices, and decoders take one of them whatever a container says.
  if (codec.codec == AV_CODEC_ID_UTVIDEO && video.matrix != AVCOL_SPC_UNSPECIFIED &&
      video.matrix != AVCOL_SPC_BT709 && video.matrix != AVCOL_SPC_BT470BG &&
      video.matrix != AVCOL_SPC_SMPTE170M)
    codec = {encoder.id, 0, matrix};
  // VC-2's full range is defined for 8 bits only (SMPTE ST 2042-1, 11.4.9).
  if (codec.codec == AV_CODEC_ID_DIRAC && video.format->components[0].sample.depth > 8)
    codec = {encoder.id, 0, range | points, AVCOL_SPC_BT709};
  const unsigned said = codec.says | (container_words(container, video) & ~codec.fixed);
  return {.range = (said & range) != 0,
          .matrix = (said & matrix) != 0,
          .primaries = (said & primaries) != 0,
          .transfer = (said & transfer) != 0,
          .siting = (said & siting) != 0,
          .limited_unless_said = (codec.says & range) != 0,
          .alpha = (codec.codec != AV_CODEC_ID_VP8 && codec.codec != AV_CODEC_ID_VP9) ||
                   is_matroska(container),
          .only_matrix = codec.only_matrix,
          .only_siting = codec.only_siting};
}

std::string describe(const QualityScale& quality) {
  return fmt::format("{}={} ({}, the best, to {})", quality.option, quality.usual, quality.best,
                     quality.worst);
}

}  // namespace vidconv
