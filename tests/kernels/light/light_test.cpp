// Linear light against double precision.
#include "kernels/light/light.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/light/light_math.h"

namespace vidconv::test {
namespace {

using Samples = std::vector<double>;

TEST(Light, KnownValues) {
  EXPECT_NEAR(signal_of(Transfer::bt709, 0.5), 0.7055, 1e-4);
  EXPECT_NEAR(signal_of(Transfer::bt709, 0.01), 0.045, 1e-12);
  EXPECT_NEAR(signal_of(Transfer::srgb, 0.5), 0.735357, 1e-6);
  EXPECT_NEAR(signal_of(Transfer::gamma22, 0.5), 0.729740, 1e-6);
  EXPECT_NEAR(signal_of(Transfer::gamma28, 0.5), 0.780709, 1e-6);
  // ITU-R BT.2100: 100, 1000 and 10,000 cd/m2.
  EXPECT_NEAR(signal_of(Transfer::pq, 0.01), 0.508078, 1e-6);
  EXPECT_NEAR(signal_of(Transfer::pq, 0.1), 0.751827, 1e-6);
  EXPECT_NEAR(signal_of(Transfer::pq, 1), 1, 1e-12);
  EXPECT_NEAR(signal_of(Transfer::hlg, 1.0 / 12), 0.5, 1e-9);
  EXPECT_NEAR(signal_of(Transfer::hlg, 1), 1, 1e-6);
  EXPECT_EQ(signal_of(Transfer::linear, 0.3), 0.3);
}

TEST(Light, BothDirectionsAreInverseRisingAndOdd) {
  for (const TransferName& t : transfers) {
    SCOPED_TRACE(t.name);
    double before = -1e9;
    for (double signal = -2.2; signal <= 2.2; signal += 1.0 / 1024) {
      const double light = light_of(t.transfer, signal);
      // SMPTE 240M and the like print their constants in few digits.
      EXPECT_NEAR(signal_of(t.transfer, light), signal, 2e-6) << signal;
      EXPECT_GE(light, before);
      EXPECT_EQ(light_of(t.transfer, -signal), -light);
      before = light;
    }
    EXPECT_NEAR(light_of(t.transfer, 1), 1, 1e-6);
    EXPECT_EQ(light_of(t.transfer, 0), 0);
  }
}

// The tables are right at every code of 16 bits: to half a code of the formulas or better, and the
// way back gives the code.
TEST(Light, CurvesFollowTheFormulas) {
  constexpr double unit = 1.0 / 65535;
  for (const TransferName& t : transfers) {
    SCOPED_TRACE(t.name);
    const CurveTable to = make_curve(t.transfer, LightStep::to_light);
    const CurveTable from = make_curve(t.transfer, LightStep::to_codes);
    const Curve light = to.over(to.knots.data()), signal = from.over(from.knots.data());
    for (int code = 0; code <= 65535; ++code) {
      const auto s = static_cast<float>(code * unit);
      const float l = light(s);
      ASSERT_NEAR(signal_of(t.transfer, static_cast<double>(l)), s, unit / 2) << code;
      ASSERT_NEAR(static_cast<double>(signal(l)), s, unit / 2) << code;
      ASSERT_EQ(light(-s), -l);
      const double exact = light_of(t.transfer, s);
      ASSERT_NEAR(static_cast<double>(signal(static_cast<float>(exact))), s, unit / 2) << code;
    }
    // Beyond their ends they are finite.
    for (const float x : {100.0F, 1e30F, -1e30F}) {
      EXPECT_TRUE(std::isfinite(light(x)));
      EXPECT_TRUE(std::isfinite(signal(x)));
    }
  }
}

// Takes one picture through both converters, with `filter` between.
class Passage {
 public:
  Passage(const LightPlan& plan, int width, int height)
      : plan_(plan), width_(width), height_(height) {}

  int width_of(int i) const {
    return i == 0 || !subsampled() ? width_ : up(plan_.subsampling.x, width_);
  }
  int height_of(int i) const {
    return i == 0 || !subsampled() ? height_ : up(plan_.subsampling.y, height_);
  }

  template <class Filter>
  std::vector<Samples> run(const std::vector<Samples>& codes, int threads, Filter filter) const {
    std::vector<std::vector<std::uint16_t>> in, out;
    std::vector<std::vector<float>> light;
    std::vector<PlanePair> up_pairs, down_pairs;
    for (const Samples& plane : codes) {
      in.emplace_back();
      for (const double code : plane)
        in.back().push_back(
            static_cast<std::uint16_t>(static_cast<unsigned>(code) << plan_.sample.shift));
      out.emplace_back(plane.size());
      light.emplace_back(static_cast<std::size_t>(width_ * height_));
    }
    for (int i = 0; i < plan_.components(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const BytePlane l{.data = reinterpret_cast<std::byte*>(light[at].data()),
                        .stride = width_ * static_cast<std::ptrdiff_t>(sizeof(float)),
                        .width = width_,
                        .height = height_};
      const auto code_plane = [&](auto& plane) {
        return BytePlane{.data = reinterpret_cast<std::byte*>(plane[at].data()),
                         .stride = width_of(i) * 2,
                         .width = width_of(i),
                         .height = height_of(i)};
      };
      up_pairs.push_back({code_plane(in).template as<const std::byte>(), l});
      down_pairs.push_back({l.as<const std::byte>(), code_plane(out)});
    }
    make_cpu_light(plan_, LightStep::to_light, threads)->run(up_pairs, nullptr);
    for (auto& plane : light) filter(plane, width_, height_);
    make_cpu_light(plan_, LightStep::to_codes, threads)->run(down_pairs, nullptr);
    std::vector<Samples> result;
    for (const auto& plane : out) {
      result.emplace_back();
      for (const std::uint16_t code : plane) result.back().push_back(code >> plan_.sample.shift);
    }
    return result;
  }

  // Does that in double, from the text of docs/numerics.md.
  template <class Filter>
  std::vector<Samples> by_the_book(const std::vector<Samples>& codes, Filter filter) const {
    const int count = plan_.components();
    const double unit = 1 << (plan_.sample.depth - 8), max = plan_.sample.max();
    const double black = plan_.limited ? 16 * unit : 0, white = plan_.limited ? 235 * unit : max;
    const double chroma_span = plan_.limited ? 224 * unit : max, neutral = 128 * unit;
    const double kr = plan_.kr, kb = plan_.kb, kg = 1 - kr - kb;
    const auto signal = [&](int i, int x, int y) {
      return (codes[static_cast<std::size_t>(i)][static_cast<std::size_t>(y * width_ + x)] -
              black) /
             (white - black);
    };
    std::vector<std::vector<double>> light(static_cast<std::size_t>(count),
                                           Samples(static_cast<std::size_t>(width_ * height_)));
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        double rgb[3] = {signal(0, x, y), 0, 0};
        if (plan_.model == ColourModel::rgb)
          for (int i = 1; i < 3; ++i) rgb[i] = signal(i, x, y);
        if (plan_.model == ColourModel::yuv) {
          const double cb = (chroma_at(codes[1], x, y) - neutral) / chroma_span;
          const double cr = (chroma_at(codes[2], x, y) - neutral) / chroma_span;
          const double luma = rgb[0];
          rgb[0] = luma + 2 * (1 - kr) * cr;
          rgb[2] = luma + 2 * (1 - kb) * cb;
          rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / kg;
        }
        for (int i = 0; i < count; ++i)
          light[static_cast<std::size_t>(i)][static_cast<std::size_t>(y * width_ + x)] =
              light_of(plan_.transfer, rgb[i]);
      }
    for (auto& plane : light) filter(plane, width_, height_);
    for (auto& plane : light)
      for (double& value : plane) value = signal_of(plan_.transfer, value);

    std::vector<Samples> result;
    for (int i = 0; i < count; ++i) {
      result.emplace_back();
      const bool chroma = i > 0 && plan_.model == ColourModel::yuv;
      for (int y = 0; y < height_of(i); ++y)
        for (int x = 0; x < width_of(i); ++x) {
          double code = 0;
          if (chroma) {
            const double scale = 0.5 / (1 - (i == 1 ? kb : kr));
            code = neutral + chroma_span * scale * mean(x, y, [&](int u, int v) {
                               const auto at = static_cast<std::size_t>(v * width_ + u);
                               const double luma =
                                   kr * light[0][at] + kg * light[1][at] + kb * light[2][at];
                               return light[i == 1 ? 2 : 0][at] - luma;
                             });
          } else {
            const auto at = static_cast<std::size_t>(y * width_ + x);
            const double s = plan_.model == ColourModel::yuv
                                 ? kr * light[0][at] + kg * light[1][at] + kb * light[2][at]
                                 : light[static_cast<std::size_t>(i)][at];
            code = black + (white - black) * s;
          }
          const bool clamped = plan_.codes == Codes::limited;
          result.back().push_back(std::clamp(std::floor(code + 0.5), clamped ? 16 * unit : 0.0,
                                             clamped ? (chroma ? 240 : 235) * unit : max));
        }
    }
    return result;
  }

 private:
  static int up(int factor, int n) { return (n + factor - 1) / factor; }
  bool subsampled() const { return plan_.model == ColourModel::yuv; }

  double chroma_at(const Samples& plane, int x, int y) const {
    const int w = width_of(1), h = height_of(1);
    const auto place = [](int factor, Siting siting, int i) {
      const int sample = i / factor;
      return factor == 2 && siting == Siting::first ? i / 2.0 : sample;
    };
    const double u = place(plan_.subsampling.x, plan_.siting_x, x);
    const double v = place(plan_.subsampling.y, plan_.siting_y, y);
    const auto at = [&](int i, int j) {
      return plane[static_cast<std::size_t>(std::min(j, h - 1) * w + std::min(i, w - 1))];
    };
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    const double p = u - i, q = v - j;
    return (1 - q) * ((1 - p) * at(i, j) + p * at(i + 1, j)) +
           q * ((1 - p) * at(i, j + 1) + p * at(i + 1, j + 1));
  }

  // Returns the weighted mean of at(x, y) over the luma samples of chroma sample (x, y).
  template <class At>
  double mean(int x, int y, At at) const {
    const auto shares = [](int factor, Siting siting, int i, int n) {
      std::vector<std::pair<int, double>> all;
      if (factor == 2 && siting == Siting::first) {
        for (int k = -2; k <= 2; ++k)
          all.emplace_back(border_index(BorderMode::reflect101, 2 * i + k, n), k == 0 ? 0.75
                                                                               : std::abs(k) == 1
                                                                                   ? 0.25
                                                                                   : -0.125);
        return all;
      }
      const int end = std::min(n, factor * (i + 1));
      for (int k = factor * i; k < end; ++k) all.emplace_back(k, 1.0 / (end - factor * i));
      return all;
    };
    double sum = 0;
    for (const auto& [v, q] : shares(plan_.subsampling.y, plan_.siting_y, y, height_))
      for (const auto& [u, p] : shares(plan_.subsampling.x, plan_.siting_x, x, width_))
        sum += p * q * at(u, v);
    return sum;
  }

  const LightPlan plan_;
  const int width_, height_;
};

std::vector<LightPlan> plans() {
  std::vector<LightPlan> all;
  for (const TransferName& t : transfers)
    for (const int depth : {9, 10, 12, 16}) {
      LightPlan plan;
      plan.transfer = t.transfer;
      plan.sample = {Storage::u16, depth, depth == 12 ? 4 : 0};
      for (const bool limited : {false, true}) {
        plan.limited = limited;
        plan.codes = limited && depth == 10 ? Codes::limited : Codes::all;
        plan.model = ColourModel::grey;
        all.push_back(plan);
        plan.model = ColourModel::rgb;
        all.push_back(plan);
      }
      plan.model = ColourModel::yuv;
      plan.kr = depth == 16 ? 0.2627 : 0.2126;
      plan.kb = depth == 16 ? 0.0593 : 0.0722;
      for (const Subsampling s : {Subsampling{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 4}})
        for (const Siting x : {Siting::first, Siting::centre})
          for (const Siting y : {Siting::first, Siting::centre}) {
            // Skips sitings that make no difference.
            if ((s.x != 2 && x == Siting::first) || (s.y != 2 && y == Siting::first)) continue;
            plan.subsampling = s;
            plan.siting_x = x;
            plan.siting_y = y;
            all.push_back(plan);
          }
    }
  return all;
}

std::string words(const LightPlan& p) {
  return std::string(transfers[static_cast<std::size_t>(p.transfer)].name) + ", model " +
         std::to_string(static_cast<int>(p.model)) + ", " + std::to_string(p.sample.depth) +
         " bits, limited " + std::to_string(p.limited) + ", chroma " +
         std::to_string(p.subsampling.x) + "x" + std::to_string(p.subsampling.y) + " at " +
         std::to_string(static_cast<int>(p.siting_x)) + "," +
         std::to_string(static_cast<int>(p.siting_y));
}

// Returns noise in which every code may be anywhere: most colours of such YUV lie outside the cube
// of RGB.
std::vector<Samples> noise(const LightPlan& plan, const Passage& passage, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<Samples> planes;
  for (int i = 0; i < plan.components(); ++i) {
    planes.emplace_back(static_cast<std::size_t>(passage.width_of(i) * passage.height_of(i)));
    for (double& code : planes.back())
      code = static_cast<double>(random() % static_cast<unsigned>(plan.sample.max() + 1));
  }
  return planes;
}

double largest_difference(const std::vector<Samples>& a, const std::vector<Samples>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k)
      largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  return largest;
}

constexpr std::pair<int, int> sizes[] = {{1, 1}, {2, 1}, {1, 2}, {3, 3}, {5, 8}, {8, 5}, {31, 17}};
const auto nothing = [](auto&, int, int) {};

// Takes means of 3x3, with the edges repeated.
const auto blur = [](auto& plane, int width, int height) {
  const auto from = plane;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          sum += static_cast<double>(from[static_cast<std::size_t>(
              std::clamp(y + j, 0, height - 1) * width + std::clamp(x + i, 0, width - 1))]);
      using Value = typename std::decay_t<decltype(plane)>::value_type;
      plane[static_cast<std::size_t>(y * width + x)] = static_cast<Value>(sum / 9);
    }
};

TEST(Light, NothingBetweenGivesTheCodesBack) {
  for (const LightPlan& plan : plans())
    for (const auto& [width, height] : sizes) {
      if (plan.codes == Codes::limited) continue;
      const Passage passage(plan, width, height);
      const auto codes = noise(plan, passage, static_cast<unsigned>(width * 100 + height));
      // Up to 12 bits exactly, beyond within a code.
      ASSERT_LE(largest_difference(passage.run(codes, 1, nothing), codes),
                plan.sample.depth <= 12 ? 0 : 1)
          << words(plan) << ", " << width << "x" << height;
    }
}

TEST(Light, WithinACodeOfDoublePrecision) {
  for (const LightPlan& plan : plans())
    for (const auto& [width, height] : sizes) {
      const Passage passage(plan, width, height);
      const auto codes = noise(plan, passage, static_cast<unsigned>(width * 100 + height + 1));
      ASSERT_LE(largest_difference(passage.run(codes, 1, blur), passage.by_the_book(codes, blur)),
                1)
          << words(plan) << ", " << width << "x" << height;
    }
}

TEST(Light, ThreadsGiveTheSameBytes) {
  for (const LightPlan& plan : plans()) {
    if (plan.sample.depth != 10 || plan.transfer != Transfer::bt709) continue;
    const Passage passage(plan, 37, 23);
    const auto codes = noise(plan, passage, 3);
    const auto one = passage.run(codes, 1, blur);
    for (int threads = 2; threads <= 8; ++threads)
      ASSERT_EQ(passage.run(codes, threads, blur), one) << words(plan);
  }
}

}  // namespace
}  // namespace vidconv::test
