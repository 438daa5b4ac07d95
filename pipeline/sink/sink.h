// Sink: takes the frames of an output.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/av/input_info.h"
#include "pipeline/base/frame_order.h"
#include "pipeline/base/notice.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/encode/encoder_choice.h"
#include "pipeline/io/run_files.h"

namespace vidconv {

// All members but cancel() belong to one thread. They throw Error(output). A sink that is destroyed
// before finish() has returned leaves nothing under its final name, and an older file there
// untouched.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual void write(Frame frame) = 0;
  // Takes a packet of another stream of the source. Sinks without a container leave it out.
  virtual void copy(PacketPtr packet) { ++left_out_[packet->stream_index].left_out; }
  // Makes a write that waits for a reader of the output throw. Thread-safe.
  virtual void cancel() {}
  // Completes the output and gives it its final name.
  virtual void finish() = 0;

  // Frames in the output; after finish() as many as were given to write(), but for frames_left()
  // and frames_brought().
  virtual std::int64_t frames() const = 0;
  // Tells what became of the packets given to copy(), by the source's stream index.
  virtual std::map<int, CopyStatistics> copies() const { return left_out_; }
  // Returns how many bytes are written so far, to show progress; 0 where none are kept.
  virtual std::int64_t bytes() const { return 0; }
  // Returns how many frames given to write() an interruption kept out of the output.
  virtual std::int64_t frames_left() const { return 0; }
  // Frames in the output that were not given to write(), but encoded before, and how much of the
  // video's time they are. Known before the first write(), but where such frames are given all the
  // same.
  virtual std::int64_t frames_brought() const { return 0; }
  virtual double seconds_brought() const { return 0; }
  // How many parts of the videos are in the output; 0 where they are not encoded in parts.
  virtual std::int64_t parts() const { return 0; }
  // Describes it for people: "libx264 crf=23 preset=medium, yuv420p".
  virtual std::string description() const = 0;

 private:
  std::map<int, CopyStatistics> left_out_;
};

struct SinkOptions {
  // "raw" or "y4m", or a container by FFmpeg's name; empty: by the ending of the output's name, and
  // y4m for "-".
  std::string format;
  EncoderOptions encoder;
  std::vector<std::pair<std::string, std::string>> muxer_options;
  // For live streams: packets go on at once, and no stream waits longer than this for another.
  // Seconds; 0: as for a file.
  double latency = 0;
  // Times are the input's, and have a meaning of their own: moving them is a loss.
  bool copy_times = false;
  std::string audio;  // "none", or an encoder or codec for all sound; empty or "copy": copied
  bool overwrite = false;
  bool insecure = false;      // servers' certificates are not checked
  RunFiles* files = nullptr;  // must not be overwritten; outlives the sink
  // As in PartialFile::Options. For files only.
  std::function<void(int fd)> before_name;
  Notify notify;
  // Hears what the output cannot hold, and may throw to refuse that; empty: `notify` hears it.
  Notify lose;
  int stdout_fd = 1;  // for "-" and "md5:"; not closed
  // Becomes true when a person wants to stop: then a pipe's reader is not waited for any longer.
  // Outlives the sink.
  const std::atomic<bool>* interrupted = nullptr;
  // Becomes true when the output is given up: a file without its name by then gets none, and
  // packets still in an encoder are not waited for, which is Error(interrupted). Outlives the sink;
  // may be null.
  const std::atomic<bool>* abandoned = nullptr;

  const Notify& loss() const { return lose ? lose : notify; }
};

// Serves as SinkOptions::lose for a run that is to lose nothing: throws. For a failed device it
// throws Error(device), although another one has done its work.
void refuse_loss(MessageKind kind, const std::string& loss);

// Throws Error(interrupted) once SinkOptions::abandoned is true.
void check_wanted(const std::atomic<bool>* abandoned);

struct SinkKind;

// Describes an output, decided once before anything is opened.
struct OutputPlan {
  std::string output;
  SinkOptions options;
  const SinkKind* kind = nullptr;
  const AVOutputFormat* container = nullptr;  // nullptr: bare frames
  std::vector<EncoderChoice> encoders = {};   // one per video; none where frames are bare
  // Whether the encoders take frames from the memory of a CUDA device with all their bits. Opening
  // the sink shows whether the device itself agrees.
  bool takes_device_frames = false;
  // The order in which the sink wants frames, for a video in shards whose frames come in any order;
  // null: in order of time.
  std::shared_ptr<FrameOrder> order = nullptr;
};

struct SinkKind {
  std::string_view name;
  std::string_view description;
  bool (*accepts)(const std::string& output, const SinkOptions& options);
  // Chooses the container and the encoder of each video; nullptr: frames are not encoded.
  void (*choose)(OutputPlan& plan, std::span<const InputVideo> videos) = nullptr;
  std::unique_ptr<Sink> (*open)(const OutputPlan& plan, const InputInfo& input);
  bool other_streams = false;   // holds sound and the like, and has a muxer with options
  bool several_videos = false;  // side by side
  bool keeps_pictures = true;   // and with them their description
};

// Lists the kinds in the order in which they are asked; the last one accepts everything.
std::span<const SinkKind> sink_kinds();

// `name` is a file, an address with a `format`, "-", "md5:" or "null:". Throws Error(usage) for
// options that do not suit the output, Error(output) where no encoder can be chosen. Opens nothing.
OutputPlan plan_output(const std::string& name, const SinkOptions& options,
                       std::span<const InputVideo> videos);

// Returns whether the output says how its pictures are to be turned, or shows none. Throws as
// plan_output() does.
bool keeps_orientation(const std::string& output, const SinkOptions& options);

// Checks an output that is an address: throws Error(command_line) where it has no `format`,
// Error(output_unsuited) where nothing can be sent to it. Does nothing for other outputs.
void check_address(const std::string& output, const std::string& format);

// Says, for people, how the video with that index is encoded: "libx264 crf=23 preset=medium"; empty
// where frames are bare.
std::string describe_encoder(const OutputPlan& plan, std::size_t video, const VideoInfo& info);

// Opens the sink; call it before the first frame of the input is read. Throws Error(usage) for an
// encoder option that does not exist or is not understood, Error(output) for an output that cannot
// be written.
std::unique_ptr<Sink> open_sink(const OutputPlan& plan, const InputInfo& input);
// Opens the sink with the plan that plan_output() makes.
std::unique_ptr<Sink> open_sink(const std::string& output, const SinkOptions& options,
                                const InputInfo& input);

}  // namespace vidconv
