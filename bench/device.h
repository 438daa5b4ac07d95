// Where measurements run: host and device memory behind one face, and clocks for both. In a build
// or on a machine without CUDA only Device::cpu works.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/convolver/convolver.h"

namespace vidconv::bench {

bool have_cuda();
std::string describe_gpu();  // name, driver, or why there is none

// Memory of a device: `bytes` bytes, aligned to at least 512. Contents are undefined at first;
// copies of this object share them.
class Memory {
 public:
  Memory(Device device, std::size_t bytes);
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  // These block until the copy is done.
  void upload(std::span<const std::byte> from) const;
  void download(std::span<std::byte> to) const;

 private:
  Device device_;
  std::size_t size_;
  std::shared_ptr<std::byte> data_;  // with its owner, on the host or on a device
};

// Returns the stream on which everything is measured; nullptr on the CPU.
CudaStream stream_of(Device device);
// Blocks until the work queued there is done; throws std::runtime_error where it failed.
void wait(Device device);

// Work to be timed: does or queues run number `i`. Different numbers may use different memory, so
// that no cache holds everything.
using Body = std::function<void(int i)>;

struct Effort {
  double seconds = 0.3;  // about how long to measure
  int samples = 15;      // at most; at least 3 are taken, however long they last
  bool fastest = false;  // the fastest sample, not the median: for machines that others use too
};

// Returns the median over samples (see Effort::fastest) of the seconds that one run takes. For
// Device::cpu the clock is read around runs. For Device::cuda there are events around as many
// launches in a row as fill a sample, so that the time to launch one hides behind the one before.
double median_seconds(Device device, const Body& body, const Effort& effort = {});

}  // namespace vidconv::bench
