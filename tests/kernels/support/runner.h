// Runs any variant on test pictures, wherever it computes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {

// Returns the variants that this machine can run, study variants too: those of the CPU, and those
// of CUDA where there is a device; of them those that take planes of the size. Where CUDA is
// required (--require-cuda, VIDCONV_REQUIRE_CUDA=1) main() has made sure of it.
// VIDCONV_TEST_VARIANTS=PREFIX keeps only variants whose names begin so, e.g. a new one in the
// making; NAME$ keeps that one.
std::vector<const Variant*> runnable_variants(int width = 1, int height = 1);

// Whether the variant supports the plan, on the first device where it is one of CUDA.
bool supports(const Variant& variant, const Plan& plan);

// Makes a convolver of a plan that the variant supports, for one thread or the first device.
std::unique_ptr<Convolver> convolver_of(const Variant& variant, const Plan& plan);

// Whether the build has CUDA variants and the machine a device for them.
bool cuda_works();
int cuda_devices();

// Makes runners that this thread creates from now on use the device cuda:`index`; before, they use
// the first.
void use_cuda_device(int index);

// A convolver that takes pictures in host memory.
class Runner {
 public:
  Runner(const Variant& variant, const Plan& plan, int threads = 1);
  ~Runner();

  // Writes the component of `dst` and nothing else: every other byte of its allocation is carried
  // along, so that a variant that writes elsewhere is caught.
  void run(const Picture& src, Picture& dst);
  // Runs several planes in one call of the convolver.
  void run(const std::vector<Picture>& sources, std::vector<Picture>& results);

 private:
  class DeviceMemory;
  void run(std::span<const Picture* const> sources, std::span<Picture* const> results);
  Device device_;
  std::unique_ptr<Convolver> convolver_;
  std::unique_ptr<DeviceMemory> memory_;
};

// Returns the variant that the others are compared with for `plan`: the definition. Where only
// CUDA's are tried (VIDCONV_TEST_VARIANTS), the definition at every size would take hours: there it
// is the variant that a CPU picks, which the same tests compare with the definition on a CPU, and
// the definition for each eighth plan.
const Variant& oracle_of(const Plan& plan);

// Returns the oracle's result for `src`, in a copy of `dst`.
Picture expected(const Plan& plan, const Picture& src, const Picture& dst);

}  // namespace vidconv::test
