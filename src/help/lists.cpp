#include "src/help/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "kernels/base/names.h"
#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/av/format.h"
#include "pipeline/device/cuda.h"
#include "pipeline/platform/usable_threads.h"
#include "src/help/completions.h"
#include "src/help/help.h"
#include "src/process/standard_streams.h"

namespace vidconv {
namespace {

std::string range_of(const Parameter& p) {
  if (!p.choices.empty()) return fmt::format("{}", fmt::join(p.choices, "|"));
  return fmt::format("{}..{}", p.min, p.max);
}

std::string default_of(const Parameter& p) {
  if (!p.fallback) return "";
  if (!p.choices.empty())
    return fmt::format(" (default {})", p.choices[static_cast<std::size_t>(*p.fallback)]);
  return fmt::format(" (default {})", *p.fallback);
}

std::string described(const Preset& preset) {
  std::string text = fmt::format("{:<12} {}\n", preset.name, preset.description);
  for (const Parameter& p : preset.parameters)
    text +=
        fmt::format("  {:<10} {:<12} {}{}\n", p.name, range_of(p), p.description, default_of(p));
  return text;
}

std::string described(const MatrixForm& form) {
  return fmt::format("{:<19} {}\n", fmt::format("{}:{}", form.name, form.what_follows),
                     form.description);
}

std::string described(std::span<const ModifierKey> keys) {
  std::string text;
  for (const ModifierKey& key : keys)
    text += fmt::format("  {:<7} {:<20} {}\n", key.name, key.values, key.description);
  return text;
}

std::string keys_of_all() { return "\nEvery filter takes\n" + described(modifier_keys()); }
std::string keys_over_time() { return "\nFilters over time take\n" + described(time_keys()); }

std::string list_kernels() {
  std::string text;
  for (const Preset& preset : presets()) text += described(preset);
  text += "\n";
  for (const MatrixForm& form : matrix_forms()) text += described(form);
  return text + keys_of_all() + keys_over_time();
}

std::string help_of_filter(const std::string& name) {
  if (const Preset* preset = find_preset(name)) {
    std::string values;
    for (const Parameter& p : preset->parameters)
      if (values.empty() && p.fallback)
        values = fmt::format(":{}={}", p.name,
                             p.choices.empty()
                                 ? fmt::format("{}", *p.fallback)
                                 : std::string(p.choices[static_cast<std::size_t>(*p.fallback)]));
    return described(*preset) + keys_of_all() +
           (FilterSpec::parse(preset->name).is_over_time() ? keys_over_time() : "") +
           fmt::format("\nvidconv in.mp4 -o out.mp4 --kernel {}{}\n", preset->name, values);
  }
  std::string text;
  for (const MatrixForm& form : matrix_forms())
    if (same_name(form.name, name)) text += described(form);
  return text + keys_of_all() +
         (same_name(name, "time") || same_name(name, "volume") ? keys_over_time() : "");
}

std::string list_kernels_as_json() {
  using Json = nlohmann::ordered_json;
  Json filters = Json::array(), forms = Json::array();
  for (const Preset& preset : presets()) {
    Json parameters = Json::array();
    for (const Parameter& p : preset.parameters) {
      Json& parameter =
          parameters.emplace_back(Json{{"name", p.name}, {"description", p.description}});
      if (p.choices.empty()) {
        parameter["type"] = p.integer ? "integer" : "number";
        parameter["min"] = p.min;
        parameter["max"] = p.max;
        parameter["default"] = p.fallback ? Json(*p.fallback) : Json();
      } else {
        parameter["type"] = "choice";
        parameter["choices"] = p.choices;
        parameter["default"] = p.choices[static_cast<std::size_t>(p.fallback.value_or(0))];
      }
    }
    filters.push_back(
        {{"name", preset.name}, {"description", preset.description}, {"parameters", parameters}});
  }
  for (const MatrixForm& form : matrix_forms())
    forms.push_back({{"name", form.name},
                     {"what_follows", form.what_follows},
                     {"description", form.description}});
  const auto keys = [](std::span<const ModifierKey> rows) {
    Json list = Json::array();
    for (const ModifierKey& key : rows)
      list.push_back(
          {{"name", key.name}, {"values", key.values}, {"description", key.description}});
    return list;
  };
  return fmt::format("{}\n", Json{{"filters", filters},
                                  {"forms", forms},
                                  {"keys_of_all", keys(modifier_keys())},
                                  {"keys_over_time", keys(time_keys())}}
                                 .dump(2));
}

std::string list_formats() {
  std::string text =
      fmt::format("{:<14} {:<11} {:>5}  {}\n", "format", "components", "bits", "chroma");
  for (const PixelFormat& format : formats()) {
    std::string names, chroma;
    for (const Component& c : format.components) {
      if (c.kind != Component::Kind::padding) names += c.name;
      if (c.kind == Component::Kind::chroma)
        chroma = fmt::format("1/{} x 1/{}", c.subsampling.x, c.subsampling.y);
    }
    const SampleType& sample = format.components[0].sample;
    text += fmt::format("{:<14} {:<11} {:>5}  {}\n", format.name, names,
                        sample.storage == Storage::f32 ? "float" : std::to_string(sample.depth),
                        chroma);
  }
  return text + R"(
Samples in the other order of bytes (gray16be) are turned around exactly. Any other format that FFmpeg
can convert is filtered as the nearest of these.
)";
}

std::string list_formats_as_json() {
  using Json = nlohmann::ordered_json;
  const auto name_of = [](Component::Kind kind) {
    return kind == Component::Kind::luma     ? "luma"
           : kind == Component::Kind::chroma ? "chroma"
           : kind == Component::Kind::colour ? "colour"
           : kind == Component::Kind::alpha  ? "alpha"
                                             : "padding";
  };
  Json list = Json::array();
  for (const PixelFormat& format : formats()) {
    Json components = Json::array();
    for (const Component& c : format.components)
      components.push_back({{"name", std::string(1, c.name)},
                            {"kind", name_of(c.kind)},
                            {"subsampling", {c.subsampling.x, c.subsampling.y}}});
    const SampleType& sample = format.components[0].sample;
    list.push_back({{"name", format.name},
                    {"bits", sample.depth},
                    {"float", sample.storage == Storage::f32},
                    {"planes", format.planes},
                    {"components", components}});
  }
  return fmt::format("{}\n", Json{{"formats", list}}.dump(2));
}

std::string list_variants() {
  std::string text = fmt::format("{:<24} {:<5}\n", "variant", "device");
  for (const Variant& v : variants()) {
    text += fmt::format("{:<24} {:<5} {}\n", v.name, v.device == Device::cpu ? "cpu" : "cuda",
                        v.description);
    if (!v.needs.empty()) text += fmt::format("{:<30} ({})\n", "", v.needs);
  }
  return text;
}

std::string list_devices() {
  const int threads = usable_threads();
  std::string text =
      fmt::format("{:<8} CPU, {} {}\n", "cpu", threads, threads == 1 ? "thread" : "threads");
  const CudaDevices found = cuda_devices();
  for (const CudaDevice& device : found.devices)
    text += fmt::format("cuda:{:<3} {}, compute capability {}.{}, {:.1f} GiB{}\n", device.index,
                        device.name, device.major, device.minor,
                        static_cast<double>(device.memory) / (1 << 30),
                        device.node ? fmt::format(", NUMA node {}", *device.node) : "");
  if (found.devices.size() > 1)
    text += fmt::format("cuda:all these {}, which take frames in turn\n", found.devices.size());
  if (found.devices.empty()) text += fmt::format("no CUDA device: {}\n", found.why_none);
  return text;
}

std::string listed(List list, const std::string& which) {
  switch (list) {
    case List::none:
    case List::resumable:  // a folder, not a table
      break;
    case List::short_help:
      return short_help_text();
    case List::help_of_filter:
      return help_of_filter(which);
    case List::help:
      return help_text();
    case List::version:
      return "vidconv " VIDCONV_VERSION "\n";
    case List::kernels:
      return list_kernels();
    case List::kernels_as_json:
      return list_kernels_as_json();
    case List::formats:
      return list_formats();
    case List::formats_as_json:
      return list_formats_as_json();
    case List::variants:
      return list_variants();
    case List::devices:
      return list_devices();
    case List::manual:
      return manual_page();
    case List::bash_completions:
      return bash_completions();
    case List::zsh_completions:
      return zsh_completions();
    case List::fish_completions:
      return fish_completions();
  }
  return "";
}

}  // namespace

void print_list(List list, const std::string& which) { print(listed(list, which)); }

}  // namespace vidconv
