// HalfPictures converts pictures of half floats in the caller's memory for a filter of floats.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/picture_steps.h"

namespace vidconv {

// Pictures of one size, on the CPU. Not thread-safe.
class HalfPictures {
 public:
  // `format`: that of the floats, which outlives the object. Throws Error(device) if memory runs
  // out.
  HalfPictures(const PixelFormat& format, int width, int height, int threads);

  // Makes floats of one or several pictures, planes after planes, and returns their places until
  // the next call. It allocates memory where there are more than in any call before.
  std::span<const PlaceOfPlane> floats_of(std::span<const PlaceOfPlane> halves);
  // Returns where a filter puts its result.
  std::span<const PlaceOfPlane> result() const { return result_.planes; }
  // Makes halves of the result.
  void store(std::span<const PlaceOfPlane> halves);

  std::size_t memory() const;

 private:
  template <class Convert>
  void for_rows(std::span<const PlaceOfPlane> halves, std::span<const PlaceOfPlane> floats,
                const Convert& convert);

  const PixelFormat& format_;
  const int width_, height_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::vector<PlaneExtent> extents_;  // the floats'
  std::vector<OwnPicture> pictures_;
  std::vector<PlaceOfPlane> places_;
  const OwnPicture result_;
};

}  // namespace vidconv
