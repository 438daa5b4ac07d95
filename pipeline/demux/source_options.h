// How an input is read, and what was found to be wrong with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/av/pool.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"
#include "pipeline/decode/decoder_choice.h"
#include "pipeline/io/run_files.h"

namespace vidconv {

// What was wrong with the input although it could be read.
struct Damage {
  std::int64_t packets = 0;  // could not be decoded
  std::int64_t frames = 0;   // decoded, but known to be wrong in places
  // Errors that the demuxer and the decoder reported on the way, and the first of them: some are
  // mended without any of the above.
  std::int64_t errors = 0;
  std::string first_error;
  // The input ended before it should have; what is known about it, else empty.
  std::string truncated;
  // Packets of other streams that the container calls damaged, which are copied all the same, and
  // that the output did not take, which are left out.
  std::int64_t marked = 0, refused = 0;
  bool any() const {
    return packets > 0 || frames > 0 || errors > 0 || marked > 0 || refused > 0 ||
           !truncated.empty();
  }
};

class StreamInfo;

// Of the part that is asked for, the frames that are shown from `begin` on and before `end`, as
// somebody has found them who read all of it: times are those of its frames, ticks of
// VideoInfo::time_base.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = INT64_MAX;
  bool first = true;  // nothing comes before it
  bool seeks = true;  // else all that comes before is decoded too, and dropped
  VideoInfo video;    // what source.video() is of the whole part; so it is of the interval then
};

struct SourceOptions {
  // WxH:PIXFMT[@FPS]: the input is bare frames of this kind. Empty: it says itself what it is.
  std::string raw;
  // Frames a second, "30000/1001", of an input that does not say it: numbered pictures, bare
  // streams of a codec. Empty: what FFmpeg takes for it.
  std::string frame_rate;
  // The part to read, in seconds and frames. Times of the part start at 0 where `start` is given.
  std::optional<double> start, duration;
  std::optional<std::int64_t> frames;
  // How many frames of a container's video come before `start`, where somebody has counted them.
  std::optional<std::int64_t> frames_before;
  // A stream in its own time: what comes is handed on as soon as it can be, and little is read to
  // find out what it is.
  bool low_delay = false;
  // Options of the demuxer or the device, by FFmpeg's names for them.
  std::vector<std::pair<std::string, std::string>> own;
  // The demuxer, by FFmpeg's name; empty: whatever its first bytes look like. Where it is that of
  // playlists or scripts, the input is trusted with referring to files.
  std::string format;
  bool insecure = false;  // certificates of servers are not checked
  // Which of the video streams, counted from 1, cover pictures left out; none: all of them.
  std::optional<int> video = 1;
  // Packets of other streams are not wanted, and what the demuxer complains of is counted by
  // another source of the same file.
  bool video_only = false;
  // No frames are wanted but the first, from which all is known of the video: packets of other
  // streams are all that comes.
  bool copies_only = false;
  std::optional<Interval> interval;  // of a container; other sources know none
  // What was found of the streams of the same container, where somebody has opened it before; may
  // be null.
  std::shared_ptr<const StreamInfo> known;
  // Times stay as they are, where the input does not begin at 0 and where they begin anew on the
  // way. They are moved to begin at 0 and to go on otherwise, those of all streams alike; but for
  // those of a part with a `start`.
  bool copy_times = false;
  bool strict = false;  // the first damage is an Error(damaged)
  // How long an input may be silent before it is given up, in seconds; 0: for ever.
  double timeout = 0;
  // Pictures with more pixels are refused, before there is memory for them.
  std::int64_t max_pixels = default_max_pixels;
  int threads = 0;  // of the decoder; 0: as many as it likes
  FrameMemory memory = plain_memory;
  // A stream that the device cannot decode is decoded on the CPU, and notify() says so.
  std::optional<NvdecOptions> nvdec;
  Notify notify;
  // Becomes true when a person wants to stop: the input ends early then. Outlives the source.
  const std::atomic<bool>* interrupted = nullptr;
  int stdin_fd = 0;           // what "-" reads; not closed
  RunFiles* files = nullptr;  // hears what is read; outlives the source
};

// Whether it comes in its own time, and is not there to be asked for: a device, an address of a
// stream, or what a file describes as one.
bool is_live(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
