#include "pipeline/decode/decoder_choice.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "pipeline/decode/cut.h"
#include "pipeline/decode/decoder_parts.h"

namespace vidconv {
namespace {

// Keeps what the first decoder was given until its first frame is out.
class FallibleDecoder final : public VideoDecoder {
 public:
  FallibleDecoder(std::unique_ptr<VideoDecoder> first,
                  std::function<std::unique_ptr<VideoDecoder>(const std::string&)> make_second)
      : current_(std::move(first)), make_second_(std::move(make_second)) {}

  Result send(const AVPacket* packet) override {
    if (!proven_) early_.push_back(packet ? share_packet(*packet) : nullptr);
    if (const Result result = current_->send(packet); result != Result::refused) return result;
    use_second();
    return Result::done;
  }

  Result receive(FramePtr& frame) override {
    for (;;) {
      const Result result = current_->receive(frame);
      if (result == Result::refused) {
        use_second();
        continue;
      }
      if (result == Result::done && !proven_) {
        proven_ = true;
        early_.clear();
      }
      if (result != Result::again || !second_ || early_.empty()) return result;
      const PacketPtr packet = std::move(early_.front());
      early_.pop_front();
      if (current_->send(packet.get()) == Result::damaged) return Result::damaged;
    }
  }

  bool on_device() const override { return current_->on_device(); }
  std::int64_t errors() const override { return decoder()->errors(); }
  std::string first_error() const override { return decoder()->first_error(); }
  std::size_t memory() const override { return decoder()->memory(); }
  void cancel() override { decoder()->cancel(); }

 private:
  void use_second() {
    if (proven_)
      throw Error(Fault::device, "NVDEC cannot go on decoding", "",
                  "the stream changes to what the device does not decode", "use `decoder` cpu");
    std::shared_ptr<VideoDecoder> next = make_second_(current_->first_error());
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
    second_ = proven_ = true;
  }

  // For other threads.
  std::shared_ptr<VideoDecoder> decoder() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  mutable std::mutex mutex_;  // of current_, where another thread reads it or it is replaced
  std::shared_ptr<VideoDecoder> current_;
  const std::function<std::unique_ptr<VideoDecoder>(const std::string&)> make_second_;
  std::deque<PacketPtr> early_;  // nullptr: the end
  bool proven_ = false;          // early_ grows no more
  bool second_ = false;          // early_ is to be decoded again
};

// The memory of one device after the other, for one session after the other.
class NvdecMemories {
 public:
  explicit NvdecMemories(const NvdecOptions& nvdec) : memories_(nvdec.memories) {
    if (!memories_.empty()) return;
    for (const int device : nvdec.devices)
      memories_.push_back(std::make_shared<NvdecMemory>(device));
  }
  // Any thread.
  std::shared_ptr<NvdecMemory> next() { return memories_[next_++ % memories_.size()]; }

 private:
  std::vector<std::shared_ptr<NvdecMemory>> memories_;
  std::atomic<std::size_t> next_ = 0;
};

std::unique_ptr<VideoDecoder> make_nvdec_decoder(const AVStream& stream,
                                                 const DecoderOptions& options,
                                                 const NvdecOptions& nvdec) {
  const AVCodecParameters& p = *stream.codecpar;
  const std::size_t bytes = picture_bytes(static_cast<AVPixelFormat>(p.format), p.width, p.height);
  PartedOptions parted{.sessions = 0, .frames = 0, .join = can_join(p.codec_id)};
  for (const int device : nvdec.devices) {
    const NvdecShare share = share_device(device, std::max<std::size_t>(bytes, 1), nvdec.sessions);
    parted.sessions += share.sessions;
    // All that waits may lie on one device.
    parted.frames = parted.frames == 0 ? share.frames : std::min(parted.frames, share.frames);
  }
  if (nvdec.frames) parted.frames = std::min(parted.frames, *nvdec.frames);
  return std::make_unique<PartedDecoder>(
      stream,
      [&stream, options, memories = std::make_shared<NvdecMemories>(nvdec)] {
        DecoderOptions one = options;
        one.nvdec = memories->next();
        return std::make_unique<Decoder>(stream, one);
      },
      parted);
}

}  // namespace

std::unique_ptr<VideoDecoder> make_fallible_decoder(
    std::unique_ptr<VideoDecoder> first,
    std::function<std::unique_ptr<VideoDecoder>(const std::string&)> make_second) {
  return std::make_unique<FallibleDecoder>(std::move(first), std::move(make_second));
}

std::unique_ptr<VideoDecoder> make_decoder(const AVStream& stream, const DecoderOptions& options,
                                           const std::optional<NvdecOptions>& nvdec) {
  const auto make_on_cpu = [&stream, options] {
    return std::make_unique<Decoder>(stream, options);
  };
  const auto report = [&stream, notify_user = options.notify](const std::string& why) {
    notify(notify_user, MessageKind::fallback,
           std::string("NVDEC cannot decode this ") + avcodec_get_name(stream.codecpar->codec_id) +
               why + ": decoding on the CPU");
  };
  if (!nvdec) return make_on_cpu();
  if (!find_nvdec_codec(stream.codecpar->codec_id)) {
    report("");
    return make_on_cpu();
  }
  if (has_alpha_beside(stream)) {
    report(" (its transparency)");
    return make_on_cpu();
  }
  try {
    return make_fallible_decoder(make_nvdec_decoder(stream, options, *nvdec),
                                 [=](const std::string& why) {
                                   report(why.empty() ? "" : " (" + why + ")");
                                   return make_on_cpu();
                                 });
  } catch (const Error& error) {
    if (error.fault() != Fault::device) throw;
    report(" (" + error.why() + ")");
    return make_on_cpu();
  }
}

}  // namespace vidconv
