#include "src/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>

#include "kernels/convolve.h"
#include "kernels/parse.h"
#include "kernels/presets.h"
#include "pipeline/cuda.h"
#include "pipeline/format.h"
#include "src/completions.h"
#include "src/help.h"

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

void list_kernels() {
  for (const Preset& preset : presets()) {
    fmt::print("{:<12} {}\n", preset.name, preset.description);
    for (const Parameter& p : preset.parameters)
      fmt::print("  {:<10} {:<12} {}{}\n", p.name, range_of(p), p.description, default_of(p));
  }
  fmt::print("\n");
  for (const MatrixForm& form : matrix_forms())
    fmt::print("{:<19} {}\n", fmt::format("{}:{}", form.name, form.what_follows), form.description);
  fmt::print("\nEvery filter takes\n");
  for (const ModifierKey& key : modifier_keys())
    fmt::print("  {:<7} {:<20} {}\n", key.name, key.values, key.description);
}

void list_kernels_as_json() {
  using Json = nlohmann::ordered_json;
  Json filters = Json::array(), forms = Json::array(), keys = Json::array();
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
  for (const ModifierKey& key : modifier_keys())
    keys.push_back({{"name", key.name}, {"values", key.values}, {"description", key.description}});
  fmt::print("{}\n", Json{{"filters", filters}, {"forms", forms}, {"keys_of_all", keys}}.dump(2));
}

void list_formats() {
  fmt::print("{:<14} {:<11} {:>5}  {}\n", "format", "components", "bits", "chroma");
  for (const PixelFormat& format : formats()) {
    std::string names, chroma;
    for (const Component& c : format.components) {
      if (c.kind != Component::Kind::padding) names += c.name;
      if (c.kind == Component::Kind::chroma)
        chroma = fmt::format("1/{} x 1/{}", c.subsampling.x, c.subsampling.y);
    }
    const SampleType& sample = format.components[0].sample;
    fmt::print("{:<14} {:<11} {:>5}  {}\n", format.name, names,
               sample.storage == Storage::f32 ? "float" : std::to_string(sample.depth), chroma);
  }
  fmt::print(R"(
Samples in the other order of bytes (gray16be) are turned around exactly. Any other format that FFmpeg
can convert is filtered as the nearest of these.
)");
}

void list_formats_as_json() {
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
  fmt::print("{}\n", Json{{"formats", list}}.dump(2));
}

void list_variants() {
  const auto print = [](std::span<const Variant> table) {
    for (const Variant& v : table) {
      fmt::print("{:<24} {:<5} {}\n", v.name, v.device == Device::cpu ? "cpu" : "cuda",
                 v.description);
      if (!v.needs.empty()) fmt::print("{:<30} ({})\n", "", v.needs);
    }
  };
  fmt::print("{:<24} {:<5}\n", "variant", "device");
  print(variants());
  fmt::print("\nTo study, never chosen unasked:\n");
  print(study_variants());
}

void list_devices() {
  fmt::print("{:<8} CPU, {} threads\n", "cpu", std::thread::hardware_concurrency());
  const CudaDevices found = cuda_devices();
  for (const CudaDevice& device : found.devices)
    fmt::print("cuda:{:<3} {}, compute capability {}.{}, {:.1f} GiB\n", device.index, device.name,
               device.major, device.minor, static_cast<double>(device.memory) / (1 << 30));
  if (found.devices.empty()) fmt::print("no CUDA device: {}\n", found.why_none);
}

}  // namespace

void print_list(List list) {
  switch (list) {
    case List::none:
      break;
    case List::help:
      fmt::print("{}", help_text());
      break;
    case List::kernels:
      list_kernels();
      break;
    case List::kernels_as_json:
      list_kernels_as_json();
      break;
    case List::formats:
      list_formats();
      break;
    case List::formats_as_json:
      list_formats_as_json();
      break;
    case List::variants:
      list_variants();
      break;
    case List::devices:
      list_devices();
      break;
    case List::manual:
      fmt::print("{}", manual_page());
      break;
    case List::bash_completions:
      fmt::print("{}", bash_completions());
      break;
    case List::zsh_completions:
      fmt::print("{}", zsh_completions());
      break;
    case List::fish_completions:
      fmt::print("{}", fish_completions());
      break;
  }
}

}  // namespace vidconv
