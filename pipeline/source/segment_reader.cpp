#include "pipeline/source/segment_reader.h"

#include <utility>

namespace vidconv {

SegmentReader::SegmentReader(FrameOrder::Stretch stretch, Open open)
    : stretch_(stretch), open_(std::move(open)), thread_([this] { work(); }) {}

SegmentReader::~SegmentReader() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

void SegmentReader::cancel() {
  frames_.cancel();
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (source_) source_->cancel();
}

std::optional<Frame> SegmentReader::next() {
  std::optional<Frame> frame = frames_.pop();
  if (frame) ++at_;
  return frame;
}

void SegmentReader::finish() {
  if (thread_.joinable()) thread_.join();
  const std::int64_t handed_out = at_ - stretch_.begin;
  account_.frames_unused += account_.frames_handed_on - handed_out;  // after an interrupted run
  account_.frames_handed_on = handed_out;
  if (failure_) std::rethrow_exception(failure_);
}

std::size_t SegmentReader::memory() const {
  const std::lock_guard lock(mutex_);
  return source_ ? source_->memory() : 0;
}

void SegmentReader::work() noexcept {
  try {
    read();
  } catch (...) {
    failure_ = std::current_exception();
  }
  frames_.close();
  begun_ = ended_ = true;
}

void SegmentReader::read() {
  {
    std::unique_ptr<Source> source = open_();
    const std::lock_guard lock(mutex_);
    source_ = std::move(source);
    if (cancelled_) source_->cancel();
  }
  std::int64_t number = stretch_.begin;
  while (std::optional<Item> item = source_->next()) {
    Frame* read = std::get_if<Frame>(&*item);
    if (!read) continue;
    too_many_ = number == stretch_.end;
    if (too_many_) break;
    const auto memory = read->on_device() ? Frame::Memory::device : Frame::Memory::host;
    // Blocks while frames before it have not been taken.
    if (!frames_.push(Frame(read->release(), number++, memory))) break;
    begun_ = true;
  }
  damaged_ = source_->damage().any();
  account_ = source_->accounts().at(static_cast<std::size_t>(source_->video_stream()));
}

}  // namespace vidconv
