// VideoInfo: describes a video before its first frame is filtered.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/filter/orientation.h"
#include "pipeline/av/av.h"
#include "pipeline/av/format.h"
#include "pipeline/av/hdr.h"

namespace vidconv {

// Places frames in the time of their whole input, of which they may be a range.
struct InputClock {
  std::int64_t offset = 0;  // ticks: add to a frame's pts for its pts in the input
  std::int64_t start = 0;   // microseconds: when the input begins
  // Number of frames of the video before the first one; none where unknown.
  std::optional<std::int64_t> frames_before = 0;

  // Returns microseconds since the input's beginning.
  std::int64_t time_of(std::int64_t pts, AVRational time_base) const;
  // Returns a frame's number in the input; its number in the video where it is unknown what comes
  // before.
  std::int64_t number_of(std::int64_t number_in_video) const {
    return frames_before.value_or(0) + number_in_video;
  }
};

struct VideoInfo {
  const PixelFormat* format = nullptr;  // every frame has it
  bool swapped = false;                 // the input has bare samples in the other byte order
  int width = 0, height = 0;
  AVRational time_base{1, 25};     // seconds per tick of every frame's pts and duration
  AVRational frame_rate{0, 1};     // frames per second, nominal; 0 where unknown
  bool steady = false;             // as far as is known, every frame lasts 1 / frame_rate
  AVRational sample_aspect{0, 1};  // 0 where unknown
  Orientation shown;               // how players turn stored pictures; upright where they do not
  bool turned = false;  // samples have been turned: the input's rotation no longer applies
  AVFieldOrder field_order = AV_FIELD_UNKNOWN;
  bool of_fields = false;  // each picture is a field of an interlaced video, as HEVC codes it
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVChromaLocation chroma_location = AVCHROMA_LOC_UNSPECIFIED;
  HdrMetadata hdr;
  // How often an animation repeats: 0 for ever, -1 never; none where it does not say.
  std::optional<int> loops;
  AVCodecID codec = AV_CODEC_ID_NONE;  // the input's own; NONE where it was not coded
  bool of_pictures = false;       // each frame is a file, a GIF's or a camera's: not coded as video
  int profile = unknown_profile;  // `codec`'s, as its decoder counts them
  // How many frames to expect, and for how long, to show progress. None where unknown.
  std::optional<std::int64_t> frames;
  bool frames_are_exact = false;  // else an estimate
  std::optional<double> seconds;
  // Frames can be had in any order (Source::set_order()), and no stage between source and encoder
  // depends on order.
  bool any_order = false;
  // When each frame is shown, in order, if any_order; null where frame n is shown at n.
  std::shared_ptr<const std::vector<std::int64_t>> times;
  InputClock clock;
};

// Reads the nine numbers of AV_PKT_DATA_DISPLAYMATRIX; upright where it turns by anything but
// quarters.
Orientation orientation_of(const std::int32_t* matrix);
std::array<std::int32_t, 9> display_matrix(const Orientation& shown);
// Says, for people, how a picture looks if it is shown as it is stored: "sideways".
std::string words_without(const Orientation& shown);

// Returns whether black is 16 and white 235, at 8 bits. Where the input does not say, YUV is
// limited, grey and RGB are full, as in FFmpeg.
bool is_limited_range(const VideoInfo& video);

}  // namespace vidconv
