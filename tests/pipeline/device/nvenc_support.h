// The tests of NVENC share this fixture.
#pragma once

#include "tests/doubles/nvenc_double.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {

// With host frames each encoder costs a CUDA context, a quarter of a second with a real driver.
// There, only one of so many sizes, or calls, is tried.
#ifdef VIDCONV_CUDA_DOUBLE
constexpr int host_step = 1;
#else
constexpr int host_step = 13;
#endif

// Loads the doubles. Skips if libavcodec has no NVENC or, in a build with CUDA, if there is no
// driver for it.
class NvencTest : public testing::Test {
 protected:
  void SetUp() override;
  // Checks that nothing is left open, whatever happened.
  void TearDown() override;

  NvencDouble& nvenc() const { return *double_; }

  // Filters with `chain` into a file, on the CPU, or on the device with frames that stay there.
  RunResult filter(Device device, const std::string& input, const std::string& output,
                   SinkOptions options, const std::vector<std::string>& chain = {"sobel"},
                   SourceOptions source_options = {}, decltype(&run) how = run);
  // Checks that the file holds what the CPU makes of the input, sample for sample.
  void expect_pictures_of(const std::string& input, const std::string& output,
                          const std::vector<std::string>& chain = {"sobel"});
  // Checks, for each call of NVENC's that fails, that an error leaves the former file, or that the
  // new one is right.
  void fail_at_every_call(Device device);

  TempDir dir_;

 private:
  NvencDouble* double_ = nullptr;
};

}  // namespace vidconv::test
