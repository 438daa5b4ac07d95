// Source is where frames come from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/input_info.h"
#include "pipeline/av/video.h"
#include "pipeline/base/frame_order.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/demux/source_options.h"

namespace vidconv {

// The next thing out of an input: a frame to filter, or a packet of another stream to copy (its
// stream_index and time base are the input's).
using Item = std::variant<Frame, PacketPtr>;

class Source {
 public:
  virtual ~Source() = default;

  // Returns the video, which is known once the source is open and unchanged from then on.
  virtual const VideoInfo& video() const = 0;
  virtual UnreadContainer container() const { return {}; }
  // Returns the index of the video among its streams; -1 if there is no container.
  virtual int video_stream() const { return -1; }
  // Returns every video of which frames come; Frame::video() is the index. The first is video().
  virtual std::vector<InputVideo> videos() const { return {{video_stream(), video()}}; }
  // Returns whether it is signed for where it comes from (C2PA). Before the first next().
  // It may read the input for that: not thread-safe.
  virtual bool has_manifest() const { return false; }
  InputInfo info() const { return {videos(), container(), has_manifest()}; }

  // Returns whether set_order() may be called: any frame can be had, at about the cost of any
  // other. Looks at the input for that, which may take seconds. Before the first next().
  virtual bool takes_order() { return false; }
  // Does the same, but whatever it costs: `see` gets each packet of the video, in order of
  // decoding, and when its frame is shown.
  using SeePacket = std::function<void(const AVPacket& packet, std::int64_t shown)>;
  virtual bool survey(const SeePacket&) { return false; }
  // Returns when each frame is shown, in order, if takes_order(); null if frame n is shown at n.
  virtual std::shared_ptr<const std::vector<std::int64_t>> times() const { return nullptr; }
  // Makes frames come in this order, with the numbers and times that they have in the order of
  // time. If takes_order(), before the first next().
  virtual void set_order(std::shared_ptr<FrameOrder>) {}
  // Returns whether next() has thrown because frames were not what takes_order() had seen of them:
  // another source can give them in order of time.
  virtual bool has_lost_order() const { return false; }

  // Returns the next item; none at the end, and soon after an interruption or cancel(). Frames come
  // in order of time, unless set_order() was called, numbered from 0, each with a pts greater than
  // the one before. Throws Error(input).
  virtual std::optional<Item> next() = 0;
  // Makes a next() that waits for input return. Thread-safe.
  virtual void cancel() = 0;

  // Returns whether frames come in memory of the CUDA device.
  virtual bool on_device() const { return false; }

  // Returns the damage; complete when next() has returned none.
  virtual Damage damage() const { return {}; }
  // Returns the packet statistics of each stream; complete when next() has returned none and no
  // other thread uses the source.
  virtual std::vector<PacketStatistics> accounts() const { return {}; }
  // Returns the seconds that it has worked, where these are not the time that next() takes, because
  // others read the same source. Thread-safe.
  virtual std::optional<double> seconds() const { return std::nullopt; }
  // Returns the bytes of host memory for frames so far. Thread-safe.
  virtual std::size_t memory() const = 0;
};

// Parses "25", "30000/1001" or "ntsc-film"; none for anything else.
std::optional<AVRational> frame_rate_of(const std::string& text);

// A kind of source: one row of the table.
struct SourceKind {
  std::string_view name;
  std::string_view description;
  bool (*accepts)(const std::string& input, const SourceOptions& options);
  std::unique_ptr<Source> (*open)(const std::string& input, const SourceOptions& options);
};

// Returns the kinds in the order in which they are asked; the last one accepts everything.
std::span<const SourceKind> source_kinds();

// Opens an input: a file or URL, "-", "v4l2:...", or "pattern:...". If all videos are wanted and
// there are several, their frames come in order of time, numbered together; `options.frames` counts
// for each. Throws Error(usage) for a malformed description, Error(input) for an input that cannot
// be read at all.
std::unique_ptr<Source> open_source(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
