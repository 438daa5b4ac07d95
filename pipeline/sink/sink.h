// Sink: where frames go.
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

// All members but cancel() belong to one thread. Throw Error(output). A sink that is destroyed
// before finish() has returned leaves nothing under its final name, and an older file there
// untouched.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual void write(Frame frame) = 0;
  // A packet of another stream of the source. Sinks without a container leave it out.
  virtual void copy(PacketPtr packet) { ++left_out_[packet->stream_index].left_out; }
  // Makes a write that waits for whoever reads the output throw. Any thread.
  virtual void cancel() {}
  // Completes the output and gives it its final name.
  virtual void finish() = 0;

  // Frames in the output; after finish() as many as were given to write(), but for frames_left()
  // and frames_brought().
  virtual std::int64_t frames() const = 0;
  // What became of the packets that were given to copy(), by stream index of the source.
  virtual std::map<int, CopyStatistics> copies() const { return left_out_; }
  // Written so far, for showing progress; 0 where nothing is kept.
  virtual std::int64_t bytes() const { return 0; }
  // Frames that were given to write() and are not in the output because of an interruption.
  virtual std::int64_t frames_left() const { return 0; }
  // Frames in the output that were not given to write(), but encoded before, and how much of the
  // video's time they are. Known before the first write(), but where such frames are given all the
  // same.
  virtual std::int64_t frames_brought() const { return 0; }
  virtual double seconds_brought() const { return 0; }
  // How many parts of the videos are in the output; 0 where they are not encoded in parts.
  virtual std::int64_t parts() const { return 0; }
  // For people: "libx264 crf=23 preset=medium, yuv420p".
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
  // A stream in its own time: what is encoded goes on at once, and no stream waits longer than this
  // for another; seconds, 0: as suits a file.
  double latency = 0;
  // Times are those of the input, and mean something by themselves: to move them is a loss.
  bool copy_times = false;
  std::string audio;  // "none", or an encoder or codec for all sound; empty or "copy": as it is
  bool overwrite = false;
  bool insecure = false;      // certificates of servers that an address leads to are not checked
  RunFiles* files = nullptr;  // which are not overwritten; outlives the sink
  // As of PartialFile::Options. For files only.
  std::function<void(int fd)> before_name;
  Notify notify;
  // Hears what the output cannot carry, and may throw to refuse it; empty: `notify` does.
  Notify lose;
  int stdout_fd = 1;  // what "-" and "md5:" write to; not closed
  // Becomes true when a person wants to stop: who reads a pipe is not waited for any longer then.
  // Outlives the sink.
  const std::atomic<bool>* interrupted = nullptr;
  // Becomes true when nothing is to come of it: a file that has no name by then gets none, and what
  // an encoder still holds is not waited for: Error(interrupted). Outlives the sink; may be null.
  const std::atomic<bool>* abandoned = nullptr;

  const Notify& loss() const { return lose ? lose : notify; }
};

// SinkOptions::lose of a run that is to lose nothing: throws. A device that failed is an
// Error(device), although its work was done by another one.
void refuse_loss(MessageKind kind, const std::string& loss);

// Throws Error(interrupted) once SinkOptions::abandoned is true.
void check_wanted(const std::atomic<bool>* abandoned);

struct SinkKind;

// What comes out, decided once and before anything is opened.
struct OutputPlan {
  std::string output;
  SinkOptions options;
  const SinkKind* kind = nullptr;
  const AVOutputFormat* container = nullptr;  // nullptr: bare frames
  std::vector<EncoderChoice> encoders = {};   // of each video; none where frames are bare
  // Whether these take every bit of the frames from the memory of a CUDA device. What the device
  // itself has to say is known when the sink is opened.
  bool takes_device_frames = false;
  // The order in which the sink wants frames, of a video in parts whose frames come in any order;
  // else null: that of time.
  std::shared_ptr<FrameOrder> order = nullptr;
};

struct SinkKind {
  std::string_view name;
  std::string_view description;
  bool (*accepts)(const std::string& output, const SinkOptions& options);
  // The container and the encoder of each video; nullptr: frames are not encoded.
  void (*choose)(OutputPlan& plan, std::span<const InputVideo> videos) = nullptr;
  std::unique_ptr<Sink> (*open)(const OutputPlan& plan, const InputInfo& input);
  bool other_streams = false;   // it holds sound and the like, and has a muxer with its options
  bool several_videos = false;  // one beside the other
  bool keeps_pictures = true;   // and with them what is said of them
};

// In the order in which they are asked; the last one accepts everything.
std::span<const SinkKind> sink_kinds();

// `name`: a file, an address with a `format`, "-", "md5:" or "null:". Throws Error(usage) for
// what does not suit the output, Error(output) where no encoder can be chosen. Opens nothing.
OutputPlan plan_output(const std::string& name, const SinkOptions& options,
                       std::span<const InputVideo> videos);

// Whether the output says how its pictures are to be turned, or shows none. Throws as plan_output()
// does.
bool keeps_orientation(const std::string& output, const SinkOptions& options);

// Of an output that is an address: throws Error(command_line) where it has no `format`,
// Error(output_unsuited) where nothing can be sent to such. Does nothing for others.
void check_address(const std::string& output, const std::string& format);

// For people, what encodes the video with that index, and how: "libx264 crf=23 preset=medium";
// empty where frames are bare.
std::string describe_encoder(const OutputPlan& plan, std::size_t video, const VideoInfo& info);

// Before the first frame of the input is read. Throws Error(usage) for an encoder option that does
// not exist or is not understood, Error(output) for an output that cannot be written.
std::unique_ptr<Sink> open_sink(const OutputPlan& plan, const InputInfo& input);
// With the plan that plan_output() makes.
std::unique_ptr<Sink> open_sink(const std::string& output, const SinkOptions& options,
                                const InputInfo& input);

}  // namespace vidconv
