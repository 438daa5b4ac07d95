// A differential test: every CPU variant of a plan, with every instruction set of this machine,
// must give the bytes of the reference. The input determines the samples, the border, the size, the
// filter, and the picture's content.
#include "kernels/cpu/simd/simd.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/runner.h"
#include "tests/sample_types.h"

namespace {

using namespace vidconv;
using namespace vidconv::test;

constexpr std::size_t header_bytes = 8, most_taps = 400;
constexpr int most_width = 150, most_height = 40;

struct Job {
  SampleType sample;
  Border border;
  Role role;
  Codes codes;
  int width, height;
  Arrangement arrangement;
  std::string_view filter;
  std::string_view content;  // bytes of samples, repeated
};

Job job_of(std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  Job job{
      .sample = all_sample_types[byte(0) % std::size(all_sample_types)],
      .border = {all_borders[byte(1) % std::size(all_borders)], byte(2) / 255.0},
      .role = byte(3) & 1 ? Role::chroma : Role::colour,
      .codes = byte(3) & 2 ? Codes::limited : Codes::all,
      .width = 1 + byte(4) % most_width,
      .height = 1 + byte(5) % most_height,
      .arrangement = {
          .step = 1 + byte(6) % 4, .row_padding = byte(7) % 70, .bottom_up = (byte(3) & 4) != 0}};
  bytes.remove_prefix(header_bytes);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  job.filter = bytes.substr(0, end);
  job.content = bytes.substr(std::min(end + 1, bytes.size()));
  return job;
}

Picture picture_of(const Job& job) {
  Picture picture(job.sample, job.width, job.height, job.arrangement, 1);
  picture.draw(Content::noise, 7);
  const double full = job.sample.storage == Storage::f32
                          ? 1.0
                          : static_cast<double>((std::uint64_t{1} << job.sample.depth) - 1);
  std::size_t at = 0;
  if (!job.content.empty())
    for (int y = 0; y < job.height; ++y)
      for (int x = 0; x < job.width; ++x) {
        const double share =
            static_cast<std::uint8_t>(job.content[at++ % job.content.size()]) / 255.0;
        picture.set(x, y,
                    job.sample.storage == Storage::f32
                        ? share
                        : static_cast<double>(static_cast<std::int64_t>(share * full)));
      }
  return picture;
}

void compare_all(const Job& job, const Plan& plan) {
  const Picture source = picture_of(job);
  const Picture blank(job.sample, job.width, job.height, job.arrangement, 2);
  const Picture truth = expected(plan, source, blank);
  for (const Plan& way : ways(plan))
    for (const Variant& variant : variants()) {
      if (variant.device != Device::cpu || !variant.takes(job.width, job.height)) continue;
      for (const SimdLevel level : simd_levels()) {
        force_simd(level);
        Picture result = blank;
        const bool taken = supports(variant, way);  // some have no code for older processors
        if (taken) Runner(variant, way).run(source, result);
        force_simd(0);
        if (!taken) continue;
        if (result.bytes() == truth.bytes()) continue;
        std::cerr << variant.name << " differs from the definition at SIMD level " << level << ": '"
                  << job.filter << "', " << job.sample.depth << " bits, " << job.width << "x"
                  << job.height << '\n';
        std::abort();
      }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < header_bytes) return 0;
  const Job job = job_of({reinterpret_cast<const char*>(data), size});
  if (job.filter.starts_with("file:") || job.filter.find('@') != job.filter.npos ||
      job.filter.find("mask=") != job.filter.npos)
    return 0;  // files are left to other targets
  try {
    const Filter filter = FilterSpec::parse(job.filter).make();
    std::size_t taps = 0;
    for (const Kernel& kernel : filter.kernels) taps += kernel.taps().size();
    if (taps > most_taps) return 0;
    compare_all(job, make_plan(filter, job.sample, job.border, job.role, job.codes));
  } catch (const SpecError&) {
  }
  return 0;
}
