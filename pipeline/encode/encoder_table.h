// What is known of encoders: how they are set where the user has not said, as their own users
// expect it, and on which scale they take what the user says.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/av/video.h"

namespace vidconv {

// What a file can say of its colours so that decoders know: by the codec's own data, or by the
// container where the codec is silent.
struct ColourWords {
  bool range = true, matrix = true, primaries = true, transfer = true, siting = true;
  bool limited_unless_said = false;  // the codec's own silence, of grey too
  bool alpha = true;                 // no colour, but VP8's and VP9's lies beside the packets
  // The only one of the codec; unspecified: players go by the size, and take chroma at the left.
  AVColorSpace only_matrix = AVCOL_SPC_UNSPECIFIED;
  AVChromaLocation only_siting = AVCHROMA_LOC_UNSPECIFIED;
};

// A constant quality, whatever the rate: what EncoderOptions::crf sets.
struct QualityScale {
  const char* option = nullptr;  // "crf", "qscale", ...; nullptr: the encoder has no such scale
  double usual = 0;              // by default
  double best = 0, worst = 0;
  // What makes the encoder heed it.
  std::pair<const char*, const char*> beside = {nullptr, nullptr};
  bool may_be_capped = false;  // a rate beside it limits it, instead of one making the other idle
};

struct EncoderDefaults {
  std::string_view name;  // of the encoder
  AVCodecID codec;
  QualityScale quality = {};
  // Options as FFmpeg's command line has them, up to the first empty key.
  std::pair<const char*, const char*> options[3] = {};
  bool has_bitrate = true;
  // Beside these, for packets without delay.
  std::pair<const char*, const char*> for_low_delay[3] = {};
  // Knows no times, only a frame rate.
  bool counts_frames = false;
  bool full_range_only = false;
  bool rgb_only = false;      // there is another encoder of this codec for the rest
  bool whole_chroma = false;  // takes odd sizes only where chroma is not subsampled that way
  bool joins_frames = false;  // one packet holds all frames
  int depth = 16;             // bits of a sample that it keeps, whatever its formats hold
  // Nothing that it does depends on what came before a key frame, so that parts can be encoded
  // apart, and are set with this then. Of encoders that are not here and know no other frames than
  // key frames it is true as well.
  bool in_parts = false;
  std::pair<const char*, const char*> for_parts = {nullptr, nullptr};
};

// For each codec the encoders in order of preference.
std::span<const EncoderDefaults> encoder_table();

// Of the video in that container; images have none.
ColourWords colour_words(const AVCodec& encoder, const AVOutputFormat& container,
                         const VideoInfo& video);

// Of an encoder that is not in the table: its own. One that is lossy and of another library gets a
// bit rate by the size of the picture (`by_rate`), because FFmpeg's own default suits none.
EncoderDefaults defaults_of(const AVCodec& encoder);
bool goes_by_rate(const AVCodec& encoder);
// Whether it can do nothing else than keep every bit.
bool is_lossless(const AVCodec& encoder);
// Whether it codes the lines of interlaced pictures apart, if told so; others may refuse to open.
bool codes_fields(const AVCodec& encoder);
// Whether its decoder says of each picture whether it is interlaced, read from `container`, which
// is empty for images.
bool tells_fields(const AVCodec& encoder, std::string_view container);

// For people: "crf=23 (0, the best, to 51)".
std::string describe(const QualityScale& quality);

}  // namespace vidconv
