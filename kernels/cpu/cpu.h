// The CPU variants, for the table in kernels/variants/variants.cpp. All give the bytes of the
// reference.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// The output is the input.
bool cpu_copy_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_copy(const Plan& plan, int threads);

// The output does not depend on the input: by a plan that fills, or because all taps are 0.
bool cpu_fill_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_fill(const Plan& plan, int threads);

// Means of blocks.
std::unique_ptr<Convolver> make_cpu_mosaic(const Plan& plan, int threads);

// Linear integer matrices of 3x3 whose sums fit 16 bits.
Prepared prepare_cpu_matrix16(const Plan& plan, const CudaAbilities&);

// 3x3 sums of samples, all alike or 1 2 1 in both directions, that fit 16 bits.
Prepared prepare_cpu_smooth(const Plan& plan, const CudaAbilities&);
Prepared prepare_cpu_blur3(const Plan& plan, const CudaAbilities&);

// The length of Sobel's gradient.
Prepared prepare_cpu_sobel(const Plan& plan, const CudaAbilities&);

// Linear integer plans whose taps are all the same: sums carried from row to row.
Prepared prepare_cpu_running(const Plan& plan, const CudaAbilities&);

// Two passes of 3, 5 or 7 taps over 16 bits or floats, in floats, on AVX2 and AVX-512.
Prepared prepare_cpu_fused(const Plan& plan, const CudaAbilities&);

// Floats under equal taps: sums of two sums each.
Prepared prepare_cpu_pairwise(const Plan& plan, const CudaAbilities&);

// The same of up to 16x16 taps, in registers, on AVX-512.
Prepared prepare_cpu_fused_box(const Plan& plan, const CudaAbilities&);

// One matrix of integer taps on 8-bit samples: up to four multiply-adds an instruction lane.
Prepared prepare_cpu_bytes(const Plan& plan, const CudaAbilities&);

// One matrix of taps of a byte on 8-bit samples: two multiply-adds an instruction lane of 16 bits.
Prepared prepare_cpu_pairs(const Plan& plan, const CudaAbilities&);

// Two passes of integers, of a row that is the same from both ends: half as many multiply-adds.
Prepared prepare_cpu_passes(const Plan& plan, const CudaAbilities&);

// Integer plans whose taps and intermediates fit 16 bits: two multiply-adds an instruction lane.
Prepared prepare_cpu_int16(const Plan& plan, const CudaAbilities&);

// One large matrix, of integer taps or over floats: sums by Fourier transforms.
Prepared prepare_cpu_fft(const Plan& plan, const CudaAbilities&);

// Every plan of multiply-adds, in lanes of its own arithmetic.
bool cpu_lanes_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_lanes(const Plan& plan, int threads);

}  // namespace vidconv
