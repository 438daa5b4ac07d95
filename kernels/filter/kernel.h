// Kernel: the matrix of a convolution, immutable once made.
#pragma once

#include <span>
#include <vector>

namespace vidconv {

// Kernels are applied as they are drawn (correlation):
//
//   response(x, y) = sum over i, j of at(i, j) * picture(x + i - anchor_x(), y + j - anchor_y())
//
// where i is the column and j the row. The anchor is the tap that lies on the output pixel.
class Kernel {
 public:
  // The largest width and height.
  static constexpr int max_size = 513;
  // The largest width and height of a product of a row and a column (product()).
  static constexpr int max_pass = 8191;
  // The largest magnitude of a tap; keeps every response finite in float.
  static constexpr double max_tap = 1e9;

  // `taps` come row by row. The anchor defaults to (width / 2, height / 2). Throws
  // std::invalid_argument for a size outside 1..max_size, a number of taps other than width *
  // height, a tap beyond max_tap, or an anchor outside the kernel.
  Kernel(int width, int height, std::vector<double> taps);
  Kernel(int width, int height, std::vector<double> taps, int anchor_x, int anchor_y);

  // Returns column * row as a kernel that is never a matrix: it has no taps(). Its anchor is in the
  // middle. Throws std::invalid_argument for more than max_pass numbers.
  static Kernel product(std::vector<double> column, std::vector<double> row);
  bool is_product() const { return !row_.empty(); }
  std::span<const double> row() const { return row_; }  // a product's, as is the column
  std::span<const double> column() const { return column_; }

  int width() const { return width_; }
  int height() const { return height_; }
  int anchor_x() const { return anchor_x_; }
  int anchor_y() const { return anchor_y_; }
  std::span<const double> taps() const { return taps_; }
  double at(int i, int j) const {
    if (is_product())
      return column_[static_cast<std::size_t>(j)] * row_[static_cast<std::size_t>(i)];
    return taps_[static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(i)];
  }

  // Returns the DC gain: the response to a picture of ones.
  double sum() const;
  double abs_sum() const;

  Kernel scaled(double factor) const;
  // Returns it turned by 180 degrees with its anchor: correlation becomes mathematical convolution.
  Kernel flipped() const;
  // Returns it turned clockwise by a quarter, with its anchor.
  Kernel rotated90() const;
  Kernel with_anchor(int x, int y) const;
  // Returns it without the rows and columns of zeros at its edges, as far as the anchor stays
  // inside; a product stays as it is.
  Kernel trimmed() const;

  bool operator==(const Kernel&) const = default;

 private:
  Kernel() = default;
  static Kernel product(std::vector<double> column, std::vector<double> row, int anchor_x,
                        int anchor_y);

  int width_ = 0, height_ = 0, anchor_x_ = 0, anchor_y_ = 0;
  std::vector<double> taps_;
  std::vector<double> row_, column_;  // a product's, which has no taps
};

// Returns column * row: at(i, j) = column[j] * row[i]. It is a matrix unless it is too large for
// one.
Kernel outer_product(std::span<const double> column, std::span<const double> row);

}  // namespace vidconv
