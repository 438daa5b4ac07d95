// cuda-conv-time and cuda-conv-volume against the definition.
#ifdef VIDCONV_HAVE_CUDA
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/convolver/time_convolver.h"
#include "kernels/cuda/common/device_buffer.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

class TimeSweep : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_works()) GTEST_SKIP() << "no CUDA device";
  }
};

// A picture, and its copy on the device, some bytes behind the beginning of memory.
class OnBoth {
 public:
  OnBoth(Picture picture, std::size_t behind)
      : picture_(std::move(picture)),
        behind_(behind),
        memory_(0, picture_.bytes().size() + behind) {
    std::vector<std::byte> all(memory_.size());
    std::copy(picture_.bytes().begin(), picture_.bytes().end(),
              all.begin() + static_cast<std::ptrdiff_t>(behind));
    memory_.upload(all, nullptr);
  }

  Picture& picture() { return picture_; }
  BytePlane here() { return picture_.plane(); }
  BytePlane there() { return here().at(memory_.data() + behind_ + picture_.origin()); }
  std::vector<std::byte> download() const {
    std::vector<std::byte> all(memory_.size());
    memory_.download(all, nullptr);
    return {all.begin() + static_cast<std::ptrdiff_t>(behind_), all.end()};
  }

 private:
  Picture picture_;
  std::size_t behind_;
  cuda::DeviceBuffer memory_;
};

TimeFrame device_frame(int number, const BytePlane& plane) {
  TimeFrame frame{.number = number, .planes = {}};
  frame.planes[0] = {.data = plane.data, .stride = plane.stride, .rows = plane.height};
  return frame;
}

std::unique_ptr<TimeConvolver> time_convolver_of(const char* variant, const Plan& plan) {
  std::unique_ptr<Convolver> convolver = convolver_of(*find_variant(variant), plan);
  return std::unique_ptr<TimeConvolver>(&dynamic_cast<TimeConvolver&>(*convolver.release()));
}

const SampleType device_samples[] = {{Storage::u8, 8, 0},   {Storage::u16, 10, 0},
                                     {Storage::u16, 10, 6}, {Storage::u16, 12, 0},
                                     {Storage::u16, 16, 0}, {Storage::f32, 32, 0}};

const char* const device_rows[] = {"time:1 2 1:scale=auto",
                                   "time:1 2 3 2 1:scale=auto:border=shrink",
                                   "time:-1 0 1:abs=1",
                                   "time:3 -5 7 2:anchor=0:scale=1/3:border=zero",
                                   "time:1 2 1:scale=auto:threshold=0.2",
                                   "time:1 2 -3.7 1:scale=0.3:threshold=0.1:border=zero",
                                   "time-gaussian:sigma=1.7",
                                   "time-exp:decay=0.7",
                                   "time-box:size=3",
                                   "time-box:size=5:border=reflect101",
                                   "time:7 3 1:scale=1/11:bias=0.1",
                                   "time:1 1 1 1 1 1 1:scale=1/6",
                                   "time-box:size=8:border=zero",
                                   "time-box:size=13:border=shrink",
                                   "time:2000 1999 -3999:scale=1/37"};

const char* const device_volumes[] = {
    "volume:1 2 1;2 4 2;1 2 1|2 4 2;4 8 4;2 4 2|1 2 1;2 4 2;1 2 1:scale=auto",  // a product
    "volume:1 2 1;2 4 2;1 2 1|2 4 2;4 8 4;2 4 2|1 2 1;2 4 2;1 2 1:scale=auto:border=zero",
    "volume:2 1|-4 -2|2 1:scale=1/8:threshold=0.1:abs=1",
    "volume:0 1 0;1 -6 1;0 1 0|0 0 0;0 2 0;0 0 0:bias=0.5",
    "volume:1 2 3 4;5 6 7 8|8 7 6 5;4 3 2 1|1 1 1 1;2 2 2 2:scale=auto:border=shrink",
    "volume:-1 0 1|-2 0 2|-1 0 1:abs=1:anchor=0,0,2",
    "volume:1;2;3;4;5;6;7;6;5;4;3;2;1|1;1;1;1;1;1;1;1;1;1;1;1;2:scale=auto",
    "volume:1 1;1 1|1 1;1 1:scale=auto:threshold=0.1:border=zero",
    "volume:0.123 0.2;0.3 0.1|0.0777 0.1;0.05 0.05",
    "volume:3000 -2999;1 1999|-2000 1;0 1:scale=1/37"};

// Compares with the definition. Frames are alike, or lie in memory each in a way of their own:
// bottom up, and out of alignment.
void compare(const char* variant, const std::string& spec, const SampleType& sample, bool alike,
             std::mt19937& random, int count = 9) {
  const BorderName border = border_modes[random() % std::size(border_modes)];
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample,
                              {.mode = border.mode, .value = 0.3}, Role::chroma);
  const int width = 1 + static_cast<int>(random() % 1100);
  const int height = 1 + static_cast<int>(random() % (random() % 4 == 0 ? 100 : 20));
  const int step = random() % 2 == 0 ? 1 : 1 + static_cast<int>(random() % 4);
  const auto arrangement = [&] {
    Arrangement a{.step = step, .component = static_cast<int>(random() % 8) % step};
    if (alike)
      a.component = 0, a.guard = 64, a.row_padding = (64 - width % 64) % 64;
    else
      a.bottom_up = random() % 2 == 0, a.row_padding = static_cast<int>(random() % 40);
    return a;
  };
  std::vector<OnBoth> frames;
  for (unsigned n = 0; n < static_cast<unsigned>(count); ++n) {
    Picture picture(sample, width, height, arrangement(), n);
    picture.draw(n % 5 == 3 ? Content::black_and_white : Content::noise, n);
    frames.emplace_back(std::move(picture),
                        alike ? 0 : static_cast<std::size_t>(sample.bytes()) * (random() % 9));
  }
  const auto ours = time_convolver_of(variant, plan);
  const auto definition = time_convolver_of("reference", plan);
  const TapFrames taps = plan.tap_frames();
  for (int here = 0; here < count; ++here) {
    std::vector<TimeFrame> on_host, on_device;
    for (int n = here - taps.anchor; n <= here + taps.after(); ++n) {
      const bool there = n >= 0 && n < count;
      on_host.push_back(there ? device_frame(n, frames[static_cast<std::size_t>(n)].here())
                              : TimeFrame{});
      on_device.push_back(there ? device_frame(n, frames[static_cast<std::size_t>(n)].there())
                                : TimeFrame{});
    }
    OnBoth& centre = frames[static_cast<std::size_t>(here)];
    const Picture empty(sample, width, height, arrangement(), 1);
    OnBoth made(empty, 0), wanted(empty, 0);
    ours->set_frames(on_device, device_frame(here, centre.there()));
    ours->run(std::vector<PlanePair>{{centre.there().as<const std::byte>(), made.there()}},
              nullptr);
    definition->set_frames(on_host, device_frame(here, centre.here()));
    definition->run(std::vector<PlanePair>{{centre.here().as<const std::byte>(), wanted.here()}},
                    nullptr);
    ASSERT_EQ(made.download(), wanted.picture().bytes())
        << spec << ", depth " << sample.depth << ", " << width << "x" << height << ", step " << step
        << ", " << border.name << ", frame " << here << (alike ? ", alike" : "");
  }
}

TEST_F(TimeSweep, GivesTheBytesOfTheDefinition) {
  std::mt19937 random(20261127);
  for (const char* spec : device_rows)
    for (const SampleType& sample : device_samples)
      for (const bool alike : {true, false})
        ASSERT_NO_FATAL_FAILURE(compare("cuda-conv-time", spec, sample, alike, random));
}

TEST_F(TimeSweep, GivesTheBytesOfVolumes) {
  std::mt19937 random(20261128);
  for (const char* spec : device_volumes)
    for (const SampleType& sample : device_samples)
      for (const bool alike : {true, false})
        ASSERT_NO_FATAL_FAILURE(compare("cuda-conv-volume", spec, sample, alike, random));
}

// Rows and planes that fill shared memory, or more.
TEST_F(TimeSweep, TakesVolumesOfAnySize) {
  const auto volume = [](int planes, int rows, int width) {
    std::string text = "volume:";
    for (int i = 0; i < planes * rows * width; ++i) {
      if (i > 0) text += i % (rows * width) == 0 ? "|" : i % width == 0 ? ";" : " ";
      text += i % 7 == 3 ? "-2.37" : "1";
    }
    return text + ":scale=0.001";
  };
  std::mt19937 random(20261129);
  for (const std::string& spec :
       {volume(2, 1, 513), volume(1, 512, 3), volume(9, 57, 1), volume(2, 20, 41)})
    for (const std::size_t i : {0, 4, 5})
      ASSERT_NO_FATAL_FAILURE(
          compare("cuda-conv-volume", spec, device_samples[i], false, random, 3));
}

}  // namespace
}  // namespace vidconv::test
#endif
