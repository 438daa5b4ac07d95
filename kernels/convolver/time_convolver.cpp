#include "kernels/convolver/time_convolver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/packed.h"

namespace vidconv {
namespace {

// Returns a sample of the value as it is stored, `bytes` bytes of it.
std::array<std::byte, 4> stored_sample(const SampleType& sample, double value) {
  std::array<std::byte, 4> bytes{};
  if (sample.storage == Storage::f32) {
    const float stored = static_cast<float>(value);
    std::memcpy(bytes.data(), &stored, sizeof stored);
  } else {
    const auto stored = static_cast<std::uint16_t>(static_cast<unsigned>(value) << sample.shift);
    const auto byte = static_cast<std::uint8_t>(stored);
    if (sample.storage == Storage::u8)
      std::memcpy(bytes.data(), &byte, sizeof byte);
    else
      std::memcpy(bytes.data(), &stored, sizeof stored);
  }
  return bytes;
}

}  // namespace

TimeConvolver::TimeConvolver(const Plan& plan, int threads) : plan_(plan), threads_(threads) {
  rows_.reserve(static_cast<std::size_t>(plan.tap_frames().count));
}

bool TimeConvolver::shrinks() const {
  return plan_.over_time->filter.over_time->border == TimeBorder::shrink;
}

void TimeConvolver::set_frames(std::span<const TimeFrame> taps, const TimeFrame& here,
                               const TimeFrame& before) {
  instead_ = nullptr;
  taps_.assign(taps.begin(), taps.end());
  here_ = here;
  before_ = before;
  if (!shrinks()) return;
  const auto there = [](const TimeFrame& frame) { return frame.number >= 0; };
  const auto first = std::ranges::find_if(taps_, there);
  const auto last = std::ranges::find_if(taps_.rbegin(), taps_.rend(), there);
  const std::pair missing(static_cast<int>(first - taps_.begin()),
                          static_cast<int>(last - taps_.rbegin()));
  if (missing == std::pair(0, 0)) return;
  for (TimeFrame& frame : taps_)
    if (frame.number < 0) frame = here;  // its tap is 0
  auto& shrunk = shrunk_[missing];
  if (!shrunk) {
    Plan rest = without_frames(plan_, missing.first, missing.second);
    rest.over_time->filter.over_time->border = TimeBorder::replicate;
    shrunk = make(rest);
  }
  instead_ = shrunk.get();
  instead_->set_frames(taps_, here_);
}

// Finds the plane of the frame that the given one lies in. Planes may lie side by side in the same
// rows of memory: then it lies in the one that begins last before it.
TimeConvolver::Place TimeConvolver::place_of(const ConstBytePlane& plane) const {
  std::optional<Place> found;
  for (std::size_t p = 0; p < here_.planes.size(); ++p) {
    const TimeFrame::Plane& here = here_.planes[p];
    if (here.rows == 0) continue;
    constexpr std::ptrdiff_t no_end = PTRDIFF_MAX;  // the stride of one row may be anything
    const std::ptrdiff_t pitch = here.rows == 1 ? no_end : std::abs(here.stride);
    // Counted from the row that is lowest in memory.
    const std::byte* first =
        here.stride < 0 ? here.data + here.stride * (here.rows - 1) : here.data;
    const std::ptrdiff_t offset = plane.data - first;
    if (offset < 0 || offset >= pitch * here.rows) continue;
    const std::ptrdiff_t line = offset / pitch;
    if (!found || offset % pitch < found->byte)
      found = {.plane = p,
               .row = here.stride < 0 ? here.rows - 1 - line : line,
               .byte = offset % pitch,
               .rows = here.rows == 1 ? 1 : plane.stride / here.stride};
  }
  if (!found) throw std::invalid_argument("a plane is not of the frame that is filtered");
  return *found;
}

void TimeConvolver::run(std::span<const PlanePair> pairs, CudaStream stream) {
  if (instead_) return instead_->run(pairs, stream);
  const int bytes = plan_.sample.bytes();
  const auto together = [&](std::span<const PlanePair> rest) {
    return packed_together(rest, bytes);
  };
  for_groups(pairs, together, [&](std::span<const PlanePair> group) {
    const ConstBytePlane& first = group.front().src;
    const Rows here{first.data, first.stride};
    if (taps_.empty()) {
      rows_.assign(static_cast<std::size_t>(plan_.tap_frames().count), here);
      return run_group({group, {}, rows_, here, {}, {}, -1});
    }
    const Place place = place_of(first);
    const auto rows_of = [&](const TimeFrame& frame) -> Rows {
      const TimeFrame::Plane& plane = frame.planes[place.plane];
      return {plane.data + plane.stride * place.row + place.byte, plane.stride * place.rows};
    };
    rows_.clear();
    for (const TimeFrame& frame : taps_)
      rows_.push_back(frame.number >= 0 ? rows_of(frame) : outside(first));
    run_group({group, place, rows_, here, before_.number >= 0 ? rows_of(before_) : Rows{}, taps_,
               before_.number});
  });
}

TimeConvolver::Rows TimeConvolver::outside(const ConstBytePlane& plane) {
  const auto size = static_cast<std::size_t>(plan_.sample.bytes());
  // Rows of interleaved samples are read from their first component to their last one.
  const std::size_t samples =
      static_cast<std::size_t>(plane.width + 2) * static_cast<std::size_t>(plane.step);
  const std::size_t before = size * static_cast<std::size_t>(plane.step);
  if (outside_.size() < samples * size) {
    const auto sample = stored_sample(plan_.sample, plan_.over_time->black);
    outside_.resize(samples * size);
    for (std::size_t i = 0; i < outside_.size(); ++i) outside_[i] = sample[i % size];
  }
  return {outside_.data() + before, 0};
}

}  // namespace vidconv
