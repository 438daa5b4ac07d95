#include "pipeline/measure/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

constexpr MeasureName rows[] = {
    {"psnr", &Measures::psnr, &Measured::psnr, "{:.2f} dB", 1, 100},
    {"ssim", &Measures::ssim, &Measured::ssim, "{:.6f}", 0, 1},
    {"vmaf", &Measures::vmaf, &Measured::vmaf, "{:.2f}", 1, 100},
    {"xpsnr", &Measures::xpsnr, &Measured::xpsnr, "{:.2f} dB", 1, 100},
};

[[noreturn]] void refuse(std::string_view setting, const std::string& value, const std::string& why,
                         const std::string& remedy) {
  throw Error(Fault::usage, fmt::format("`{}`", setting), shortened(value, longest_value), why,
              remedy);
}

}  // namespace

std::span<const MeasureName> measure_names() { return rows; }

const MeasureName* measure_named(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &MeasureName::name);
  return row == std::end(rows) ? nullptr : row;
}

Measures parse_measures(const std::string& text) {
  Measures measures;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string word = text.substr(at, end - at);
    constexpr std::string_view with_model = "vmaf:model=";
    if (word.starts_with(with_model) && word.size() > with_model.size()) {
      measures.vmaf_model = word.substr(with_model.size());
      word.resize(with_model.find(':'));
    }
    const MeasureName* row = row_named(rows, word, &MeasureName::name);
    if (!row) {
      std::vector<std::string_view> names;
      for (const MeasureName& known : rows) names.push_back(known.name);
      refuse("measure", text,
             "there is no measure '" + verbatim(word) + "'" + did_you_mean(word, names),
             "use psnr, ssim, vmaf, vmaf:model=NAME or xpsnr, or several: psnr,ssim");
    }
    if (measures.*row->wanted)
      refuse("measure", text, std::string(row->name) + " is there twice", "name it once");
    measures.*row->wanted = true;
    at = end + 1;
  }
  return measures;
}

Target parse_target(const std::string& text) {
  const auto equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const MeasureName* kind = measure_named(name);
  if (equals == text.npos || !kind)
    refuse("target", text, "it is not a measure and its value",
           "e.g. psnr=40, ssim=0.98, vmaf=95 or xpsnr=40");
  const auto value = number_of<double>(text.substr(equals + 1), kind->least, kind->most);
  if (!value)
    refuse("target", text, fmt::format("not a number from {:g} to {:g}", kind->least, kind->most),
           "");
  return {.measure = name, .value = *value};
}

Measures measures_of(const Target& target) {
  Measures measures;
  measures.*measure_named(target.measure)->wanted = true;
  return measures;
}

std::string names_of(const Measures& measures) {
  std::string names;
  for (const MeasureName& measure : rows)
    if (measures.*measure.wanted) names += (names.empty() ? "" : ", ") + std::string(measure.name);
  return names;
}

}  // namespace vidconv
