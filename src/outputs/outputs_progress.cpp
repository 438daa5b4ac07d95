#include "src/outputs/outputs_progress.h"

namespace vidconv {

// The bytes are those of all outputs.
std::optional<Progress> OutputsProgress::hindmost() const {
  std::optional<Progress> last;
  std::int64_t bytes = 0;
  for (const State& state : states_) {
    if (state.failed) continue;
    bytes += state.progress.bytes;
    if (!last || state.progress.encoded < last->encoded) last = state.progress;
  }
  if (last) last->bytes = bytes;
  return last;
}

void OutputsProgress::show(std::size_t number, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  states_[number].progress = progress;
  display_.show(*hindmost());
}

void OutputsProgress::leave(std::size_t number) {
  const std::lock_guard lock(mutex_);
  states_[number].failed = true;
}

void OutputsProgress::finish() {
  const std::lock_guard lock(mutex_);
  if (const auto last = hindmost()) display_.finish(*last);
}

}  // namespace vidconv
