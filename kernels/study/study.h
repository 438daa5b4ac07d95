// The study variants, for the table in study.cpp. Each is a short file that shows one published way
// to compute a convolution; docs/study.md tells which system each comes from.
#pragma once

#include <memory>

#include "kernels/convolve.h"

namespace vidconv::study {

std::unique_ptr<Convolver> make_naive(const Plan&, int threads);
std::unique_ptr<Convolver> make_openmp(const Plan&, int threads);
bool supports_openmp_simd(const Plan&);
std::unique_ptr<Convolver> make_openmp_simd(const Plan&, int threads);

}  // namespace vidconv::study
