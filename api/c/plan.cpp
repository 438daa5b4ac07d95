// vidconv_plan filters pictures in memory.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "api/c/call.h"
#include "api/c/filter.h"
#include "api/c/plan_planes.h"
#include "pipeline/av/bare_format.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/filter/half_pictures.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/window_filter.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/settings/setting_values.h"
#include "pipeline/work/light.h"
#include "pipeline/work/work_names.h"

namespace vidconv {
// The longest chain.
constexpr std::size_t most_filters = 1000;

struct StepWords {
  std::string filter, components;
};

// A format from FFmpeg's table, or one made for pictures in memory. The name of half floats is that
// of floats with f16 for f32, and get() is the format of the floats that they become.
struct NamedFormat {
  explicit NamedFormat(const std::string& name) {
    constexpr std::string_view half_word = "f16";
    std::string words = name;
    if (const std::size_t at = words.rfind(half_word); at != words.npos) {
      half = true;
      words.replace(at, half_word.size(), "f32");
    }
    bare = bare_format(words);
    if (!bare) bare = yuv_float_format(words);
    if (bare) return;
    known = find_format(av_get_pix_fmt(words.c_str()));
    if (!known)
      throw Error(Fault::usage, "there is no format", shortened(name, longest_value),
                  av_get_pix_fmt(name.c_str()) == AV_PIX_FMT_NONE
                      ? "no pixel format has that name" + format_meant(name)
                      : why_not_filtered(av_get_pix_fmt(name.c_str())),
                  "vidconv_format_name() lists them; or say u8, u10, u16, f16 or f32 with x or p "
                  "and a number");
  }
  const PixelFormat& get() const { return known ? *known : *bare; }

  std::optional<PixelFormat> bare;
  const PixelFormat* known = nullptr;
  bool half = false;  // the caller's samples are half floats
};

namespace {

ProcessorOptions processor_options(const vidconv_plan_options& options) {
  ProcessorOptions o;
  o.threads = options.threads > 0 ? options.threads : usable_threads();
  o.scan = options.interlaced ? Scan::interlaced : Scan::progressive;
  const std::string device = options.device ? options.device : "cpu";
  const DeviceRequest wish = parse_device(device);
  if (wish.kind == DeviceRequest::Kind::automatic || wish.all || wish.indices.size() != 1)
    throw Error(Fault::usage, "cannot make a plan for the device", device,
                "a plan is for one device", "use cpu or cuda:N");
  if (wish.kind == DeviceRequest::Kind::cuda) {
    o.device = Device::cuda;
    o.device_index = wish.indices[0];
  }
  return o;
}

void check_options(const vidconv_plan_options& options) {
  if (options.threads < 0 || options.threads > most_threads)
    refuse_argument("options", "threads is " + std::to_string(options.threads));
  if (options.interlaced != 0 && options.interlaced != 1)
    refuse_argument("options", "interlaced is " + std::to_string(options.interlaced));
  if (options.host != 0 && options.host != 1)
    refuse_argument("options", "host is " + std::to_string(options.host));
  if (options.linear != 0 && options.linear != 1)
    refuse_argument("options", "linear is " + std::to_string(options.linear));
}

Work light_work_of(const std::vector<FilterSpec>& chain, const VideoInfo& picture,
                   const NamedFormat& format, const PlaneSelection& planes, const Border& border,
                   const ColourCodes& codes) {
  if (format.bare)
    throw Error(Fault::usage, "cannot filter in linear light", format.bare->name,
                "bare samples have no colours", "name a pixel format, as rgb24 and gray are");
  if (planes != PlaneSelection())
    throw Error(Fault::usage, "cannot select planes", "",
                "filters in linear light act on all colours", "leave out `planes` or `linear`");
  return make_light_work(chain, format.get(), border, make_light_plan(picture, Codes::all, {}),
                         codes);
}

// Returns the place of the filtered picture among those of the window.
std::int64_t place_in_window(const vidconv_window& window, const FrameReach& reach) {
  constexpr std::int64_t most = std::int64_t{1} << 40;  // a number of pictures
  if (window.goes_on != 0 && window.goes_on != 1)
    refuse_argument("window", "goes_on is " + std::to_string(window.goes_on));
  if (window.result < 0 || window.result >= most)
    refuse_argument("window", "result is " + std::to_string(window.result));
  if (window.first < 0 || window.first >= most)
    refuse_argument("window", "first is " + std::to_string(window.first));
  if (window.pictures < 1 || window.pictures >= most)
    refuse_argument("window", "pictures is " + std::to_string(window.pictures));
  const std::int64_t here = window.result * reach.every + reach.phase;
  if (here < window.first || here >= window.first + window.pictures)
    refuse_argument("window", "result " + std::to_string(window.result) +
                                  " is the one of picture " + std::to_string(here) +
                                  ", which is not given");
  const std::int64_t from = std::max<std::int64_t>(0, here - reach.before);
  if (window.first > from)
    refuse_argument("window", "it begins with picture " + std::to_string(window.first) +
                                  ", and the result depends on picture " + std::to_string(from));
  return here - window.first;
}

void check_over_time(const std::vector<FilterSpec>& chain, const PixelFormat& format, bool linear) {
  const auto spec = std::ranges::find_if(chain, &FilterSpec::is_over_time);
  if (linear)
    throw Error(Fault::usage, "cannot filter in linear light", spec->text(),
                "over pictures in memory, filters act on codes",
                "leave out `linear`, or filter a video");
  constexpr auto most_planes = static_cast<int>(std::tuple_size_v<decltype(TimeFrame::planes)>);
  if (format.planes > most_planes)
    throw Error(Fault::usage, "cannot filter over time", format.name,
                "pictures have more than " + std::to_string(most_planes) + " planes",
                "filter some planes at a time");
}

}  // namespace
}  // namespace vidconv

struct vidconv_plan {
  vidconv_plan(const std::vector<vidconv::FilterSpec>& chain, const vidconv_plan_options& options)
      : format(&vidconv::needed(options.format, "options->format")),
        width(options.width),
        height(options.height),
        planes(format.get(), width, height, format.half),
        processor(vidconv::processor_options(options)) {
    const vidconv::PixelFormat& f = format.get();
    vidconv::VideoInfo picture;  // no more is known of its colours
    picture.format = &f;
    picture.height = height;
    if (format.bare) picture.range = AVCOL_RANGE_JPEG;  // numbers: white is the largest
    for (const vidconv::FilterSpec& spec : chain) vidconv::check_for_all_frames(spec);
    const vidconv::ColourCodes codes = vidconv::colour_codes(chain, picture, {});
    const vidconv::PlaneSelection selection =
        vidconv::planes_setting(options.planes ? options.planes : "");
    const vidconv::Border border = vidconv::border_setting(options.border ? options.border : "");
    work = vidconv::in_stages(chain, picture, [&](std::span<const vidconv::FilterSpec> acting) {
      return options.linear ? vidconv::light_work_of({acting.begin(), acting.end()}, picture,
                                                     format, selection, border, codes)
                            : vidconv::make_work(acting, f, selection, border, vidconv::Codes::all,
                                                 codes, vidconv::AlphaUse::automatic);
    });
    const vidconv::PictureMemory memory{.hosted = options.host != 0,
                                        .halves = format.half && !on_host(options)};
    if (vidconv::is_staged(*work)) {
      vidconv::check_over_time(chain, f, options.linear != 0);
      over_time = vidconv::make_window_filter(*work, width, height, processor, memory);
    } else {
      filter = vidconv::make_picture_filter(work->cases()[0], width, height, processor, memory);
    }
    if (format.half && on_host(options)) {
      halves = std::make_unique<vidconv::HalfPictures>(f, width, height, processor.threads);
    }
    for (const vidconv::TimedWork* stage : vidconv::stages_of(*work))
      for (const vidconv::Step& step : stage->cases()[0].steps) {
        steps.push_back(&step);
        vidconv::StepWords& words = step_words.emplace_back(
            vidconv::StepWords{stage->cases()[0].links[step.link].text, {}});
        for (const std::size_t i : step.components) words.components += f.components[i].name;
      }
    from.resize(planes.extents().size());
    to.resize(planes.extents().size());
  }

  bool on_host(const vidconv_plan_options& options) const {
    return processor.device == vidconv::Device::cpu || options.host != 0;
  }
  // Calls run_filter() with the planes of one or several pictures and a place for the result: the
  // caller's, or those of floats that are made of half floats.
  template <class Run>
  void with_floats(std::span<const vidconv::PlaceOfPlane> pictures, const Run& run_filter) {
    if (!halves) return run_filter(pictures, std::span<const vidconv::PlaceOfPlane>(to));
    run_filter(halves->floats_of(pictures), halves->result());
    halves->store(to);
  }
  // Sets the places of a picture's planes, from place `first` on.
  void set(std::vector<vidconv::PlaceOfPlane>& places, std::size_t first, const void* const* given,
           const ptrdiff_t* strides) const {
    // Filters only read the planes of `from`, in spite of the cast.
    for (std::size_t i = 0; i < planes.extents().size(); ++i)
      places[first + i] = {static_cast<std::byte*>(const_cast<void*>(given[i])), strides[i]};
  }
  const std::vector<std::string>& variants() const {
    return filter ? filter->variants() : over_time->variants();
  }

  const vidconv::NamedFormat format;
  const int width, height;
  vidconv::PlanesInMemory planes;
  const vidconv::ProcessorOptions processor;
  std::optional<vidconv::TimedWork> work;
  // The one, or for chains with filters over time the other.
  std::unique_ptr<vidconv::PictureFilter> filter;
  std::unique_ptr<vidconv::WindowFilter> over_time;
  std::unique_ptr<vidconv::HalfPictures> halves;  // null for other samples
  std::vector<const vidconv::Step*> steps;
  std::vector<vidconv::StepWords> step_words;

  std::mutex turn;                              // guards the two below, and running
  std::vector<vidconv::PlaceOfPlane> from, to;  // planes of the current picture, or window
};

vidconv_status vidconv_plan_new(const vidconv_filter* const* filters, size_t count,
                                const vidconv_plan_options* options, vidconv_plan** plan,
                                vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_plan*& place = vidconv::place_for(plan, "plan");
    const vidconv_plan_options taken = vidconv::taken(options, "options");
    vidconv::check_options(taken);
    vidconv::needed(filters, "filters");
    if (count == 0 || count > vidconv::most_filters)
      vidconv::refuse_argument("count", std::to_string(count) + " filters");
    std::vector<vidconv::FilterSpec> chain;
    for (size_t i = 0; i < count; ++i) chain.push_back(vidconv::needed(filters[i], "filters").spec);
    place = new vidconv_plan(chain, taken);
  });
}

void vidconv_plan_free(vidconv_plan* plan) { delete plan; }

vidconv_status vidconv_plan_run(vidconv_plan* plan, size_t planes, const void* const* from,
                                const ptrdiff_t* from_strides, void* const* to,
                                const ptrdiff_t* to_strides, void* stream, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_plan& p = vidconv::needed(plan, "plan");
    p.planes.check_count(planes);
    vidconv::needed(from, "from");
    vidconv::needed(from_strides, "from_strides");
    vidconv::needed(to, "to");
    vidconv::needed(to_strides, "to_strides");
    if (!p.filter)
      throw vidconv::Error(vidconv::MessageKind::filter_spec, "cannot filter a picture over time",
                           "", "it comes without those before and after it",
                           "give a window of pictures (vidconv_plan_run_window()), or filter a "
                           "video");
    const std::lock_guard lock(p.turn);
    p.set(p.from, 0, from, from_strides);
    p.set(p.to, 0, to, to_strides);
    p.planes.check(std::span(p.from).first(planes), p.to);
    p.with_floats(std::span(p.from).first(planes), [&](auto picture, auto result) {
      p.filter->run(picture, result, static_cast<vidconv::CudaStream>(stream));
    });
  });
}

vidconv_status vidconv_plan_run_window(vidconv_plan* plan, const vidconv_window* window,
                                       size_t planes, const void* const* from,
                                       const ptrdiff_t* from_strides, void* const* to,
                                       const ptrdiff_t* to_strides, void* stream,
                                       vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_plan& p = vidconv::needed(plan, "plan");
    const vidconv_window taken = vidconv::taken(window, "window");
    p.planes.check_count(planes);
    vidconv::needed(from, "from");
    vidconv::needed(from_strides, "from_strides");
    vidconv::needed(to, "to");
    vidconv::needed(to_strides, "to_strides");
    const auto here = static_cast<std::size_t>(vidconv::place_in_window(taken, p.work->reach()));
    const auto pictures = static_cast<std::size_t>(taken.pictures);
    const std::lock_guard lock(p.turn);
    p.from.resize(std::max(p.from.size(), pictures * planes));
    p.set(p.to, 0, to, to_strides);
    for (std::size_t i = 0; i < pictures; ++i) {
      p.set(p.from, i * planes, from + i * planes, from_strides + i * planes);
      p.planes.check(std::span(p.from).subspan(i * planes, planes), p.to);
    }
    if (p.filter)
      return p.with_floats(
          std::span(p.from).subspan(here * planes, planes), [&](auto picture, auto result) {
            p.filter->run(picture, result, static_cast<vidconv::CudaStream>(stream));
          });
    p.with_floats(std::span(p.from).first(pictures * planes), [&](auto floats, auto result) {
      p.over_time->run({.result = taken.result, .first = taken.first, .planes = floats},
                       taken.goes_on != 0, result, static_cast<vidconv::CudaStream>(stream));
    });
  });
}

vidconv_status vidconv_plan_get_reach(const vidconv_plan* plan, vidconv_reach* reach,
                                      vidconv_error* error) {
  return vidconv::call(error, [&] {
    const vidconv::FrameReach of_plan = vidconv::needed(plan, "plan").work->reach();
    vidconv_reach out = VIDCONV_INIT(vidconv_reach);
    out.before = of_plan.before;
    out.after = of_plan.after;
    out.every = of_plan.every;
    out.phase = of_plan.phase;
    vidconv::give(reach, out, "reach");
  });
}

vidconv_status vidconv_plan_get_info(const vidconv_plan* plan, vidconv_plan_info* info,
                                     vidconv_error* error) {
  return vidconv::call(error, [&] {
    const vidconv_plan& p = vidconv::needed(plan, "plan");
    vidconv_plan_info out = VIDCONV_INIT(vidconv_plan_info);
    out.width = p.width;
    out.height = p.height;
    out.planes = static_cast<std::int32_t>(p.planes.extents().size());
    out.steps = static_cast<std::int32_t>(p.steps.size());
    out.exact = std::ranges::all_of(p.steps, [](auto* s) { return s->plan.exact; });
    const bool cuda = p.processor.device == vidconv::Device::cuda;
    out.device = cuda ? p.processor.device_index : -1;
    out.memory = static_cast<std::int64_t>((p.filter ? p.filter->memory() : p.over_time->memory()) +
                                           (p.halves ? p.halves->memory() : 0));
    vidconv::give(info, out, "info");
  });
}

vidconv_status vidconv_plan_get_plane(const vidconv_plan* plan, size_t plane,
                                      vidconv_plane_info* info, vidconv_error* error) {
  return vidconv::call(error, [&] {
    const auto& extents = vidconv::needed(plan, "plan").planes.extents();
    if (plane >= extents.size())
      vidconv::refuse_argument("plane",
                               std::to_string(plane) + " of " + std::to_string(extents.size()));
    vidconv_plane_info out = VIDCONV_INIT(vidconv_plane_info);
    out.row_bytes = extents[plane].row_bytes;
    out.rows = extents[plane].rows;
    out.sample_bytes = extents[plane].sample_bytes;
    vidconv::give(info, out, "info");
  });
}

vidconv_status vidconv_plan_get_step(const vidconv_plan* plan, size_t step, vidconv_step_info* info,
                                     vidconv_error* error) {
  return vidconv::call(error, [&] {
    const vidconv_plan& p = vidconv::needed(plan, "plan");
    if (step >= p.steps.size())
      vidconv::refuse_argument("step",
                               std::to_string(step) + " of " + std::to_string(p.steps.size()));
    const vidconv::Step& s = *p.steps[step];
    vidconv_step_info out = VIDCONV_INIT(vidconv_step_info);
    out.filter = p.step_words[step].filter.c_str();
    out.action = vidconv::name_of(s.action).data();
    out.components = p.step_words[step].components.c_str();
    out.variant = p.variants()[step].c_str();
    out.arithmetic = vidconv::name_of(s.plan.arith).data();
    out.two_passes = s.plan.terms[0].dense.empty();
    out.exact = s.plan.exact;
    out.error_bound = s.plan.error_bound;
    vidconv::give(info, out, "info");
  });
}
