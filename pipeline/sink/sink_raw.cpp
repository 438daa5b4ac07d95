#include <optional>
#include <utility>

#include "pipeline/av/pool.h"
#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

class RawSink final : public BareSink {
 public:
  RawSink(const OutputPlan& plan, const VideoInfo& video) : BareSink(plan, video) {
    AVPixelFormat id = video.format->id;
    if (video.swapped) {
      pool_.emplace(aligned_layout(*video.format, video.width, video.height), plain_memory);
      id = av_pix_fmt_swap_endianness(id);
    }
    format_ = av_get_pix_fmt_name(id);
  }

  void write(Frame frame) override { write_picture(pool_ ? swapped(frame) : std::move(frame)); }
  std::string description() const override { return "bare frames, " + format_; }

 private:
  // Returns the frame in the input's byte order.
  Frame swapped(const Frame& frame) {
    const PixelFormat& format = frame.format();
    Frame other(pool_->get(), frame);
    for (int p = 0; p < format.planes; ++p)
      for (int y = 0; y < format.rows(p, frame.height()); ++y)
        swap_bytes({frame.row(p, y), format.row_bytes(p, frame.width())}, other.row(p, y),
                   format.components[0].sample.bytes());
    return other;
  }

  std::string format_;
  std::optional<FramePool> pool_;  // for swapped frames
};

}  // namespace

std::unique_ptr<Sink> open_raw_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<RawSink>(plan, input.videos.at(0).info);
}

}  // namespace vidconv
