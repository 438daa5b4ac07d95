// OpenCV, in double precision and with its own borders, judges every filter of our tables within 1
// code value.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <string>
#include <tuple>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

// Each of our border modes is one of OpenCV's.
int opencv_border(BorderMode mode) {
  switch (mode) {
    case BorderMode::reflect101:
      return cv::BORDER_REFLECT_101;
    case BorderMode::reflect:
      return cv::BORDER_REFLECT;
    case BorderMode::replicate:
      return cv::BORDER_REPLICATE;
    case BorderMode::wrap:
      return cv::BORDER_WRAP;
    case BorderMode::constant:
      return cv::BORDER_CONSTANT;
  }
  throw std::logic_error("a border mode that the judge does not know");
}

cv::Mat to_mat(const Picture& picture) {
  cv::Mat mat(picture.height(), picture.width(), CV_64F);
  for (int y = 0; y < mat.rows; ++y)
    for (int x = 0; x < mat.cols; ++x) mat.at<double>(y, x) = picture.get(x, y);
  return mat;
}

cv::Mat to_mat(const Kernel& kernel) {
  cv::Mat mat(kernel.height(), kernel.width(), CV_64F);
  for (int j = 0; j < mat.rows; ++j)
    for (int i = 0; i < mat.cols; ++i) mat.at<double>(j, i) = kernel.at(i, j);
  return mat;
}

// Pads a picture. OpenCV's filters cannot wrap, nor reach further than a picture is large, but
// copyMakeBorder can.
struct Surrounded {
  cv::Mat padded;
  cv::Rect inside;
};

Surrounded surround(const cv::Mat& picture, int reach, Border border, SampleType sample) {
  Surrounded s;
  cv::copyMakeBorder(picture, s.padded, reach, reach, reach, reach, opencv_border(border.mode),
                     cv::Scalar(std::round(border.value * sample.max())));
  s.inside = {reach, reach, picture.cols, picture.rows};
  return s;
}

cv::Mat response(const Surrounded& s, const Kernel& kernel) {
  cv::Mat result;
  cv::filter2D(s.padded, result, CV_64F, to_mat(kernel),
               cv::Point(kernel.anchor_x(), kernel.anchor_y()), 0, cv::BORDER_REPLICATE);
  return result(s.inside).clone();
}

cv::Mat combine(const Filter& filter, const std::vector<cv::Mat>& responses, SampleType sample) {
  cv::Mat value = responses[0].clone();
  const auto each = [&](auto f) {
    for (int y = 0; y < value.rows; ++y)
      for (int x = 0; x < value.cols; ++x) {
        std::vector<double> r;
        for (const cv::Mat& m : responses) r.push_back(m.at<double>(y, x));
        value.at<double>(y, x) = f(r);
      }
  };
  const auto larger = [](double a, double b) { return std::max(a, std::abs(b)); };
  switch (filter.combine) {
    case Combine::linear:
      break;
    case Combine::l2:
      each([](const auto& r) {
        double sum = 0;
        for (const double v : r) sum += v * v;
        return std::sqrt(sum);
      });
      break;
    case Combine::l1:
      each([](const auto& r) {
        double sum = 0;
        for (const double v : r) sum += std::abs(v);
        return sum;
      });
      break;
    case Combine::max:
      each([&](const auto& r) { return std::accumulate(r.begin(), r.end(), 0.0, larger); });
      break;
    case Combine::signed_max:
      each([](const auto& r) { return *std::ranges::max_element(r); });
      break;
    case Combine::unsharp:
      each([&](const auto& r) {
        const double rest = std::max(0.0, std::abs(r[1]) - filter.threshold * sample.max());
        return r[0] + (r[1] < 0 ? -rest : rest);
      });
      break;
  }
  value += filter.bias * sample.max();
  if (filter.absolute) value = cv::abs(value);
  return value;
}

// Checks that vidconv's codes are within `tolerance` of the values, clamped to the range of codes.
void expect_close(const cv::Mat& values, const Picture& codes, double tolerance) {
  const double max = codes.sample().max();
  double worst = 0;
  for (int y = 0; y < values.rows; ++y)
    for (int x = 0; x < values.cols; ++x) {
      const double truth = std::clamp(std::floor(values.at<double>(y, x) + 0.5), 0.0, max);
      worst = std::max(worst, std::abs(truth - codes.get(x, y)));
    }
  EXPECT_LE(worst, tolerance);
}

TEST(ExpectClose, NoticesOneCodeOfTwo) {
  Picture codes({Storage::u8, 8, 0}, 5, 4, {}, 1);
  codes.draw(Content::noise, 1);
  cv::Mat values = to_mat(codes);
  expect_close(values, codes, 0);
  values.at<double>(3, 4) += values.at<double>(3, 4) < 128 ? 2 : -2;
  EXPECT_NONFATAL_FAILURE(expect_close(values, codes, 1), "worst");
}

Picture filtered(const Filter& filter, const Picture& src, Border border) {
  const Plan plan = make_plan(filter, src.sample(), border, Role::colour);
  Picture dst = src;
  Runner(*pick(plan, Device::cpu).variant, plan).run(src, dst);
  return dst;
}

Picture picture_of(SampleType sample, int width, int height, unsigned seed) {
  Picture picture(sample, width, height, {}, seed);
  picture.draw(seed % 3 == 0 ? Content::black_and_white : Content::noise, seed);
  return picture;
}

bool has_codes(SampleType sample) { return sample.storage != Storage::f32; }

class Judge : public testing::TestWithParam<std::string> {};

TEST_P(Judge, Filter2dAgreesWithinOneCode) {
  const Filter& filter = filter_named(GetParam());
  int reach = 0;
  for (const Kernel& k : filter.kernels) reach = std::max({reach, k.width(), k.height()});
  unsigned seed = 0;
  for (const SampleType sample : all_sample_types) {
    if (!has_codes(sample)) continue;
    for (const BorderMode mode : all_borders)
      for (auto [width, height] : {std::pair{41, 23}, {5, 4}, {1, 9}}) {
        SCOPED_TRACE(std::string(name_of(mode)) + ", " + std::to_string(sample.depth) + " bits, " +
                     std::to_string(width) + "x" + std::to_string(height));
        const Border border{mode, 0.3};
        const Picture src = picture_of(sample, width, height, ++seed);
        const Surrounded surrounded = surround(to_mat(src), reach, border, sample);
        std::vector<cv::Mat> responses;
        for (const Kernel& kernel : filter.kernels)
          responses.push_back(response(surrounded, kernel));
        expect_close(combine(filter, responses, sample), filtered(filter, src, border), 1);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Judge, testing::ValuesIn(names_of_convolutions()),
                         [](const auto& test) { return test.param; });

// OpenCV's own blurs and derivatives, not our matrices, tell what the names mean.
class Named : public testing::Test {
 protected:
  // `judge(padded)` filters a picture with room around it.
  template <class OpenCv>
  void compare(const std::string& spec, int reach, OpenCv judge) {
    unsigned seed = 100;
    for (const SampleType sample : all_sample_types) {
      if (!has_codes(sample)) continue;
      for (const BorderMode mode : all_borders) {
        SCOPED_TRACE(spec + ", " + std::string(name_of(mode)) + ", " +
                     std::to_string(sample.depth) + " bits");
        const Border border{mode, 0};
        const Picture src = picture_of(sample, 33, 19, ++seed);
        const Surrounded surrounded = surround(to_mat(src), reach, border, sample);
        const cv::Mat result = judge(surrounded.padded);
        expect_close(result(surrounded.inside),
                     filtered(FilterSpec::parse(spec).make(), src, border), 1);
      }
    }
  }
};

TEST_F(Named, GaussianBlur) {
  for (const double sigma : {0.6, 1.0, 2.0, 3.5}) {
    const int radius = static_cast<int>(std::ceil(3 * sigma)), size = 2 * radius + 1;
    compare("gaussian:sigma=" + std::to_string(sigma), radius, [&](const cv::Mat& in) {
      cv::Mat out;
      cv::GaussianBlur(in, out, {size, size}, sigma, sigma, cv::BORDER_REPLICATE);
      return out;
    });
  }
}

TEST_F(Named, BoxAndSeparable) {
  for (const int size : {3, 5, 9, 31}) {
    const std::vector<double> taps(static_cast<std::size_t>(size), 1.0 / size);
    compare("box:size=" + std::to_string(size), size / 2, [&](const cv::Mat& in) {
      cv::Mat out;
      cv::sepFilter2D(in, out, CV_64F, taps, taps, {-1, -1}, 0, cv::BORDER_REPLICATE);
      return out;
    });
  }
}

TEST_F(Named, Sobel) {
  for (const auto& [dx, dy, axis] : {std::tuple{1, 0, "x"}, {0, 1, "y"}})
    compare(std::string("sobel:axis=") + axis, 1, [dx = dx, dy = dy](const cv::Mat& in) {
      cv::Mat out;
      cv::Sobel(in, out, CV_64F, dx, dy, 3, 1, 0, cv::BORDER_REPLICATE);
      return cv::Mat(cv::abs(out));
    });
  compare("sobel", 1, [](const cv::Mat& in) {
    cv::Mat x, y, out;
    cv::Sobel(in, x, CV_64F, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
    cv::Sobel(in, y, CV_64F, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
    cv::magnitude(x, y, out);
    return out;
  });
}

}  // namespace
}  // namespace vidconv::test
