#include "pipeline/region/box_index.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace vidconv {
namespace {

constexpr std::size_t most_buckets = 1 << 16;
constexpr std::size_t most_entries = 4;  // for each span, on average

}  // namespace

std::size_t BoxIndex::bucket_of(double place) const {
  return static_cast<std::size_t>(std::max(0.0, (std::min(place, last_) - first_) / width_));
}

BoxIndex::BoxIndex(std::span<const Span> spans) {
  if (spans.empty()) return;
  first_ = std::ranges::min(spans, {}, &Span::from).from;
  last_ = std::ranges::max(spans, {}, &Span::to).to;
  const auto count_entries = [&] {
    std::size_t entries = 0;
    for (const Span& span : spans) entries += bucket_of(span.to) - bucket_of(span.from) + 1;
    return entries;
  };
  // Long spans are in many buckets: the longer they are, the fewer there may be.
  std::size_t buckets = std::clamp<std::size_t>(spans.size(), 1, most_buckets);
  for (;; buckets /= 2) {
    width_ = std::max((last_ - first_) / static_cast<double>(buckets),
                      std::numeric_limits<double>::min());
    if (buckets == 1 || count_entries() <= most_entries * spans.size() + most_buckets) break;
  }
  begins_.assign(bucket_of(last_) + 2, 0);
  for (const Span& span : spans)
    for (std::size_t b = bucket_of(span.from); b <= bucket_of(span.to); ++b) ++begins_[b + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  numbers_.resize(begins_.back());
  std::vector<std::uint32_t> ends(begins_.begin(), begins_.end() - 1);
  for (const Span& span : spans)
    for (std::size_t b = bucket_of(span.from); b <= bucket_of(span.to); ++b)
      numbers_[ends[b]++] = span.number;
}

void BoxIndex::find(double from, double to, std::vector<std::uint32_t>& numbers) const {
  if (begins_.empty() || to < first_ || from > last_) return;
  const auto old = static_cast<std::ptrdiff_t>(numbers.size());
  const std::size_t first = bucket_of(from), last = bucket_of(to);
  numbers.insert(numbers.end(), numbers_.begin() + begins_[first],
                 numbers_.begin() + begins_[last + 1]);
  if (first == last) return;
  std::sort(numbers.begin() + old, numbers.end());
  numbers.erase(std::unique(numbers.begin() + old, numbers.end()), numbers.end());
}

}  // namespace vidconv
