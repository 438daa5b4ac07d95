// FFmpeg's `convolution` filter is an independent judge. It supports integer taps of 3x3 and 5x5
// and its borders differ, so that only the interior is compared.
#include <fmt/format.h>

#include <algorithm>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

constexpr int width = 66, height = 38, frames = 3;

struct PlaneShape {
  int width, height;
};

struct PixelFormat {
  std::string name;
  std::vector<PlaneShape> planes;  // 8 bits
};

void PrintTo(const PixelFormat& format, std::ostream* out) { *out << format.name; }

const std::vector<PixelFormat> formats = {
    {"gray", {{width, height}}},
    {"yuv420p", {{width, height}, {width / 2, height / 2}, {width / 2, height / 2}}},
    {"yuv444p", {{width, height}, {width, height}, {width, height}}},
};

// A matrix is divided by the sum of its taps unless that is 0, as FFmpeg does by default (and, in
// 5.1, whatever its rdiv says). Sums are odd or powers of two, so that FFmpeg's float meets no
// ties.
struct Matrix {
  std::string name;
  int size;
  std::string rows;   // in vidconv's syntax
  std::string scale;  // vidconv's parameter
};
void PrintTo(const Matrix& matrix, std::ostream* out) { *out << matrix.rows; }

const std::vector<Matrix> matrices = {
    {"copy", 3, "0 0 0;0 1 0;0 0 0", "1"},
    {"shift", 3, "0 0 0;0 0 0;1 0 0", "1"},
    {"asymmetric", 3, "1 -2 3;-4 5 -6;7 -8 9", "auto"},
    {"gradient", 3, "-1 0 1;-2 3 2;-1 0 1", "auto"},
    {"laplacian", 3, "0 1 0;1 -4 1;0 1 0", "1"},
    {"binomial", 3, "1 2 1;2 4 2;1 2 1", "1/16"},
    {"asymmetric5", 5, "1 2 3 4 5;-6 7 -8 9 -10;0 1 0 -1 9;3 1 4 1 5;-2 -7 -1 8 3", "auto"},
    {"sharpen5", 5, "-1 -1 -1 -1 -1;-1 2 2 2 -1;-1 2 8 2 -1;-1 2 2 2 -1;-1 -1 -1 -1 -1", "1/8"},
    {"binomial5", 5, "1 4 6 4 1;4 16 24 16 4;6 24 36 24 6;4 16 24 16 4;1 4 6 4 1", "1/256"},
};

// Compares the samples at least `margin` from every edge of each plane of each frame.
void expect_equal_interior(const PixelFormat& format, const std::string& ours,
                           const std::string& theirs, int margin) {
  std::size_t at = 0;
  for (int frame = 0; frame < frames; ++frame) {
    for (std::size_t p = 0; p < format.planes.size(); ++p) {
      const auto [w, h] = format.planes[p];
      ASSERT_LE(at + static_cast<std::size_t>(w * h), ours.size());
      for (int y = margin; y < h - margin; ++y) {
        const std::size_t row = at + static_cast<std::size_t>(y * w + margin);
        const auto length = static_cast<std::size_t>(w - 2 * margin);
        ASSERT_EQ(ours.compare(row, length, theirs, row, length), 0)
            << "frame " << frame << ", plane " << p << ", row " << y;
      }
      at += static_cast<std::size_t>(w * h);
    }
  }
  EXPECT_EQ(at, ours.size());
  EXPECT_EQ(at, theirs.size());
}

using Case = std::tuple<PixelFormat, Matrix>;
class Convolution : public CliTest, public testing::WithParamInterface<Case> {};

TEST_P(Convolution, InteriorEqualsFfmpeg) {
  const auto& [format, matrix] = GetParam();
  const std::string size = fmt::format("{}x{}", width, height);
  const std::string raw = fmt::format("-f rawvideo -pix_fmt {}", format.name);

  // With noise every tap counts, and some sums leave the range.
  ffmpeg(fmt::format(
      "-f lavfi -i 'nullsrc=s={},geq=random(1)*255:random(2)*255:random(3)*255' -frames:v {} {} {}",
      size, frames, raw, path("in.raw")));
  std::string taps = matrix.rows;
  std::ranges::replace(taps, ';', ' ');
  ffmpeg(fmt::format("{0} -s {1} -i {2} -vf \"convolution='{3}':'{3}':'{3}':'{3}'\" {0} {4}", raw,
                     size, path("in.raw"), taps, path("theirs.raw")));

  const Result ours = run_vidconv({path("in.raw"), "--raw", size + ":" + format.name, "-o", "-",
                                   "--format", "raw", "--planes", "all", "--kernel",
                                   "matrix:" + matrix.rows + ":scale=" + matrix.scale});
  ASSERT_TRUE(succeeded(ours));
  expect_equal_interior(format, ours.out, read_file(path("theirs.raw")), matrix.size / 2);
}

INSTANTIATE_TEST_SUITE_P(Matrices, Convolution,
                         testing::Combine(testing::ValuesIn(formats), testing::ValuesIn(matrices)),
                         [](const testing::TestParamInfo<Case>& instance) {
                           return std::get<0>(instance.param).name + "_" +
                                  std::get<1>(instance.param).name;
                         });

// The samples are judged by tests/judge/long_blur_test.py.
TEST_F(CliTest, AGaussianMayBeLargerThanAMatrix) {
  const auto filter = [](const std::string& kernel, const Arguments& more = {}) {
    Arguments all{"pattern:70x54@25#2", "-o", "md5:", "--kernel", kernel};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  };
  EXPECT_TRUE(succeeded(filter("gaussian:sigma=1000")));
  for (const std::string kernel :
       {"gaussian:sigma=100", "gaussian:sigma=120:region=9,9,20,20:feather=3",
        "gaussian:sigmax=400:sigmay=1:rotate=90", "gaussian:sigma=0..90@f0-f1"}) {
    SCOPED_TRACE(kernel);
    const Result result = filter(kernel, {"--threads", "1", "--verify"});
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"2 verified"}));
    EXPECT_EQ(filter(kernel, {"--threads", "3"}).out, result.out);
  }
  const Result explained = filter("gaussian:sigma=300", {"--explain"});
  EXPECT_TRUE(has_line_with(explained.out, {"Y: filter by cpu-separable-long"}));
  EXPECT_TRUE(has_line_with(explained.out, {"two passes: row 1801 and column 1801"}));
  for (const auto& [kernel, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"gaussian:sigma=1001", {"column 16", "1000"}},
           {"gaussian:sigmax=1e9", {"column 17", "1000"}},
           {"gaussian:sigmay=1000.5", {"column 17", "1000"}},
           {"gaussian:sigma=9..1001@0-1", {"column", "1000"}},
           {"gaussian:radius=4096", {"column 17", "4095"}},
           {"gaussian:sigma=200:alpha=weighted", {"column 20", "513x513"}},
           {"gaussian:sigma=200:anchor=513,0", {"column 27", "512"}},
           {"unsharp:sigma=86", {"column 15", "85"}},
           {"box:size=514", {"column 10", "513"}},
           {"disk:radius=257", {"column 13", "256"}},
           {"random:1,514", {"column 10", "513"}},
           {"gaussian:sigma=nan", {"column 16"}}})
    EXPECT_TRUE(refused(filter(kernel), exit_command_line, words)) << kernel;
}

TEST_F(CliTest, KernelFileIsTheMatrixThatItHolds) {
  write_file(path("kernel.txt"), "# a comment\n1 -2 3\n-4 5 -6\n7 -8 9\nbias=0.25\n");
  const auto digests = [&](const std::string& kernel) {
    const Result result =
        run_vidconv({"pattern:64x48#3", "-o", "md5:", "--planes", "all", "--kernel", kernel});
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out);
  };
  const Digests from_file = digests("file:" + path("kernel.txt"));
  EXPECT_EQ(from_file.frames.size(), 3U);
  EXPECT_EQ(from_file, digests("matrix:1 -2 3;-4 5 -6;7 -8 9:bias=0.25"));
}

}  // namespace
}  // namespace vidconv::test
