#include "src/batch/batch_progress.h"

#include <algorithm>

namespace vidconv {
namespace {

void add(const Progress& p, Progress& to) {
  to.decoded += p.decoded;
  to.filtered += p.filtered;
  to.encoded += p.encoded;
  to.position += p.position;
  to.bytes += p.bytes;
  to.parts += p.parts;
  for (const StageTime& stage : p.stages) {
    const auto found = std::ranges::find(to.stages, stage.name, &StageTime::name);
    if (found == to.stages.end())
      to.stages.push_back(stage);
    else
      found->seconds += stage.seconds;
  }
}

}  // namespace

BatchProgress::BatchProgress(ProgressMode mode, std::size_t files)
    : files_{.all = static_cast<std::int64_t>(files)}, display_(mode, {.files = files_}) {}

Progress BatchProgress::sum() const {
  Progress all = ended_;
  for (const auto& [number, progress] : running_) add(progress, all);
  all.seconds = seconds_since(start_);
  return all;
}

void BatchProgress::expect(std::size_t files) {
  const std::lock_guard lock(mutex_);
  files_.all = static_cast<std::int64_t>(files);
  display_.set_files(files_);
}

void BatchProgress::show(std::size_t number, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  running_[number] = progress;
  display_.show(sum());
}

void BatchProgress::end(std::size_t number, bool failed) {
  const std::lock_guard lock(mutex_);
  if (const auto found = running_.extract(number)) add(found.mapped(), ended_);
  ++files_.ended;
  if (failed) ++files_.failed;
  display_.set_files(files_);
}

void BatchProgress::finish() {
  const std::lock_guard lock(mutex_);
  display_.finish(sum());
}

}  // namespace vidconv
