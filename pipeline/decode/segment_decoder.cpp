#include "pipeline/decode/segment_decoder.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "pipeline/decode/segment_session.h"

namespace vidconv {

SegmentDecoder::SegmentDecoder(const AVStream& stream, MakeDecoder make,
                               const SegmentOptions& options)
    : make_(std::move(make)),
      most_sessions_(static_cast<std::size_t>(options.sessions)),
      queue_(*stream.codecpar, options) {
  std::unique_ptr<Decoder> first = make_();
  on_device_ = first->on_device();
  threads_.reserve(most_sessions_);
  start_session(std::move(first));
}

VideoDecoder::Result SegmentDecoder::receive(FramePtr& frame) {
  const std::size_t useful = std::min(queue_.useful_sessions(), most_sessions_);
  while (threads_.size() < useful) start_session(nullptr);
  return queue_.receive(frame);
}

void SegmentDecoder::start_session(std::unique_ptr<Decoder> decoder) {
  queue_.add_session();
  threads_.emplace_back([this, decoder = std::move(decoder)]() mutable {
    try {
      if (!decoder) decoder = make_();
    } catch (...) {
      return queue_.lose_session(std::current_exception());
    }
    run_session(*decoder);
  });
}

void SegmentDecoder::run_session(Decoder& decoder) {
  {
    const std::lock_guard lock(mutex_);
    decoders_.push_back(&decoder);
  }
  bool accepted = true;
  std::exception_ptr failure;
  try {
    accepted = SegmentSession(decoder, queue_).run();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase(decoders_, &decoder);
    if (accepted) {  // else its complaints are not about the stream
      errors_ += decoder.errors();
      if (first_error_.empty()) first_error_ = decoder.first_error();
    }
  }
  if (failure) queue_.fail(failure);
}

std::int64_t SegmentDecoder::errors() const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = errors_;
  for (const Decoder* decoder : decoders_)
    if (!decoder->refused()) all += decoder->errors();
  return all;
}

std::string SegmentDecoder::first_error() const {
  if (queue_.refused()) return queue_.refusal();
  const std::lock_guard lock(mutex_);
  if (!first_error_.empty()) return first_error_;
  for (const Decoder* decoder : decoders_)
    if (decoder->errors() > 0 && !decoder->refused()) return decoder->first_error();
  return "";
}

std::size_t SegmentDecoder::memory() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Decoder* decoder : decoders_) bytes += decoder->memory();
  return bytes;
}

}  // namespace vidconv
