// BoxIndex: which of many stretches of time are near a moment, without looking at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vidconv {

class BoxIndex {
 public:
  // `number`: what find() gives out.
  struct Span {
    std::uint32_t number;
    double from, to;
  };

  BoxIndex() = default;
  explicit BoxIndex(std::span<const Span> spans);

  // Appends the numbers of all spans that touch from..to, each once, and perhaps of some nearby.
  void find(double from, double to, std::vector<std::uint32_t>& numbers) const;

 private:
  std::size_t bucket_of(double place) const;

  // Equal stretches of time from first_ on; of each, what touches it, one after another.
  double first_ = 0, last_ = -1, width_ = 1;
  std::vector<std::uint32_t> begins_;  // of each bucket in numbers_, and the end
  std::vector<std::uint32_t> numbers_;
};

}  // namespace vidconv
