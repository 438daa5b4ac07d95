// BoxIndex finds the spans of time near a moment, without looking at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vidconv {

class BoxIndex {
 public:
  // `number`: what find() returns for the span.
  struct Span {
    std::uint32_t number;
    double from, to;
  };

  BoxIndex() = default;
  explicit BoxIndex(std::span<const Span> spans);

  // Appends the number of each span that touches from..to, once, and perhaps of some nearby.
  void find(double from, double to, std::vector<std::uint32_t>& numbers) const;

 private:
  std::size_t bucket_of(double place) const;

  // Buckets are equal ranges of time from first_ on; numbers_ has the spans that touch each bucket.
  double first_ = 0, last_ = -1, width_ = 1;
  std::vector<std::uint32_t> begins_;  // each bucket's first index in numbers_, and the end
  std::vector<std::uint32_t> numbers_;
};

}  // namespace vidconv
