// Options for reading an input, and the damage found in it.
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

// Counts what was wrong with an input that could be read.
struct Damage {
  std::int64_t packets = 0;  // could not be decoded
  std::int64_t frames = 0;   // decoded, but known to be wrong in places
  // Errors that the demuxer and the decoder reported on the way, and the first of them. Some are
  // mended without any of the above.
  std::int64_t errors = 0;
  std::string first_error;
  // Tells what is known about an input that ended before it should have; else empty.
  std::string truncated;
  // Packets of other streams that the container calls damaged, which are copied all the same, and
  // packets that the output did not take, which are left out.
  std::int64_t marked = 0, refused = 0;
  bool any() const {
    return packets > 0 || frames > 0 || errors > 0 || marked > 0 || refused > 0 ||
           !truncated.empty();
  }
};

class StreamInfo;

// Frames of the range asked for that are shown from `begin` on and before `end`, as found by
// somebody who has read all of it. Times are those of its frames, in ticks of VideoInfo::time_base.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = INT64_MAX;
  bool first = true;               // nothing comes before it
  bool seeks = true;               // false: all that comes before is decoded too, and dropped
  std::int64_t frames_before = 0;  // frames of the range that come before these
  VideoInfo video;  // source.video() of the whole range; it holds for the interval too
};

struct SourceOptions {
  // WxH:PIXFMT[@FPS]: the input is bare frames of this kind. Empty: the input says what it is.
  std::string raw;
  // Frames per second, "30000/1001", of an input that does not say it: numbered pictures, bare
  // streams of a codec. Empty: FFmpeg's guess.
  std::string frame_rate;
  // The range to read, in seconds and frames. Times in it start at 0 if `start` is given.
  std::optional<double> start, duration;
  std::optional<std::int64_t> frames;
  // Frames of a container's video before `start`, if somebody has counted them.
  std::optional<std::int64_t> frames_before;
  // The stream comes in its own time: packets are handed on as soon as they can be, and little is
  // read to find out what it is.
  bool low_delay = false;
  // Options of the demuxer or the device, by FFmpeg's names.
  std::vector<std::pair<std::string, std::string>> own;
  // The demuxer, by FFmpeg's name; empty: as the first bytes look. If it is that of playlists or
  // scripts, the input is trusted with referring to files.
  std::string format;
  bool insecure = false;  // certificates of servers are not checked
  // Number of the wanted video stream, from 1, cover pictures left out; none: all of them.
  std::optional<int> video = 1;
  // Packets of other streams are not wanted, and another source of the same file counts what the
  // demuxer complains of.
  bool video_only = false;
  // No frames are wanted but the first, from which all is known of the video: only packets of other
  // streams come.
  bool copies_only = false;
  std::optional<Interval> interval;  // for a container; other sources know none
  // Streams of the same container as found by whoever has opened it before; may be null.
  std::shared_ptr<const StreamInfo> known;
  // Times stay as they are, even if the input does not begin at 0 or if they begin anew on the way.
  // Otherwise they are moved to begin at 0 and to go on, in all streams alike. A range with a
  // `start` begins at 0 all the same.
  bool copy_times = false;
  bool strict = false;  // the first damage is an Error(damaged)
  // Seconds that an input may be silent before it is given up; 0: for ever.
  double timeout = 0;
  // Pictures with more pixels are refused before memory is allocated for them.
  std::int64_t max_pixels = default_max_pixels;
  int threads = 0;  // the decoder's; 0: as many as it likes
  FrameMemory memory = plain_memory;
  // A stream that the device cannot decode is decoded on the CPU, and notify() says so.
  std::optional<NvdecOptions> nvdec;
  Notify notify;
  // Becomes true when a person wants to stop: the input ends early then. Outlives the source.
  const std::atomic<bool>* interrupted = nullptr;
  int stdin_fd = 0;           // "-" reads it; not closed
  RunFiles* files = nullptr;  // hears what is read; outlives the source
};

// Returns whether the input comes in its own time, and is not there to be asked for: a device, an
// address of a stream, or what a file describes as one.
bool is_live(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
