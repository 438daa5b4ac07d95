// ContainerInput: a container that libavformat reads, from a file, a URL or a pipe: packets that do
// not keep anybody waiting longer than is wanted.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/av_log.h"
#include "pipeline/pipe_io.h"
#include "pipeline/source.h"
#include "pipeline/stopwatch.h"

namespace vidconv {

// All but cancel() belong to one thread.
class ContainerInput {
 public:
  // Opens it and finds its streams. From `reader` where there is one (`url` is its name then).
  // Takes of the options what they say of waiting. Throws Error(input).
  ContainerInput(const std::string& url, std::unique_ptr<ByteReader> reader,
                 const SourceOptions& options);
  ContainerInput(const ContainerInput&) = delete;
  ContainerInput& operator=(const ContainerInput&) = delete;

  AVFormatContext& container() const { return *container_; }
  const std::string& name() const { return name_; }  // for messages

  // The next packet, into an empty one. Returns what av_read_frame() does; throws Error(input)
  // where nothing came for too long.
  int read(AVPacket& packet);

  // To a place before `time`, microseconds of the container's time, as near as the container can
  // tell: perhaps in the middle of pictures that refer to what came before. False where it has no
  // way to, and is wherever the search has led.
  bool seek(std::int64_t time);
  // To the first packet, after seek(): where that has moved, the container is opened anew, with
  // other streams.
  void rewind();

  // Makes a read() that waits return, now and from now on. Any thread.
  void cancel();
  // Cancelled or interrupted: an end that was seen is not the end of the data.
  bool stopped() const { return cancelled_ || (interrupted_ && *interrupted_); }

  // What the demuxer and the parsers have complained of so far, from the first byte on.
  const AvErrors& errors() const { return errors_; }

 private:
  void open();
  int check(int code) const;
  // Nothing has come for longer than the user wants to wait.
  bool late() const { return timeout_ > 0 && seconds_since(heard_) > timeout_; }
  [[noreturn]] void throw_late() const;

  const std::string url_, name_;
  const double timeout_;  // seconds; 0: none
  const std::atomic<bool>* const interrupted_;
  std::atomic<bool> cancelled_ = false;
  Clock::time_point heard_;  // when the input was last asked for something
  std::optional<PipeInput> pipe_;
  AvErrors errors_{this};
  InputPtr container_;
  bool moved_ = false;
};

}  // namespace vidconv
