#include "pipeline/encode/part_encoder.h"

#include <optional>
#include <utility>

namespace vidconv {

PartEncoder::PartEncoder(std::int64_t number, PartLimits& limits, Make make)
    : number_(number),
      make_(std::move(make)),
      frames_(limits.slots),
      limits_(limits),
      thread_([this] { work(); }) {}

PartEncoder::~PartEncoder() {
  {
    const std::lock_guard lock(limits_.mutex);
    dropped_ = true;
  }
  limits_.changed.notify_all();
  frames_.cancel();
}

void PartEncoder::take_turn() {
  {
    const std::lock_guard lock(limits_.mutex);
    has_turn_ = true;
  }
  limits_.changed.notify_all();
}

bool PartEncoder::wait_for_room(PartEncoder& oldest) {
  std::unique_lock lock(limits_.mutex);
  const auto has_room = [&] { return ended_ || waiting_frames_ < limits_.slots; };
  limits_.changed.wait(lock,
                       [&] { return has_room() || oldest.ended_ || !oldest.packets_.empty(); });
  return has_room();
}

void PartEncoder::write(Frame frame) {
  const std::int64_t pts = frame.av().pts;
  {
    const std::lock_guard lock(limits_.mutex);
    ++waiting_frames_;
  }
  if (!frames_.push(std::move(frame))) check();
  times.push_back(pts);
}

void PartEncoder::check() {
  const std::lock_guard lock(limits_.mutex);
  if (failure_) std::rethrow_exception(failure_);
}

PacketPtr PartEncoder::take(Patience patience) {
  std::unique_lock lock(limits_.mutex);
  if (patience == Patience::until_the_next)
    limits_.changed.wait(lock, [&] { return ended_ || !packets_.empty(); });
  if (failure_) std::rethrow_exception(failure_);
  if (packets_.empty()) return nullptr;
  PacketPtr packet = std::move(packets_.front());
  packets_.pop_front();
  packet_bytes_ -= static_cast<std::size_t>(packet->size);
  return packet;
}

bool PartEncoder::is_done() {
  const std::lock_guard lock(limits_.mutex);
  return ended_ && packets_.empty();
}

bool PartEncoder::has_ended() {
  const std::lock_guard lock(limits_.mutex);
  return ended_;
}

std::size_t PartEncoder::waiting_bytes() {
  const std::lock_guard lock(limits_.mutex);
  return packet_bytes_;
}

void PartEncoder::keep(AVPacket& packet) {
  PacketPtr kept = make_packet();
  av_packet_move_ref(kept.get(), &packet);
  {
    std::unique_lock lock(limits_.mutex);
    limits_.changed.wait(
        lock, [&] { return has_turn_ || dropped_ || packet_bytes_ < limits_.packet_bytes; });
    packet_bytes_ += static_cast<std::size_t>(kept->size);
    packets_.push_back(std::move(kept));
  }
  limits_.changed.notify_all();
}

void PartEncoder::work() noexcept {
  std::optional<std::int64_t> at;
  std::exception_ptr failure;
  try {
    const std::unique_ptr<Encoder> encoder = make_();
    const auto receive = [this](AVPacket& packet) { keep(packet); };
    while (std::optional<Frame> frame = frames_.pop()) {
      at = frame->number();
      {
        const std::lock_guard lock(limits_.mutex);
        --waiting_frames_;
      }
      limits_.changed.notify_all();
      encoder->write(std::move(*frame), receive);
    }
    if (!dropped_) encoder->finish(receive);
  } catch (...) {
    Error error = current_error();
    if (at) error.set_frame(*at);
    failure = std::make_exception_ptr(error);
  }
  {
    const std::lock_guard lock(limits_.mutex);
    failure_ = failure;
    ended_ = true;
  }
  if (failure) frames_.cancel();
  limits_.changed.notify_all();
}

}  // namespace vidconv
