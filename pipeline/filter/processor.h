// Processor: frames in, filtered frames out, in order; on the CPU or on a CUDA device.
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

// How long a stage has worked, waiting not counted.
struct StageTime {
  std::string name;  // "upload", "convolve", "download", "decode", "encode"
  double seconds = 0;
};

// How fast a stage is when nothing else runs.
struct StageRate {
  std::string name;
  double frames_per_second = 0;
  double bytes_per_second = 0;  // of a copying stage; 0 for others
};

struct MemoryUse {
  std::size_t host = 0, device = 0;  // bytes
};

// What a CUDA device had to do with it.
struct DeviceUse {
  int index = 0;            // as in cuda:N
  std::string name;         // "NVIDIA H200"
  std::optional<int> node;  // of the host's memory, as CudaDevice::node
  std::int64_t frames = 0;  // that it filtered
  bool failed = false;      // midway: others took over its frames
};

// submit() and close() belong to one thread, collect() to one thread (it may be the same one: as
// long as fewer than `slots` frames are in flight, submit() does not block); cancel(), stages() and
// memory() may be called from any. All throw Error(device) where the device fails; after that, or
// after cancel(), nothing but destruction is useful.
class Processor {
 public:
  virtual ~Processor() = default;

  // Takes a frame of the format and size that the processor was made for. It is read, not written,
  // and dropped when its samples are no longer needed. Blocks while every slot is taken; returns
  // when the work is queued, which may be before it is done. False after cancel().
  virtual bool submit(Frame frame) = 0;
  // No more frames.
  virtual void close() = 0;
  // The oldest submitted frame, filtered: pixels from this processor's pool, in its own layout,
  // complete and readable by the CPU, or by the device where they stay there; number and properties
  // (time, colour, side data) of the input. One that no filter acts on is the frame that came in,
  // in memory that others may read: it must not be written.
  // Blocks until it is there. None after cancel(), and when everything was collected after close().
  virtual std::optional<Frame> collect() = 0;
  // Wakes whoever is blocked.
  virtual void cancel() = 0;
  // After a failure and cancel(), while nobody is in submit() or collect(): all frames that went in
  // and did not come out, those included that submit() threw on or refused, in the order in which
  // they went in. For another processor to filter. Only of a CUDA device.
  virtual std::vector<Frame> give_back() { return {}; }

  // In the order in which a frame passes them.
  virtual std::vector<StageTime> stages() const = 0;
  virtual MemoryUse memory() const = 0;
  // How many frames came out as they went in, because no filter acts on them.
  virtual std::int64_t passed_on() const { return 0; }
  // For people: "NVIDIA H200 (cuda:0)", "CPU, 16 threads".
  virtual std::string device() const = 0;
  // The CUDA devices, in the order in which frames went to them first; none on the CPU.
  virtual std::vector<DeviceUse> devices() const { return {}; }
  // The name of the variant that computes each step of the work, case after case.
  virtual std::vector<std::string> variants() const = 0;

  // Runs each stage alone for about `seconds` on frames like `sample`, as often as it goes, with
  // nothing submitted before or meanwhile. Several devices do so at once.
  virtual std::vector<StageRate> measure_stages(const Frame& sample, double seconds) = 0;
  // The limit of the bus, in the same way: copies of frames to the device and of as many back, both
  // at once, and nothing else. Bytes are those of one direction. Of several devices the first is of
  // all of them at once, then follows each alone, named after its device. None where frames are not
  // copied.
  virtual std::vector<StageRate> measure_bus(const Frame&, double) { return {}; }
};

// How the rows of a picture came about: at once, or as two fields of every other row, each at its
// own time, which a filter must not mix.
enum class Scan : std::uint8_t { automatic, progressive, interlaced };  // automatic: as frames say

struct ProcessorOptions {
  Device device = Device::cpu;
  int device_index = 0;  // of the CUDA device
  // CUDA devices that take frames in turn instead: frame k goes to devices[k % N]. The same device
  // may be there twice.
  std::vector<int> devices = {};
  // Who filters the frames of a CUDA device that fails midway, those in flight and all that follow:
  // the first of these devices that has not failed, or else the CPU. Nobody: the failure is thrown.
  std::vector<int> stand_ins = {};
  bool cpu_stands_in = false;
  Notify notify = {};  // hears who took over
  int slots = 4;       // frames in flight inside the processor, at least 1; of each device
  int threads = 1;     // of the CPU
  Scan scan = Scan::automatic;
  // Of a CUDA device: filtered frames stay in its memory, for an encoder that takes them there;
  // there is no stage "download" then.
  bool stay_on_device = false;
  // The variant for every step that filters; nullptr: the best for each. (Copies and fills beside
  // it take the best.) Making a processor throws Error(usage) where it belongs to the other device
  // or cannot compute a step.
  const Variant* variant = nullptr;
  // To verify frames by the same CPU: each step that filters takes the best variant but the one
  // that it would take, and the definition where there is none.
  bool second_opinion = false;
  // To verify frames anywhere: where filters act on a part of the picture, all of it is filtered,
  // and boxes do not count as applied.
  bool whole_planes = false;
  Trace* trace = nullptr;        // where each copy and kernel is noted; outlives the processor
  std::string track = "device";  // what the rows of a CUDA device are called there
};

// What keeps upload, kernels and download of such frames busy at once: small ones need more of them
// in flight on a CUDA device.
int default_slots(Device device, const PixelFormat& format, int width, int height);

// For frames of `work.format` and this size. Where several devices take turns or stand in, the
// options are used as long as the processor lives.
std::unique_ptr<Processor> make_processor(TimedWork work, int width, int height,
                                          const ProcessorOptions& options);

// The two that make_processor() chooses from. Frames that no filter acts on, or the kernel identity
// alone, come out of the first as they went in, and are copied by the second. In a build without
// CUDA that one throws Error(device).
std::unique_ptr<Processor> make_cpu_processor(TimedWork work, int width, int height,
                                              const ProcessorOptions& options);
std::unique_ptr<Processor> make_cuda_processor(TimedWork work, int width, int height,
                                               const ProcessorOptions& options);

// Frames that no filter acts on are passed by `filter`, which does the rest of `work`; those are
// copied that lie in the other memory than filtered ones.
std::unique_ptr<Processor> make_passing_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                  const ProcessorOptions& options);

// For sources of several videos: frame.video() says which of the processors, at least one, filters
// it. Frames come out in the order in which they went in.
std::unique_ptr<Processor> join_processors(std::vector<std::unique_ptr<Processor>> processors);

// Adds a pair to filter: the planes, or each of their two fields where the frame is filtered so.
// Not for steps of linear light, which turn whole pictures.
void add_pairs(ConstBytePlane from, BytePlane to, bool by_field, std::vector<PlanePair>& pairs);
bool filters_by_field(const Frame& frame, Scan scan);

// What computes a step: the variant named, or the best for it; or a converter of linear light.
struct PreparedStep {
  std::string_view variant;
  Prepared convolver;
};

// A step of the work. Throws Error(usage) where the variant that the options name cannot compute
// it.
PreparedStep prepare_step(const Work& work, const Step& step, const ProcessorOptions& options);
// All of them, in their order.
std::vector<PreparedStep> prepare_steps(const Work& work, const ProcessorOptions& options);

}  // namespace vidconv
