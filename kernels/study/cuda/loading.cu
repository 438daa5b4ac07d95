// study-load-sync and study-load-async: pictures in host memory, filtered by the GPU, to show how
// they get there and back. Both cut the picture into bands of rows. A band carries the rows beyond
// it that its kernel looks at, and so depends on nothing.
//
// sync: one band, the whole picture, through memory that the system may page out. Each copy waits
// until it is done, so that upload, kernel and download stand in a queue, and the driver copies
// everything once more through memory of its own.
//
// async: several bands in pinned memory, each on one of a few streams. While one is uploaded,
// another is computed and a third downloaded. The pipeline of vidconv does this with frames, which
// come in pinned memory already, instead of bands.
#include <array>
#include <cstring>

#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

// A stream, and the memory of the band on its way through it.
class Lane {
 public:
  explicit Lane(bool pinned) : pinned_(pinned) {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    cudaStreamSynchronize(stream_);
    release();
    cudaStreamDestroy(stream_);
  }

  // Makes room for `bytes` bytes on the host and on the device. Nothing may be under way.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    release();
    if (pinned_) {
      void* memory = nullptr;
      cuda::check(cudaMallocHost(&memory, bytes), "pinned memory");
      host_ = static_cast<std::byte*>(memory);
    } else {
      host_ = new std::byte[bytes];
    }
    device_.reserve<std::byte>(bytes);
    size_ = bytes;
  }

  std::byte* host() const { return host_; }
  std::byte* device() { return device_.reserve<std::byte>(0); }
  cudaStream_t stream() const { return stream_; }

  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    // Blocks where host memory is not pinned, whatever its name says.
    cuda::check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "a copy");
    if (!pinned_) wait();
  }
  void wait() const { cuda::check(cudaStreamSynchronize(stream_), "the work of a band"); }

 private:
  void release() {
    if (pinned_)
      cudaFreeHost(host_);
    else
      delete[] host_;
    host_ = nullptr;
    size_ = 0;
  }

  bool pinned_;
  cudaStream_t stream_ = nullptr;
  std::byte* host_ = nullptr;
  std::size_t size_ = 0;
  Scratch device_;
};

struct Rows {
  int first = 0, last = 0;  // rows [first, last) of the picture
};

template <class T>
class Loading final : public Convolver {
 public:
  Loading(const Plan& plan, bool async) : bands_(async ? 12 : 1) {
    const std::vector<double> taps = lesson_taps(plan, Prefer::dense);
    taps_ =
        std::make_unique<cuda::DeviceArray<Sum<T>>>(std::vector<Sum<T>>(taps.begin(), taps.end()));
    work_.lesson = make_lesson(plan, Prefer::dense);
    work_.taps = taps_->data();
    for (int i = 0; i < (async ? 3 : 1); ++i) lanes_.push_back(std::make_unique<Lane>(async));
  }

  // Planes lie in host memory. Blocks until the work is done.
  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) {
      if (pair.dst.width < 1 || pair.dst.height < 1) continue;
      const Plane<const T> src = pair.src.as<const T>();
      const Plane<T> dst = pair.dst.as<T>();
      const int rows = (dst.height + bands_ - 1) / bands_;
      std::vector<Rows> on_lane(lanes_.size());
      std::size_t turn = 0;
      for (int first = 0; first < dst.height; first += rows, ++turn) {
        const std::size_t lane = turn % lanes_.size();
        finish(*lanes_[lane], dst, on_lane[lane]);
        on_lane[lane] = {first, std::min(first + rows, dst.height)};
        begin(*lanes_[lane], src, on_lane[lane]);
      }
      for (std::size_t i = 0; i < lanes_.size(); ++i, ++turn)
        finish(*lanes_[turn % lanes_.size()], dst, on_lane[turn % lanes_.size()]);
    }
  }

 private:
  // Queues a band: its rows and those beyond them, the kernel, its results.
  void begin(Lane& lane, const Plane<const T>& src, Rows rows) {
    const Reach& reach = work_.lesson.reach;
    const int width = src.width, above = reach.above;
    const int taken = rows.last - rows.first + above + reach.below;
    const std::size_t row_bytes = static_cast<std::size_t>(width) * sizeof(T);
    const std::size_t in = row_bytes * static_cast<std::size_t>(taken);
    const std::size_t out = row_bytes * static_cast<std::size_t>(rows.last - rows.first);
    lane.reserve(in + out);
    for (int i = 0; i < taken; ++i)
      gather(reinterpret_cast<T*>(lane.host() + static_cast<std::size_t>(i) * row_bytes), src,
             rows.first - above + i);
    lane.copy(lane.device(), lane.host(), in, cudaMemcpyHostToDevice);

    // To the kernel, row `above` of what was uploaded is row 0 of a plane that goes on beyond both
    // ends; no row index leaves it.
    Work<T> work = work_;
    work.src = Plane<const T>{.data = reinterpret_cast<const T*>(lane.device()),
                              .stride = static_cast<std::ptrdiff_t>(row_bytes),
                              .width = width,
                              .height = taken};
    work.dst = work.src.at(reinterpret_cast<T*>(lane.device() + in));
    work.dst.height = rows.last - rows.first;
    for (int k = 0; k < work.lesson.count; ++k) work.lesson.matrices[k].anchor_y -= above;
    launch_global(work, lane.stream());
    lane.copy(lane.host() + in, lane.device() + in, out, cudaMemcpyDeviceToHost);
  }

  // Waits for a band and puts its results where they belong.
  void finish(Lane& lane, const Plane<T>& dst, Rows rows) {
    if (rows.first == rows.last) return;
    lane.wait();
    const int count = rows.last - rows.first;
    const int taken = count + work_.lesson.reach.above + work_.lesson.reach.below;
    const T* from = reinterpret_cast<const T*>(lane.host()) + std::ptrdiff_t{dst.width} * taken;
    for (int y = rows.first; y < rows.last; ++y)
      for (std::ptrdiff_t x = 0; x < dst.width; ++x) dst.row(y)[x * dst.step] = *from++;
  }

  // Copies row y of the picture, which may lie outside it, to adjacent samples.
  void gather(T* to, const Plane<const T>& src, int y) const {
    const int row = border_index(work_.lesson.border, y, src.height);
    if (row < 0)
      std::fill_n(to, src.width, static_cast<T>(work_.lesson.outside));
    else if (src.step == 1)
      std::memcpy(to, src.row(row), static_cast<std::size_t>(src.width) * sizeof(T));
    else
      for (std::ptrdiff_t x = 0; x < src.width; ++x) to[x] = src.row(row)[x * src.step];
  }

  int bands_;
  std::unique_ptr<cuda::DeviceArray<Sum<T>>> taps_;
  Work<T> work_{};
  std::vector<std::unique_ptr<Lane>> lanes_;
};

std::unique_ptr<Convolver> make(const Plan& plan, bool async) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<Loading<std::uint8_t>>(plan, async);
  return std::make_unique<Loading<float>>(plan, async);
}

}  // namespace

std::unique_ptr<Convolver> make_load_sync(const Plan& plan, int) { return make(plan, false); }
std::unique_ptr<Convolver> make_load_async(const Plan& plan, int) { return make(plan, true); }

}  // namespace vidconv::study
