#include "pipeline/device/cuda.h"

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "pipeline/av/block_cache.h"
#include "pipeline/base/error.h"
#include "pipeline/device/cuda_objects.h"
#include "pipeline/platform/numa.h"
#include "pipeline/platform/process.h"

namespace vidconv {
namespace {

const char* remedy_for(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "use fewer `slots`, or `device` cpu";
    case cudaErrorInsufficientDriver:
      return "update the NVIDIA driver, or use `device` cpu";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build for this device (CMAKE_CUDA_ARCHITECTURES), or use `device` cpu";
    default:
      return "use `device` cpu";
  }
}

std::string version_text(int version) {  // 1000 * major + 10 * minor
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

CudaProcessState& process = cuda_process_state();

// Returns a failure instead where fail_cuda_after() has asked for one.
cudaError_t or_injected(cudaError_t result) {
  if (process.failure == cudaSuccess || result != cudaSuccess) return result;
  if (process.calls_to_failure > 0 && process.calls_to_failure-- > 0) return cudaSuccess;
  const bool fails = process.failures_left > 0 && process.failures_left-- > 0;
  return fails ? static_cast<cudaError_t>(process.failure.load()) : cudaSuccess;
}

Nodes nodes_of(std::optional<int> node) { return node ? Nodes{1} << *node : 0; }

// Returns whether a device is current in this thread; if not, its first call wakes one.
bool has_context() {
  static const auto current =
      reinterpret_cast<CUresult (*)(CUcontext*)>(driver_function("cuCtxGetCurrent"));
  CUcontext context = nullptr;
  return !current || current(&context) != CUDA_SUCCESS || context;
}

// Allocates the blocks of pinned_memory.
class PinnedBlocks {
 public:
  std::byte* allocate(std::size_t bytes, Nodes nodes) noexcept {
    if (!has_cuda_driver()) return allocate_pages(bytes);
    const std::lock_guard lock(mutex_);
    if (!nodes) nodes = process.nodes.load();
    if (std::byte* const kept = kept_.take(bytes, nodes)) return kept;
    for (const BlockCache::Block& old : kept_.take_oldest(bytes)) free(old.memory);
    std::byte* block = allocate_pages(bytes);
    if (!block) return nullptr;
    prefer_nodes(block, bytes, nodes);
    try {
      Block& known = blocks_[block] = {bytes, nodes, false};
      if (!process.pins_later) pin(block, known);
      return block;
    } catch (const std::bad_alloc&) {
      plain_memory.release(block);
      return nullptr;
    }
  }

  void release(std::byte* block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(block);
    if (keeps_ && found != blocks_.end() && found->second.pinned) try {
        return kept_.put({block, found->second.bytes, found->second.nodes});
      } catch (const std::bad_alloc&) {
      }
    free(block);
  }

  void keep(bool keep) noexcept {
    const std::lock_guard lock(mutex_);
    keeps_ = keep;
    if (!keep)
      for (const BlockCache::Block& old : kept_.take_oldest(SIZE_MAX)) free(old.memory);
  }

  void sleep() noexcept {
    const std::lock_guard lock(mutex_);
    process.pins_later = true;
  }
  void wake() noexcept {
    const std::lock_guard lock(mutex_);
    process.pins_later = false;
    for (auto& [block, known] : blocks_) {
      if (known.pinned) continue;
      known.nodes = process.nodes;
      prefer_nodes(block, known.bytes, known.nodes);
      pin(block, known);
    }
  }

 private:
  struct Block {
    std::size_t bytes;
    Nodes nodes;
    bool pinned;
  };

  void free(std::byte* block) noexcept {
    if (const auto known = blocks_.extract(block); known && known.mapped().pinned)
      cudaHostUnregister(block);
    plain_memory.release(block);
  }

  // Pins a block for all devices, by one that is awake.
  static void pin(std::byte* block, Block& known) noexcept {
    cudaError_t result = cudaErrorUnknown;
    try {
      const CurrentDevice current(process.home);
      result = or_injected(cudaHostRegister(block, known.bytes, cudaHostRegisterPortable));
    } catch (const Error&) {
    }
    known.pinned = result == cudaSuccess;
    if (known.pinned) {
      ++process.allocations;
      return;
    }
    cudaHostUnregister(block);  // if the failure was a test's
    cudaGetLastError();         // not to be found by the next launch
    if (result == cudaErrorMemoryAllocation) process.pinning_failed = true;
  }

  std::mutex mutex_;  // guards all below
  std::map<std::byte*, Block> blocks_;
  BlockCache kept_;  // blocks that were released
  bool keeps_ = false;
};

PinnedBlocks& pinned_blocks() {
  static PinnedBlocks blocks;
  return blocks;
}

std::byte* allocate_pinned(std::size_t bytes, Nodes nodes) noexcept {
  return pinned_blocks().allocate(bytes, nodes);
}
void release_pinned(std::byte* memory) noexcept { pinned_blocks().release(memory); }

}  // namespace

void* driver_function(const char* name) noexcept {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
  cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
  cudaGetLastError();
  return address;
}

bool has_cuda_driver() {
  static const bool has = [] {
    int driver = 0;
    return cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  }();
  return has;
}

void wake_devices(const std::vector<int>& indices) noexcept {
  const auto wake = [](int index) {
    cudaSetDevice(index);  // in this thread only
    cudaFree(nullptr);
    cudaGetLastError();
  };
  try {
    const std::set<int> different(indices.begin(), indices.end());
    Nodes nodes = 0;
    for (const int index : different) nodes |= nodes_of(node_of_device(index));
    process.home = indices.front();
    process.nodes = nodes;
    std::vector<std::jthread> threads;
    for (const int index : different) threads.emplace_back(wake, index);
  } catch (const std::exception&) {  // no thread, no memory: they wake when they are used
  }
  pinned_blocks().wake();
}

std::optional<int> node_of_device(int index) noexcept {
  char bus_id[32] = {};
  const bool known = cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, index) == cudaSuccess;
  cudaGetLastError();
  return known ? node_of_pci(bus_id) : std::nullopt;
}

int device_of(const std::byte* memory) noexcept {
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, memory) == cudaSuccess;
  cudaGetLastError();
  return known && attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

bool reach_each_other(const std::vector<int>& devices) noexcept try {
  const auto reaches = [](int reader, int other) {
    if (other == reader) return true;
    const CurrentDevice current(reader);
    int can = 0;
    check_cuda(cudaDeviceCanAccessPeer(&can, reader, other), "cannot use the device");
    if (!can) return false;
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
    cudaGetLastError();
    return enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
  };
  return std::ranges::all_of(devices, [&](int reader) {
    return std::ranges::all_of(devices, [&](int other) { return reaches(reader, other); });
  });
} catch (const std::exception&) {  // one of them is none, or fails
  cudaGetLastError();
  return false;
}

void pin_when_awake() noexcept { pinned_blocks().sleep(); }
void keep_pinned_memory(bool keep) noexcept { pinned_blocks().keep(keep); }

bool pinned_memory_ran_out() { return process.pinning_failed; }

void fail_cuda_after(int calls, cudaError_t error, int times) {
  process.calls_to_failure = calls;
  process.failures_left = times;
  process.failure = error;
}

std::int64_t cuda_allocations() { return process.allocations; }

std::string why_no_device(cudaError_t error, int driver) {
  if (driver == 0) return "no NVIDIA driver is installed";
  if (error == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is made for CUDA " + version_text(driver) +
           ", this program needs CUDA " + version_text(CUDART_VERSION);
  return error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error);
}

namespace {

std::byte* allocate_device(std::size_t bytes, Nodes) noexcept {
  int device = 0;
  cudaGetDevice(&device);
  DeviceBuffer buffer;
  if (or_injected(buffer.reset(device, bytes)) == cudaSuccess) {
    ++process.allocations;
    return buffer.release();
  }
  cudaGetLastError();
  return nullptr;
}
void release_device(std::byte* memory) noexcept { DeviceBuffer::free(memory); }

}  // namespace

const FrameMemory device_memory{"device memory", allocate_device, release_device};
const FrameMemory pinned_memory{"pinned", allocate_pinned, release_pinned};

FrameMemory pinned_memory_near(std::optional<int> node) {
  FrameMemory memory = pinned_memory;
  memory.nodes = nodes_of(node);
  return memory;
}

CudaDevices cuda_devices() {
  CudaDevices found;
  int count = 0;
  cudaError_t result = cudaGetDeviceCount(&count);
  for (int i = 0; result == cudaSuccess && i < count; ++i) {
    cudaDeviceProp properties;
    result = cudaGetDeviceProperties(&properties, i);
    if (result == cudaSuccess)
      found.devices.push_back({i, properties.name, properties.major, properties.minor,
                               properties.totalGlobalMem, node_of_device(i)});
  }
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (found.devices.empty()) found.why_none = why_no_device(result, driver);
  cudaGetLastError();
  return found;
}

void check_cuda(cudaError_t result, const char* act, const std::string& value) {
  result = or_injected(result);
  if (result == cudaSuccess) return;
  cudaGetLastError();  // an error that does not last is not to be found by the next launch
  throw Error(result == cudaErrorMemoryAllocation ? MessageKind::memory : MessageKind::device, act,
              value,
              std::string(cudaGetErrorString(result)) + " (" + cudaGetErrorName(result) + ")",
              remedy_for(result));
}

CurrentDevice::CurrentDevice(int index) : index_(index) {
  check_cuda(cudaGetDevice(&before_), "cannot use CUDA");
  if (index_ == before_) return;
  slept_ = !has_context();
  check_cuda(cudaSetDevice(index), "cannot use the device", "cuda:" + std::to_string(index));
}

CurrentDevice::~CurrentDevice() {
  // A thread that had no device keeps this one: making the former one current would wake it.
  if (index_ != before_ && !slept_) cudaSetDevice(before_);
}

Event::Event(Kind kind) {
  cudaEvent_t event = nullptr;
  const unsigned timing = kind == Kind::time ? 0 : cudaEventDisableTiming;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | timing),
             "cannot make a CUDA event");
  event_.reset(event);
}

void Event::wait() const {
  // Waking up takes as long as a small frame, so sleep only where the device is slow. Each query
  // takes a lock that the thread which submits frames needs too, so queries are rare.
  constexpr std::chrono::microseconds patience(1000), pause(4);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  for (auto asked = start; cudaEventQuery(event_.get()) == cudaErrorNotReady; asked = now()) {
    if (asked - start > patience) break;
    while (now() - asked < pause) std::this_thread::yield();
  }
  cudaGetLastError();  // "not ready" is remembered like an error
  check_cuda(cudaEventSynchronize(event_.get()), "the CUDA device failed");
}

double Event::seconds(const Event& begin, const Event& end) {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "the CUDA device failed");
  return 1e-3 * static_cast<double>(milliseconds);
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
             "cannot make a CUDA stream");
  stream_.reset(stream);
}

void Stream::record(const Event& event) const {
  check_cuda(cudaEventRecord(event.get(), stream_.get()), "the CUDA device failed");
}

void Stream::wait_for(const Event& event) const {
  check_cuda(cudaStreamWaitEvent(stream_.get(), event.get(), 0), "the CUDA device failed");
}

void Stream::upload(std::byte* device, const std::byte* from, std::size_t bytes) const {
  check_cuda(cudaMemcpyAsync(device, from, bytes, cudaMemcpyDefault, stream_.get()),
             "cannot upload a frame");
}

void Stream::download(std::byte* host, const std::byte* device, std::size_t bytes) const {
  check_cuda(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_.get()),
             "cannot download a frame");
}

void Stream::synchronise() const {
  check_cuda(cudaStreamSynchronize(stream_.get()), "the CUDA device failed");
}

DeviceBuffer make_cleared_buffer(int device, std::size_t bytes, const Stream& stream) {
  const std::string value = std::to_string(bytes >> 20) + " MiB";
  DeviceBuffer buffer;
  check_cuda(buffer.reset(device, bytes), "cannot allocate device memory", value);
  ++process.allocations;
  // Clears the gaps between rows, which are copied back and which no kernel writes. Waits, because
  // streams do not wait for each other: what another one writes first would be cleared.
  check_cuda(cudaMemsetAsync(buffer.data(), 0, bytes, stream.get()), "cannot clear device memory",
             value);
  check_cuda(cudaStreamSynchronize(stream.get()), "cannot clear device memory", value);
  return buffer;
}

}  // namespace vidconv
