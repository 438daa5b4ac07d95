#include "pipeline/filter/case_convolvers.h"

#include <algorithm>
#include <iterator>

#include "kernels/convolver/windows_in_turn.h"

namespace vidconv {
namespace {

// Returns whether one convolver serves both steps. Copies and fills take a variant of their own.
bool same_computation(const Step& a, const Step& b) {
  return a.action == b.action && a.light == b.light && a.plan == b.plan;
}

}  // namespace

CaseConvolvers::CaseConvolvers(const TimedWork& work, const ProcessorOptions& options,
                               const Make& make) {
  struct Known {
    const Step* step;
    std::string variant;
    Convolver* convolver;
  };
  std::vector<Known> all;
  const WindowsInTurn in_turn;
  for (const Work& one : work.cases()) {
    std::vector<Convolver*>& steps = cases_.emplace_back();
    for (const Step& step : one.steps) {
      auto known = std::ranges::find_if(
          all, [&](const Known& k) { return same_computation(*k.step, step); });
      if (known == all.end()) {
        const PreparedStep prepared = prepare_step(one, step, options);
        convolvers_.push_back(make(prepared.convolver));
        all.push_back({&step, std::string(prepared.variant), convolvers_.back().get()});
        known = std::prev(all.end());
      }
      steps.push_back(known->convolver);
      variants_.push_back(known->variant);
    }
  }
}

}  // namespace vidconv
