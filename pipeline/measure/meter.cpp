#include "pipeline/measure/meter.h"

#include <algorithm>
#include <utility>

#include "pipeline/av/format.h"
#include "pipeline/base/error.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv {
namespace {

constexpr std::size_t packets_that_wait = 16;

// The encoder's own pictures are checked against so many of the decoder's, at the beginning and
// from the first key frame after every so many packets.
constexpr int pictures_of_a_check = 12, packets_between_checks = 250;
// No decoder holds back so many pictures: older ones are those that it cannot make, where it begins
// at a key frame that refreshes the picture gradually.
constexpr std::size_t most_to_check = 48;

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
  // The decoder has to keep up with an encoder that uses all CPUs.
  context->thread_count = std::clamp(usable_threads() / 4, 1, 8);
  check_av(avcodec_open2(context.get(), codec, nullptr), Fault::internal,
           "cannot open the decoder of `measure`", name);
  return context;
}

Frame as_frame(FramePtr av) {
  AVColorRange range = av->color_range;
  av->format = without_range(static_cast<AVPixelFormat>(av->format), range);
  return Frame(std::move(av), 0);
}

std::int64_t time_of(const AVFrame& frame) {
  return frame.pts != AV_NOPTS_VALUE ? frame.pts : frame.best_effort_timestamp;
}

FramePtr another(const AVFrame& frame) {
  FramePtr other(av_frame_clone(&frame));
  if (!other) throw_out_of_memory("for a frame");
  return other;
}

// Returns whether all components of the encoder's picture are equal to the bit: a decoder makes up
// chroma for pictures without.
bool are_equal(const AVFrame& encoders, const AVFrame& decoded) {
  try {
    const Frame ours = as_frame(another(encoders));
    const FrameScore score = score_pictures(ours, as_frame(another(decoded)));
    return score.mse == 0 && score.count == ours.format().components.size();
  } catch (const Error&) {
    return false;  // they differ in size or depth
  }
}

// Returns an unknown rate before FFmpeg 6.1, which has no xpsnr either.
AVRational frame_rate_of(const AVCodecParameters& coded) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 11, 100)
  return coded.framerate;
#else
  static_cast<void>(coded);
  return {0, 1};
#endif
}

bool is_comparable(const PixelFormat* format) {
  return format && std::ranges::all_of(format->components, [](const Component& c) {
           return c.sample.storage != Storage::f32;
         });
}

}  // namespace

Meter::Meter(MeasureLog& log, const AVCodecParameters& coded, AVRational time_base,
             const std::string& filtered, Notify notify)
    : log_(log),
      time_base_(time_base),
      notify_(std::move(notify)),
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
    vmaf_ = std::make_unique<Vmaf>(*find_format(given), coded.width, coded.height,
                                   log.measures().vmaf_model);
  if (log.measures().xpsnr)
    xpsnr_ = std::make_unique<Xpsnr>(*find_format(given), coded.width, coded.height,
                                     frame_rate_of(coded));
  thread_ = std::thread([this] { work(); });
}

Meter::~Meter() {
  packets_.cancel();
  if (thread_.joinable()) thread_.join();
}

void Meter::expect(const AVFrame& frame, std::int64_t pts) {
  FramePtr kept = another(frame);
  kept->pts = pts;
  const std::lock_guard lock(mutex_);
  given_.push_back(std::move(kept));
}

void Meter::take(const AVPacket& packet, FramePtr picture) {
  if (picture) picture->pts = packet.pts;
  if (!packets_.push({share_packet(packet), std::move(picture)})) check();
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
    measure_all();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    packets_.cancel();
  }
}

void Meter::measure_all() {
  while (auto coded = packets_.pop()) measure(std::move(*coded));
  if (checking_) decode(nullptr);
  if (vmaf_) vmaf_->finish();
  if (xpsnr_) xpsnr_->finish();
  hand_on();
  if (!waiting_.empty())
    throw Error(Fault::internal, vmaf_ ? "libvmaf has no score of a frame" : "there is no xpsnr of",
                std::to_string(handed_on_), "");
  const std::lock_guard lock(mutex_);
  if (!given_.empty())
    fail(std::to_string(given_.size()) + " frames that went in did not come out");
}

void Meter::measure(Coded coded) {
  // Some measures need pictures in the order in which they are shown, as the decoder gives them.
  if (!coded.picture || log_.measures().need_order()) {
    if (judge_ == Judge::encoder) fail("the encoder has kept a picture to itself");
    judge_ = Judge::decoder;
    to_check_.clear();
  }
  ++since_check_;
  if (judge_ != Judge::decoder) {
    const bool is_key = coded.packet->flags & AV_PKT_FLAG_KEY;
    if (!checking_ && is_key && since_check_ > packets_between_checks) begin_check();
    if (checking_) keep_for_check(another(*coded.picture));
    if (judge_ == Judge::encoder) compare(std::move(coded.picture));
  }
  if (!checking_) return;
  decode(coded.packet.get());
  if (agreed_ < pictures_of_a_check) return;
  if (judge_ == Judge::both) trust_encoder();
  end_check();
}

// Compares the pictures that the decoder has not made yet: the encoder's are as good.
void Meter::trust_encoder() {
  judge_ = Judge::encoder;
  for (FramePtr& picture : std::exchange(to_check_, {})) compare(std::move(picture));
}

void Meter::begin_check() {
  checking_ = true;
  since_check_ = 1;
  agreed_ = 0;
  from_.reset();
}

void Meter::end_check() {
  checking_ = false;
  to_check_.clear();
  avcodec_flush_buffers(decoder_.get());
}

void Meter::decode(const AVPacket* packet) {
  const int code = avcodec_send_packet(decoder_.get(), packet);
  // A later check may begin with packets that need pictures from before it.
  if (judge_ == Judge::encoder && !from_ && code == AVERROR_INVALIDDATA) return;
  check_av(code, MessageKind::unaccounted, "cannot decode what was encoded", decoder_->codec->name);
  receive_all();
}

void Meter::receive_all() {
  for (;;) {
    FramePtr frame = make_frame();
    const int code = avcodec_receive_frame(decoder_.get(), frame.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    if (judge_ == Judge::encoder && !from_ && code == AVERROR_INVALIDDATA) continue;
    check_av(code, MessageKind::unaccounted, "cannot decode what was encoded",
             decoder_->codec->name);
    came_out(std::move(frame));
  }
}

void Meter::came_out(FramePtr decoded) {
  if (judge_ != Judge::decoder) {
    if (is_the_encoders(*decoded)) {
      ++agreed_;
    } else {
      const std::string where = "its own picture at " + std::to_string(time_of(*decoded)) +
                                ", in ticks of " + std::to_string(time_base_.num) + "/" +
                                std::to_string(time_base_.den) + " s, ";
      if (judge_ == Judge::encoder)
        fail("the encoder says otherwise: " + where +
             "is another one than the decoder's, and so may those be that were measured before");
      judge_ = Judge::decoder;
      to_check_.clear();
      vidconv::notify(notify_, MessageKind::fallback,
                      "`measure` decodes every packet: of the encoder, " + where +
                          "is another one than the decoder's");
    }
  }
  if (judge_ != Judge::encoder) compare(std::move(decoded));
}

// Skips pictures that are shown before the first one of a check: they need pictures from before it.
void Meter::keep_for_check(FramePtr picture) {
  if (from_ && picture->pts < *from_) return;
  to_check_.push_back(std::move(picture));
  if (to_check_.size() > most_to_check && judge_ == Judge::encoder) to_check_.pop_front();
}

// Returns false also where a picture that is shown earlier did not come out.
bool Meter::is_the_encoders(const AVFrame& decoded) {
  const std::int64_t pts = time_of(decoded);
  if (!from_) {
    if (judge_ == Judge::encoder)
      std::erase_if(to_check_, [pts](const FramePtr& f) { return f->pts < pts; });
    from_ = pts;
  }
  const auto first =
      std::ranges::min_element(to_check_, {}, [](const FramePtr& f) { return f->pts; });
  if (first == to_check_.end() || (*first)->pts != pts) return false;
  const bool equal = are_equal(**first, decoded);
  to_check_.erase(first);
  return equal;
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

void Meter::compare(FramePtr picture) {
  const std::int64_t pts = time_of(*picture);
  const Frame given = as_frame(given_at(pts));
  const Frame made = as_frame(std::move(picture));
  FrameScore score = score_pictures(given, made);
  score.pts = pts;
  score.time = static_cast<double>(pts) * av_q2d(time_base_);
  if (vmaf_) vmaf_->read(given, made);
  if (xpsnr_) xpsnr_->read(given, made);
  waiting_.push_back(score);
  hand_on();
}

bool Meter::complete(FrameScore& score) {
  if (vmaf_ && !(score.vmaf = vmaf_->score(handed_on_))) return false;
  if (!xpsnr_) return true;
  const std::map<char, double> found = xpsnr_->score(handed_on_);
  if (found.empty()) return false;
  for (ComponentScore& part : std::span(score.parts).first(score.count)) {
    const auto own = found.find(part.name);
    if (own == found.end()) continue;  // transparency has none
    part.xpsnr = own->second;
    score.xpsnr = std::min(score.xpsnr.value_or(own->second), own->second);
  }
  return true;
}

void Meter::hand_on() {
  while (!waiting_.empty() && complete(waiting_.front())) {
    log_.add(waiting_.front());
    waiting_.pop_front();
    ++handed_on_;
  }
}

}  // namespace vidconv
