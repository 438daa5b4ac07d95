// vidconv-bench packed: pictures whose components lie side by side, beside the same samples in
// planes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/commands.h"
#include "bench/device.h"
#include "bench/planes.h"
#include "bench/report.h"
#include "pipeline/av/format.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

struct FormatPair {
  const char* packed;
  const char* planar;  // as many samples of the same kind
};
constexpr FormatPair format_pairs[] = {
    {"rgb24", "gbrp"},       {"rgba", "gbrap"},         {"bgr0", "gbrap"},
    {"rgb48le", "gbrp16le"}, {"rgba64le", "gbrap16le"}, {"yuyv422", "yuv422p"},
    {"uyvy422", "yuv422p"},  {"nv12", "yuv420p"},       {"p010le", "yuv420p10le"},
};

struct PackedSettings {
  std::vector<std::string> kernels = {"box:size=5", "gaussian:sigma=2", "sharpen", "sobel"};
  std::vector<std::string> formats;
  int width = 3840, height = 2160;
  Device device = Device::cpu;
  int threads = usable_threads();
  double seconds = 0.3;
  int rounds = 5;
  std::string json;
};

const PixelFormat& format_named(const std::string& name) {
  for (const PixelFormat& format : formats())
    if (format.name == name) return format;
  throw std::runtime_error(name + ": no format of the table");
}

// Returns noise that repeats itself: large pictures would otherwise take longer to make than to
// measure.
std::vector<std::byte> much_noise(const SampleType& sample, std::size_t bytes) {
  const std::vector<std::byte> some = noise(sample, std::size_t{1} << 20, 1);
  std::vector<std::byte> much(bytes);
  for (std::size_t i = 0; i < bytes; i += some.size())
    std::copy_n(some.begin(), std::min(some.size(), bytes - i),
                much.begin() + static_cast<std::ptrdiff_t>(i));
  return much;
}

// A filter, with pairs of pictures in turn.
class PackedSubject {
 public:
  PackedSubject(const std::string& kernel, const std::string& name, const PackedSettings& settings)
      : device_(settings.device) {
    const PixelFormat& format = format_named(name);
    const std::vector<FilterSpec> chain = {FilterSpec::parse(kernel)};
    ProcessorOptions options;
    options.device = settings.device;
    options.threads = settings.threads;
    filter_ = make_picture_filter(make_work(chain, format, {}, {}), settings.width, settings.height,
                                  options, {});
    for (int i = 0; i < pictures; ++i) {
      Places& places = places_.emplace_back();
      for (const PlaneExtent& extent : extents_of_planes(format, settings.width, settings.height)) {
        const auto bytes = static_cast<std::size_t>(extent.row_bytes * extent.rows);
        const Memory& memory = memory_.emplace_back(settings.device, bytes);
        memory.upload(much_noise(format.components[0].sample, bytes));
        places.push_back({memory.data(), extent.row_bytes});
      }
    }
  }

  double seconds(double effort) const {
    return median_seconds(device_,
                          [this](int i) {
                            const auto from = static_cast<std::size_t>(i) % (pictures / 2) * 2;
                            filter_->run(places_[from], places_[from + 1], stream_of(device_));
                          },
                          {.seconds = effort, .samples = 1000, .fastest = true});
  }

 private:
  static constexpr int pictures = 4;  // sources and results in turn
  using Places = std::vector<PlaceOfPlane>;
  Device device_;
  std::unique_ptr<PictureFilter> filter_;
  std::vector<Memory> memory_;
  std::vector<Places> places_;
};

int run(const PackedSettings& settings) {
  Report report{typed_command(), describe_machine(), {}};
  Table& table = report.tables.emplace_back();
  table.id = "packed";
  const bool cuda = settings.device == Device::cuda;
  if (cuda && !have_cuda()) throw std::runtime_error("no CUDA device");
  table.title =
      fmt::format("one picture of {}x{} on {}, microseconds", settings.width, settings.height,
                  cuda ? "the CUDA device" : fmt::format("the CPU, {} threads", settings.threads));
  table.columns = {"filter", "packed", "us", "planar", "planar us", "packed / planar"};
  table.notes = {
      "Whole pictures, copied components too. The fastest of many runs, both in turn; two pairs of "
      "pictures in turn."};
  for (const std::string& kernel : settings.kernels)
    for (const FormatPair& pair : format_pairs) {
      if (!settings.formats.empty() &&
          std::ranges::find(settings.formats, pair.packed) == settings.formats.end())
        continue;
      const PackedSubject packed(kernel, pair.packed, settings),
          planar(kernel, pair.planar, settings);
      double a = std::numeric_limits<double>::max(), b = a;
      for (int round = 0; round < settings.rounds; ++round) {
        const double effort = settings.seconds / settings.rounds;
        a = std::min(a, packed.seconds(effort));
        b = std::min(b, planar.seconds(effort));
      }
      table.add({kernel, pair.packed, 1e6 * a, pair.planar, 1e6 * b, a / b});
    }
  publish(report, settings.json);
  return 0;
}

}  // namespace

Run packed_command(CLI::App& app) {
  const auto s = std::make_shared<PackedSettings>();
  std::vector<std::string> names;
  for (const FormatPair& pair : format_pairs) names.emplace_back(pair.packed);
  app.add_option("--kernel", s->kernels, "these filters")->capture_default_str();
  app.add_option("--format", s->formats, "only these")->check(CLI::IsMember(names));
  app.add_option("--width", s->width)->check(CLI::Range(1, 1 << 16))->capture_default_str();
  app.add_option("--height", s->height)->check(CLI::Range(1, 1 << 16))->capture_default_str();
  app.add_option("--device", s->device, "cpu or cuda")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}));
  app.add_option("--threads", s->threads, "CPU threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seconds", s->seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_option("--json", s->json, "write the table to this file too (- is stdout)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
