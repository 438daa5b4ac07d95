// Processor takes frames and returns them filtered, in order, on the CPU or on a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/pool.h"
#include "pipeline/base/notice.h"
#include "pipeline/io/trace.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

class SharedUploads;

// The time that a stage has worked, without the time it waited.
struct StageTime {
  std::string name;  // "upload", "convolve", "download", "decode", "encode"
  double seconds = 0;
};

// The throughput of a stage when nothing else runs.
struct StageRate {
  std::string name;
  double frames_per_second = 0;
  double bytes_per_second = 0;  // 0 for a stage that does not copy
};

struct MemoryUse {
  std::size_t host = 0, device = 0;  // bytes; memory that outputs share counts for each
};

// A CUDA device's share of the work.
struct DeviceUse {
  int index = 0;             // as in cuda:N
  std::string name;          // "NVIDIA H200"
  std::optional<int> node;   // NUMA node, as CudaDevice::node
  std::int64_t frames = 0;   // frames that it filtered
  std::int64_t uploads = 0;  // frames that were copied to it for that
  bool failed = false;       // failed midway; others took over its frames
};

// submit() and close() belong to one thread, collect() to one thread, which may be the same:
// submit() does not block while fewer than `slots` frames are in flight. cancel(), stages() and
// memory() are thread-safe. All throw Error(device) if the device fails; after that, or after
// cancel(), a processor can only give back its frames and be destroyed.
class Processor {
 public:
  virtual ~Processor() = default;

  // Takes a frame of the format and size that the processor was made for. The frame is only read,
  // and is dropped when its samples are no longer needed. Blocks while every slot is taken. Returns
  // when the work is queued, possibly before it is done. Returns false after cancel().
  virtual bool submit(Frame frame) = 0;
  // Says that no more frames follow.
  virtual void close() = 0;
  // Returns the oldest submitted frame, filtered, with the input's number and properties (time,
  // colour, side data). Its pixels come from this processor's pool, in the pool's layout, complete
  // and readable by the CPU, or by the device if they stay there. A frame that no filter acts on is
  // the input itself, in memory that others may read: it must not be written. Blocks until the
  // frame is done. Returns nothing after cancel(), and when all frames were collected after
  // close().
  virtual std::optional<Frame> collect() = 0;
  // Wakes all blocked callers.
  virtual void cancel() = 0;
  // Returns all frames that were submitted and not collected, for another processor to filter, in
  // the order of submission. Includes those that submit() threw on or refused. Only after a failure
  // and cancel(), while nobody is in submit() or collect(). Only a CUDA device's processor returns
  // any.
  virtual std::vector<Frame> give_back() { return {}; }

  // Returns the stages in the order in which a frame passes them.
  virtual std::vector<StageTime> stages() const = 0;
  virtual MemoryUse memory() const = 0;
  // Returns the number of frames that came out as they went in, because no filter acts on them.
  virtual std::int64_t passed_on() const { return 0; }
  // Returns a name for people: "NVIDIA H200 (cuda:0)", "CPU, 16 threads".
  virtual std::string device() const = 0;
  // Returns the CUDA devices in the order in which they first got frames; none on the CPU.
  virtual std::vector<DeviceUse> devices() const { return {}; }
  // Returns the name of each step's variant, case after case.
  virtual std::vector<std::string> variants() const = 0;

  // Runs each stage alone for about `seconds` on frames like `sample`, while nothing else is
  // submitted. Several devices are measured at once.
  virtual std::vector<StageRate> measure_stages(const Frame& sample, double seconds) = 0;
  // Measures the limit of the bus in the same way: copies frames to the device and as many back at
  // the same time, and nothing else. Bytes are those of one direction. With several devices, the
  // first rate is all devices' at once; then follows each device alone, named after it. Returns
  // none where frames are not copied.
  virtual std::vector<StageRate> measure_bus(const Frame&, double) { return {}; }
};

// Tells whether a picture's rows were taken at once, or as two fields of alternate rows, each at
// its own time, which a filter must not mix.
enum class Scan : std::uint8_t { automatic, progressive, interlaced };  // automatic: as frames say

struct ProcessorOptions {
  Device device = Device::cpu;
  int device_index = 0;  // index of the CUDA device
  // CUDA devices that take frames in turn instead: frame k goes to devices[k % N]. The same device
  // may be listed twice.
  std::vector<int> devices = {};
  // Devices that stand in for a CUDA device that fails midway: its frames in flight and all that
  // follow go to the first of these that has not failed, else to the CPU if `cpu_stands_in`. If
  // nobody stands in, the failure is thrown.
  std::vector<int> stand_ins = {};
  bool cpu_stands_in = false;
  Notify notify = {};  // told who took over
  int slots = 4;       // frames in flight inside the processor, on each device; at least 1
  int threads = 1;     // CPU threads
  Scan scan = Scan::automatic;
  // Filtered frames stay in the CUDA device's memory, for an encoder that takes them there; there
  // is no stage "download" then.
  bool stay_on_device = false;
  // The variant of every step that filters; nullptr: the best for each. Copies and fills always
  // take the best. Making a processor throws Error(usage) if the variant belongs to the other
  // device or cannot compute a step.
  const Variant* variant = nullptr;
  // For verifying frames on the same CPU: each step that filters takes the best variant but its
  // usual one, which stays only where no other can compute the step.
  bool second_opinion = false;
  // For verifying frames anywhere: filters of a region compute whole planes, and boxes do not count
  // as applied.
  bool whole_planes = false;
  Trace* trace = nullptr;        // where copies and kernels are noted; outlives the processor
  std::string track = "device";  // name of a CUDA device's rows in the trace
  // Device memory for frames that have a Frame::upload(), for all who filter them; outlives the
  // processor. nullptr: frames have none.
  SharedUploads* uploads = nullptr;
};

// Returns the number of slots that keep upload, kernels and download busy at once: on a CUDA device
// small frames need more of them.
int default_slots(Device device, const PixelFormat& format, int width, int height);

// Makes a processor for frames of `work.format` and this size. Where several devices take turns or
// stand in, the options are used as long as the processor lives.
std::unique_ptr<Processor> make_processor(TimedWork work, int width, int height,
                                          const ProcessorOptions& options);

// Make the two processors that make_processor() chooses from. Frames that no filter acts on, or
// only the kernel identity, come out of the first as they went in, and are copied by the second. In
// a build without CUDA the second throws Error(device).
std::unique_ptr<Processor> make_cpu_processor(TimedWork work, int width, int height,
                                              const ProcessorOptions& options);
std::unique_ptr<Processor> make_cuda_processor(TimedWork work, int width, int height,
                                               const ProcessorOptions& options);

// Makes the processor of a work that follows another, or is over time, on the CPU. Frames have a
// window (Frame::window()) as wide as work.reach().
std::unique_ptr<Processor> make_staged_processor(TimedWork work, int width, int height,
                                                 const ProcessorOptions& options);

// Makes a processor that passes on frames that no filter acts on, and gives all others to `filter`.
// Frames in other memory than filtered ones also go to `filter`, which copies them.
std::unique_ptr<Processor> make_passing_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                  const ProcessorOptions& options);

// Joins the processors, at least one, of a source with several videos: each frame goes to the
// processor at index frame.video(). Frames come out in the order in which they went in.
std::unique_ptr<Processor> join_processors(std::vector<std::unique_ptr<Processor>> processors);

// Returns copies to be filtered in turn, as a video's frames are: a cache would hold a small frame.
std::vector<Frame> copies_of(const Frame& frame, const FrameLayout& layout);

// Adds a pair of planes to filter, or a pair for each of their two fields if `by_field`. Not for
// steps of linear light, which convert whole pictures.
void add_pairs(ConstBytePlane from, BytePlane to, bool by_field, std::vector<PlanePair>& pairs);
bool filters_by_field(const Frame& frame, Scan scan);

// A step's convolver, and the name of the variant that makes it or of a converter of linear light.
struct PreparedStep {
  std::string_view variant;
  Prepared convolver;
};

// Prepares a step of the work. Throws Error(usage) if the variant that the options name cannot
// compute it.
PreparedStep prepare_step(const Work& work, const Step& step, const ProcessorOptions& options);
// Prepares all steps, in order.
std::vector<PreparedStep> prepare_steps(const Work& work, const ProcessorOptions& options);

}  // namespace vidconv
