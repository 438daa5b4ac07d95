#include "kernels/variants/variants.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/reference.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/variants.h"
#include "kernels/cuda/variants.h"
#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/whole_pixels.h"
#endif

namespace vidconv {
namespace {

bool any_plan(const Plan&) { return true; }
bool is_mosaic(const Plan& plan) { return plan.operation() == Operation::mosaic; }
#ifdef VIDCONV_HAVE_CUDA
bool is_weighted(const Plan& plan) { return plan.operation() == Operation::weighted; }
#endif

#ifdef VIDCONV_HAVE_CUDA
bool is_row_over_time(const Plan& plan) {
  return plan.operation() == Operation::over_time && plan.plane_rows() == 0;
}
bool is_volume(const Plan& plan) {
  return plan.operation() == Operation::over_time && plan.plane_rows() > 0;
}

// Prepares as prepare_if() does, but takes interleaved components together, except floats
// (interleaved()).
template <auto supports, std::unique_ptr<Convolver> (*make)(const Plan&, int threads)>
Prepared prepare_cuda(const Plan& plan, const CudaAbilities& abilities) {
  Prepared separate = prepare_if<supports, make>(plan, abilities);
  if (!separate || plan.sample.storage == Storage::f32) return separate;
  return [plan, abilities, separate = std::move(separate)](int threads) {
    return cuda::with_whole_pixels(plan, abilities, separate(threads));
  };
}
#endif

constexpr Variant table[] = {
    {.name = "cpu-copy",
     .description = "rows copied",
     .device = Device::cpu,
     .prepare_plan = prepare_if<cpu_copy_supports, make_cpu_copy>,
     .only_sums = false},
    {.name = "cpu-fill",
     .description = "rows of one value",
     .device = Device::cpu,
     .prepare_plan = prepare_if<cpu_fill_supports, make_cpu_fill>,
     .only_sums = false},
    {.name = "cpu-mosaic",
     .description = "means of blocks, sums of columns first; threads",
     .device = Device::cpu,
     .prepare_plan = prepare_if<is_mosaic, make_cpu_mosaic>,
     .only_sums = false},
    {"cpu-box-binomial-int",
     "SIMD, sums of up to 7x7 samples, 1 2 1 and 1 4 6 4 1 in 16 bits; threads", Device::cpu,
     prepare_cpu_box_binomial_int},
    {"cpu-blur3x3-int16", "SIMD, both passes of a blur of 3 taps at once in 16 bits; threads",
     Device::cpu, prepare_cpu_blur3x3_int16},
    {"cpu-box-int-running", "SIMD, running sums of equal taps; threads", Device::cpu,
     prepare_cpu_box_int_running},
    {"cpu-box-f32-avx512", "SIMD with AVX-512, boxes of 6x6 to 16x16 floats in registers; threads",
     Device::cpu, prepare_cpu_box_f32_avx512},
    {"cpu-box-f32-pairwise", "SIMD, equal taps of floats, sums of sums; threads", Device::cpu,
     prepare_cpu_box_f32_pairwise},
    {"cpu-fft", "SIMD, sums of large matrices by Fourier transforms; threads", Device::cpu,
     prepare_cpu_fft},
    {"cpu-sobel", "SIMD, length of Sobel's 3x3 gradient; threads", Device::cpu, prepare_cpu_sobel},
    {"cpu-conv3x3-int16", "SIMD, matrices of 3x3 whose sums fit 16 bits; threads", Device::cpu,
     prepare_cpu_conv3x3_int16},
    {"cpu-conv-u8-vnni", "SIMD with VNNI, dot products of 8-bit samples; threads", Device::cpu,
     prepare_cpu_conv_u8_vnni},
    {"cpu-conv-u8-avx2", "SIMD with AVX2, products of pairs of 8-bit samples; threads", Device::cpu,
     prepare_cpu_conv_u8_avx2},
    {"cpu-separable-int-avx2", "SIMD with AVX2, two passes of integers, symmetric rows; threads",
     Device::cpu, prepare_cpu_separable_int_avx2},
    {"cpu-conv-int16", "SIMD, 16-bit multiply-adds into 32 bits; threads", Device::cpu,
     prepare_cpu_conv_int16},
    {"cpu-separable-f32",
     "SIMD with AVX2 or AVX-512, both passes of 3 to 7 taps at once in floats, 3x3 of floats; "
     "threads",
     Device::cpu, prepare_cpu_separable_f32},
    {"cpu-separable-long", "SIMD, two passes of up to 8191 taps, one after the other; threads",
     Device::cpu, prepare_cpu_separable_long},
    {"cpu-generic", "SIMD, int32, float or double lanes; threads", Device::cpu,
     prepare_if<cpu_generic_supports, make_cpu_generic>},
    {.name = "cpu-conv-time",
     .description = "SIMD, over frames; long means are carried from frame to frame; threads",
     .device = Device::cpu,
     .prepare_plan = prepare_cpu_conv_time,
     .only_sums = false},
    {.name = "cpu-conv-volume",
     .description =
         "SIMD, over frames and pixels; products of a row over frames and a plane in two "
         "steps; threads",
     .device = Device::cpu,
     .prepare_plan = prepare_cpu_conv_volume,
     .only_sums = false},
    {.name = "cpu-weighted-means",
     .description = "SIMD, means that count by alpha, in double lanes; threads",
     .device = Device::cpu,
     .prepare_plan = prepare_cpu_weighted_means,
     .only_sums = false},
#ifdef VIDCONV_HAVE_CUDA
    {.name = "cuda-copy",
     .description = "vectors copied",
     .device = Device::cuda,
     .prepare_plan = prepare_cuda<cuda::supports_copy, cuda::make_copy>,
     .only_sums = false},
    {.name = "cuda-fill",
     .description = "vectors of one value",
     .device = Device::cuda,
     .prepare_plan = prepare_cuda<cuda::supports_fill, cuda::make_fill>,
     .only_sums = false},
    {.name = "cuda-mosaic",
     .description = "means of blocks, each by one warp",
     .device = Device::cuda,
     .prepare_plan = prepare_if<is_mosaic, cuda::make_mosaic>,
     .only_sums = false},
    {.name = "cuda-conv-time",
     .description = "over frames, each of them read once",
     .device = Device::cuda,
     .prepare_plan = prepare_if<is_row_over_time, cuda::make_conv_time>,
     .only_sums = false},
    {.name = "cuda-conv-volume",
     .description = "over frames and pixels, through shared memory; products in two steps",
     .device = Device::cuda,
     .prepare_plan = prepare_if<is_volume, cuda::make_conv_volume>,
     .only_sums = false},
    {.name = "cuda-weighted-means",
     .description = "means that count by alpha, a sample a thread",
     .device = Device::cuda,
     .prepare_plan = prepare_if<is_weighted, cuda::make_weighted_means>,
     .only_sums = false},
    {"cuda-pairwise", "equal taps of floats, sums of sums; squares up to 31 in one kernel",
     Device::cuda, prepare_cuda<cuda::supports_pairwise, cuda::make_pairwise>},
    {"cuda-dense-imma", "integers, one or two matrices of up to 9x9, tensor cores", Device::cuda,
     prepare_cuda<cuda::supports_dense_imma, cuda::make_dense_imma>},
    {"cuda-separable-short", "8 bits, integer passes of up to 3 taps, 16-bit dot products",
     Device::cuda, prepare_cuda<cuda::supports_separable_short, cuda::make_separable_short>},
    {"cuda-separable-u16", "16 bits, two passes of up to 31 taps in float, 7 in integers, unrolled",
     Device::cuda, prepare_cuda<cuda::supports_separable_u16, cuda::make_separable_u16>},
    {"cuda-separable-imma", "integer passes of up to 49 taps, tensor cores", Device::cuda,
     prepare_cuda<cuda::supports_separable_imma, cuda::make_separable_imma>},
    {"cuda-separable-f32", "float, two passes of up to 17 taps, unrolled", Device::cuda,
     prepare_cuda<cuda::supports_separable_f32, cuda::make_separable_f32>},
    {"cuda-separable-f32-long", "float, two passes of 19 to 33 taps, unrolled", Device::cuda,
     prepare_cuda<cuda::supports_separable_f32_long, cuda::make_separable_f32_long>},
    {"cuda-separable-small", "integer passes of up to 31 taps, unrolled", Device::cuda,
     prepare_cuda<cuda::supports_separable_small, cuda::make_separable_small>},
    {"cuda-dense-rows", "16 bits in float, up to 9x9; floats to 7x7; gradients of 3x3; unrolled",
     Device::cuda, prepare_cuda<cuda::supports_dense_rows, cuda::make_dense_rows>},
    {"cuda-dense-small", "one or two matrices of up to 9x9, unrolled", Device::cuda,
     prepare_cuda<cuda::supports_dense_small, cuda::make_dense_small>},
    {"cuda-separable-long", "two passes of 31 to 8191 taps, in two kernels", Device::cuda,
     prepare_cuda<cuda::supports_separable_long, cuda::make_separable_long>},
    {"cuda-separable", "two passes of up to 513 taps in one kernel", Device::cuda,
     prepare_cuda<cuda::supports_separable, cuda::make_separable>},
    {"cuda-dense-imma-wide", "integers, one matrix of up to 49x49, tensor cores", Device::cuda,
     prepare_cuda<cuda::supports_dense_imma_wide, cuda::make_dense_imma_wide>},
    {"cuda-dense-fft", "float, sums in double, one matrix, Fourier transforms", Device::cuda,
     prepare_cuda<cuda::supports_dense_fft, cuda::make_dense_fft>},
    {"cuda-dense-f32-wide", "float, one matrix of 11 to 31 columns, unrolled", Device::cuda,
     prepare_cuda<cuda::supports_dense_f32_wide, cuda::make_dense_f32_wide>},
    {"cuda-dense-f32", "float, one matrix of fewer than 441 taps", Device::cuda,
     prepare_cuda<cuda::supports_dense_f32, cuda::make_dense_f32>},
    {"cuda-dense", "matrices of any size", Device::cuda,
     prepare_cuda<cuda::supports_dense, cuda::make_dense>},
#endif
    {.name = "reference",
     .description = "the definition: plain loops; OpenMP",
     .device = Device::cpu,
     .prepare_plan = prepare_if<any_plan, make_reference>,
     .only_sums = false},
};

}  // namespace

std::span<const Variant> variants() { return table; }

Choice pick(const Plan& plan, Device device, const CudaAbilities& abilities) {
  require_simd();
  for (const Variant& variant : table) {
    if (variant.device != device) continue;
    if (Prepared prepared = variant.prepare(plan, abilities))
      return {&variant, std::move(prepared)};
  }
  throw std::invalid_argument("this build has no variant for that device");
}

#ifdef VIDCONV_HAVE_CUDA
CudaAbilities cuda_abilities(int index) { return {cuda::device_generation(index)}; }
#else
CudaAbilities cuda_abilities(int) { return {}; }
#endif

const Variant* find_variant(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Variant::name);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace vidconv
