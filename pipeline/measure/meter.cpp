#include "pipeline/measure/meter.h"

#include <algorithm>
#include <utility>

#include "kernels/convolver/usable_threads.h"
#include "pipeline/av/format.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

constexpr std::size_t packets_that_wait = 16;

[[noreturn]] void refuse_codec(const std::string& codec, const std::string& why) {
  throw Error(MessageKind::output_unsuited, "`measure` cannot look at what is encoded as", codec,
              why, "leave it out, or choose another `codec`");
}

CodecContextPtr open_decoder(const AVCodecParameters& coded, AVRational time_base) {
  const std::string name = avcodec_get_name(coded.codec_id);
  const AVCodec* codec = avcodec_find_decoder(coded.codec_id);
  if (!codec) refuse_codec(name, "this FFmpeg has no decoder for it");
  CodecContextPtr context(avcodec_alloc_context3(codec));
  if (!context) throw_out_of_memory("for the decoder of `measure`");
  check_av(avcodec_parameters_to_context(context.get(), &coded), Fault::internal,
           "cannot describe the video");
  context->pkt_timebase = time_base;
  // It has to keep up with an encoder that has all CPUs.
  context->thread_count = std::clamp(usable_threads() / 4, 1, 8);
  check_av(avcodec_open2(context.get(), codec, nullptr), Fault::internal,
           "cannot open the decoder of `measure`", name);
  return context;
}

bool is_comparable(const PixelFormat* format) {
  return format && std::ranges::all_of(format->components, [](const Component& c) {
           return c.sample.storage != Storage::f32;
         });
}

}  // namespace

Meter::Meter(MeasureLog& log, const AVCodecParameters& coded, AVRational time_base,
             const std::string& filtered)
    : log_(log),
      time_base_(time_base),
      decoder_(open_decoder(coded, time_base)),
      packets_(packets_that_wait) {
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  const auto given = without_range(static_cast<AVPixelFormat>(coded.format), range);
  if (!is_comparable(find_format(given))) {
    const char* name = av_get_pix_fmt_name(given);
    refuse_codec(avcodec_get_name(coded.codec_id),
                 std::string("pictures of ") + (name ? name : "this kind") + " are not compared");
  }
  log.set_formats(filtered, find_format(given)->name, decoder_->codec->name);
  if (log.measures().vmaf)
    vmaf_ = std::make_unique<Vmaf>(*find_format(given), coded.width, coded.height);
  thread_ = std::thread([this] { work(); });
}

Meter::~Meter() {
  packets_.cancel();
  if (thread_.joinable()) thread_.join();
}

void Meter::expect(const AVFrame& frame, std::int64_t pts) {
  FramePtr kept(av_frame_clone(&frame));
  if (!kept) throw_out_of_memory("for a frame");
  kept->pts = pts;
  const std::lock_guard lock(mutex_);
  given_.push_back(std::move(kept));
}

void Meter::take(const AVPacket& packet) {
  if (!packets_.push(share_packet(packet))) check();
}

void Meter::finish() {
  packets_.close();
  thread_.join();
  check();
}

void Meter::check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void Meter::fail(const std::string& why) const {
  throw Error(MessageKind::unaccounted, "what was encoded is not what comes out of its decoder",
              decoder_->codec->name, why);
}

void Meter::work() noexcept {
  try {
    decode_all();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    packets_.cancel();
  }
}

void Meter::decode_all() {
  while (const auto packet = packets_.pop()) decode(packet->get());
  decode(nullptr);
  if (vmaf_) {
    vmaf_->finish();
    hand_on();
    if (!without_vmaf_.empty())
      throw Error(Fault::internal, "libvmaf has no score of a frame", std::to_string(with_vmaf_),
                  "");
  }
  const std::lock_guard lock(mutex_);
  if (!given_.empty())
    fail(std::to_string(given_.size()) + " frames that went in did not come out");
}

void Meter::decode(const AVPacket* packet) {
  check_av(avcodec_send_packet(decoder_.get(), packet), MessageKind::unaccounted,
           "cannot decode what was encoded", decoder_->codec->name);
  for (;;) {
    FramePtr frame = make_frame();
    const int code = avcodec_receive_frame(decoder_.get(), frame.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check_av(code, MessageKind::unaccounted, "cannot decode what was encoded",
             decoder_->codec->name);
    compare(std::move(frame));
  }
}

FramePtr Meter::given_at(std::int64_t pts) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(given_, pts, [](const FramePtr& f) { return f->pts; });
  if (found == given_.end())
    fail("a frame at " + std::to_string(pts) + " did not go in, in ticks of " +
         std::to_string(time_base_.num) + "/" + std::to_string(time_base_.den) + " s");
  FramePtr given = std::move(*found);
  given_.erase(found);
  return given;
}

void Meter::compare(FramePtr decoded) {
  const std::int64_t pts =
      decoded->pts != AV_NOPTS_VALUE ? decoded->pts : decoded->best_effort_timestamp;
  const auto as_frame = [](FramePtr av) {
    AVColorRange range = av->color_range;
    av->format = without_range(static_cast<AVPixelFormat>(av->format), range);
    return Frame(std::move(av), 0);
  };
  const Frame given = as_frame(given_at(pts));
  const Frame made = as_frame(std::move(decoded));
  FrameScore score = score_pictures(given, made);
  score.pts = pts;
  score.time = static_cast<double>(pts) * av_q2d(time_base_);
  if (!vmaf_) return log_.add(score);
  vmaf_->read(given, made);
  without_vmaf_.push_back(score);
  hand_on();
}

void Meter::hand_on() {
  while (!without_vmaf_.empty()) {
    FrameScore& score = without_vmaf_.front();
    score.vmaf = vmaf_->score(with_vmaf_);
    if (!score.vmaf) return;
    log_.add(score);
    without_vmaf_.pop_front();
    ++with_vmaf_;
  }
}

}  // namespace vidconv
