// Source: where frames come from.
#pragma once

#include <cstdint>
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
  virtual std::vector<PacketStatistics> accounts() const { return {}; }
  // Host memory for frames so far, bytes. Any thread.
  virtual std::size_t memory() const = 0;
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

// `input`: a file or URL, "-", "v4l2:...", or "pattern:...". Where all videos are wanted and there
// are several, their frames come in order of time, numbered together; `options.frames` counts for
// each. Throws Error(usage) for a malformed description, Error(input) for an input that cannot be
// read at all.
std::unique_ptr<Source> open_source(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
