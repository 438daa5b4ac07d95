// Regions of a plane are filtered as if all of it were, in every variant.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/convolver/region.h"
#include "kernels/convolver/region_windows.h"
#include "kernels/spec/parse.h"
#include "tests/kernels/support/runner.h"
#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/check.h"
#endif

namespace vidconv {
namespace {

// Memory of planes: the host's, or memory that a device and the host can both use.
class Memory {
 public:
  explicit Memory(bool for_device) {
#ifdef VIDCONV_HAVE_CUDA
    void* pinned = nullptr;
    if (for_device) cuda::check(cudaMallocHost(&pinned, size), "pinned memory");
    pinned_ = static_cast<std::byte*>(pinned);
#endif
    if (!for_device) host_.resize(size);
  }
  ~Memory() {
#ifdef VIDCONV_HAVE_CUDA
    if (pinned_) cudaFreeHost(pinned_);
#endif
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void use_again() { used_ = 0; }
  std::byte* take(int bytes) {
    std::byte* const at = (pinned_ ? pinned_ : host_.data()) + used_;
    used_ += (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
    EXPECT_LE(used_, size);
    return at;
  }
  // Runs a convolver on planes that lie here.
  void run(Convolver& convolver, const PlanePair& pair) const {
    convolver.run({&pair, 1}, nullptr);
#ifdef VIDCONV_HAVE_CUDA
    if (pinned_) cuda::check(cudaDeviceSynchronize(), "a variant");
#endif
  }

 private:
  static constexpr std::size_t size = 1 << 20;
  std::vector<std::byte> host_;
  std::byte* pinned_ = nullptr;
  std::size_t used_ = 0;
};

// A plane of any codes.
struct SomePlane {
  SomePlane(const SampleType& type, int width, int height, unsigned seed, Memory& memory)
      : sample(type) {
    plane = {.data = memory.take(width * height * type.bytes()),
             .stride = width * type.bytes(),
             .width = width,
             .height = height};
    std::mt19937 random(seed);
    for (int i = 0; i < width * height; ++i) {
      const auto code = static_cast<std::uint16_t>(random() % 1024 >> (type.depth == 8 ? 2 : 0));
      if (type.storage == Storage::u8) {
        plane.as<std::uint8_t>().data[i] = static_cast<std::uint8_t>(code);
      } else if (type.storage == Storage::u16) {
        plane.as<std::uint16_t>().data[i] = code;
      } else {
        plane.as<float>().data[i] = static_cast<float>(code) / 1024;
      }
    }
  }

  SampleType sample;
  BytePlane plane;
};

bool equal(const BytePlane& a, const BytePlane& b, const Rect& where_b, int sample_bytes) {
  const BytePlane part = part_of(b, where_b, sample_bytes);
  for (int y = 0; y < a.height; ++y)
    if (std::memcmp(a.row(y), part.row(y), static_cast<std::size_t>(a.width * sample_bytes)) != 0)
      return false;
  return true;
}

// Returns single samples, edges, corners, the middle, and the whole plane.
std::vector<Rect> parts_of(int width, int height) {
  return {{0, 0, 1, 1},
          {width - 1, height - 1, 1, 1},
          {0, height / 2, width, 1},
          {width / 3, 0, (width + 2) / 3, height},
          {width / 4, height / 4, (width + 1) / 2, (height + 1) / 2},
          {0, 0, width, height}};
}

// `together`: whether windows are chosen as for devices.
void expect_parts_equal(Convolver& convolver, const Plan& plan, int width, int height,
                        bool together, Memory& memory) {
  memory.use_again();
  const SomePlane from(plan.sample, width, height, static_cast<unsigned>(width * 41 + height),
                       memory);
  SomePlane all(plan.sample, width, height, 1, memory);
  const auto read = [](const BytePlane& plane) { return plane.as<const std::byte>(); };
  memory.run(convolver, {read(from.plane), all.plane});
  const int bytes = plan.sample.bytes();
  for (const Rect& part : parts_of(width, height)) {
    RegionWindows windows;
    windows.set({&part, 1}, reach_of(plan), plan.border, width, height, {.together = together});
    const Rect window = windows.windows()[0];
    SomePlane beside(plan.sample, window.width, window.height, 2, memory);
    memory.run(convolver, {read(part_of(from.plane, window, bytes)), beside.plane});
    const Rect inside{part.x - window.x, part.y - window.y, part.width, part.height};
    ASSERT_TRUE(equal(part_of(beside.plane, inside, bytes), all.plane, part, bytes))
        << width << "x" << height << ", part " << part.width << "x" << part.height << " at "
        << part.x << "," << part.y;
  }
}

// Kernels larger than the picture, of even sizes, anchored in a corner, of one row and one column.
const char* const some_filters[] = {"box:size=3",
                                    "gaussian:sigma=1.5",
                                    "gaussian:sigma=9",
                                    "box:size=45",
                                    "random:7,4x6",
                                    "random:3,7x5:anchor=6,0",
                                    "random:5,31x3:anchor=0,2",
                                    "row:1 2 3 4",
                                    "column:1 2 1:anchor=0,0",
                                    "sobel",
                                    "unsharp:sigma=2",
                                    "disk:radius=4"};

constexpr SampleType some_samples[] = {
    {}, {.storage = Storage::u16, .depth = 10}, {.storage = Storage::f32, .depth = 32}};

TEST(Part, IsFilteredAsAllOfThePlane) {
  Memory host(false);
  int sizes = 0;
  for (const char* text : some_filters)
    for (const BorderName& border : border_modes)
      for (const SampleType& sample : some_samples) {
        const Plan plan = make_plan(FilterSpec::parse(text).make(), sample,
                                    {.mode = border.mode, .value = 0.3}, Role::colour);
        SCOPED_TRACE(std::string(text) + " " + std::string(border.name));
        for (const Variant* variant : test::runnable_variants()) {
          if (variant->uses_cuda || variant->name.starts_with("study-") ||
              !test::supports(*variant, plan))
            continue;
          SCOPED_TRACE(std::string(variant->name));
          const auto convolver = test::convolver_of(*variant, plan);
          const bool on_device = variant->device == Device::cuda;
          static Memory device(test::cuda_works());
          // Every width and height from 1 to 40 is among the cases.
          for (int n = 0; n < 3; ++n, ++sizes) {
            const int width = 1 + sizes * 7 % 40, height = 1 + sizes * 11 / 3 % 40;
            expect_parts_equal(*convolver, plan, on_device && n == 0 ? 5 * width : width, height,
                               on_device, on_device ? device : host);
            if (HasFatalFailure()) return;
          }
        }
      }
}

// A window is as large as the region and the reach, no larger.
TEST(Part, WindowsAreAsLargeAsTheReach) {
  const Reach reach{.left = 2, .right = 3, .above = 0, .below = 1};
  const auto window = [&](const Rect& part, BorderMode border) {
    return window_around(part, reach, border, 100, 50);
  };
  EXPECT_EQ(window({20, 20, 10, 5}, BorderMode::reflect101), (Rect{17, 19, 16, 7}));
  EXPECT_EQ(window({20, 20, 10, 5}, BorderMode::wrap), (Rect{17, 19, 16, 7}));
  EXPECT_EQ(window({0, 0, 10, 5}, BorderMode::replicate), (Rect{0, 0, 13, 6}));
  EXPECT_EQ(window({90, 45, 10, 5}, BorderMode::reflect), (Rect{87, 44, 13, 6}));
  EXPECT_EQ(window({0, 20, 10, 5}, BorderMode::wrap), (Rect{0, 19, 100, 7}));
}

}  // namespace
}  // namespace vidconv
