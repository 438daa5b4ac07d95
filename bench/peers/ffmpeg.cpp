// FFmpeg's filter library on the CPU, with slices on all threads: a graph of a source, one filter
// and a sink, without codecs. Results lie in frames of its own pool.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "bench/peers/peers.h"

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
}

namespace vidconv::bench {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(&object);
  }
};
using FramePtr = std::unique_ptr<AVFrame, Free<av_frame_free>>;
using GraphPtr = std::unique_ptr<AVFilterGraph, Free<avfilter_graph_free>>;
using InOutPtr = std::unique_ptr<AVFilterInOut, Free<avfilter_inout_free>>;

void check(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("FFmpeg: {} failed ({})", what, result));
}

AVPixelFormat format_of(SampleType sample) {
  switch (sample.depth) {
    case 8:
      return AV_PIX_FMT_GRAY8;
    case 10:
      return AV_PIX_FMT_GRAY10;
    case 12:
      return AV_PIX_FMT_GRAY12;
    case 16:
      return AV_PIX_FMT_GRAY16;
    default:
      return AV_PIX_FMT_GRAYF32;
  }
}

// One filter between a source and a sink.
class Graph {
 public:
  Graph(const Case& c, const std::string& filter) : graph_(avfilter_graph_alloc()) {
    graph_->nb_threads = c.threads;
    const std::string from = fmt::format("video_size={}x{}:pix_fmt={}:time_base=1/25", c.width,
                                         c.height, static_cast<int>(format_of(c.sample)));
    check(avfilter_graph_create_filter(&source_, avfilter_get_by_name("buffer"), "in", from.c_str(),
                                       nullptr, graph_.get()),
          "the source");
    check(avfilter_graph_create_filter(&sink_, avfilter_get_by_name("buffersink"), "out", nullptr,
                                       nullptr, graph_.get()),
          "the sink");
    AVFilterInOut* outputs = end("in", source_);
    AVFilterInOut* inputs = end("out", sink_);
    const int parsed =
        avfilter_graph_parse_ptr(graph_.get(), filter.c_str(), &inputs, &outputs, nullptr);
    const InOutPtr rest_in(inputs), rest_out(outputs);
    check(parsed, filter.c_str());
    check(avfilter_graph_config(graph_.get(), nullptr), filter.c_str());
    if (av_buffersink_get_format(sink_) != format_of(c.sample))
      throw std::runtime_error("FFmpeg: the filter wants another format");
  }

  void run(const AVFrame* frame) {
    // The source takes a reference of its own.
    const FramePtr in(av_frame_clone(frame));
    check(av_buffersrc_add_frame(source_, in.get()), "a frame into the graph");
    out_.reset(av_frame_alloc());
    check(av_buffersink_get_frame(sink_, out_.get()), "a frame out of the graph");
  }

  // Copies the last run's result.
  void copy_to(const BytePlane& plane, int row_bytes) const {
    for (int y = 0; y < plane.height; ++y)
      std::memcpy(plane.row(y), out_->data[0] + std::ptrdiff_t{y} * out_->linesize[0],
                  static_cast<std::size_t>(row_bytes));
  }

 private:
  static AVFilterInOut* end(const char* name, AVFilterContext* context) {
    AVFilterInOut* const made = avfilter_inout_alloc();
    made->name = av_strdup(name);
    made->filter_ctx = context;
    made->pad_idx = 0;
    made->next = nullptr;
    return made;
  }

  GraphPtr graph_;
  AVFilterContext* source_ = nullptr;
  AVFilterContext* sink_ = nullptr;
  FramePtr out_;
};

// Returns a frame over a plane, which it does not own.
std::shared_ptr<AVFrame> frame_over(const Case& c, const PlanePair& pair) {
  std::shared_ptr<AVFrame> frame(av_frame_alloc(), [](AVFrame* f) { av_frame_free(&f); });
  frame->width = c.width;
  frame->height = c.height;
  frame->format = format_of(c.sample);
  // A frame takes a pointer to writable memory even where it only reads.
  frame->data[0] = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(pair.src.data));
  frame->linesize[0] = static_cast<int>(pair.src.stride);
  const auto bytes = static_cast<std::size_t>(pair.src.stride * pair.src.height);
  frame->buf[0] = av_buffer_create(
      frame->data[0], bytes, [](void*, std::uint8_t*) {}, nullptr, AV_BUFFER_FLAG_READONLY);
  return frame;
}

// Returns the filter and its arguments; empty where FFmpeg has none for the case.
std::string filter_for(const Case& c) {
  switch (c.kind) {
    case Kind::box:
      return fmt::format("avgblur=sizeX={0}:sizeY={0}", c.size / 2);
    case Kind::gaussian:
      return fmt::format("gblur=sigma={}", sigma_of(c.size));
    case Kind::sobel:
      return "sobel";
    case Kind::sobel_x:
    case Kind::binomial:
    case Kind::sharpen:
    case Kind::copy:
      return "";
    case Kind::unsharp:
      return "unsharp=lx=5:ly=5:la=1";
    case Kind::dense: {
      if (c.size > 7) return "";
      const auto taps = c.filter.kernels[0].taps();
      if (std::ranges::any_of(taps, [](double tap) { return tap * 256 != std::round(tap * 256); }))
        return "";
      std::string matrix;
      for (const double tap : taps)
        matrix += fmt::format("{}{:.0f}", matrix.empty() ? "" : " ", tap * 256);
      return fmt::format("convolution=0m='{}':0rdiv=1/256", matrix);
    }
  }
  return "";
}

}  // namespace

std::string ffmpeg_status() { return fmt::format("libavfilter, FFmpeg {}", av_version_info()); }

std::vector<PeerWay> ffmpeg_ways(const Case& c, std::span<const PlanePair> pairs) {
  const std::string filter = filter_for(c);
  if (filter.empty()) return {};
  std::vector<std::shared_ptr<AVFrame>> frames;
  for (const PlanePair& pair : pairs) frames.push_back(frame_over(c, pair));
  const auto graph = std::make_shared<std::optional<Graph>>();
  // The graph is made at the first run, so that its refusals are reported like any other failure.
  return {{"FFmpeg " + filter.substr(0, filter.find('=')),
           [=](int i) {
             if (!*graph) graph->emplace(c, filter);
             (*graph)->run(frames[static_cast<std::size_t>(i) % frames.size()].get());
           },
           [=, to = pairs.front().dst, bytes = c.width * c.sample.bytes()] {
             (*graph)->copy_to(to, bytes);
           }}};
}

}  // namespace vidconv::bench
