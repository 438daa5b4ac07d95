// The variant for large matrices: sums by Fourier transforms. Sums of integers are integers, and
// the transforms' errors stay below 1/4 (fft_plan.cpp), so rounding gives each sum exactly. Sums of
// floats are in double, with a known error: almost always, all values within it round to the same
// float, and where they do not, the sum is added up in the definition's order. So the bytes are
// those of any other variant.
//
// A picture is cut into tiles that overlap by the kernel (overlap-save); two tiles, as real and
// imaginary parts, are transformed at once. Each thread has two tiles of its own, unless they are
// large: then all threads work on the same two, so that memory does not grow with their number.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/windows_in_turn.h"
#include "kernels/cpu/fft/fft_plan.h"
#include "kernels/cpu/fft/fft_tile.h"
#include "kernels/cpu/variants.h"
#include "kernels/plan/transform_error.h"

namespace vidconv {
namespace {

// The scratch memory of one thread.
struct FftScratch {
  FftTile tile;
  AlignedArray<double> lines;
  AlignedArray<double> sums[2];  // sums over the pieces so far
  AlignedArray<float> samples;   // a row of results, of any type
};

class Fft final : public Convolver {
 public:
  Fft(const Plan& plan, FftPlan fft, int threads)
      : plan_(plan),
        shape_(shape_of(plan, fft)),
        piece_bits_(fft.piece_bits),
        error_(fft.error),
        pool_(shared_thread_pool(threads)),
        scratch_(WindowsInTurn::of<FftScratch>(threads)) {
    make_room();
    for (const std::vector<double>& piece : fft.pieces) spectra_.push_back(spectrum_of(piece));
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    tiles_.clear();
    for (const PlanePair& pair : pairs)
      for (int y = 0; y < pair.dst.height; y += shape_.results_height)
        for (int x = 0; x < pair.dst.width; x += shape_.results_width)
          tiles_.push_back({&pair, x, y});
    make_room();
    const auto two = [&](int index, const auto& in_groups, FftScratch& scratch) {
      const std::size_t first = static_cast<std::size_t>(index) * 2;
      compute(std::span(tiles_).subspan(first, std::min<std::size_t>(2, tiles_.size() - first)),
              in_groups, scratch);
    };
    const int twos = static_cast<int>((tiles_.size() + 1) / 2);
    if (large()) {
      const auto shared = [&](int lines, const auto& step) {
        pool_->run((lines + fft_group - 1) / fft_group, [&](int group, int thread) {
          step(group * fft_group, (group + 1) * fft_group, scratch_of(thread));
        });
      };
      for (int index = 0; index < twos; ++index) two(index, shared, scratch_of(0));
    } else {
      pool_->run(twos, [&](int index, int thread) {
        FftScratch& scratch = scratch_of(thread);
        const auto alone = [&](int lines, const auto& step) {
          step(0, (lines + fft_group - 1) / fft_group * fft_group, scratch);
        };
        two(index, alone, scratch);
      });
    }
  }

 private:
  // The tile of results from (x, y) on.
  struct Tile {
    const PlanePair* pair;
    int x, y;
  };

  static FftShape shape_of(const Plan& plan, const FftPlan& fft) {
    const Taps& taps = plan.terms[0];
    return {FftTwiddles(fft.tile_width), FftTwiddles(fft.tile_height),
            fft.tile_width - taps.width + 1, fft.tile_height - taps.height + 1,
            plan.sample.storage == Storage::f32};
  }

  const Taps& taps() const { return plan_.terms[0]; }
  int width() const { return shape_.along.points; }
  int height() const { return shape_.down.points; }
  bool large() const { return width() * height() > 256 * 256; }
  FftScratch& scratch_of(int thread) { return (*scratch_)[static_cast<std::size_t>(thread)]; }

  // Makes room again: other convolvers may have used the scratch in turn, for tiles of other
  // shapes.
  void make_room() {
    for (FftScratch& scratch : *scratch_) {
      scratch.lines.reserve(fft_lines(shape_));
      scratch.samples.reserve(width());
      if (&scratch == &scratch_of(0) || !large()) scratch.tile.reserve(shape_);
      if (spectra_.size() > 1)
        for (AlignedArray<double>& sums : scratch.sums)
          sums.reserve(std::ptrdiff_t{1} * shape_.results_width * shape_.results_height);
    }
  }

  // Returns the spectrum of the taps, turned around, so that a cyclic convolution with them is the
  // correlation, and divided by the factor of transforms there and back.
  AlignedArray<double> spectrum_of(const std::vector<double>& piece) {
    const FftScratch& scratch = scratch_of(0);
    const double scale = 1.0 / (width() * height());
    for (int y = 0; y < height(); ++y) std::fill_n(scratch.tile.real(y), 2 * width(), 0.0);
    const double* tap = piece.data();
    for (int j = 0; j < taps().height; ++j)
      for (int i = 0; i < taps().width; ++i)
        scratch.tile.real((height() - j) % height())[(width() - i) % width()] = *tap++ * scale;
    AlignedArray<double> spectrum(std::ptrdiff_t{2} * width() * height());
    fft_spectrum(shape_, scratch.tile, spectrum.get(), scratch.lines.get());
    return spectrum;
  }

  // `in_groups(lines, step)` calls step(first, last, scratch of the thread) for all lines, in
  // groups.
  template <class InGroups>
  void compute(std::span<const Tile> tiles, const InGroups& in_groups, FftScratch& own) {
    const FftTile& points = own.tile;
    in_groups(height(), [&](int first, int last, const FftScratch&) {
      for (std::size_t picture = 0; picture < 2; ++picture)
        for (int y = first; y < last; ++y)
          load(picture < tiles.size() ? &tiles[picture] : nullptr, points,
               static_cast<int>(picture), y);
    });
    const double error = shape_.floats ? error_of_sums(points) : 0;
    for (std::size_t p = 0; p < spectra_.size(); ++p) {
      in_groups(width(), [&](int first, int last, const FftScratch& scratch) {
        fft_down(shape_, points, scratch.lines.get(), first, last);
      });
      in_groups(height(), [&](int first, int last, const FftScratch& scratch) {
        fft_along(shape_, points, spectra_[p].get(), scratch.lines.get(), first, last);
      });
      in_groups(shape_.results_width, [&](int first, int last, const FftScratch& scratch) {
        fft_up(shape_, points, scratch.lines.get(), first, last);
      });
      if (spectra_.size() > 1) add_piece(points, static_cast<int>(p), own);
    }
    in_groups(shape_.results_height, [&](int first, int last, FftScratch& scratch) {
      for (int y = first; y < std::min(last, shape_.results_height); ++y) {
        for (std::size_t picture = 0; picture < tiles.size(); ++picture)
          store(tiles[picture], points, static_cast<int>(picture), y, error, scratch);
      }
    });
  }

  double error_of_sums(const FftTile& points) const {
    const double norm = fft_norm(shape_, points);
    return norm == 0 ? 0 : norm * error_ + least_error_of_sum;
  }

  // Adds a piece's sums to those of the pieces before, and leaves the totals in the tile.
  void add_piece(const FftTile& points, int p, FftScratch& own) {
    const double unit = std::ldexp(1.0, piece_bits_ * p);
    const int results = shape_.results_width;
    for (const AlignedArray<double>& sums : own.sums) {
      const bool real = &sums == own.sums;
      for (int y = 0; y < shape_.results_height; ++y) {
        double* const row = real ? points.real(y) : points.imaginary(y);
        double* const sum = sums.get() + std::ptrdiff_t{y} * results;
        for (int x = 0; x < results; ++x) {
          sum[x] = std::nearbyint(row[x]) * unit + (p > 0 ? sum[x] : 0);
          row[x] = sum[x];
        }
      }
    }
  }

  // Loads row y of a tile; zeros for no tile, and where no sample of the tile needs the row.
  void load(const Tile* tile, const FftTile& points, int picture, int y) const {
    switch (plan_.sample.storage) {
      case Storage::u8:
        return load<std::uint8_t>(tile, y, points.samples<std::uint16_t>(picture, y));
      case Storage::u16:
        return load<std::uint16_t>(tile, y, points.samples<std::uint16_t>(picture, y));
      case Storage::f32:
        return load<float>(tile, y, points.samples<float>(picture, y));
    }
  }

  // Loads stored samples as codes, or as they are.
  template <class T, class Sample>
  void load(const Tile* any_tile, int y, Sample* samples) const {
    std::fill_n(samples, width(), Sample{0});
    if (any_tile == nullptr) return;
    const Tile& tile = *any_tile;
    const Plane<const T> src = tile.pair->src.template as<const T>();
    const int rows = std::min(shape_.results_height, src.height - tile.y) + taps().height - 1;
    const int columns = std::min(shape_.results_width, src.width - tile.x) + taps().width - 1;
    if (y >= rows) return;
    const auto outside = static_cast<Sample>(plan_.outside);
    const int v = border_index(plan_.border, tile.y - taps().anchor_y + y, src.height);
    if (v < 0) {
      std::fill_n(samples, columns, outside);
      return;
    }
    const T* const row = src.row(v);
    const auto sample_of = [&](T stored) -> Sample {
      if constexpr (std::is_same_v<T, float>)
        return stored;
      else
        return static_cast<Sample>(stored >> plan_.sample.shift);
    };
    const auto sample = [&](int u) { return sample_of(row[std::ptrdiff_t{u} * src.step]); };
    const int left = tile.x - taps().anchor_x;
    const int begin = std::clamp(-left, 0, columns);
    const int end = std::clamp(src.width - left, begin, columns);
    const auto beyond = [&](int from, int to) {
      for (int x = from; x < to; ++x) {
        const int u = border_index(plan_.border, left + x, src.width);
        samples[x] = u < 0 ? outside : sample(u);
      }
    };
    beyond(0, begin);
    if (src.step == 1)
      std::transform(row + left + begin, row + left + end, samples + begin, sample_of);
    else
      for (int x = begin; x < end; ++x) samples[x] = sample(left + x);
    beyond(end, columns);
  }

  void store(const Tile& tile, const FftTile& points, int picture, int y, double error,
             FftScratch& scratch) const {
    if (tile.y + y >= tile.pair->dst.height) return;
    const int columns = std::min(shape_.results_width, tile.pair->dst.width - tile.x);
    const double* const sums = picture == 0 ? points.real(y) : points.imaginary(y);
    float* const floats = scratch.samples.get();
    const auto codes = [&]<class T>() {
      T* const samples = reinterpret_cast<T*>(floats);
      fft_samples(plan_, sums, samples, columns);
      store(samples, tile, y, columns);
    };
    switch (plan_.sample.storage) {
      case Storage::u8:
        return codes.template operator()<std::uint8_t>();
      case Storage::u16:
        return codes.template operator()<std::uint16_t>();
      case Storage::f32:
        fft_floats(plan_, points, picture, y, sums, error, floats, columns);
        store(floats, tile, y, columns);
    }
  }

  template <class T>
  void store(const T* samples, const Tile& tile, int y, int columns) const {
    const Plane<T> dst = tile.pair->dst.as<T>();
    T* const to = dst.row(tile.y + y) + std::ptrdiff_t{tile.x} * dst.step;
    if (dst.step == 1)
      std::copy_n(samples, columns, to);
    else
      for (int x = 0; x < columns; ++x) to[std::ptrdiff_t{x} * dst.step] = samples[x];
  }

  const Plan plan_;
  const FftShape shape_;
  const int piece_bits_;
  const double error_;  // largest error of float sums, for tiles of norm 1
  std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<std::vector<FftScratch>> scratch_;  // for each thread
  std::vector<AlignedArray<double>> spectra_;               // for each piece
  std::vector<Tile> tiles_;                                 // tiles of the pictures of one run
};

// Returns the fewest taps for which transforms take no longer than the best other variant of this
// machine: docs/decisions/transforms-for-small-matrices.md.
std::ptrdiff_t fewest_taps(const Plan& plan, const CudaAbilities& abilities) {
  if (plan.arith == Arith::float64) return 64;
  if (prepare_cpu_conv_u8_vnni(plan, abilities)) {
    const auto is_byte = [](double tap) { return tap >= -128 && tap <= 127; };
    return std::ranges::all_of(plan.terms[0].dense, is_byte) ? 1225 : 600;
  }
  return prepare_cpu_conv_u8_avx2(plan, abilities) ? 289 : fft_fewest_taps();
}

}  // namespace

Prepared prepare_cpu_fft(const Plan& plan, const CudaAbilities& abilities) {
  constexpr std::ptrdiff_t few = 64;  // a limit that is quick to test
  const std::ptrdiff_t taps = std::ssize(plan.terms[0].dense);
  if (taps < few || taps < fewest_taps(plan, abilities)) return nullptr;
  std::optional<FftPlan> fft_plan = make_fft_plan(plan);
  if (!fft_plan) return nullptr;
  return [plan, fft_plan = *std::move(fft_plan)](int threads) {
    return std::make_unique<Fft>(plan, fft_plan, threads);
  };
}

}  // namespace vidconv
