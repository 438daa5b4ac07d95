// The variant for very large kernels: sums by Fourier transforms. Sums of integers are integers,
// and the transforms' errors stay below 1/4 (fft_plan.cpp), so rounding gives each sum exactly: the
// bytes are those of any other variant.
//
// A picture is cut into tiles that overlap by the kernel (overlap-save); two tiles, as real and
// imaginary parts, are transformed at once. All threads work on the same two, so that memory does
// not grow with their number.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

// Eigen's own warnings are not ours to mend.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <unsupported/Eigen/FFT>
#pragma GCC diagnostic pop

#include "kernels/convolver/thread_pool.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/fft_plan.h"

namespace vidconv {
namespace {

using Complex = std::complex<double>;
enum class Direction : std::uint8_t { forward, inverse };

// Points row by row in `data`; `other` is as large, and the two change places.
struct Grid {
  explicit Grid(std::size_t points) : data(points), other(points) {}
  std::vector<Complex> data, other;
};

// Two-dimensional transforms, spread over a pool's threads. The inverse is not scaled.
class Transform {
 public:
  Transform(int width, int height, ThreadPool& pool)
      : width_(width),
        height_(height),
        pool_(pool),
        engines_(static_cast<std::size_t>(pool.threads())) {
    for (Engine& engine : engines_) {
      engine.fft.SetFlag(Eigen::FFT<double>::Unscaled);
      engine.rows.resize(static_cast<std::size_t>(block) *
                         static_cast<std::size_t>(std::max(width, height)));
    }
  }

  // Needs and leaves rows of `width` points.
  void run(Grid& grid, Direction direction) {
    pass(grid, height_, width_, direction);
    pass(grid, width_, height_, direction);
  }

 private:
  static constexpr int block = 8;  // rows that are transposed together: two cache lines

  struct Engine {
    Eigen::FFT<double> fft;
    std::vector<Complex> rows;
  };

  // Transforms each row and transposes.
  void pass(Grid& grid, int rows, int length, Direction direction) {
    const auto columns = static_cast<std::size_t>(length), stride = static_cast<std::size_t>(rows);
    pool_.run(rows / block, [&](int index, int thread) {
      Engine& engine = engines_[static_cast<std::size_t>(thread)];
      const std::size_t first = static_cast<std::size_t>(index) * block;
      for (std::size_t r = 0; r < block; ++r) {
        const Complex* from = grid.data.data() + (first + r) * columns;
        Complex* to = engine.rows.data() + r * columns;
        if (direction == Direction::forward)
          engine.fft.fwd(to, from, length);
        else
          engine.fft.inv(to, from, length);
      }
      for (std::size_t x = 0; x < columns; ++x)
        for (std::size_t r = 0; r < block; ++r)
          grid.other[x * stride + first + r] = engine.rows[r * columns + x];
    });
    std::swap(grid.data, grid.other);
  }

  int width_, height_;
  ThreadPool& pool_;
  std::vector<Engine> engines_;  // one a thread
};

class Fft final : public Convolver {
 public:
  Fft(const Plan& plan, FftPlan fft, int threads)
      : plan_(plan),
        width_(fft.tile_width),
        height_(fft.tile_height),
        piece_bits_(fft.piece_bits),
        pool_(shared_thread_pool(threads)),
        transform_(width_, height_, *pool_),
        grid_(points()),
        columns_(static_cast<std::size_t>(width_)) {
    for (const std::vector<double>& piece : fft.pieces) spectra_.push_back(spectrum_of(piece));
    if (spectra_.size() > 1) {
      tiles_spectrum_.resize(points());
      sums_.resize(points());
    }
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    std::optional<Tile> waiting;
    for (const PlanePair& pair : pairs) {
      for (int y = 0; y < pair.dst.height; y += height_ - taps().height + 1) {
        for (int x = 0; x < pair.dst.width; x += width_ - taps().width + 1) {
          const Tile tile{&pair, x, y};
          if (waiting)
            compute(*std::exchange(waiting, std::nullopt), &tile);
          else
            waiting = tile;
        }
      }
    }
    if (waiting) compute(*waiting, nullptr);
  }

 private:
  // Results from (x, y) on.
  struct Tile {
    const PlanePair* pair;
    int x, y;
  };

  const Taps& taps() const { return plan_.terms[0]; }
  std::size_t points() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }

  // The points of row y of a tile.
  template <class Points>
  auto row(Points& points, int y) const {
    const auto width = static_cast<std::size_t>(width_);
    return std::span(points).subspan(static_cast<std::size_t>(y) * width, width);
  }

  // Calls job(y) for each row of a tile.
  template <class Job>
  void for_rows(const Job& job) {
    constexpr int rows = 16;
    pool_->run(height_ / rows, [&](int index, int) {
      for (int y = index * rows; y < (index + 1) * rows; ++y) job(y);
    });
  }

  // Of the taps turned around, so that a cyclic convolution with them is the correlation, and
  // divided by what transforms there and back multiply.
  std::vector<Complex> spectrum_of(const std::vector<double>& piece) {
    std::ranges::fill(grid_.data, Complex());
    const double scale = 1 / static_cast<double>(points());
    for (int j = 0; j < taps().height; ++j) {
      for (int i = 0; i < taps().width; ++i) {
        const int x = (width_ - i) % width_, y = (height_ - j) % height_;
        row(grid_.data, y)[static_cast<std::size_t>(x)] =
            piece[static_cast<std::size_t>(j) * static_cast<std::size_t>(taps().width) +
                  static_cast<std::size_t>(i)] *
            scale;
      }
    }
    transform_.run(grid_, Direction::forward);
    return grid_.data;
  }

  void compute(const Tile& first, const Tile* second) {
    load(first, 0);
    if (second != nullptr) load(*second, 1);
    transform_.run(grid_, Direction::forward);
    if (spectra_.size() == 1) {
      multiply(grid_.data, spectra_[0]);
      transform_.run(grid_, Direction::inverse);
      store(first, 0, grid_.data);
      if (second != nullptr) store(*second, 1, grid_.data);
      return;
    }
    std::swap(tiles_spectrum_, grid_.data);
    std::ranges::fill(sums_, Complex());
    for (std::size_t p = 0; p < spectra_.size(); ++p) {
      multiply(tiles_spectrum_, spectra_[p]);
      transform_.run(grid_, Direction::inverse);
      const double unit = std::ldexp(1.0, piece_bits_ * static_cast<int>(p));
      for_rows([&](int y) {
        const auto sums = row(sums_, y), digits = row(grid_.data, y);
        for (std::size_t x = 0; x < sums.size(); ++x)
          sums[x] += Complex(std::nearbyint(digits[x].real()) * unit,
                             std::nearbyint(digits[x].imag()) * unit);
      });
    }
    store(first, 0, sums_);
    if (second != nullptr) store(*second, 1, sums_);
  }

  // Writes the product into the grid.
  void multiply(const std::vector<Complex>& x, const std::vector<Complex>& spectrum) {
    for_rows([&](int y) {
      const auto product = row(grid_.data, y);
      const auto a = row(x, y), b = row(spectrum, y);
      for (std::size_t i = 0; i < product.size(); ++i) product[i] = a[i] * b[i];
    });
  }

  // `part`: 0 real, whose imaginary parts become 0; 1 imaginary.
  void load(const Tile& tile, std::size_t part) {
    if (plan_.sample.storage == Storage::u8)
      load(tile.pair->src.as<const std::uint8_t>(), tile, part);
    else
      load(tile.pair->src.as<const std::uint16_t>(), tile, part);
  }

  template <class T>
  void load(const Plane<const T>& src, const Tile& tile, std::size_t part) {
    for (int x = 0; x < width_; ++x)
      columns_[static_cast<std::size_t>(x)] =
          border_index(plan_.border, tile.x - taps().anchor_x + x, src.width);
    for_rows([&](int y) {
      const int v = border_index(plan_.border, tile.y - taps().anchor_y + y, src.height);
      const auto points = row(grid_.data, y);
      for (std::size_t x = 0; x < points.size(); ++x) {
        const int u = columns_[x];
        double code = plan_.outside;
        if (u >= 0 && v >= 0)
          code = src.row(v)[static_cast<std::ptrdiff_t>(u) * src.step] >> plan_.sample.shift;
        points[x] = part == 0 ? Complex(code) : Complex(points[x].real(), code);
      }
    });
  }

  void store(const Tile& tile, std::size_t part, const std::vector<Complex>& sums) {
    if (plan_.sample.storage == Storage::u8)
      store(tile.pair->dst.as<std::uint8_t>(), tile, part, sums);
    else
      store(tile.pair->dst.as<std::uint16_t>(), tile, part, sums);
  }

  template <class T>
  void store(const Plane<T>& dst, const Tile& tile, std::size_t part,
             const std::vector<Complex>& sums) {
    const int rows = std::min(height_ - taps().height + 1, dst.height - tile.y);
    const int width = std::min(width_ - taps().width + 1, dst.width - tile.x);
    pool_->run(rows, [&](int y, int) {
      T* to = dst.row(tile.y + y) + static_cast<std::ptrdiff_t>(tile.x) * dst.step;
      const auto from = row(sums, y);
      for (int x = 0; x < width; ++x) {
        const Complex point = from[static_cast<std::size_t>(x)];
        const double sum = std::nearbyint(part == 0 ? point.real() : point.imag());
        to[static_cast<std::ptrdiff_t>(x) * dst.step] =
            static_cast<T>(code<T>(sum) << plan_.sample.shift);
      }
    });
  }

  template <class T>
  T code(double sum) const {
    if (plan_.arith == Arith::float64) return finish<T>(plan_.finish, &sum, 1);
    const auto narrow = static_cast<std::int32_t>(sum);
    return finish<T>(plan_.finish, &narrow, 1);
  }

  Plan plan_;
  int width_, height_;  // of a tile
  int piece_bits_;
  std::shared_ptr<ThreadPool> pool_;
  Transform transform_;
  Grid grid_;
  std::vector<int> columns_;                   // where a tile's columns lie in the picture
  std::vector<std::vector<Complex>> spectra_;  // of the pieces
  std::vector<Complex> tiles_spectrum_, sums_;
};

}  // namespace

Prepared prepare_cpu_fft(const Plan& plan, const CudaAbilities&) {
  std::optional<FftPlan> fft_plan = make_fft_plan(plan);
  if (!fft_plan) return nullptr;
  return [plan, fft_plan = *std::move(fft_plan)](int threads) {
    return std::make_unique<Fft>(plan, fft_plan, threads);
  };
}

}  // namespace vidconv
