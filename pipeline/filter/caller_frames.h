// Frames in a CUDA device's memory that a program shares, by work on streams of its own. No CUDA
// header here.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/filter/picture_filter.h"

namespace vidconv {

// A point in the work of a stream. Thread-safe.
class StreamMark {
 public:
  virtual ~StreamMark() = default;
  // Returns whether the stream has come there, or the device has failed.
  virtual bool passed() const = 0;
  // Blocks until it has. Throws Error(device).
  virtual void wait() const = 0;
};

// Marks the end of what is queued by now on a program's stream of cuda:`device`. Throws
// Error(device).
std::unique_ptr<const StreamMark> mark_stream(int device, CudaStream stream);

// Frames that a program has let go of, but that its streams may still read. Thread-safe.
class FramesInUse {
 public:
  using Marks = std::vector<std::unique_ptr<const StreamMark>>;

  FramesInUse() = default;
  ~FramesInUse();  // waits for the streams
  FramesInUse(const FramesInUse&) = delete;
  FramesInUse& operator=(const FramesInUse&) = delete;

  // Drops the frame once all marks are passed, in this or a later call. Blocks only where the host
  // has no memory left.
  void add(Frame frame, Marks marks) noexcept;
  // Drops what it can, and waits until at most so many frames are left.
  void reduce(std::size_t most);

 private:
  struct Held {
    Frame frame;
    Marks marks;
  };
  void drop_passed();

  std::mutex mutex_;  // guards held_
  std::deque<Held> held_;
};

// Takes a program's pictures out of the memory of a device.
class DevicePictures {
 public:
  virtual ~DevicePictures() = default;

  struct Taken {
    FramePtr frame;  // in the device's memory, without properties
    std::shared_ptr<const StreamMark> complete;
  };
  // Queues the copying of a picture on the program's stream. Does not block, but to allocate where
  // more frames are in flight than ever before. `planes`: a place for each plane of the format.
  // Throws Error(device), and Error(usage) for memory that the device cannot use.
  virtual Taken take(std::span<const PlaceOfPlane> planes, CudaStream stream) = 0;
};

// Allocates so many frames. Throws Error(device), also in a build without CUDA.
std::unique_ptr<DevicePictures> make_device_pictures(int device, const PixelFormat& format,
                                                     int width, int height, int frames);

}  // namespace vidconv
