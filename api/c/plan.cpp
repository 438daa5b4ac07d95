// vidconv_plan filters pictures in memory.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/c/call.h"
#include "api/c/filter.h"
#include "api/c/plan_planes.h"
#include "pipeline/av/bare_format.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/settings/setting_values.h"
#include "pipeline/work/work_names.h"

namespace vidconv {
// The longest chain.
constexpr std::size_t most_filters = 1000;

struct StepWords {
  std::string filter, components;
};

// A format from FFmpeg's table, or one made for bare samples.
struct NamedFormat {
  explicit NamedFormat(const std::string& name) : bare(bare_format(name)) {
    if (bare) return;
    known = find_format(av_get_pix_fmt(name.c_str()));
    if (!known)
      throw Error(Fault::usage, "there is no format", shortened(name, longest_value),
                  av_get_pix_fmt(name.c_str()) == AV_PIX_FMT_NONE
                      ? "no pixel format has that name" + format_meant(name)
                      : why_not_filtered(av_get_pix_fmt(name.c_str())),
                  "vidconv --list-formats lists them; or say u8, u10, u16 or f32 with x or p and a "
                  "number");
  }
  const PixelFormat& get() const { return known ? *known : *bare; }

  std::optional<PixelFormat> bare;
  const PixelFormat* known = nullptr;
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
}

}  // namespace
}  // namespace vidconv

struct vidconv_plan {
  vidconv_plan(const std::vector<vidconv::FilterSpec>& chain, const vidconv_plan_options& options)
      : format(&vidconv::needed(options.format, "options->format")),
        width(options.width),
        height(options.height),
        planes(format.get(), width, height),
        processor(vidconv::processor_options(options)) {
    for (const vidconv::FilterSpec& spec : chain)
      if (spec.is_over_time())
        throw vidconv::Error(vidconv::MessageKind::filter_spec, "cannot filter a picture over time",
                             spec.text(), "it has no frames before and after",
                             "filter a video: a job, or a reader");
    const vidconv::PixelFormat& f = format.get();
    vidconv::VideoInfo picture;  // no more is known of its colours
    picture.format = &f;
    picture.height = height;
    if (format.bare) picture.range = AVCOL_RANGE_JPEG;  // numbers: white is the largest
    work = vidconv::make_work(
        chain, f, vidconv::planes_setting(options.planes ? options.planes : ""),
        vidconv::border_setting(options.border ? options.border : ""), vidconv::Codes::all,
        vidconv::colour_codes(chain, picture, {}), vidconv::AlphaUse::automatic);
    filter = vidconv::make_picture_filter(work, width, height, processor, options.host != 0);
    for (const vidconv::Step& step : work.steps) {
      vidconv::StepWords& words =
          step_words.emplace_back(vidconv::StepWords{work.links[step.link].text, {}});
      for (const std::size_t i : step.components) words.components += f.components[i].name;
    }
    from.resize(planes.extents().size());
    to.resize(planes.extents().size());
  }

  const vidconv::NamedFormat format;
  const int width, height;
  vidconv::PlanesInMemory planes;
  const vidconv::ProcessorOptions processor;
  vidconv::Work work;
  std::unique_ptr<vidconv::PictureFilter> filter;
  std::vector<vidconv::StepWords> step_words;

  std::mutex turn;                              // guards the two below, and running
  std::vector<vidconv::PlaceOfPlane> from, to;  // planes of the current picture
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
    const std::lock_guard lock(p.turn);
    for (size_t i = 0; i < planes; ++i) {
      // PictureFilter::run() only reads these, in spite of the cast.
      p.from[i] = {static_cast<std::byte*>(const_cast<void*>(from[i])), from_strides[i]};
      p.to[i] = {static_cast<std::byte*>(to[i]), to_strides[i]};
    }
    p.planes.check(p.from, p.to);
    p.filter->run(p.from, p.to, static_cast<vidconv::CudaStream>(stream));
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
    out.steps = static_cast<std::int32_t>(p.work.steps.size());
    out.exact = std::ranges::all_of(p.work.steps, [](auto& s) { return s.plan.exact; });
    const bool cuda = p.processor.device == vidconv::Device::cuda;
    out.device = cuda ? p.processor.device_index : -1;
    out.memory = static_cast<std::int64_t>(p.filter->memory());
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
    if (step >= p.work.steps.size())
      vidconv::refuse_argument("step",
                               std::to_string(step) + " of " + std::to_string(p.work.steps.size()));
    const vidconv::Step& s = p.work.steps[step];
    vidconv_step_info out = VIDCONV_INIT(vidconv_step_info);
    out.filter = p.step_words[step].filter.c_str();
    out.action = vidconv::name_of(s.action).data();
    out.components = p.step_words[step].components.c_str();
    out.variant = p.filter->variants()[step].c_str();
    out.arithmetic = vidconv::name_of(s.plan.arith).data();
    out.two_passes = s.plan.terms[0].dense.empty();
    out.exact = s.plan.exact;
    out.error_bound = s.plan.error_bound;
    vidconv::give(info, out, "info");
  });
}
