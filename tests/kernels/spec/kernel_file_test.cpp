// Kernels in files: text and pictures, whole and broken.
#include "kernels/spec/kernel_file.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

using TapList = std::vector<double>;

Filter filter_of_file(std::string_view bytes) { return FilterSpec::parse_file("k", bytes).make(); }
TapList taps_of_file(std::string_view bytes) {
  const Filter f = filter_of_file(bytes);
  return {f.kernels.at(0).taps().begin(), f.kernels.at(0).taps().end()};
}

// Returns the taps of a picture, as it is drawn.
TapList taps_of_picture(std::string_view bytes) {
  const Filter f = FilterSpec::parse_file("k:units=plane", bytes).make();
  return {f.kernels.at(0).taps().begin(), f.kernels.at(0).taps().end()};
}

// Returns the message about a broken file.
std::string complaint(std::string_view bytes) {
  try {
    FilterSpec::parse_file("k", bytes);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}
void expect_complaint(std::string_view bytes, const char* says) {
  EXPECT_NE(complaint(bytes).find(says), std::string::npos) << complaint(bytes);
}

// Any PNG format of libpng's simplified interface.
std::string png(unsigned format, unsigned width, unsigned height, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels, 0, nullptr));
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, nullptr));
  return bytes;
}

TEST(KernelFile, IsReadFromDisk) {
  const std::string path = testing::TempDir() + "vidconv:kernel:scale.txt";
  std::ofstream(path) << "# a comment\nscale=1/16\n1 2 1   # the top\n\n2,4,2\n1 2 1\n";
  const Filter f = FilterSpec::parse("file:" + path + ":bias=0.5").make();
  EXPECT_EQ(f.kernels[0], Kernel(3, 3, {1, 2, 1, 2, 4, 2, 1, 2, 1}).scaled(1.0 / 16));
  EXPECT_EQ(f.bias, 0.5);
  // Keys of the specification win over those of the file.
  EXPECT_EQ(FilterSpec::parse("file:" + path + ":scale=1").make().kernels[0].at(0, 0), 1);
  std::remove(path.c_str());
}

TEST(KernelFile, TextMaySayWhatASpecificationMay) {
  const Filter f =
      filter_of_file("\xEF\xBB\xBFsize=2x3\r\nbias=-0.25\r\nanchor=0,2\r\n1 2\r\n3 4\r\n5 1/2");
  EXPECT_EQ(f.kernels[0], Kernel(2, 3, {1, 2, 3, 4, 5, 0.5}, 0, 2));
  EXPECT_EQ(f.bias, -0.25);
}

TEST(KernelFile, LinesBetweenPlanesMakeAVolume) {
  const Filter f = filter_of_file(
      "size=2x2\nanchor=0,1,1\nborder=zero\n1 2\n3 4\n|  # the next frame\n5 6\n7 8\n");
  EXPECT_EQ(f.kernels[0], Kernel(2, 4, {1, 2, 3, 4, 5, 6, 7, 8}, 0, 3));
  ASSERT_TRUE(f.over_time);
  EXPECT_EQ(f.over_time->plane_rows, 2);
  EXPECT_EQ(f.over_time->border, TimeBorder::zero);
  EXPECT_EQ(f.kernels, FilterSpec::parse("volume:1 2;3 4|5 6;7 8:anchor=0,1,1").make().kernels);
  expect_complaint("1 2\n3 4\n|\n5 6\n", "plane 2 has 1 rows, the planes before it have 2");
  expect_complaint("1 2\n3 4\n|\n5 6\n|\n7 8\n", "line 5: plane 2 has 1 rows");
  expect_complaint("1 2\n|\n", "plane 2 has 0 rows");
  expect_complaint("|\n1 2\n", "plane 2 has 1 rows, the planes before it have 0");
  expect_complaint("size=2x4\n1 2\n3 4\n|\n5 6\n7 8\n", "says size=2x4, but holds 2x2");
}

TEST(KernelFile, ErrorsNameTheLineAndTheColumn) {
  try {
    FilterSpec::parse_file("k", "1 2 1\n2 4 y\n");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_EQ(error.text(), "2 4 y");
    EXPECT_EQ(error.column(), 5u);
    EXPECT_STREQ(error.what(), "k, line 2: expected a number, found 'y'");
  }
  expect_complaint("1 2\n3\n", "line 2: row 2 has 1 numbers");
  expect_complaint("", "no numbers");
  expect_complaint("# only this\n", "no numbers");
  expect_complaint("size=3x2\n1 2\n3 4\n", "says size=3x2, but holds 2x2");
  expect_complaint("size=3\n", "'x' between");
  expect_complaint("sigma=3\n1\n", "unknown key 'sigma'");
  expect_complaint("scale=1\nscale=2\n1\n", "'scale' was given already");
  expect_complaint("1 2;3 4\n", "the end of the line");
  expect_complaint("1e10\n", "outside");
}

TEST(KernelFile, PgmLevelsAreTaps) {
  EXPECT_EQ(taps_of_picture("P2 # ascii\n2 2\n# more\n4\n0 1\n3 4\n"),
            (TapList{0, 1 / 8., 3 / 8., 4 / 8.}));
  EXPECT_EQ(taps_of_picture(std::string("P5 3 1 255\n\x33\x00\x66", 14)),
            (TapList{1 / 3., 0, 2 / 3.}));
  EXPECT_EQ(taps_of_picture(std::string("P5 2 1 1000\n\x01\x00\x03\x00", 16)),
            (TapList{1 / 4., 3 / 4.}));
  const auto scaled =
      FilterSpec::parse_file("k:units=plane:scale=2", "P2 2 1 4 1 4").make().kernels[0];
  EXPECT_EQ(scaled, Kernel(2, 1, {0.5, 2}));
}

TEST(KernelFile, PngLevelsAreTaps) {
  const std::uint8_t grey[] = {0, 51, 102, 102};
  const TapList want = {0, 0.2, 0.4, 0.4};
  const auto near = [&](const std::string& bytes) {
    const TapList got = taps_of_picture(bytes);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-12);
  };
  near(png(PNG_FORMAT_GRAY, 2, 2, grey));
  const std::uint8_t rgb[] = {0, 0, 0, 51, 51, 51, 102, 102, 102, 102, 102, 102};
  near(png(PNG_FORMAT_RGB, 2, 2, rgb));
  const std::uint8_t opaque[] = {0, 255, 51, 255, 102, 255, 102, 255};
  near(png(PNG_FORMAT_GA, 2, 2, opaque));
  const std::uint16_t deep[] = {0, 10000, 20000, 20000};
  near(png(PNG_FORMAT_LINEAR_Y, 2, 2, deep));
}

// A point of light becomes the picture: it is turned, and counts luma samples.
TEST(KernelFile, PicturesArePointSpreads) {
  const char* const picture = "P2 3 3 4 0 1 0 0 4 0 0 0 3";
  EXPECT_EQ(taps_of_file(picture), (TapList{3 / 8., 0, 0, 4 / 8., 0, 1 / 8.}));
  const FilterSpec spec = FilterSpec::parse_file("k", picture);
  const FilterSpec flipped = FilterSpec::parse_file("k:flip=1", picture);
  EXPECT_EQ(flipped.make().kernels[0], spec.make().kernels[0].flipped());
  EXPECT_NEAR(spec.make({2, 2}).kernels[0].sum(), 1, 1e-12);
  const Kernel line = FilterSpec::parse_file("k", "P2 3 1 1 1 1 1").make({2, 1}).kernels[0];
  EXPECT_EQ(line.width(), 3);
  for (const auto& [at, tap] : {std::pair{0, 1 / 6.}, {1, 4 / 6.}, {2, 1 / 6.}})
    EXPECT_NEAR(line.at(at, 0), tap, 1e-12);
}

TEST(KernelFile, PicturesThatAreNoKernelAreRefused) {
  const std::uint8_t red[] = {9, 0, 0}, clear[] = {9, 100}, black[] = {0};
  expect_complaint(png(PNG_FORMAT_RGB, 1, 1, red), "not grey at 0,0");
  expect_complaint(png(PNG_FORMAT_GA, 1, 1, clear), "not opaque at 0,0");
  expect_complaint(png(PNG_FORMAT_GRAY, 1, 1, black), "is black");
  expect_complaint(png(PNG_FORMAT_GRAY, 514, 1, std::vector<std::uint8_t>(514).data()),
                   "514x1 is outside 1x1 to 513x513");
  expect_complaint("P2 0 3 9", "0x3 is outside");
  expect_complaint("P2 1 1 70000 1", "70000, is outside 1 to 65535");
  expect_complaint("P2 1 1 5 6", "sample of 6, above");
  expect_complaint("P2 2 1 5 6", "above");
  expect_complaint("P2 2 1 5 5", "sample is not a number, or is missing");
  expect_complaint("P5 2 1 5\n\x05", "cut short");
  expect_complaint("P2 # no end", "width");
}

// Every cut of a whole picture is refused, and every broken byte is survived.
TEST(KernelFile, DamagedPicturesAreRefused) {
  std::vector<std::uint8_t> grey(30 * 20);
  for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<std::uint8_t>(i * 37);
  const std::string whole = png(PNG_FORMAT_GRAY, 30, 20, grey.data());
  ASSERT_EQ(complaint(whole), "");
  for (std::size_t size = 8; size < whole.size(); ++size)
    ASSERT_NE(complaint(std::string_view(whole).substr(0, size)), "") << size;
  for (std::size_t at = 8; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x55);
    complaint(broken);  // no crash; some bytes say nothing about the picture
  }
}

}  // namespace
}  // namespace vidconv
