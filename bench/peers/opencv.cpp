// OpenCV on the CPU. Its functions round and scale as they please; only the time is compared.
#include <fmt/format.h>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include "bench/peers/peers.h"

namespace vidconv::bench {
namespace {

int depth_of(Storage storage) {
  switch (storage) {
    case Storage::u8:
      return CV_8U;
    case Storage::u16:
      return CV_16U;
    case Storage::f32:
      return CV_32F;
  }
  return CV_8U;
}

struct Mats {
  cv::Mat src, dst;
};

cv::Mat matrix_of(const Kernel& kernel) {
  cv::Mat taps(kernel.height(), kernel.width(), CV_32F);
  for (int j = 0; j < kernel.height(); ++j)
    for (int i = 0; i < kernel.width(); ++i)
      taps.at<float>(j, i) = static_cast<float>(kernel.at(i, j));
  return taps;
}

}  // namespace

std::string opencv_status() { return "OpenCV " CV_VERSION; }

std::vector<PeerWay> opencv_ways(const Case& c, std::span<const PlanePair> pairs) {
  cv::setNumThreads(c.threads);
  const int depth = depth_of(c.sample.storage);
  std::vector<Mats> mats;
  for (const PlanePair& pair : pairs) {
    // A cv::Mat takes a pointer to writable memory even where it is only read.
    auto* const from = const_cast<std::byte*>(pair.src.data);
    mats.push_back(
        {cv::Mat(c.height, c.width, depth, from, static_cast<std::size_t>(pair.src.stride)),
         cv::Mat(c.height, c.width, depth, pair.dst.data,
                 static_cast<std::size_t>(pair.dst.stride))});
  }
  std::vector<PeerWay> ways;
  const auto add = [&](const char* name, auto call) {
    ways.push_back({fmt::format("OpenCV {}", name),
                    [mats, call](int i) {
                      Mats m = mats[static_cast<std::size_t>(i) % mats.size()];
                      call(m.src, m.dst);
                    },
                    nullptr});
  };
  const int border = cv::BORDER_REFLECT_101;
  const cv::Size size(c.size, c.size);
  const double sigma = sigma_of(c.size);
  switch (c.kind) {
    case Kind::box:
      add("blur", [=](cv::Mat& a, cv::Mat& b) { cv::blur(a, b, size, {-1, -1}, border); });
      break;
    case Kind::gaussian:
      add("GaussianBlur",
          [=](cv::Mat& a, cv::Mat& b) { cv::GaussianBlur(a, b, size, sigma, sigma, border); });
      break;
    case Kind::binomial:  // its filter for a sigma of 0
      add("GaussianBlur",
          [=](cv::Mat& a, cv::Mat& b) { cv::GaussianBlur(a, b, size, 0, 0, border); });
      break;
    case Kind::unsharp:
      add("GaussianBlur + addWeighted", [=](cv::Mat& a, cv::Mat& b) {
        cv::Mat blurred;
        cv::GaussianBlur(a, blurred, size, 0.6, 0.6, border);
        cv::addWeighted(a, 2, blurred, -1, 0, b);
      });
      break;
    case Kind::sharpen:
    case Kind::dense:
      add("filter2D", [=, taps = matrix_of(c.filter.kernels[0])](cv::Mat& a, cv::Mat& b) {
        cv::filter2D(a, b, -1, taps, {-1, -1}, 0, border);
      });
      break;
    case Kind::sobel_x:
      add("Sobel", [=](cv::Mat& a, cv::Mat& b) { cv::Sobel(a, b, -1, 1, 0, 3, 1, 0, border); });
      break;
    case Kind::sobel:
      add("Sobel twice + magnitude", [=](cv::Mat& a, cv::Mat& b) {
        cv::Mat x, y, magnitude;
        cv::Sobel(a, x, CV_32F, 1, 0, 3, 1, 0, border);
        cv::Sobel(a, y, CV_32F, 0, 1, 3, 1, 0, border);
        cv::magnitude(x, y, magnitude);
        magnitude.convertTo(b, depth);
      });
      break;
    case Kind::copy:
      break;
  }
  return ways;
}

}  // namespace vidconv::bench
