// What the tests of NVENC share.
#pragma once

#include "tests/doubles/nvenc_double.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {

// Frames of the host's cost a context of CUDA's for each encoder, a quarter of a second with a real
// driver: one of so many sizes, or calls, is tried there.
#ifdef VIDCONV_CUDA_DOUBLE
constexpr int host_step = 1;
#else
constexpr int host_step = 13;
#endif

// Loads the doubles. Skips where libavcodec has no NVENC, or, in a build with CUDA, where there is
// no driver for it.
class NvencTest : public testing::Test {
 protected:
  void SetUp() override;
  // Whatever happened: nothing is left open.
  void TearDown() override;

  NvencDouble& nvenc() const { return *double_; }

  // Filters with `chain` into a file: on the CPU, or on the device with frames that stay there.
  RunResult filter(Device device, const std::string& input, const std::string& output,
                   SinkOptions options, const std::vector<std::string>& chain = {"sobel"},
                   SourceOptions source_options = {}, decltype(&run) how = run);
  // The file holds what the CPU makes of the input, sample for sample.
  void expect_pictures_of(const std::string& input, const std::string& output,
                          const std::vector<std::string>& chain = {"sobel"});
  // Errors that leave what there was, or the right file: whichever call of NVENC's fails.
  void fail_at_every_call(Device device);

  TempDir dir_;

 private:
  NvencDouble* double_ = nullptr;
};

}  // namespace vidconv::test
