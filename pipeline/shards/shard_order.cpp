#include "pipeline/shards/shard_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pipeline/shards/shard_store.h"

namespace vidconv {

ShardOrder::ShardOrder(const ShardOptions& options, const VideoInfo& video)
    : jobs_(std::max(1, options.jobs)),
      slots_(std::max(1, options.slots)),
      store_(options.store),
      times_(video.times),
      cuts_(options, video),
      frames_(times_ ? std::ssize(*times_) : video.frames.value_or(0)) {
  if (frames_ > 0) part_of(0);  // sets where the first shard begins
}

std::optional<std::int64_t> ShardOrder::next() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    begin_parts(false);
    if (Part* part = choose()) {
      ++part->on_their_way;
      ++on_their_way_;
      return part->next++;
    }
    if (begin_parts(true)) continue;
    if (begun_ == frames_ && std::ranges::all_of(parts_, &Part::is_read)) return std::nullopt;
    changed_.wait(lock);
  }
  return std::nullopt;
}

void ShardOrder::begin_when(std::function<bool(std::int64_t)> is_ready) {
  const std::lock_guard lock(mutex_);
  is_ready_ = std::move(is_ready);
}

bool ShardOrder::begin_parts(bool anyway) {
  bool any = false;
  const auto being_read = [&] {
    return std::ranges::count_if(parts_, [](const Part& part) { return !part.is_read(); });
  };
  begun_ = skip_kept(begun_);
  while (begun_ < frames_ && being_read() < jobs_ &&
         (std::exchange(anyway, false) || !is_ready_ || is_ready_(begun_))) {
    any = true;
    const std::int64_t number = part_of(begun_), end = end_of(number, begun_);
    parts_.push_back({.number = number, .next = begun_, .end = end});
    begun_ = skip_kept(end);
  }
  return any;
}

std::int64_t ShardOrder::skip_kept(std::int64_t number) {
  if (!store_) return number;
  while (number < frames_) {
    const std::int64_t part = part_of(number);
    if (!store_->has(part) || store_->is_read(part)) break;
    number = end_of(part, number);
  }
  return number;
}

void ShardOrder::judge_later() {
  if (store_) store_->judge_later();
}

void ShardOrder::judged(const Stretch& stretch) {
  if (!store_) return;
  std::unique_lock lock(mutex_);
  const std::int64_t part = part_of(stretch.begin);
  lock.unlock();
  store_->judged(part);
}

// Null where all have as many frames as they may.
ShardOrder::Part* ShardOrder::choose() {
  Part* chosen = nullptr;
  for (Part& part : parts_)
    if (!part.is_read() && part.on_their_way < slots_ &&
        (!chosen || part.on_their_way < chosen->on_their_way))
      chosen = &part;
  const bool full = on_their_way_ >= std::int64_t{jobs_} * slots_;
  if (!full || !chosen) return chosen;
  // The others may have to wait for the oldest, but it must never wait for them.
  Part& oldest = parts_.front();
  return !oldest.is_read() && oldest.on_their_way == 0 ? &oldest : nullptr;
}

std::int64_t ShardOrder::part_of(std::int64_t number) {
  return cuts_.part_of(times_ ? (*times_)[static_cast<std::size_t>(number)] : number);
}

std::int64_t ShardOrder::end_of(std::int64_t part, std::int64_t inside) {
  std::int64_t after = frames_;
  while (after - inside > 1) {
    const std::int64_t middle = std::midpoint(inside, after);
    (part_of(middle) == part ? inside : after) = middle;
  }
  return after;
}

std::optional<FrameOrder::Stretch> ShardOrder::stretch_of(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  number = skip_kept(number);
  if (number >= frames_) return std::nullopt;
  const std::int64_t part = part_of(number);
  std::int64_t before = -1, inside = number;
  while (inside - before > 1) {
    const std::int64_t middle = std::midpoint(before, inside);
    (part_of(middle) == part ? inside : before) = middle;
  }
  return Stretch{.begin = inside, .end = end_of(part, number)};
}

void ShardOrder::end_at(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  if (store_) store_->refuse(part_of(number));
  if (Part* part = find(part_of(number)); part && part->next == number + 1) {
    --part->next;  // nothing is on its way
    --part->on_their_way;
    --on_their_way_;
  }
  for (Part& part : parts_) part.end = std::clamp(number, part.next, part.end);
  frames_ = std::min(frames_, number);
  begun_ = std::min(begun_, frames_);
}

void ShardOrder::cancel() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
}

bool ShardOrder::is_last(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  return number + 1 >= frames_ || part_of(number + 1) != part_of(number);
}

ShardOrder::Part* ShardOrder::find(std::int64_t part) {
  const auto found = std::ranges::find(parts_, part, &Part::number);
  return found == parts_.end() ? nullptr : &*found;
}

void ShardOrder::took(std::int64_t part) {
  {
    const std::lock_guard lock(mutex_);
    if (Part* of = find(part)) {
      --of->on_their_way;
      --on_their_way_;
    }
  }
  changed_.notify_all();
}

void ShardOrder::ended(std::int64_t part) {
  {
    const std::lock_guard lock(mutex_);
    Part* of = find(part);
    if (!of) return;
    if (!of->is_read()) over_ = true;
    on_their_way_ -= of->on_their_way;
    std::erase_if(parts_, [&](const Part& each) { return each.number == part; });
  }
  changed_.notify_all();
}

}  // namespace vidconv
