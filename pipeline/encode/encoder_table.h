// Describes encoders: their settings where the user has not chosen, as their own users expect them,
// and the scale of what the user chooses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/av/video.h"

namespace vidconv {

// Tells which colours a file can say so that decoders know: by the codec's own data, or by the
// container where the codec is silent.
struct ColourWords {
  bool range = true, matrix = true, primaries = true, transfer = true, siting = true;
  bool limited_unless_said = false;  // the codec means it by silence, also for grey
  bool alpha = true;                 // not a colour, but VP8 and VP9 keep it beside the packets
  // The codec's only one; unspecified: players go by the size, and take chroma at the left.
  AVColorSpace only_matrix = AVCOL_SPC_UNSPECIFIED;
  AVChromaLocation only_siting = AVCHROMA_LOC_UNSPECIFIED;
};

// Describes a scale of constant quality: EncoderOptions::crf sets a value on it.
struct QualityScale {
  const char* option = nullptr;  // "crf", "qscale", ...; nullptr: the encoder has no such scale
  double usual = 0;              // by default
  double best = 0, worst = 0;
  // An option that makes the encoder obey it.
  std::pair<const char*, const char*> beside = {nullptr, nullptr};
  bool may_be_capped = false;  // a rate may limit it, instead of excluding it
};

struct EncoderDefaults {
  std::string_view name;  // the encoder's
  AVCodecID codec;
  QualityScale quality = {};
  // Options by FFmpeg's names, up to the first empty key.
  std::pair<const char*, const char*> options[3] = {};
  bool has_bitrate = true;
  // Further options, for packets without delay.
  std::pair<const char*, const char*> for_low_delay[3] = {};
  // The encoder knows no times, only a frame rate.
  bool counts_frames = false;
  bool full_range_only = false;
  bool rgb_only = false;      // another encoder of this codec takes the rest
  bool whole_chroma = false;  // takes odd sizes only where chroma is not subsampled that way
  bool joins_frames = false;  // one packet holds all frames
  int depth = 16;             // bits of a sample that it keeps, whatever its formats hold
  // Nothing after a key frame depends on what came before it, so that shards can be encoded apart,
  // with the option below set. It is also true of encoders outside this table that make key frames
  // only.
  bool in_parts = false;
  std::pair<const char*, const char*> for_parts = {nullptr, nullptr};
};

// Returns the table: for each codec the encoders in order of preference.
std::span<const EncoderDefaults> encoder_table();

// Returns the words for the video in that container; images have no container's words.
ColourWords colour_words(const AVCodec& encoder, const AVOutputFormat& container,
                         const VideoInfo& video);

// Returns the table's row, or else one with the encoder's own defaults. A lossy encoder of another
// library that is not in the table goes by rate (goes_by_rate()): it gets a bit rate by the size of
// the picture, because FFmpeg's own default suits none.
EncoderDefaults defaults_of(const AVCodec& encoder);
bool goes_by_rate(const AVCodec& encoder);
// Returns whether it can only encode without loss.
bool is_lossless(const AVCodec& encoder);
// Returns whether it codes the fields of interlaced pictures apart, if told so; others may refuse
// to open.
bool codes_fields(const AVCodec& encoder);
// Returns whether its decoder tells of each picture whether it is interlaced, read from
// `container`, which is empty for images.
bool tells_fields(const AVCodec& encoder, std::string_view container);

// Describes it for people: "crf=23 (0, the best, to 51)".
std::string describe(const QualityScale& quality);

}  // namespace vidconv
