#include "pipeline/encode/shard_encoder.h"

#include <utility>

namespace vidconv {

ShardEncoder::ShardEncoder(std::int64_t number, ShardLimits& limits, Make make)
    : number_(number), make_(std::move(make)), frames_(limits.slots), limits_(limits) {
  {
    const std::lock_guard lock(limits_.mutex);
    limits_.unfinished.insert(number_);
  }
  thread_ = std::jthread([this] { work(); });
}

ShardEncoder::~ShardEncoder() {
  {
    const std::lock_guard lock(limits_.mutex);
    dropped_ = true;
  }
  limits_.changed.notify_all();
  frames_.cancel();
}

bool ShardEncoder::is_among_first(std::size_t count) const {
  std::size_t before = 0;
  for (const std::int64_t number : limits_.unfinished) {
    if (number == number_) return before < count;
    ++before;
  }
  return true;
}

bool ShardEncoder::wait_for_room(ShardEncoder& oldest) {
  std::unique_lock lock(limits_.mutex);
  const auto has_room = [&] { return ended_ || waiting_frames_ < limits_.slots; };
  limits_.changed.wait(lock,
                       [&] { return has_room() || oldest.ended_ || !oldest.packets_.empty(); });
  return has_room();
}

void ShardEncoder::write(Frame frame) {
  const std::int64_t pts = frame.av().pts;
  {
    const std::lock_guard lock(limits_.mutex);
    ++waiting_frames_;
  }
  if (!frames_.push(std::move(frame))) check();
  times.push_back(pts);
}

void ShardEncoder::check() {
  const std::lock_guard lock(limits_.mutex);
  if (failure_) std::rethrow_exception(failure_);
}

PacketPtr ShardEncoder::take(Patience patience) {
  std::unique_lock lock(limits_.mutex);
  if (patience == Patience::until_the_next)
    limits_.changed.wait(lock, [&] { return ended_ || !packets_.empty(); });
  if (failure_) std::rethrow_exception(failure_);
  if (packets_.empty()) return nullptr;
  PacketPtr packet = std::move(packets_.front());
  packets_.pop_front();
  const auto bytes = static_cast<std::size_t>(packet->size);
  packet_bytes_ -= bytes;
  limits_.waiting_bytes -= bytes;
  lock.unlock();
  limits_.changed.notify_all();
  return packet;
}

bool ShardEncoder::is_done() {
  const std::lock_guard lock(limits_.mutex);
  return ended_ && packets_.empty();
}

bool ShardEncoder::has_ended() {
  const std::lock_guard lock(limits_.mutex);
  return ended_;
}

std::size_t ShardEncoder::waiting_bytes() {
  const std::lock_guard lock(limits_.mutex);
  return packet_bytes_;
}

void ShardEncoder::keep(AVPacket& packet) {
  PacketPtr kept = make_packet();
  av_packet_move_ref(kept.get(), &packet);
  {
    std::unique_lock lock(limits_.mutex);
    limits_.changed.wait(lock, [&] {
      return dropped_ || is_among_first(1) || limits_.waiting_bytes < limits_.packet_bytes;
    });
    const auto bytes = static_cast<std::size_t>(kept->size);
    packet_bytes_ += bytes;
    limits_.waiting_bytes += bytes;
    packets_.push_back(std::move(kept));
  }
  limits_.changed.notify_all();
}

bool ShardEncoder::wait_for_permission() {
  std::unique_lock lock(limits_.mutex);
  limits_.changed.wait(lock, [&] { return dropped_ || is_among_first(limits_.encoders); });
  return !dropped_;
}

std::optional<Frame> ShardEncoder::next() {
  std::optional<Frame> frame = frames_.pop();
  if (!frame) return std::nullopt;
  {
    const std::lock_guard lock(limits_.mutex);
    --waiting_frames_;
  }
  limits_.changed.notify_all();
  if (limits_.order) limits_.order->took(number_);
  return frame;
}

void ShardEncoder::work() noexcept {
  std::optional<std::int64_t> at;
  std::exception_ptr failure;
  try {
    if (wait_for_permission()) {
      const std::unique_ptr<Encoder> encoder = make_();
      const auto store = limits_.store ? limits_.store->write(number_) : nullptr;
      std::int64_t missing = 0;  // packets of frames that have come
      const auto receive = [&](AVPacket& packet) {
        --missing;
        if (store) store->write(packet);
        keep(packet);
      };
      while (std::optional<Frame> frame = next()) {
        at = frame->number();
        ++missing;
        encoder->write(std::move(*frame), receive);
      }
      if (!dropped_) encoder->finish(receive);
      if (store && whole_ && !dropped_ && missing == 0) store->keep();
    }
  } catch (...) {
    Error error = current_error();
    if (at) error.set_frame(*at);
    failure = std::make_exception_ptr(error);
  }
  {
    const std::lock_guard lock(limits_.mutex);
    failure_ = failure;
    ended_ = true;
    limits_.unfinished.erase(number_);
  }
  if (failure) frames_.cancel();
  limits_.changed.notify_all();
  if (limits_.order) limits_.order->ended(number_);
}

}  // namespace vidconv
