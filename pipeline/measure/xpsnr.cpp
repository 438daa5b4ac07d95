#include "pipeline/measure/xpsnr.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "pipeline/av/av_log.h"
#include "pipeline/base/error.h"

// These are libavfilter's own types, used as opaque pointers only.
struct AVFilter;
struct AVFilterContext;
struct AVFilterGraph;

namespace vidconv {
namespace {

[[noreturn]] void refuse_xpsnr(const std::string& why, const std::string& remedy) {
  throw Error(MessageKind::output_unsuited, "there is no xpsnr for",
              Error::Value::naming("`measure`"), why, remedy);
}

// Returns the libavfilter of this FFmpeg, which shares its frames: from 5.0 to 9.0 both versions
// grew together, from libavutil 57 and libavfilter 8.
std::string library_name() {
  return fmt::format("libavfilter.so.{}", LIBAVUTIL_VERSION_MAJOR - 49);
}

void copy_component(const Component& from, ConstBytePlane source, const Component& to,
                    BytePlane target) {
  const int bytes = from.sample.bytes();
  for (int y = 0; y < source.height; ++y)
    for (int x = 0; x < source.width; ++x) {
      std::uint16_t code = 0;
      std::memcpy(&code, source.row(y) + static_cast<std::ptrdiff_t>(x) * source.step * bytes,
                  static_cast<std::size_t>(bytes));
      code = static_cast<std::uint16_t>(code >> from.sample.shift << to.sample.shift);
      std::memcpy(target.row(y) + static_cast<std::ptrdiff_t>(x) * target.step * bytes, &code,
                  static_cast<std::size_t>(bytes));
    }
}

}  // namespace

// Holds libavfilter's entry points by their names, and the graph: two sources, the filter, a sink.
struct Xpsnr::Library {
  template <class F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
    if (!function) refuse_xpsnr(library_name() + " has no " + name, "measure psnr,ssim");
  }

  Library(const PixelFormat& format, int width, int height, AVRational frame_rate)
      : handle(dlopen(library_name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle)
      refuse_xpsnr(library_name() + " is not installed", "install it, or measure psnr,ssim");
    find(make_graph, "avfilter_graph_alloc");
    find(free_graph, "avfilter_graph_free");
    find(filter_named, "avfilter_get_by_name");
    find(add_filter, "avfilter_graph_create_filter");
    find(connect, "avfilter_link");
    find(convert, "avfilter_graph_set_auto_convert");
    find(configure, "avfilter_graph_config");
    find(add_frame, "av_buffersrc_add_frame_flags");
    find(get_frame, "av_buffersink_get_frame");
    if (!filter_named("xpsnr"))
      refuse_xpsnr(
          fmt::format("the libavfilter of this FFmpeg ({}) has no such filter", av_version_info()),
          "use FFmpeg 7.1 or later, or measure psnr,ssim");
    graph = make_graph();
    if (!graph) throw_out_of_memory("for xpsnr");
    const std::string pictures = fmt::format(
        "video_size={}x{}:pix_fmt={}:time_base=1/25{}", width, height, static_cast<int>(format.id),
        frame_rate.num > 0 ? fmt::format(":frame_rate={}/{}", frame_rate.num, frame_rate.den) : "");
    given = make("buffer", pictures.c_str());
    decoded = make("buffer", pictures.c_str());
    AVFilterContext* xpsnr = make("xpsnr", nullptr);
    sink = make("buffersink", nullptr);
    constexpr unsigned no_conversion = ~0U;
    convert(graph, no_conversion);
    if (connect(given, 0, xpsnr, 0) < 0 || connect(decoded, 0, xpsnr, 1) < 0 ||
        connect(xpsnr, 0, sink, 0) < 0 || configure(graph, nullptr) < 0) {
      take_av_line();
      free_graph(&graph);
      refuse_xpsnr("it does not take pictures of " + format.name,
                   "encode in another `pixel_format`, or measure psnr,ssim");
    }
  }
  ~Library() {
    if (graph) free_graph(&graph);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  AVFilterContext* make(const char* filter, const char* arguments) {
    AVFilterContext* made = nullptr;
    check_av(add_filter(&made, filter_named(filter), nullptr, arguments, nullptr, graph),
             Fault::internal, "cannot begin xpsnr", filter);
    return made;
  }

  // The library stays loaded: what it has loaded itself must not be loaded twice.
  void* const handle;
  AVFilterGraph* (*make_graph)() = nullptr;
  void (*free_graph)(AVFilterGraph** graph) = nullptr;
  const AVFilter* (*filter_named)(const char* name) = nullptr;
  int (*add_filter)(AVFilterContext** made, const AVFilter* filter, const char* name,
                    const char* arguments, void* opaque, AVFilterGraph* graph) = nullptr;
  int (*connect)(AVFilterContext* from, unsigned output, AVFilterContext* to,
                 unsigned input) = nullptr;
  void (*convert)(AVFilterGraph* graph, unsigned flags) = nullptr;
  int (*configure)(AVFilterGraph* graph, void* log) = nullptr;
  int (*add_frame)(AVFilterContext* source, AVFrame* frame, int flags) = nullptr;
  int (*get_frame)(AVFilterContext* sink, AVFrame* frame) = nullptr;
  AVFilterGraph* graph = nullptr;
  AVFilterContext *given = nullptr, *decoded = nullptr, *sink = nullptr;
};

Xpsnr::Xpsnr(const PixelFormat& format, int width, int height, AVRational frame_rate)
    : format_(format),
      width_(width),
      height_(height),
      library_(std::make_unique<Library>(format, width, height, frame_rate)) {}

Xpsnr::~Xpsnr() = default;

// Copies without room behind rows: beyond 8 bits the filter assumes that the second picture has
// none.
Frame Xpsnr::copy_of(const Frame& picture) const {
  FramePtr av = make_frame();
  av->format = format_.id;
  av->width = width_;
  av->height = height_;
  check_av(av_frame_get_buffer(av.get(), 1), Fault::internal, "cannot copy a picture for xpsnr");
  av->pts = read_;
  Frame copy(std::move(av), 0);
  const std::vector<Component>& has = picture.format().components;
  for (std::size_t i = 0; i < format_.components.size(); ++i)
    for (std::size_t j = 0; j < has.size(); ++j)
      if (has[j].name == format_.components[i].name)
        copy_component(has[j], picture.component(j), format_.components[i], copy.component(i));
  return copy;
}

void Xpsnr::read(const Frame& given, const Frame& decoded) {
  for (const auto& [picture, source] :
       {std::pair(&given, library_->given), std::pair(&decoded, library_->decoded)})
    check_av(library_->add_frame(source, copy_of(*picture).release().get(), 0), Fault::internal,
             "xpsnr does not take a picture");
  ++read_;
  receive();
}

void Xpsnr::finish() {
  for (AVFilterContext* source : {library_->given, library_->decoded})
    library_->add_frame(source, nullptr, 0);
  receive();
}

void Xpsnr::receive() {
  constexpr std::string_view key = "lavfi.xpsnr.xpsnr.";
  for (;;) {
    const FramePtr frame = make_frame();
    const int code = library_->get_frame(library_->sink, frame.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check_av(code, Fault::internal, "xpsnr does not measure a picture");
    std::map<char, double>& score = scores_[received_++];
    const AVDictionaryEntry* word = nullptr;
    while ((word = av_dict_get(frame->metadata, key.data(), word, AV_DICT_IGNORE_SUFFIX)))
      score[static_cast<char>(std::toupper(word->key[key.size()]))] =
          std::strtod(word->value, nullptr);
  }
}

std::map<char, double> Xpsnr::score(unsigned number) {
  scores_.erase(scores_.begin(), scores_.lower_bound(number));
  const auto found = scores_.find(number);
  return found == scores_.end() ? std::map<char, double>() : found->second;
}

}  // namespace vidconv
