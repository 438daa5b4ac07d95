// The CPU variants, for the table in kernels/variants/variants.cpp. All give the bytes of the
// reference.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// For plans whose output is the input.
bool cpu_copy_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_copy(const Plan& plan, int threads);

// For plans whose output does not depend on the input.
bool cpu_fill_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_fill(const Plan& plan, int threads);

// Computes means of blocks.
std::unique_ptr<Convolver> make_cpu_mosaic(const Plan& plan, int threads);

// Linear integer matrices of 3x3 whose sums fit 16 bits.
Prepared prepare_cpu_conv3x3_int16(const Plan& plan, const CudaAbilities&);

// Sums of 3x3 to 7x7 samples with equal taps or 1 2 1 or 1 4 6 4 1 in both directions; and blurs by
// p, 1 - 2p, p in both directions, in 16 bits.
Prepared prepare_cpu_box_binomial_int(const Plan& plan, const CudaAbilities&);
Prepared prepare_cpu_blur3x3_int16(const Plan& plan, const CudaAbilities&);

// The length of Sobel's gradient, or the size of one of its parts.
Prepared prepare_cpu_sobel(const Plan& plan, const CudaAbilities&);

// Linear integer plans whose taps are all equal: sums carried from row to row.
Prepared prepare_cpu_box_int_running(const Plan& plan, const CudaAbilities&);

// Two passes of 3, 5 or 7 taps over 16 bits or floats, in floats, on AVX2 and AVX-512.
Prepared prepare_cpu_separable_f32(const Plan& plan, const CudaAbilities&);

// Equal taps over floats: sums of two sums each.
Prepared prepare_cpu_box_f32_pairwise(const Plan& plan, const CudaAbilities&);

// Equal taps over floats, up to 16x16 of them, in registers, on AVX-512.
Prepared prepare_cpu_box_f32_avx512(const Plan& plan, const CudaAbilities&);

// One matrix of integer taps on 8-bit samples: up to four multiply-adds a lane and instruction.
Prepared prepare_cpu_conv_u8_vnni(const Plan& plan, const CudaAbilities&);

// One matrix of byte taps on 8-bit samples: two multiply-adds a 16-bit lane and instruction.
Prepared prepare_cpu_conv_u8_avx2(const Plan& plan, const CudaAbilities&);

// Two passes of integers with a symmetric row: half as many multiply-adds.
Prepared prepare_cpu_separable_int_avx2(const Plan& plan, const CudaAbilities&);

// Integer plans whose taps and intermediates fit 16 bits: two multiply-adds a lane and instruction.
Prepared prepare_cpu_conv_int16(const Plan& plan, const CudaAbilities&);

// One large matrix, of integer taps or over floats: sums by Fourier transforms.
Prepared prepare_cpu_fft(const Plan& plan, const CudaAbilities&);

// Plans over time.
Prepared prepare_cpu_conv_time(const Plan& plan, const CudaAbilities&);

// Plans over time, columns and rows.
Prepared prepare_cpu_conv_volume(const Plan& plan, const CudaAbilities&);
// One product of passes that is larger than a matrix may be.
Prepared prepare_cpu_separable_long(const Plan& plan, const CudaAbilities&);

// Means of samples that count by weights.
Prepared prepare_cpu_weighted_means(const Plan& plan, const CudaAbilities&);

// Every plan of multiply-adds, in lanes of its own arithmetic.
bool cpu_generic_supports(const Plan& plan);
std::unique_ptr<Convolver> make_cpu_generic(const Plan& plan, int threads);

}  // namespace vidconv
