#include "pipeline/decode/decoder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <set>
#include <span>
#include <utility>

#include "pipeline/decode/segment_cuts.h"
#include "pipeline/decode/segment_decoder.h"

namespace vidconv {
namespace {

// Holds the packets from the last key frame on whose frame is out, so that a second decoder can go
// on from there, and the times of the frames since then that are out already.
class Replay {
 public:
  explicit Replay(const AVCodecParameters& parameters) : parameters_(parameters) {}

  // Adds a packet; nullptr: the end.
  void add(const AVPacket* packet) {
    if (!possible_) return;
    if (packet) {
      bytes_ += packet->size;
      if (bytes_ > most_bytes) return give_up();
      if (packet->pts != AV_NOPTS_VALUE && cut_at(*packet, parameters_) != Cut::no)
        starts_.push_back({first_ + packets_.size(), packet->pts});
    }
    packets_.push_back(packet ? share_packet(*packet) : nullptr);
  }

  // Notes that a frame is out.
  void shown(std::int64_t pts) {
    if (!possible_) return;
    if (pts == AV_NOPTS_VALUE) return give_up();
    shown_.insert(pts);
    while (starts_.size() > 1 && shown_.contains(starts_[1].pts)) {
      starts_.pop_front();
      for (; first_ < starts_.front().packet; ++first_) forget_first();
    }
  }

  bool possible() const { return possible_; }
  bool empty() const { return packets_.empty(); }
  PacketPtr next() {
    PacketPtr packet = std::move(packets_.front());
    packets_.pop_front();
    return packet;
  }
  // Returns whether a frame of the second decoder is out already.
  bool is_known(std::int64_t pts) {
    const auto known = shown_.find(pts);
    if (known == shown_.end()) return false;
    shown_.erase(known);
    return true;
  }

 private:
  static constexpr std::int64_t most_bytes = std::int64_t{256} << 20;

  struct Start {
    std::size_t packet;  // index in the stream
    std::int64_t pts;
  };

  void forget_first() {
    const AVPacket& packet = *packets_.front();
    if (const auto known = shown_.find(packet.pts); known != shown_.end()) shown_.erase(known);
    bytes_ -= packet.size;
    packets_.pop_front();
  }
  void give_up() {
    possible_ = false;
    packets_.clear();
  }

  const AVCodecParameters& parameters_;
  std::deque<PacketPtr> packets_;
  std::size_t first_ = 0;     // index in the stream of the first packet held
  std::deque<Start> starts_;  // where a decoder may begin
  std::multiset<std::int64_t> shown_;
  std::int64_t bytes_ = 0;
  bool possible_ = true;
};

// Returns whether the packet brings another header for the codec, as in a file with two sample
// entries.
bool changes_header(const AVPacket& packet, const AVCodecParameters& parameters) {
  std::size_t size = 0;
  const std::uint8_t* header = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
  return header &&
         !std::ranges::equal(
             std::span(header, size),
             std::span(parameters.extradata, static_cast<std::size_t>(parameters.extradata_size)));
}

class FallibleDecoder final : public VideoDecoder {
 public:
  FallibleDecoder(std::unique_ptr<VideoDecoder> first, const AVCodecParameters& parameters,
                  MakeSecondDecoder make_second)
      : current_(std::move(first)),
        parameters_(parameters),
        make_second_(std::move(make_second)),
        replay_(parameters) {}

  Result send(const AVPacket* packet) override {
    if (second_) return current_->send(packet);
    replay_.add(packet);
    if (packet && changes_header(*packet, parameters_)) {
      use_second("its header changes");
      return Result::done;
    }
    if (const Result result = current_->send(packet); result != Result::refused) return result;
    use_second(current_->first_error());
    return Result::done;
  }

  Result receive(FramePtr& frame) override {
    for (;;) {
      const Result result = current_->receive(frame);
      if (result == Result::refused) {
        use_second(current_->first_error());
        continue;
      }
      if (result == Result::done && !second_) {
        if (changes_colours(*frame)) {
          frame.reset();
          use_second("the picture changes its colours");
          continue;
        }
        begun_ = true;
        replay_.shown(frame->pts);
      }
      if (result == Result::done && second_ && replay_.is_known(frame->pts)) {
        frame.reset();
        continue;
      }
      if (result != Result::again || !second_ || replay_.empty()) return result;
      const PacketPtr packet = replay_.next();
      if (current_->send(packet.get()) == Result::damaged) return Result::damaged;
    }
  }

  bool on_device() const override { return current_->on_device(); }
  std::int64_t errors() const override {
    const std::lock_guard lock(mutex_);
    return errors_before_ + current_->errors();
  }
  std::string first_error() const override {
    const std::lock_guard lock(mutex_);
    return first_error_before_.empty() ? current_->first_error() : first_error_before_;
  }
  std::size_t memory() const override { return decoder()->memory(); }
  void cancel() override { decoder()->cancel(); }

 private:
  void use_second(const std::string& why) {
    if (!replay_.possible())
      throw Error(Fault::device, "NVDEC cannot go on decoding", "", why, "use `decoder` cpu");
    std::shared_ptr<VideoDecoder> next = make_second_(why, begun_);
    const std::lock_guard lock(mutex_);
    if (begun_ && current_->errors() > 0) {  // else it complained of what it cannot do
      errors_before_ = current_->errors();
      first_error_before_ = current_->first_error();
    }
    current_ = std::move(next);
    second_ = true;
  }

  // Returns whether a frame's colours are not the first frame's: a device converts none. The
  // sessions of one stream cannot ask this, for each begins somewhere else.
  bool changes_colours(const AVFrame& frame) {
    const Colours now{frame.colorspace, frame.color_range};
    if (!colours_) colours_ = now;
    return now != *colours_;
  }

  // Returns the current decoder; for other threads.
  std::shared_ptr<VideoDecoder> decoder() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  // Guards current_, where another thread reads it or it is replaced, and the errors.
  mutable std::mutex mutex_;
  std::shared_ptr<VideoDecoder> current_;
  std::int64_t errors_before_ = 0;  // the first decoder's, if it had begun
  std::string first_error_before_;
  struct Colours {
    AVColorSpace matrix;
    AVColorRange range;
    bool operator==(const Colours&) const = default;
  };
  std::optional<Colours> colours_;  // the first frame's
  const AVCodecParameters& parameters_;
  const MakeSecondDecoder make_second_;
  Replay replay_;        // holds what the first decoder was given
  bool begun_ = false;   // a frame is out
  bool second_ = false;  // it is at work; what replay_ holds is to be decoded again
};

// Gives out the devices' memories in turn, one per session.
class NvdecMemories {
 public:
  explicit NvdecMemories(const NvdecOptions& nvdec) : memories_(nvdec.memories) {
    if (!memories_.empty()) return;
    for (const int device : nvdec.devices)
      memories_.push_back(std::make_shared<NvdecMemory>(device));
  }
  // Thread-safe.
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
  SegmentOptions parted{.sessions = 0, .frames = 0, .join = can_join(p.codec_id)};
  for (const int device : nvdec.devices) {
    const NvdecShare share = share_device(device, std::max<std::size_t>(bytes, 1), nvdec.sessions);
    parted.sessions += share.sessions;
    // All frames that wait may lie on one device.
    parted.frames = parted.frames == 0 ? share.frames : std::min(parted.frames, share.frames);
  }
  if (nvdec.frames) parted.frames = std::min(parted.frames, *nvdec.frames);
  return std::make_unique<SegmentDecoder>(
      stream,
      [&stream, options, memories = std::make_shared<NvdecMemories>(nvdec)] {
        DecoderOptions one = options;
        one.nvdec = memories->next();
        return std::make_unique<Decoder>(stream, one);
      },
      parted);
}

}  // namespace

std::unique_ptr<VideoDecoder> make_fallible_decoder(std::unique_ptr<VideoDecoder> first,
                                                    const AVCodecParameters& parameters,
                                                    MakeSecondDecoder make_second) {
  return std::make_unique<FallibleDecoder>(std::move(first), parameters, std::move(make_second));
}

std::unique_ptr<VideoDecoder> make_decoder(const AVStream& stream, const DecoderOptions& options,
                                           const std::optional<NvdecOptions>& nvdec) {
  const auto make_on_cpu = [&stream, options] {
    return std::make_unique<Decoder>(stream, options);
  };
  const auto report = [&stream, notify_user = options.notify](const std::string& why,
                                                              bool begun = false) {
    notify(notify_user, MessageKind::fallback,
           fmt::format("NVDEC cannot {} this {}{}: {}", begun ? "go on with" : "decode",
                       avcodec_get_name(stream.codecpar->codec_id), why,
                       begun ? "from here on the CPU decodes" : "decoding on the CPU"));
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
    return make_fallible_decoder(make_nvdec_decoder(stream, options, *nvdec), *stream.codecpar,
                                 [=](const std::string& why, bool begun) {
                                   report(why.empty() ? "" : " (" + why + ")", begun);
                                   return make_on_cpu();
                                 });
  } catch (const Error& error) {
    if (error.fault() != Fault::device) throw;
    report(" (" + error.why() + ")");
    return make_on_cpu();
  }
}

}  // namespace vidconv
