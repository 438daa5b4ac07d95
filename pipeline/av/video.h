// VideoInfo: what is known of a video before its first frame is filtered.
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

// Where frames lie in the whole of their input, of which they may be a part.
struct InputClock {
  std::int64_t offset = 0;  // ticks: what a frame's pts is less than in the input
  std::int64_t start = 0;   // microseconds: when the input begins, which `start` is counted from
  // How many frames of the video come before the first one; none: nobody knows.
  std::optional<std::int64_t> frames_before = 0;

  // Microseconds since the input's beginning.
  std::int64_t time_of(std::int64_t pts, AVRational time_base) const;
  // Its number in the input, by that in the video; the same where nobody knows what comes before.
  std::int64_t number_of(std::int64_t number_in_video) const {
    return frames_before.value_or(0) + number_in_video;
  }
};

struct VideoInfo {
  const PixelFormat* format = nullptr;  // of every frame
  bool swapped = false;                 // the input has bare samples in the other order of bytes
  int width = 0, height = 0;
  AVRational time_base{1, 25};     // seconds per tick of every frame's pts and duration
  AVRational frame_rate{0, 1};     // frames per second, nominal; 0 where unknown
  bool steady = false;             // as far as is known, all frames last 1 / frame_rate
  AVRational sample_aspect{0, 1};  // 0 where unknown
  Orientation shown;               // what is stored, as players turn it; upright where they do not
  bool turned = false;  // samples have been turned: what the input says of it is not true any more
  AVFieldOrder field_order = AV_FIELD_UNKNOWN;
  bool of_fields = false;  // each picture is a field of an interlaced video, as HEVC codes it
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVChromaLocation chroma_location = AVCHROMA_LOC_UNSPECIFIED;
  HdrMetadata hdr;
  // Of an animation that says so: how often it is shown again, 0 for ever, -1 never.
  std::optional<int> loops;
  AVCodecID codec = AV_CODEC_ID_NONE;  // the input's own; NONE where it was not coded
  bool of_pictures = false;       // each frame a file, a GIF's or a camera's: not made as a video
  int profile = unknown_profile;  // of that codec, as its decoder counts them
  // How many frames are to be expected, and for how long; for showing progress. None where unknown.
  std::optional<std::int64_t> frames;
  bool frames_are_exact = false;  // else an estimate
  std::optional<double> seconds;
  // Frames can be had in any order (Source::set_order()), and nobody between the source and the
  // encoder minds.
  bool any_order = false;
  // When each frame is shown then, in order; null where frame n is shown at n.
  std::shared_ptr<const std::vector<std::int64_t>> times;
  InputClock clock;
};

// Of AV_PKT_DATA_DISPLAYMATRIX, nine numbers; upright where it turns by anything but quarters.
Orientation orientation_of(const std::int32_t* matrix);
std::array<std::int32_t, 9> display_matrix(const Orientation& shown);
// For people, how a picture is seen where nobody knows that it is stored so: "sideways".
std::string words_without(const Orientation& shown);

// Whether black is 16 and white 235, at 8 bits. Where the input does not say, YUV is limited, grey
// and RGB are full, as FFmpeg takes them.
bool is_limited_range(const VideoInfo& video);

}  // namespace vidconv
