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

// `bytes` bytes, aligned to 512 at least, in the memory of a device. Contents are undefined at
// first.
class Memory {
 public:
  Memory(Device device, std::size_t bytes);
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  // These wait until the copy is done.
  void upload(std::span<const std::byte> from) const;
  void download(std::span<std::byte> to) const;

 private:
  Device device_;
  std::size_t size_;
  std::shared_ptr<std::byte> data_;  // with its owner, which is one of the host or of a device
};

// The stream on which everything is measured; nullptr on the CPU.
CudaStream stream_of(Device device);
// Waits for what was queued on it; throws what went wrong there.
void wait(Device device);

// Work to be timed: does or queues run number `i`. Different numbers may use different memory, so
// that no cache holds everything.
using Body = std::function<void(int i)>;

struct Effort {
  double seconds = 0.3;  // about how long to measure
  int samples = 15;      // at most; at least 3 are taken, however long they last
  bool fastest = false;  // the fastest sample, not the median: where others use the machine too
};

// The median over samples (see Effort::fastest) of the seconds that one run takes. Device::cpu: the
// clock around runs. Device::cuda: events around as many launches in a row as fill a sample, so
// that the time to launch one hides behind the one before.
double median_seconds(Device device, const Body& body, const Effort& effort = {});

}  // namespace vidconv::bench
