// Layouts of pictures of all sizes are refused, or have planes that lie inside of their memory.
#include "pipeline/av/frame_layout.h"

#include <climits>

#include "pipeline/filter/picture_steps.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int sizes[] = {
    INT_MIN,      -1,          0,      1,       2,         3,       63,      255,
    65535,        65536,       16384,  1 << 20, (1 << 24), 1 << 28, 1 << 30, INT_MAX - 256,
    INT_MAX - 64, INT_MAX - 1, INT_MAX};

// Returns where the last plane ends, without a limit of words.
Wide end_of(const FrameLayout& layout) {
  Wide end = 0;
  for (int p = 0; p < layout.format->planes; ++p) {
    const auto i = static_cast<std::size_t>(p);
    EXPECT_GE(layout.offset[i], 0);
    EXPECT_GE(static_cast<Wide>(layout.offset[i]), end) << "planes overlap";
    EXPECT_GE(static_cast<std::size_t>(layout.stride[i]),
              layout.format->row_bytes(p, layout.width));
    end = static_cast<Wide>(layout.offset[i]) +
          static_cast<Wide>(layout.stride[i]) *
              static_cast<Wide>(layout.format->rows(p, layout.height));
  }
  return end;
}

TEST(FrameLayout, HoldsItsPlanesOrIsRefused) {
  int made = 0, refused = 0;
  for (const PixelFormat& format : formats())
    for (const int width : sizes)
      for (const int height : sizes)
        for (const int way : {0, 1, 2}) try {
            const FrameLayout l = way == 0 ? packed_layout(format, width, height)
                                           : aligned_layout(format, width, height,
                                                            way == 1 ? Rows::close : Rows::apart);
            EXPECT_GT(width, 0);
            EXPECT_GT(height, 0);
            EXPECT_LT(end_of(l), Wide{l.bytes}) << format.name << ' ' << width << 'x' << height;
            ++made;
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), MessageKind::too_large) << error.message();
            ++refused;
          }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 1000);
}

// Rows of 4096 samples, or nearly so, are common: they must not crowd in a cache.
TEST(FrameLayout, KeepsRowsApartWhereACpuFiltersThem) {
  int moved = 0;
  for (const PixelFormat& format : formats())
    for (const int width : {64, 640, 1000, 1024, 1920, 2048, 2050, 3840, 4095, 4096, 4128, 8192}) {
      const FrameLayout close = aligned_layout(format, width, 36, Rows::close);
      const FrameLayout apart = aligned_layout(format, width, 36, Rows::apart);
      moved += apart != close;
      EXPECT_LE(apart.bytes, close.bytes + close.bytes / 8 + 4096) << format.name << ' ' << width;
      for (int p = 0; p < format.planes; ++p) {
        const int row = apart.stride[static_cast<std::size_t>(p)];
        EXPECT_EQ(row % 64, 0);
        EXPECT_TRUE(row < 2048 || row % 2048 >= 128) << format.name << ' ' << width << ": " << row;
        EXPECT_FALSE(rows_crowd(static_cast<std::size_t>(row)));
      }
    }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(aligned_layout(*find_format(AV_PIX_FMT_GRAY8), 1920, 1080, Rows::apart).stride[0],
            1920);
  // Rows are as close as can be where memory matters more.
  EXPECT_EQ(aligned_layout(*find_format(AV_PIX_FMT_GRAY8), 1 << 16, 1 << 14, Rows::apart).stride[0],
            1 << 16);
}

// A picture between two filters keeps its rows apart as well.
TEST(FrameLayout, OwnPicturesKeepRowsApart) {
  for (const int width : {640, 1920, 2048, 4096, 8192}) {
    const OwnPicture picture(*find_format(AV_PIX_FMT_YUV420P10), width, 16, plain_memory, "");
    ASSERT_EQ(picture.planes.size(), 3U);
    std::size_t bytes = 0;
    for (const PlaceOfPlane& plane : picture.planes) {
      EXPECT_EQ(plane.stride % 64, 0);
      EXPECT_FALSE(rows_crowd(static_cast<std::size_t>(plane.stride))) << width;
      bytes += static_cast<std::size_t>(plane.stride) * (bytes == 0 ? 16 : 8);
    }
    EXPECT_GE(picture.bytes, bytes);
  }
}

TEST(PictureSize, IsComparedWithoutOverflow) {
  const auto check = [](std::int64_t width, std::int64_t height, std::int64_t max, Fault fault) {
    check_picture_size(width, height, AV_PIX_FMT_YUV420P, max, fault, "cannot", "x");
  };
  for (const std::int64_t n : {std::int64_t{65537}, std::int64_t{INT_MAX}, INT64_MAX})
    expect_error(Fault::input, {"has more than 268435456 pixels", "`max_pixels`"},
                 [&] { check(n, n, default_max_pixels, Fault::input); });
  for (const std::int64_t n : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}}) {
    expect_error(Fault::input, {"no pixels"}, [&] { check(n, 5, INT64_MAX, Fault::input); });
    expect_error(Fault::usage, {"no pixels"}, [&] { check(5, n, INT64_MAX, Fault::usage); });
  }
  expect_error(Fault::input, {"larger than FFmpeg"},
               [&] { check(INT64_MAX, 1, INT64_MAX, Fault::input); });
  check(640, 480, 640 * 480, Fault::input);
  expect_error(Fault::input, {"640x480", "307199"},
               [&] { check(640, 480, 640 * 480 - 1, Fault::input); });
}

// Headers have all these sizes, and bytes: too few for a picture, or a picture.
TEST(PictureSize, OfAnyHeaderIsHarmless) {
  const TempDir dir;
  const std::string bytes(3000, 'A');
  int read = 0, refused = 0;
  for (const int width : sizes)
    for (const int height : sizes)
      for (const std::string chroma : {"420jpeg", "411", "444p16", "mono"}) {
        write_file(dir / "in.y4m", "YUV4MPEG2 W" + std::to_string(width) + " H" +
                                       std::to_string(height) + " C" + chroma + "\nFRAME\n" +
                                       bytes);
        SourceOptions options;
        options.max_pixels = 1 << 20;
        try {
          open_source(dir / "in.y4m", options)->next();
          EXPECT_LE(std::int64_t{width} * height, std::ssize(bytes));
          ++read;
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::input) << error.message();
          ++refused;
        }
      }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace vidconv::test
