#include "pipeline/filter/caller_frames.h"

#include <algorithm>
#include <new>
#include <utility>

namespace vidconv {
namespace {

bool all_passed(const FramesInUse::Marks& marks) {
  return std::ranges::all_of(marks, [](const auto& mark) { return mark->passed(); });
}

// A stream of a device that has failed reads nothing any more.
void wait_for_all(const FramesInUse::Marks& marks) noexcept {
  for (const auto& mark : marks) try {
      mark->wait();
    } catch (const std::exception&) {
    }
}

}  // namespace

FramesInUse::~FramesInUse() {
  for (const Held& held : held_) wait_for_all(held.marks);
}

void FramesInUse::add(Frame frame, Marks marks) noexcept {
  Held held{std::move(frame), std::move(marks)};
  const std::lock_guard lock(mutex_);
  drop_passed();
  if (all_passed(held.marks)) return;
  try {
    held_.push_back(std::move(held));
  } catch (const std::bad_alloc&) {
    wait_for_all(held.marks);
  }
}

void FramesInUse::reduce(std::size_t most) {
  std::unique_lock lock(mutex_);
  drop_passed();
  while (held_.size() > most) {
    const Held oldest = std::move(held_.front());
    held_.pop_front();
    lock.unlock();
    wait_for_all(oldest.marks);
    lock.lock();
  }
}

void FramesInUse::drop_passed() {
  std::erase_if(held_, [](const Held& held) { return all_passed(held.marks); });
}

}  // namespace vidconv
