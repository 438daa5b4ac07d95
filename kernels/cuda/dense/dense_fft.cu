// cuda-dense-fft: a matrix of floats whose sums are in double, by Fourier transforms
// (dense_fft.cuh). Here the matrix is cut, and the spectra of its pieces are computed.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/dense/dense_fft.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_fft_kernels {
namespace {

using namespace dense_fft;

constexpr int levels = 12;           // levels of transforms in both directions
constexpr int largest = 48;          // taps on a side of a piece: leaves 17x17 results
constexpr int largest_of_some = 33;  // taps on a side of one of several pieces: leaves 32x32

// Decides where the taps are cut, and how many results a tile has.
void lay_out(const Taps& taps, Work& work) {
  const auto cut = [](int taps_on_side, int most) { return (taps_on_side + most - 1) / most; };
  const bool several = taps.width > largest || taps.height > largest;
  const int most = several ? largest_of_some : largest;
  work.pieces_across = cut(taps.width, most);
  work.pieces = work.pieces_across * cut(taps.height, most);
  work.piece_width = cut(taps.width, work.pieces_across);
  work.piece_height = cut(taps.height, work.pieces / work.pieces_across);
  work.results_width = points - work.piece_width + 1;
  work.results_height = points - work.piece_height + 1;
  // The last steps take columns by the lanes of a warp: a few columns more than lanes have cost as
  // much as twice as many, and are left to the next tile.
  if (several || (work.results_width > lanes && work.results_width < lanes + lanes / 4))
    work.results_width = lanes;
  if (several) work.results_height = std::min(work.results_height, most_results_of_some);
}

std::vector<Taps> pieces_of(const Taps& taps, const Work& work) {
  std::vector<Taps> pieces;
  for (int y = 0; y < taps.height; y += work.piece_height) {
    for (int x = 0; x < taps.width; x += work.piece_width) {
      Taps& piece = pieces.emplace_back();
      piece.width = std::min(work.piece_width, taps.width - x);
      piece.height = std::min(work.piece_height, taps.height - y);
      for (int j = y; j < y + piece.height; ++j) {
        const auto row = taps.dense.begin() + std::ptrdiff_t{j} * taps.width + x;
        piece.dense.insert(piece.dense.end(), row, row + piece.width);
      }
    }
  }
  return pieces;
}

// Computes the spectrum of the taps, turned around, so that a cyclic convolution with them is the
// correlation, and divided by the factor that transforms there and back multiply by.
void make_spectrum(const Taps& taps, Complex* tile) {
  constexpr double scale = 1.0 / (points * points);
  const double* tap = taps.dense.data();
  for (int j = 0; j < taps.height; ++j)
    for (int i = 0; i < taps.width; ++i)
      tile[(points - i) % points * points + (points - j) % points].real = *tap++ * scale;
  const std::array<Complex, points> factors = fft64_factors();
  for (int x = 0; x < points; ++x) fft64_forward(tile + x * points, 1, factors);
  for (int y = 0; y < points; ++y) fft64_forward(tile + y, points, factors);
}

DeviceArray<Complex> spectra_of(const std::vector<Taps>& pieces) {
  constexpr std::size_t size = std::size_t{points} * points;
  std::vector<Complex> spectra(pieces.size() * size);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    make_spectrum(pieces[i], spectra.data() + i * size);
  return DeviceArray<Complex>(std::span<const Complex>(spectra));
}

template <bool several>
class DenseFft final : public Convolver {
  static constexpr auto kernel = dense_fft_kernel<several>;

 public:
  DenseFft(const Plan& plan, const Work& layout)
      : work_(layout), taps_(std::span(plan.terms[0].dense)) {
    const Taps& taps = plan.terms[0];
    const std::vector<Taps> pieces = pieces_of(taps, work_);
    spectra_.emplace(spectra_of(pieces));
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    std::ranges::copy(fft64_factors(), work_.factors);
    work_.spectra = spectra_->data();
    work_.taps = taps_.data();
    work_.width = taps.width, work_.height = taps.height;
    work_.anchor_x = taps.anchor_x, work_.anchor_y = taps.anchor_y;
    for (const Taps& piece : pieces)
      work_.error = std::max(
          work_.error, error_of_matrix(piece, levels, taps.width + taps.height + work_.pieces));
    allow_shared_memory("cuda-dense-fft", kernel, shared_bytes);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(
        pairs, 2 * work_.results_width, work_.results_height, [&](const Batch& batch, int blocks) {
          work_.batch = batch;
          launch("cuda-dense-fft", kernel, blocks, dim3(lanes, warps), shared_bytes, stream, work_);
        });
  }

 private:
  Work work_;
  DeviceArray<double> taps_;
  std::optional<DeviceArray<Complex>> spectra_;
};

}  // namespace
}  // namespace dense_fft_kernels

bool supports_dense_fft(const Plan& plan, const CudaAbilities& abilities) {
  using namespace dense_fft_kernels;
  return plan.sample.storage == Storage::f32 && plan.arith == Arith::float64 &&
         plan.terms.size() == 1 && plan.components == 1 && supports_dense(plan) &&
         plan.finish.combine == Combine::linear && abilities.sm80();
}

std::unique_ptr<Convolver> make_dense_fft(const Plan& plan, int) {
  using namespace dense_fft_kernels;
  Work layout{};
  lay_out(plan.terms[0], layout);
  if (layout.pieces > 1) return std::make_unique<DenseFft<true>>(plan, layout);
  return std::make_unique<DenseFft<false>>(plan, layout);
}

}  // namespace vidconv::cuda
