// The study variants, for the table in study.cpp. Each is a short file that shows one published way
// to compute a convolution; docs/study.md says which system each comes from.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// Variants to learn from (docs/study.md), each a published way to compute a convolution. pick()
// never chooses them.
std::span<const Variant> study_variants();

// Finds a variant among these and those that serve users; returns nullptr where none has that name.
const Variant* find_any_variant(std::string_view name);

}  // namespace vidconv

namespace vidconv::study {

std::unique_ptr<Convolver> make_naive(const Plan&, int threads);
std::unique_ptr<Convolver> make_separable(const Plan&, int threads);
std::unique_ptr<Convolver> make_openmp(const Plan&, int threads);
bool supports_openmp_simd(const Plan&);
std::unique_ptr<Convolver> make_openmp_simd(const Plan&, int threads);

// Taps and samples in different memories.
std::unique_ptr<Convolver> make_cuda_global(const Plan&, int);
std::unique_ptr<Convolver> make_cuda_readonly(const Plan&, int);
bool supports_cuda_constant(const Plan&);
std::unique_ptr<Convolver> make_cuda_constant(const Plan&, int);
std::unique_ptr<Convolver> make_cuda_texture(const Plan&, int);
bool supports_cuda_tile(const Plan&);
std::unique_ptr<Convolver> make_cuda_tile(const Plan&, int);
bool supports_cuda_flat(const Plan&);
std::unique_ptr<Convolver> make_cuda_flat(const Plan&, int);
bool supports_cuda_shape(const Plan&, int width, int height);
std::unique_ptr<Convolver> make_cuda_shape(const Plan&, int width, int height);

// Two passes.
std::unique_ptr<Convolver> make_cuda_separable(const Plan&, int);
bool supports_cuda_separable_flat(const Plan&);
std::unique_ptr<Convolver> make_cuda_separable_flat(const Plan&, int);
std::unique_ptr<Convolver> make_cuda_padded(const Plan&, int);
inline constexpr int single_block_side = 32;
std::unique_ptr<Convolver> make_cuda_block(const Plan&, int);

// One dimension.
bool supports_cuda_row(const Plan&);
std::unique_ptr<Convolver> make_cuda_row(const Plan&, int);
std::unique_ptr<Convolver> make_cuda_row_tiled(const Plan&, int);
bool supports_cuda_column(const Plan&);
std::unique_ptr<Convolver> make_cuda_column(const Plan&, int);

// Other questions.
bool supports_cuda_double(const Plan&);
std::unique_ptr<Convolver> make_cuda_double(const Plan&, int);
std::unique_ptr<Convolver> make_cuda_interleaved(const Plan&, int);
std::unique_ptr<Convolver> make_load_sync(const Plan&, int);
std::unique_ptr<Convolver> make_load_async(const Plan&, int);

}  // namespace vidconv::study
