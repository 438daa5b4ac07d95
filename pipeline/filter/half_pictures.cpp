#include "pipeline/filter/half_pictures.h"

#include <algorithm>
#include <cstdint>

#include "kernels/convolver/worth.h"
#include "kernels/cpu/copy/half_rows.h"

namespace vidconv {
namespace {

constexpr const char* purpose = "for floats of half floats";
constexpr double nanoseconds_of_one = 0.4;  // a thread's for a sample in a cache

}  // namespace

HalfPictures::HalfPictures(const PixelFormat& format, int width, int height, int threads)
    : format_(format),
      width_(width),
      height_(height),
      pool_(shared_thread_pool(threads)),
      extents_(extents_of_planes(format, width, height)),
      result_(format, width, height, plain_memory, purpose) {
  pictures_.emplace_back(format, width, height, plain_memory, purpose);
  places_ = pictures_[0].planes;
}

// Calls convert(half, float, count) for each row of a picture.
template <class Convert>
void HalfPictures::for_rows(std::span<const PlaceOfPlane> halves,
                            std::span<const PlaceOfPlane> floats, const Convert& convert) {
  for (std::size_t p = 0; p < extents_.size(); ++p) {
    const auto samples = static_cast<std::size_t>(extents_[p].row_bytes) / sizeof(float);
    const int rows = extents_[p].rows;
    const int threads =
        worth_threads(pool_->threads(), nanoseconds_of_one * rows * static_cast<double>(samples));
    const int bands = std::clamp(4 * threads, 1, std::max(1, rows));
    pool_->run(
        bands,
        [&](int band, int) {
          const auto edge = [&](int b) { return static_cast<int>(std::int64_t{rows} * b / bands); };
          for (int y = edge(band); y < edge(band + 1); ++y)
            convert(reinterpret_cast<std::uint16_t*>(halves[p].data + halves[p].stride * y),
                    reinterpret_cast<float*>(floats[p].data + floats[p].stride * y), samples);
        },
        threads);
  }
}

std::span<const PlaceOfPlane> HalfPictures::floats_of(std::span<const PlaceOfPlane> halves) {
  const std::size_t planes = extents_.size(), count = halves.size() / planes;
  while (pictures_.size() < count) {
    pictures_.emplace_back(format_, width_, height_, plain_memory, purpose);
    places_.insert(places_.end(), pictures_.back().planes.begin(), pictures_.back().planes.end());
  }
  for (std::size_t i = 0; i < count; ++i)
    for_rows(halves.subspan(i * planes, planes), pictures_[i].planes, floats_of_halves);
  return std::span(places_).first(halves.size());
}

void HalfPictures::store(std::span<const PlaceOfPlane> halves) {
  for_rows(halves, result_.planes, [](std::uint16_t* half, const float* from, std::size_t count) {
    halves_of_floats(from, half, count);
  });
}

std::size_t HalfPictures::memory() const {
  std::size_t bytes = result_.bytes;
  for (const OwnPicture& picture : pictures_) bytes += picture.bytes;
  return bytes;
}

}  // namespace vidconv
