// The CUDA variants, for the table in kernels/variants/variants.cpp; their definitions say which
// plans each supports. `threads` is ignored; the convolver belongs to the device that is current.
#pragma once

#include <memory>

#include "kernels/convolver/convolver.h"

namespace vidconv::cuda {

bool supports_copy(const Plan&);
std::unique_ptr<Convolver> make_copy(const Plan&, int threads);

bool supports_fill(const Plan&);
std::unique_ptr<Convolver> make_fill(const Plan&, int threads);

std::unique_ptr<Convolver> make_mosaic(const Plan&, int threads);

std::unique_ptr<Convolver> make_conv_time(const Plan&, int threads);

std::unique_ptr<Convolver> make_conv_volume(const Plan&, int threads);

std::unique_ptr<Convolver> make_weighted_means(const Plan&, int threads);

bool supports_pairwise(const Plan&);
std::unique_ptr<Convolver> make_pairwise(const Plan&, int threads);
// Makes cuda-pairwise's kernels for squares; returns nullptr where they cannot take the plan.
std::unique_ptr<Convolver> make_pairwise_square(const Plan&);

bool supports_dense_imma(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_imma(const Plan&, int threads);

bool supports_dense_imma_wide(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_imma_wide(const Plan&, int threads);

bool supports_separable_imma(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_separable_imma(const Plan&, int threads);

bool supports_separable_short(const Plan&);
std::unique_ptr<Convolver> make_separable_short(const Plan&, int threads);

bool supports_separable_f32(const Plan&);
std::unique_ptr<Convolver> make_separable_f32(const Plan&, int threads);

bool supports_separable_f32_long(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_separable_f32_long(const Plan&, int threads);

bool supports_separable_long(const Plan&);
std::unique_ptr<Convolver> make_separable_long(const Plan&, int threads);

bool supports_separable_u16(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_separable_u16(const Plan&, int threads);

bool supports_separable_pixels(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_separable_pixels(const Plan&, int threads);

bool supports_separable_small(const Plan&);
std::unique_ptr<Convolver> make_separable_small(const Plan&, int threads);

bool supports_separable(const Plan&);
std::unique_ptr<Convolver> make_separable(const Plan&, int threads);

bool supports_dense_rows(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_rows(const Plan&, int threads);

bool supports_dense_small(const Plan&);
std::unique_ptr<Convolver> make_dense_small(const Plan&, int threads);

bool supports_dense_fft(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_fft(const Plan&, int threads);

bool supports_dense_f32_wide(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_f32_wide(const Plan&, int threads);

bool supports_dense_f32(const Plan&, const CudaAbilities&);
std::unique_ptr<Convolver> make_dense_f32(const Plan&, int threads);

bool supports_dense(const Plan&);
std::unique_ptr<Convolver> make_dense(const Plan&, int threads);

}  // namespace vidconv::cuda
