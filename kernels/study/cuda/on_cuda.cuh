// A study variant on a CUDA device: the parameters of a launch, memory between launches, and the
// choice of a type for a plan.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/device_buffer.h"
#include "kernels/study/lesson.h"

namespace vidconv::study {

using cuda::check_launch;

// One plane's work, passed by value.
template <class T>
struct Work {
  Plane<const T> src;
  Plane<T> dst;
  Lesson lesson;
  const Sum<T>* taps;  // in device memory
};

constexpr int shared_bytes = 48 * 1024;  // bytes that every device gives a block by default

// Returns a grid of blocks of this shape with a thread for each of width * height samples.
inline dim3 grid_for(int width, int height, dim3 block) {
  return dim3((static_cast<unsigned>(width) + block.x - 1) / block.x,
              (static_cast<unsigned>(height) + block.y - 1) / block.y);
}

// Returns the sample that this thread computes; it may lie beyond the plane.
__device__ inline int thread_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int thread_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }
template <class T>
__device__ inline bool inside(const Plane<T>& plane, int x, int y) {
  return x < plane.width && y < plane.height;
}

template <class T>
__device__ inline void store(const Plane<T>& dst, int x, int y, T value) {
  dst.row(y)[static_cast<std::ptrdiff_t>(x) * dst.step] = value;
}

// Device memory that grows: the first run for a larger picture allocates, and waits for the device.
class Scratch {
 public:
  template <class Value>
  Value* reserve(std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes > buffer_.size()) {
      buffer_ = cuda::DeviceBuffer();  // freed first, to make room
      buffer_ =
          cuda::DeviceBuffer(cuda::current_device(), bytes, "device memory between two passes");
    }
    return reinterpret_cast<Value*>(buffer_.data());
  }

 private:
  cuda::DeviceBuffer buffer_;
};

// Runs Method<T>, which is constructed from `arguments`; its launch(work, stream) queues one plane.
template <class T, class Method>
class OnCuda final : public Convolver {
 public:
  template <class... Arguments>
  OnCuda(const Plan& plan, Prefer prefer, const Arguments&... arguments)
      : method_(arguments...), taps_(typed_taps(plan, prefer)) {
    work_.lesson = make_lesson(plan, prefer);
    work_.taps = taps_.data();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for (const PlanePair& pair : pairs) {
      if (pair.dst.width < 1 || pair.dst.height < 1) continue;
      work_.src = pair.src.as<const T>();
      work_.dst = pair.dst.as<T>();
      method_.launch(work_, stream);
    }
  }

 private:
  static cuda::DeviceArray<Sum<T>> typed_taps(const Plan& plan, Prefer prefer) {
    const std::vector<double> taps = lesson_taps(plan, prefer);
    const std::vector<Sum<T>> typed(taps.begin(), taps.end());
    return cuda::DeviceArray<Sum<T>>(typed);
  }

  Method method_;
  cuda::DeviceArray<Sum<T>> taps_;
  Work<T> work_{};
};

// Returns the convolver for the plan's sample type; the arguments go to the method's constructor.
template <template <class> class Method, class... Arguments>
std::unique_ptr<Convolver> make_on_cuda(const Plan& plan, Prefer prefer,
                                        const Arguments&... arguments) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<OnCuda<std::uint8_t, Method<std::uint8_t>>>(plan, prefer, arguments...);
  return std::make_unique<OnCuda<float, Method<float>>>(plan, prefer, arguments...);
}

// Launches study-cuda-global's kernel, for variants that show something other than the kernel.
template <class T>
void launch_global(const Work<T>& work, cudaStream_t stream);

}  // namespace vidconv::study
