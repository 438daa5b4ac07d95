// Source: where frames come from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/input_info.h"
#include "pipeline/av/pool.h"
#include "pipeline/av/video.h"
#include "pipeline/base/account.h"
#include "pipeline/base/frame_order.h"
#include "pipeline/base/notice.h"
#include "pipeline/bytes/run_files.h"
#include "pipeline/decode/decoder_choice.h"

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

// The next thing that comes out of an input: a frame to filter, or a packet of another stream to
// copy (its stream_index and time base are the input's).
using Item = std::variant<Frame, PacketPtr>;

class Source {
 public:
  virtual ~Source() = default;

  // Known once the source is open and unchanged from then on.
  virtual const VideoInfo& video() const = 0;
  virtual UnreadContainer container() const { return {}; }
  // Which of its streams is the video; -1 where there is no container.
  virtual int video_stream() const { return -1; }
  // Every video of which frames come: Frame::video() counts them. The first is video().
  virtual std::vector<InputVideo> videos() const { return {{video_stream(), video()}}; }
  // Whether it is signed for where it comes from (C2PA). Before the first next().
  virtual bool has_manifest() const { return false; }
  InputInfo info() const { return {videos(), container(), has_manifest()}; }

  // Whether set_order() may be called: any frame can be had, at about the cost of any other. Looks
  // at the input for that, which may take seconds. Before the first next().
  virtual bool takes_order() { return false; }
  // Where takes_order(): when each frame is shown, in order; null where frame n is shown at n.
  virtual std::shared_ptr<const std::vector<std::int64_t>> times() const { return nullptr; }
  // From now on frames come in this order, with the numbers and times that they have in the order
  // of time. Where takes_order(), before the first next().
  virtual void set_order(std::shared_ptr<FrameOrder>) {}
  // Whether next() has thrown because frames were not what takes_order() had seen of them: they can
  // be had in order of time, by another source.
  virtual bool has_lost_order() const { return false; }

  // None at the end, and soon after an interruption or cancel(). Frames come in order of time,
  // numbered from 0, each with a pts greater than the one before; but for set_order(). Throws
  // Error(input).
  virtual std::optional<Item> next() = 0;
  // Makes a next() that waits for input return. Any thread.
  virtual void cancel() = 0;

  // Whether frames come in memory of the CUDA device.
  virtual bool on_device() const { return false; }

  // Complete when next() has returned none.
  virtual Damage damage() const { return {}; }
  // What became of what was read, of each stream; complete when next() has returned none and no
  // other thread uses the source.
  virtual std::vector<StreamAccount> accounts() const { return {}; }
  // Host memory for frames so far, bytes. Any thread.
  virtual std::size_t memory() const = 0;
};

class KnownStreams;

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
  std::shared_ptr<const KnownStreams> known;
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

// "25", "30000/1001" or "ntsc-film"; none for what is not a number of frames per second.
std::optional<AVRational> frame_rate_of(const std::string& text);

// A kind of source: one row of the table.
struct SourceKind {
  std::string_view name;
  std::string_view description;
  bool (*accepts)(const std::string& input, const SourceOptions& options);
  std::unique_ptr<Source> (*open)(const std::string& input, const SourceOptions& options);
};

// In the order in which they are asked; the last one accepts everything.
std::span<const SourceKind> source_kinds();

// Whether it comes in its own time, and is not there to be asked for: a device, an address of a
// stream, or what a file describes as one.
bool is_live(const std::string& input, const SourceOptions& options);

// `input`: a file or URL, "-", "v4l2:...", or "pattern:...". Where all videos are wanted and there
// are several, their frames come in order of time, numbered together; `options.frames` counts for
// each. Throws Error(usage) for a malformed description, Error(input) for an input that cannot be
// read at all.
std::unique_ptr<Source> open_source(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
