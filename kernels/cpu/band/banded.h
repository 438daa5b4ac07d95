// A convolver that computes bands of rows, each thread with lines of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/convolver.h"
#include "kernels/convolver/packed.h"
#include "kernels/convolver/window.h"
#include "kernels/convolver/windows_in_turn.h"
#include "kernels/convolver/worth.h"

namespace vidconv {

// EnginePlan is a plan in the form of one variant. It has `rows` (output rows computed together),
// passes() (lines made by row passes), any_dense() (whether source lines are needed beside them),
// and may have `scratch` (lines for the variant's own use) and `taps_a_sample` (its cost).
template <class Lane, class EnginePlan>
class BandedConvolver final : public Convolver {
 public:
  // Computes the output rows of a band, with a window for each of its pairs.
  using RunBand = void (*)(const Plan& plan, const EnginePlan& engine_plan, const Band& band,
                           const WindowLayout& layout, const Windows<Lane>& windows);

  BandedConvolver(const Plan& plan, EnginePlan engine_plan, RunBand run_band, int threads)
      : plan_(plan),
        reach_(reach_of(plan)),
        engine_plan_(std::move(engine_plan)),
        run_band_(run_band),
        pool_(shared_thread_pool(threads)),
        shared_(WindowsInTurn::of<Window<Lane>>(most_packed * threads)),
        windows_(*shared_) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override { run_rows(pairs, all_rows); }

  bool run_rows(std::span<const PlanePair> pairs, RowRange rows) override {
    int height = 0;
    std::ptrdiff_t largest = 0;
    for (const PlanePair& pair : pairs) {
      height = std::max(height, std::min(rows.last, pair.dst.height) - rows.first);
      largest = std::max(largest, layout(pair.dst.width).elements);
    }
    // A line may be as long as a whole picture: then there are lines for one thread only, and for
    // one component.
    const std::ptrdiff_t most = most_window_bytes / std::ptrdiff_t{sizeof(Lane)};
    const bool alone = largest > most, apart = largest > most / most_packed;
    const auto together = [&](std::span<const PlanePair> rest) {
      return apart ? 1 : packed_together(rest, plan_.sample.bytes());
    };
    for_groups(pairs, together, [&](std::span<const PlanePair> group) {
      for (int thread = 0; thread < (alone ? 1 : pool_->threads()); ++thread)
        for (std::size_t k = 0; k < group.size(); ++k)
          if (!group[k].copied) reserve(windows_of(thread)[k], group[k]);
    });
    const int threads =
        alone ? 1 : worth_threads(pool_->threads(), cost() * samples_of(pairs, rows));
    const Cut cut = cut_for(threads, height, least_rows(), engine_plan_.rows);
    for_bands(*pool_, pairs, rows, cut, together, [&](const Band& band, int thread) {
      run_band_(plan_, engine_plan_, band, layout(band.pairs.front().dst.width),
                windows_of(alone ? 0 : thread));
    });
    return true;
  }

  bool copies_in_passing() const override { return true; }

 private:
  // The most bytes of a thread's lines: more than 16K takes with a kernel of 513 rows.
  static constexpr std::ptrdiff_t most_window_bytes = 512 << 20;

  // Returns nanoseconds a sample.
  double cost() const {
    if constexpr (requires { EnginePlan::taps_a_sample; })
      return nanoseconds_a_sample(plan_.sample, EnginePlan::taps_a_sample);
    else
      return nanoseconds_a_sample(plan_);
  }

  // Returns the fewest rows of a band. It loads again the rows that kernels reach beyond it, and
  // repeats their row passes, which are half of the work.
  int least_rows() const {
    return (reach_.above + reach_.below) * (engine_plan_.passes() > 0 ? 2 : 1);
  }

  Windows<Lane> windows_of(int thread) const {
    return std::span(windows_).subspan(static_cast<std::size_t>(thread) * most_packed, most_packed);
  }

  void reserve(Window<Lane>& window, const PlanePair& pair) const {
    const WindowLayout lines = layout(pair.dst.width);
    const bool packed = pair.src.step != 1 || pair.dst.step != 1;
    // One row of source samples, and the output rows that are computed together.
    const int rows = packed ? 1 + engine_plan_.rows : 0;
    window.reserve(lines, rows * lines.line * plan_.sample.bytes());
  }

  WindowLayout layout(int width) const {
    int scratch = 0;
    if constexpr (requires { EnginePlan::scratch; }) scratch = engine_plan_.scratch;
    return {reach_, width, engine_plan_.rows, engine_plan_.passes(), engine_plan_.any_dense(),
            scratch};
  }

  const Plan plan_;
  const Reach reach_;
  const EnginePlan engine_plan_;
  const RunBand run_band_;
  std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<std::vector<Window<Lane>>> shared_;
  std::vector<Window<Lane>>& windows_;  // most_packed for each thread
};

// Prepares a plan in a variant's own form, for Variant::prepare; empty where there is none.
template <class Lane, class EnginePlan>
Prepared prepare_banded(const Plan& plan, std::optional<EnginePlan> engine_plan,
                        typename BandedConvolver<Lane, EnginePlan>::RunBand run_band) {
  if (!engine_plan) return nullptr;
  return [plan, engine_plan = *std::move(engine_plan), run_band](int threads) {
    return std::make_unique<BandedConvolver<Lane, EnginePlan>>(plan, engine_plan, run_band,
                                                               threads);
  };
}

}  // namespace vidconv
