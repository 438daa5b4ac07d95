// Sink: where frames go.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/frame.h"
#include "pipeline/notice.h"
#include "pipeline/run_files.h"
#include "pipeline/source.h"
#include "pipeline/video.h"

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

  // Frames in the output; after finish() as many as were given to write().
  virtual std::int64_t frames() const = 0;
  // What became of the packets that were given to copy(), by stream index of the source.
  virtual std::map<int, CopyAccount> copies() const { return left_out_; }
  // Written so far, for showing progress; 0 where nothing is kept.
  virtual std::int64_t bytes() const { return 0; }
  // For people: "libx264 crf=23 preset=medium, yuv420p".
  virtual std::string description() const = 0;

 private:
  std::map<int, CopyAccount> left_out_;
};

struct SinkOptions {
  // "raw" or "y4m", or a container by FFmpeg's name; empty: by the ending of the output's name, and
  // y4m for "-".
  std::string format;
  // An encoder ("libx265") or a codec ("hevc"); empty: the input's own codec where there is an
  // encoder for it and the container takes it, else H.264, else what the container prefers.
  std::string codec;
  std::string crf, preset;   // empty: as docs say, see encoder_table.h; the encoder's default
  std::string bitrate;       // "5M"; not beside crf; empty: constant quality
  std::string pixel_format;  // that the encoder gets; empty: the video's, or the nearest to it
  std::vector<std::pair<std::string, std::string>> encoder_options, muxer_options;
  std::string audio;  // "none", or an encoder or codec for all sound; empty or "copy": as it is
  bool overwrite = false;
  int threads = 0;  // of the encoder; 0: as many as it likes
  // Frames come in the memory of this CUDA device and are encoded there: only where
  // takes_device_frames() says so.
  std::optional<int> device;
  RunFiles* files = nullptr;  // which are not overwritten; outlives the sink
  Notify notify;
  // Hears what the output cannot carry, and may throw to refuse it; empty: `notify` does.
  Notify lose;
  int stdout_fd = 1;  // what "-" and "md5:" write to; not closed
  // Becomes true when a person wants to stop: who reads a pipe is not waited for any longer then.
  // Outlives the sink.
  const std::atomic<bool>* interrupted = nullptr;
};

struct SinkKind {
  std::string_view name;
  std::string_view description;
  bool (*accepts)(const std::string& output, const SinkOptions& options);
  std::unique_ptr<Sink> (*open)(const std::string& output, const SinkOptions& options,
                                const Source& source);
  bool encodes;  // whether it has an encoder, and with it encoder options
};

// In the order in which they are asked; the last one accepts everything.
std::span<const SinkKind> sink_kinds();

// `output`: a file, "-", "md5:" or "null:". For the frames of `source`, before its first next().
// Throws Error(usage) for an encoder option that does not exist or is not understood, Error(output)
// for an output that cannot be written.
// For people, what would encode the video and how: "libx264 crf=23 preset=medium"; empty where the
// output holds bare frames. Throws as open_sink() does for its words.
std::string encoder_for(const std::string& output, const SinkOptions& options,
                        const VideoInfo& video);

std::unique_ptr<Sink> open_sink(const std::string& output, const SinkOptions& options,
                                const Source& source);

// Whether the encoders of that output take every bit of the filtered frames of `source` from the
// memory of a CUDA device. What the device itself has to say is known when the sink is opened.
// Throws as open_sink() does where no encoder can be chosen.
bool takes_device_frames(const std::string& output, const SinkOptions& options,
                         const Source& source);

}  // namespace vidconv
