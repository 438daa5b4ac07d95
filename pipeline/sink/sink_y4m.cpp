#include <cmath>
#include <utility>

#include "pipeline/av/convert/convert.h"
#include "pipeline/io/y4m.h"
#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

// Returns the y4m format that loses least.
const PixelFormat& y4m_format(const VideoInfo& video) {
  if (find_y4m_chroma(video.format->id, video.chroma_location)) return *video.format;
  const auto best_of = [&](int depth, int most) {
    std::vector<AVPixelFormat> list;
    for (const PixelFormat& format : formats())
      if (find_y4m_chroma(format.id, AVCHROMA_LOC_UNSPECIFIED) &&
          format.components[0].sample.depth >= depth && format.components[0].sample.depth <= most)
        list.push_back(format.id);
    list.push_back(AV_PIX_FMT_NONE);
    return avcodec_find_best_pix_fmt_of_list(list.data(), video.format->id, 1, nullptr);
  };
  const int depth = video.format->components[0].sample.depth;
  AVPixelFormat best = best_of(depth, depth);
  if (best == AV_PIX_FMT_NONE) best = best_of(depth, 16);
  if (best == AV_PIX_FMT_NONE) best = best_of(0, 16);
  return *find_format(best);
}

std::string header(const VideoInfo& video, const Y4mChroma& chroma) {
  const auto ratio = [](AVRational r) {
    return std::to_string(r.num) + ":" + std::to_string(r.num > 0 ? r.den : 0);
  };
  std::string text = "YUV4MPEG2 W" + std::to_string(video.width) + " H" +
                     std::to_string(video.height) + " F" + ratio(video.frame_rate) + " I" +
                     y4m_interlacing(video.field_order) + " A" + ratio(video.sample_aspect) + " C" +
                     std::string(chroma.tag);
  // Older programs know this instead of the tags for more than 8 bits.
  if (chroma.tag.find('p') != chroma.tag.npos) {
    text += " XYSCSS=";
    for (const char c : chroma.tag) text += static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
  }
  if (video.range == AVCOL_RANGE_JPEG) text += " XCOLORRANGE=FULL";
  if (video.range == AVCOL_RANGE_MPEG) text += " XCOLORRANGE=LIMITED";
  return text + "\n";
}

class Y4mSink final : public BareSink {
 public:
  Y4mSink(const OutputPlan& plan, const VideoInfo& video)
      : BareSink(plan, video),
        format_(y4m_format(video)),
        video_(video),
        notify_(plan.options.loss()) {
    if (&format_ != video.format) {
      notify(notify_, MessageKind::converted,
             "y4m cannot hold " + video.format->name + ": converted to " + format_.name);
      converter_.emplace(format_, video.range, AVCOL_SPC_UNSPECIFIED, plain_memory);
    }
    writer().write(header(video, *find_y4m_chroma(format_.id, video.chroma_location)));
  }

  void write(Frame frame) override {
    check_rate(frame);
    if (converter_) frame = Frame(converter_->convert(frame.av()), frame.number());
    writer().write("FRAME\n");
    write_picture(frame);
  }

  std::string description() const override { return "y4m, " + format_.name; }

 private:
  // Reports a variable frame rate once: y4m has a rate, but no times.
  void check_rate(const Frame& frame) {
    const std::int64_t pts = frame.av().pts;
    if (frames() == 0) first_pts_ = pts;
    if (video_.frame_rate.num <= 0 || rate_was_wrong_) return;
    const double shown = static_cast<double>(pts - first_pts_) * av_q2d(video_.time_base) *
                         av_q2d(video_.frame_rate);
    rate_was_wrong_ = std::abs(shown - static_cast<double>(frames())) > 1;
    if (rate_was_wrong_)
      notify(notify_, MessageKind::not_held,
             "y4m cannot hold a variable frame rate: the times of the frames are lost");
  }

  const PixelFormat& format_;
  const VideoInfo video_;
  const Notify notify_;
  std::optional<Converter> converter_;
  std::int64_t first_pts_ = 0;
  bool rate_was_wrong_ = false;
};

}  // namespace

std::unique_ptr<Sink> open_y4m_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<Y4mSink>(plan, input.videos.at(0).info);
}

}  // namespace vidconv
