// The VapourSynth plugin core.vidconv.Filter(), over the C header.
#include <VSHelper4.h>
#include <VapourSynth4.h>
#include <vidconv/vidconv.h>

#include <algorithm>
#include <array>
#include <cstdint>
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
  if (!floats && f.bitsPerSample > 16)
    throw Refusal("clips of " + name +
                  " are not filtered: there is 8 to 16 bit integer, and 16 and 32 bit float; use "
                  "core.resize to convert");
  const std::string bits = std::to_string(f.bitsPerSample);
  const std::string depth = floats ? "f" + bits + "le" : f.bitsPerSample == 8 ? "" : bits + "le";
  const bool named = floats || f.bitsPerSample <= 10 || f.bitsPerSample % 2 == 0;
  if (f.colorFamily == cfGray) return named ? "gray" + depth : "u" + bits;
  if (f.colorFamily == cfRGB) return named ? "gbrp" + depth : "u" + bits + "p3";
  constexpr const char* samplings[3][3] = {// indexed by log2 of columns, then of rows
                                           {"444", "440", "4?0"},
                                           {"422", "420", "4?0"},
                                           {"411", "4?1", "410"}};
  if (f.subSamplingW > 2 || f.subSamplingH > 2) throw Refusal("there is no format like " + name);
  return std::string("yuv") + samplings[f.subSamplingW][f.subSamplingH] + "p" +
         (floats ? "f" + bits : depth);
}

// A clip's filter. VapourSynth asks for frames on any of its threads; each takes a plan of its own
// for one CPU thread, so that VapourSynth's number of threads is the number of threads.
class Clip {
 public:
  Clip(VSNode* of, std::vector<Filter> filters, const vidconv_plan_options& options,
       const VSAPI& api)
      : node(of),
        info(*api.getVideoInfo(of)),
        filters_(std::move(filters)),
        frames_(info.numFrames) {
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
    Plan plan = new_plan(false);  // so that unsuitable clips are refused at once
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    reach.size = sizeof reach;
    check(vidconv_plan_get_reach(plan.get(), &reach, &error), error);
    put_back(std::move(plan), false);
    if (reach.every == 1) return;
    if (reach.phase >= info.numFrames) throw Refusal("no frame of the clip comes out");
    info.numFrames =
        static_cast<int>((info.numFrames - reach.phase + reach.every - 1) / reach.every);
    vsh::muldivRational(&info.fpsNum, &info.fpsDen, 1, reach.every);
  }

  // Returns the clip's frames that frame n of the result depends on, and which of them it is of.
  struct Window {
    int first, last, here;
  };
  [[nodiscard]] Window window_of(int n) const {
    const std::int64_t here = n * reach.every + reach.phase;
    return {static_cast<int>(std::max<std::int64_t>(0, here - reach.before)),
            static_cast<int>(std::min<std::int64_t>(frames_ - 1, here + reach.after)),
            static_cast<int>(here)};
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
  VSVideoInfo info;          // the result's
  vidconv_reach reach = {};  // the plans'

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
  const int frames_;  // the clip's
  vidconv_plan_options options_ = {};
  std::string format_, border_, planes_, device_;
  std::mutex mutex_;
  std::array<std::vector<Plan>, 2> idle_;  // plans for frames, and for fields
};

// Frames of the clip that follow each other; they are given back at the end.
class Frames {
 public:
  Frames(const Clip& clip, const Clip::Window& window, VSFrameContext* context, const VSAPI& api)
      : api_(api) {
    for (int n = window.first; n <= window.last; ++n)
      frames_.push_back(api.getFrameFilter(n, clip.node, context));
  }
  ~Frames() {
    for (const VSFrame* frame : frames_) api_.freeFrame(frame);
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;
  [[nodiscard]] const std::vector<const VSFrame*>& all() const { return frames_; }

 private:
  const VSAPI& api_;
  std::vector<const VSFrame*> frames_;
};

// Makes a frame of several last as long as they do.
void lengthen(VSFrame* frame, std::int64_t every, const VSAPI& api) {
  VSMap* const properties = api.getFramePropertiesRW(frame);
  int unset_num = 0, unset_den = 0;
  std::int64_t num = api.mapGetInt(properties, "_DurationNum", 0, &unset_num);
  std::int64_t den = api.mapGetInt(properties, "_DurationDen", 0, &unset_den);
  if (every == 1 || unset_num != 0 || unset_den != 0) return;
  vsh::muldivRational(&num, &den, every, 1);
  api.mapSetInt(properties, "_DurationNum", num, maReplace);
  api.mapSetInt(properties, "_DurationDen", den, maReplace);
}

// Returns frame n of the result, which the caller owns.
VSFrame* filtered(Clip& clip, int n, VSFrameContext* context, VSCore* core, const VSAPI& api) {
  const Clip::Window window = clip.window_of(n);
  const Frames frames(clip, window, context, api);
  const VSFrame* const here = frames.all()[static_cast<std::size_t>(window.here - window.first)];
  int unset = 0;
  const auto fields =
      api.mapGetInt(api.getFramePropertiesRO(here), "_FieldBased", 0, &unset);  // 0: progressive
  const bool interlaced = unset == 0 && fields > 0;
  const VSVideoInfo& info = clip.info;
  const auto planes = static_cast<std::size_t>(info.format.numPlanes);
  Plan plan = clip.take_plan(interlaced);
  VSFrame* const to = api.newVideoFrame(&info.format, info.width, info.height, here, core);
  lengthen(to, clip.reach.every, api);
  std::vector<const void*> sources(frames.all().size() * planes);
  std::vector<std::ptrdiff_t> source_rows(sources.size());
  std::array<void*, 3> targets{};
  std::array<std::ptrdiff_t, 3> target_rows{};
  for (int p = 0; p < info.format.numPlanes; ++p) {
    const std::size_t place = clip.place_of(p);
    for (std::size_t k = 0; k < frames.all().size(); ++k) {
      sources[k * planes + place] = api.getReadPtr(frames.all()[k], p);
      source_rows[k * planes + place] = api.getStride(frames.all()[k], p);
    }
    targets[place] = api.getWritePtr(to, p);
    target_rows[place] = api.getStride(to, p);
  }
  vidconv_window around = VIDCONV_INIT(vidconv_window);
  around.result = n;
  around.first = window.first;
  around.pictures = static_cast<std::int64_t>(frames.all().size());
  around.goes_on = 1;  // all plans of the clip see its frames alone
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_status status =
      vidconv_plan_run_window(plan.get(), &around, planes, sources.data(), source_rows.data(),
                              targets.data(), target_rows.data(), nullptr, &error);
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
  if (reason == arInitial) {
    const Clip::Window window = clip.window_of(n);
    for (int k = window.first; k <= window.last; ++k)
      api->requestFrameFilter(k, clip.node, context);
  }
  if (reason != arAllFramesReady) return nullptr;
  VSFrame* to = nullptr;
  call([&] { to = filtered(clip, n, context, core, *api); },
       [&](const std::string& words) { api->setFilterError(words.c_str(), context); });
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

// Returns the names of the argument's planes, which are VapourSynth's numbers; empty without it.
std::string planes_word(const VSMap* in, const VSVideoFormat& format, const VSAPI& api) {
  const char* const names = format.colorFamily == cfRGB ? "rgb" : "yuv";
  std::string words;
  for (int i = 0; i < api.mapNumElements(in, "planes"); ++i) {
    const std::int64_t plane = api.mapGetInt(in, "planes", i, nullptr);
    if (plane < 0 || plane >= format.numPlanes)
      throw Refusal("planes: there is no plane " + std::to_string(plane) + "; the clip has " +
                    std::to_string(format.numPlanes) + ", counted from 0");
    const char name = names[plane];
    if (words.find(name) != std::string::npos)
      throw Refusal("planes: plane " + std::to_string(plane) + " is given twice");
    if (!words.empty()) words += ',';
    words += name;
  }
  return words;
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
  const std::string planes = planes_word(in, info.format, api);
  if (!planes.empty()) options.planes = planes.c_str();
  options.device = name.c_str();
  auto clip = std::make_unique<Clip>(node, parse(in, core, api), options, api);
  const vidconv_reach& reach = clip->reach;
  const bool alone = reach.before == 0 && reach.after == 0 && reach.every == 1;
  const VSFilterDependency needs[] = {{node, alone ? rpStrictSpatial : rpGeneral}};
  const VSVideoInfo result = clip->info;
  api.createVideoFilter(out, "Filter", &result, get_frame, free_clip, fmParallel, needs, 1,
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
                        "clip:vnode;kernel:data[];border:data:opt;planes:int[]:opt;device:int:opt;",
                        "clip:vnode;", make, nullptr, plugin);
}
