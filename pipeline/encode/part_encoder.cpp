#include "pipeline/encode/part_encoder.h"

#include <optional>
#include <utility>

namespace vidconv {

PartEncoder::PartEncoder(std::int64_t number, std::size_t slots, Make make)
    : number_(number), make_(std::move(make)), frames_(slots), thread_([this] { work(); }) {}

PartEncoder::~PartEncoder() {
  dropped_ = true;
  frames_.cancel();
}

void PartEncoder::write(Frame frame) {
  const std::int64_t pts = frame.av().pts;
  if (!frames_.push(std::move(frame))) check();
  times.push_back(pts);
}

void PartEncoder::check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

PacketPtr PartEncoder::take(Patience patience) {
  std::unique_lock lock(mutex_);
  if (patience == Patience::until_the_next)
    changed_.wait(lock, [&] { return ended_ || !packets_.empty(); });
  if (failure_) std::rethrow_exception(failure_);
  if (packets_.empty()) return nullptr;
  PacketPtr packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

bool PartEncoder::is_done() {
  const std::lock_guard lock(mutex_);
  return ended_ && packets_.empty();
}

bool PartEncoder::has_ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void PartEncoder::keep(AVPacket& packet) {
  PacketPtr kept = make_packet();
  av_packet_move_ref(kept.get(), &packet);
  {
    const std::lock_guard lock(mutex_);
    packets_.push_back(std::move(kept));
  }
  changed_.notify_all();
}

void PartEncoder::work() noexcept {
  std::optional<std::int64_t> at;
  std::exception_ptr failure;
  try {
    const std::unique_ptr<Encoder> encoder = make_();
    const auto receive = [this](AVPacket& packet) { keep(packet); };
    while (std::optional<Frame> frame = frames_.pop()) {
      at = frame->number();
      encoder->write(std::move(*frame), receive);
    }
    if (!dropped_) encoder->finish(receive);
  } catch (...) {
    Error error = current_error();
    if (at) error.set_frame(*at);
    failure = std::make_exception_ptr(error);
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    ended_ = true;
  }
  if (failure) frames_.cancel();
  changed_.notify_all();
}

}  // namespace vidconv
