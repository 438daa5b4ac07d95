// The VapourSynth plugin core.vidconv.Filter(), over the C header.
#include <VapourSynth4.h>
#include <vidconv/vidconv.h>

#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct FreeFilter {
  void operator()(vidconv_filter* filter) const { vidconv_filter_free(filter); }
};
struct FreePlan {
  void operator()(vidconv_plan* plan) const { vidconv_plan_free(plan); }
};
using Filter = std::unique_ptr<vidconv_filter, FreeFilter>;
using Plan = std::unique_ptr<vidconv_plan, FreePlan>;

// The error that VapourSynth gets instead of a clip or a frame.
struct Refusal {
  explicit Refusal(const std::string& what) : words("Filter: " + what) {}
  explicit Refusal(const vidconv_error& error) : Refusal(std::string(error.message)) {
    if (error.remedy[0]) words += std::string("; ") + error.remedy;
    words += std::string(" [") + error.kind + "]";
  }
  std::string words;
};

void check(vidconv_status status, const vidconv_error& error) {
  if (status != VIDCONV_OK) throw Refusal(error);
}

// Returns FFmpeg's name of the format, if it has one, else one for bare samples. FFmpeg orders the
// planes of RGB differently: see place_of().
std::string format_name(const VSVideoFormat& f, const std::string& name) {
  const bool floats = f.sampleType == stFloat;
  const bool known = floats ? f.bitsPerSample == 32 && f.colorFamily != cfYUV
                            : f.bitsPerSample >= 8 && f.bitsPerSample <= 16;
  if (!known)
    throw Refusal("clips of " + name +
                  " are not filtered: there is 8 to 16 bit integer, and 32 bit float of Gray and "
                  "RGB; use core.resize to convert");
  const std::string bits = std::to_string(f.bitsPerSample);
  const std::string depth = floats ? "f32le" : f.bitsPerSample == 8 ? "" : bits + "le";
  const bool named = floats || f.bitsPerSample <= 10 || f.bitsPerSample % 2 == 0;
  if (f.colorFamily == cfGray) return named ? "gray" + depth : "u" + bits;
  if (f.colorFamily == cfRGB) return named ? "gbrp" + depth : "u" + bits + "p3";
  constexpr const char* samplings[3][3] = {// indexed by log2 of columns, then of rows
                                           {"444", "440", "4?0"},
                                           {"422", "420", "4?0"},
                                           {"411", "4?1", "410"}};
  if (f.subSamplingW > 2 || f.subSamplingH > 2) throw Refusal("there is no format like " + name);
  return std::string("yuv") + samplings[f.subSamplingW][f.subSamplingH] + "p" + depth;
}

// A clip's filter. VapourSynth asks for frames on any of its threads; each takes a plan of its own
// for one CPU thread, so that VapourSynth's number of threads is the number of threads.
class Clip {
 public:
  Clip(VSNode* of, std::vector<Filter> filters, const vidconv_plan_options& options,
       const VSAPI& api)
      : node(of), info(*api.getVideoInfo(of)), filters_(std::move(filters)) {
    options_ = options;
    options_.host = options_.threads = 1;
    border_ = options.border ? options.border : "";
    planes_ = options.planes ? options.planes : "";
    device_ = options.device;
    if (options.border) options_.border = border_.c_str();
    if (options.planes) options_.planes = planes_.c_str();
    options_.device = device_.c_str();
    options_.width = info.width;
    options_.height = info.height;
    std::array<char, 32> name{};
    api.getVideoFormatName(&info.format, name.data());
    format_ = format_name(info.format, name.data());
    options_.format = format_.c_str();
    put_back(new_plan(false), false);  // so that unsuitable clips are refused at once
  }

  Plan take_plan(bool interlaced) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Plan>& idle = idle_[interlaced];
      if (!idle.empty()) {
        Plan plan = std::move(idle.back());
        idle.pop_back();
        return plan;
      }
    }
    return new_plan(interlaced);
  }
  void put_back(Plan plan, bool interlaced) {
    const std::lock_guard lock(mutex_);
    idle_[interlaced].push_back(std::move(plan));
  }

  // Returns the number in FFmpeg's order of one of VapourSynth's planes.
  [[nodiscard]] std::size_t place_of(int plane) const {
    return static_cast<std::size_t>(info.format.colorFamily == cfRGB ? (plane + 2) % 3 : plane);
  }

  VSNode* const node;
  const VSVideoInfo info;

 private:
  Plan new_plan(bool interlaced) {
    std::vector<const vidconv_filter*> chain;
    for (const Filter& filter : filters_) chain.push_back(filter.get());
    vidconv_plan_options options = options_;
    options.interlaced = interlaced ? 1 : 0;
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_plan* plan = nullptr;
    check(vidconv_plan_new(chain.data(), chain.size(), &options, &plan, &error), error);
    return Plan(plan);
  }

  const std::vector<Filter> filters_;
  vidconv_plan_options options_ = {};
  std::string format_, border_, planes_, device_;
  std::mutex mutex_;
  std::array<std::vector<Plan>, 2> idle_;  // plans for frames, and for fields
};

// Returns the filtered frame, which the caller owns.
VSFrame* filtered(Clip& clip, const VSFrame* from, VSCore* core, const VSAPI& api) {
  int unset = 0;
  const auto fields =
      api.mapGetInt(api.getFramePropertiesRO(from), "_FieldBased", 0, &unset);  // 0: progressive
  const bool interlaced = unset == 0 && fields > 0;
  const VSVideoInfo& info = clip.info;
  Plan plan = clip.take_plan(interlaced);
  VSFrame* const to = api.newVideoFrame(&info.format, info.width, info.height, from, core);
  std::array<const void*, 3> sources{};
  std::array<void*, 3> targets{};
  std::array<std::ptrdiff_t, 3> source_rows{}, target_rows{};
  for (int p = 0; p < info.format.numPlanes; ++p) {
    const std::size_t place = clip.place_of(p);
    sources[place] = api.getReadPtr(from, p);
    source_rows[place] = api.getStride(from, p);
    targets[place] = api.getWritePtr(to, p);
    target_rows[place] = api.getStride(to, p);
  }
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_status status =
      vidconv_plan_run(plan.get(), static_cast<std::size_t>(info.format.numPlanes), sources.data(),
                       source_rows.data(), targets.data(), target_rows.data(), nullptr, &error);
  clip.put_back(std::move(plan), interlaced);
  if (status == VIDCONV_OK) return to;
  api.freeFrame(to);
  throw Refusal(error);
}

// Runs `work`; `refuse` gets the text of an exception.
template <class Work, class Refuse>
void call(const Work& work, const Refuse& refuse) {
  try {
    work();
  } catch (const Refusal& refusal) {
    refuse(refusal.words);
  } catch (const std::exception& error) {
    refuse(Refusal(error.what()).words);
  }
}

const VSFrame* VS_CC get_frame(int n, int reason, void* data, void**, VSFrameContext* context,
                               VSCore* core, const VSAPI* api) {
  Clip& clip = *static_cast<Clip*>(data);
  if (reason == arInitial) api->requestFrameFilter(n, clip.node, context);
  if (reason != arAllFramesReady) return nullptr;
  const VSFrame* const from = api->getFrameFilter(n, clip.node, context);
  VSFrame* to = nullptr;
  call([&] { to = filtered(clip, from, core, *api); },
       [&](const std::string& words) { api->setFilterError(words.c_str(), context); });
  api->freeFrame(from);
  return to;
}

void VS_CC free_clip(void* data, VSCore*, const VSAPI* api) {
  Clip* const clip = static_cast<Clip*>(data);
  VSNode* const node = clip->node;
  delete clip;
  api->freeNode(node);
}

// Returns the arguments' filters; warnings about probable mistakes go to VapourSynth's log.
std::vector<Filter> parse(const VSMap* in, VSCore* core, const VSAPI& api) {
  std::vector<Filter> filters;
  for (int i = 0; i < api.mapNumElements(in, "kernel"); ++i) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_filter* filter = nullptr;
    check(vidconv_filter_parse(api.mapGetData(in, "kernel", i, nullptr), &filter, &error), error);
    filters.emplace_back(filter);
    for (std::size_t w = 0; const char* const words = vidconv_filter_warning(filter, w); ++w)
      api.logMessage(mtWarning, (std::string("vidconv.Filter: ") + words).c_str(), core);
  }
  return filters;
}

void make_clip(const VSMap* in, VSMap* out, VSNode* node, VSCore* core, const VSAPI& api) {
  const VSVideoInfo& info = *api.getVideoInfo(node);
  if (info.format.colorFamily == cfUndefined || info.width == 0 || info.height == 0)
    throw Refusal("the clip's format or size changes on the way; use core.resize to settle it");
  int unset = 0;
  const auto device = api.mapGetInt(in, "device", 0, &unset);
  const bool cpu = unset != 0 || device < 0;
  const std::string name = cpu ? "cpu" : "cuda:" + std::to_string(device);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  options.border = api.mapGetData(in, "border", 0, &unset);
  options.planes = api.mapGetData(in, "planes", 0, &unset);
  options.device = name.c_str();
  auto clip = std::make_unique<Clip>(node, parse(in, core, api), options, api);
  const VSFilterDependency needs[] = {{node, rpStrictSpatial}};
  const VSVideoInfo as_it_was = clip->info;
  api.createVideoFilter(out, "Filter", &as_it_was, get_frame, free_clip, fmParallel, needs, 1,
                        clip.release(), core);
}

void VS_CC make(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api) {
  VSNode* const node = api->mapGetNode(in, "clip", 0, nullptr);
  call([&] { make_clip(in, out, node, core, *api); },
       [&](const std::string& words) {
         api->mapSetError(out, words.c_str());
         api->freeNode(node);
       });
}

}  // namespace

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* api) {
  api->configPlugin("org.vidconv", "vidconv", "Convolution kernels, with the bytes of vidconv",
                    VS_MAKE_VERSION(VIDCONV_VERSION_MAJOR, VIDCONV_VERSION_MINOR),
                    VAPOURSYNTH_API_VERSION, 0, plugin);
  api->registerFunction("Filter",
                        "clip:vnode;kernel:data[];border:data:opt;planes:data:opt;device:int:opt;",
                        "clip:vnode;", make, nullptr, plugin);
}
