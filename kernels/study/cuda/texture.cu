// study-cuda-texture: samples through the texture units, whose cache is laid out for neighbours in
// two dimensions. The hardware would also supply samples beyond the edge, clamped (our replicate)
// or zero, and in normalised coordinates wrapped or mirrored; for one border rule everywhere,
// indices are folded as in the other variants.
//
// A texture wants rows that begin at multiples of 32 bytes or more, so each plane is copied first.
#include <list>

#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void gather_kernel(Plane<const T> src, T* to, int pitch) {
  const int x = thread_x(), y = thread_y();
  if (inside(src, x, y))
    to[static_cast<std::ptrdiff_t>(y) * pitch + x] =
        src.row(y)[static_cast<std::ptrdiff_t>(x) * src.step];
}

template <class T>
__global__ void texture_kernel(const __grid_constant__ Work<T> work, cudaTextureObject_t texture) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return work.taps[i]; };
  const auto read = [&](int u, int v) {
    const int column = border_index(work.lesson.border, u, work.src.width);
    const int row = border_index(work.lesson.border, v, work.src.height);
    if (column < 0 || row < 0) return static_cast<T>(work.lesson.outside);
    return tex2D<T>(texture, static_cast<float>(column) + 0.5f, static_cast<float>(row) + 0.5f);
  };
  store(work.dst, x, y, output<T, Sum<T>>(work.lesson, x, y, tap, read));
}

// A texture of one size and the memory under it.
template <class T>
class Image {
 public:
  Image(int width, int height) : width_(width), height_(height), pitch_((width + 511) / 512 * 512) {
    T* const samples = memory_.reserve<T>(static_cast<std::size_t>(pitch_) * height);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = samples;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<T>();
    resource.res.pitch2D.width = static_cast<std::size_t>(width);
    resource.res.pitch2D.height = static_cast<std::size_t>(height);
    resource.res.pitch2D.pitchInBytes = pitch_ * sizeof(T);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    description.filterMode = cudaFilterModePoint;
    cuda::check(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), "a texture");
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() { cudaDestroyTextureObject(texture_); }

  bool fits(int width, int height) const { return width == width_ && height == height_; }
  T* samples() { return memory_.reserve<T>(0); }
  int pitch() const { return pitch_; }
  cudaTextureObject_t texture() const { return texture_; }

 private:
  int width_, height_, pitch_;
  Scratch memory_;
  cudaTextureObject_t texture_ = 0;
};

template <class T>
class Texture {
 public:
  void launch(const Work<T>& work, cudaStream_t stream) {
    Image<T>& image = image_for(work.dst.width, work.dst.height);
    const dim3 block(16, 16);
    const dim3 grid = grid_for(work.dst.width, work.dst.height, block);
    gather_kernel<<<grid, block, 0, stream>>>(work.src, image.samples(), image.pitch());
    check_launch("study-cuda-texture, copy");
    texture_kernel<<<grid, block, 0, stream>>>(work, image.texture());
    check_launch("study-cuda-texture");
  }

 private:
  // Returns the image for this size of plane; there is one for each size.
  Image<T>& image_for(int width, int height) {
    for (Image<T>& image : images_)
      if (image.fits(width, height)) return image;
    return images_.emplace_back(width, height);
  }

  std::list<Image<T>> images_;
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_texture(const Plan& plan, int) {
  return make_on_cuda<Texture>(plan, Prefer::dense);
}

}  // namespace vidconv::study
