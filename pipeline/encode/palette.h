// Palette: reduces pictures to 256 colours, for GIF.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/av/pool.h"

namespace vidconv {

// Gives each picture a palette of its own. Pictures with no more colours come out exactly. Others
// get the means of boxes of colours, cutting the box that spreads most at its median each time
// (Heckbert 1982), and are dithered with a fixed pattern, which stands still where the picture
// does. Colours that are less than half opaque become one transparent colour.
class PaletteMaker {
 public:
  // Takes RGBA; returns PAL8 with the properties of the picture.
  FramePtr reduce(const AVFrame& picture);

 private:
  static constexpr int bits = 5;  // per channel, where colours are counted
  static constexpr std::size_t cells = std::size_t{1} << (3 * bits);

  // Sums up the colours of a cell.
  struct Cell {
    std::array<std::int64_t, 3> sum{};
    std::int64_t count = 0;
    double mean(std::size_t channel) const {
      return static_cast<double>(sum[channel]) / static_cast<double>(count);
    }
  };
  struct Box {
    std::span<Cell> cells;
    std::size_t axis = 0;  // the channel that spreads most
    double spread = 0;     // squared deviations of its pixels along it
    bool can_split() const { return cells.size() > 1; }
  };

  void set_palette(AVFrame& reduced);
  bool count(const AVFrame& picture);
  static Box measure(std::span<Cell> cells);
  void cut();
  std::uint8_t nearest(int red, int green, int blue);

  std::vector<std::uint32_t> first_;    // the first picture's palette
  bool others_ = false;                 // a picture had a different one
  std::vector<std::uint32_t> colours_;  // the palette, ARGB
  std::vector<Cell> counted_;           // all cells; later those that are not empty come first
  std::vector<std::int16_t> nearest_;   // by cell; -1: not computed yet
};

}  // namespace vidconv
