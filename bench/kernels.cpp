// vidconv-bench kernels: the variants that serve users, kernel size x format x frame size, and the
// ratio to every peer that can do the same, in the same run on the same memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>

#include "bench/check.h"
#include "bench/commands.h"
#include "bench/peers/peers.h"
#include "bench/planes.h"
#include "bench/report.h"
#include "bench/targets.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

struct FrameSize {
  const char* name;
  int width, height;  // luma; a 4:2:0 frame is measured as one plane with half as many rows more
};
constexpr FrameSize frame_sizes[] = {
    {"chroma", 960, 360},    // 960 x 540 samples, as HD has of each chroma component
    {"720p", 1280, 720},     //
    {"HD", 1920, 1080},      //
    {"4K", 3840, 2160},      //
    {"8K", 7680, 4320},      //
    {"square", 3072, 2048},  // 3072 x 3072 samples, as CUDA's sample convolutionSeparable takes
};

struct KindRow {
  const char* name;
  Kind kind;
  std::vector<int> sizes;
  unsigned tap_codes = 7;  // dense: number of tap values, over a power of 2; 0: over a real
};
const std::vector<KindRow>& kinds() {
  static const std::vector<KindRow> rows = {
      {"box", Kind::box, {3, 5, 7, 15, 31, 63, 101}},
      {"gaussian", Kind::gaussian, {3, 5, 7, 9, 15, 17, 31}},
      {"gaussian-long", Kind::gaussian, {33, 65, 129, 257, 513}},
      {"dense", Kind::dense, {3, 5, 7, 9, 11, 15, 17, 31}},
      {"dense-16", Kind::dense, {11, 15, 17, 31}, 4095},  // taps of 16 bits
      {"dense-real", Kind::dense, {3, 5, 7, 9}, 0},       // taps over a real divisor
      {"sobel", Kind::sobel, {3}},
      {"sobel-x", Kind::sobel_x, {3}},
      {"binomial", Kind::binomial, {3, 5}},
      {"sharpen", Kind::sharpen, {3}},
      {"unsharp", Kind::unsharp, {5}},
      {"copy", Kind::copy, {1}},  // how fast the memory is
  };
  return rows;
}

struct KernelSettings {
  std::vector<std::string> kinds, frames = {"4K"}, devices, variants;
  std::vector<int> depths = {8}, sizes;
  int threads = usable_threads();
  int pairs = 4;
  double seconds = 0.2;
  bool no_peers = false, fastest = false, check = false, wins = false;
  std::string json, targets, simd;
};

SampleType sample_of(int depth) {
  if (depth == 32) return {Storage::f32, 32, 0};
  return {depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
}

// Returns a matrix of full rank, so that no second pass helps anyone, with taps that FFmpeg and
// 8-bit variants take.
Filter dense(int size, unsigned codes) {
  std::minstd_rand random(1);
  std::vector<double> taps;
  // The sum of fine taps is at most a few units.
  const double divisor = codes == 0    ? size * size * 1000 * std::numbers::pi
                         : codes < 256 ? 256
                                       : 1 << 20;
  if (codes == 0) codes = 4095;
  for (int i = 0; i < size * size; ++i)
    taps.push_back(static_cast<double>(random() % codes + 1) / divisor);
  return {.kernels = {Kernel(size, size, std::move(taps))}};
}

Filter filter_of(const KindRow& row, int size) {
  const auto made = [](const std::string& spec) { return FilterSpec::parse(spec).make(); };
  switch (row.kind) {
    case Kind::box:
      return made(fmt::format("box:size={}", size));
    case Kind::gaussian:
      return made(
          fmt::format("gaussian:sigma={}:radius={}", std::min(sigma_of(size), 85.0), size / 2));
    case Kind::dense:
      return dense(size, row.tap_codes);
    case Kind::sobel:
      return made("sobel");
    case Kind::sobel_x:
      return made("sobel:axis=x");
    case Kind::binomial:
      return made(fmt::format("binomial:size={}", size));
    case Kind::sharpen:
      return made("sharpen");
    case Kind::unsharp:
      return made("unsharp:sigma=0.6");
    case Kind::copy:
      return made("identity");
  }
  throw std::logic_error("unknown kind of filter");
}

Case case_of(const KindRow& kind, int size, int depth, const FrameSize& frame, int threads) {
  return {
      kind.kind, size, sample_of(depth), frame.width, frame.height * 3 / 2, filter_of(kind, size),
      threads};
}

Effort effort_of(const KernelSettings& settings) {
  return {.seconds = settings.seconds,
          .samples = settings.fastest ? 1000 : 15,
          .fastest = settings.fastest};
}

double microseconds(const Choice& choice, const Case& c, Device device, const Planes& planes,
                    const Effort& effort) {
  const auto convolver = choice.convolver(c.threads);
  return 1e6 * median_seconds(
                   device,
                   [&](int i) {
                     convolver->run({&planes.pair(i), 1}, stream_of(device));
                   },
                   effort);
}

// Results of vidconv and of peers for one pair of planes, checked where that is asked for.
class Results {
 public:
  struct Cells {
    Cell equal, off;  // as in Check, `equal` in percent
  };

  Results(bool wanted, const Choice& choice, const Case& c, Device device, const Planes& planes)
      : wanted_(wanted), case_(c), device_(device), planes_(planes) {
    if (!wanted) return;
    planes.spoil();
    choice.convolver(c.threads)->run({&planes.pair(0), 1}, stream_of(device));
    wait(device);
    bytes_ = planes.result();
    ours_ = cells_of(bytes_);
  }

  const Cells& ours() const { return ours_; }
  Cells of(const PeerWay& way) const {
    if (!wanted_) return {};
    planes_.spoil();
    way.body(0);
    wait(device_);
    if (way.deliver) way.deliver();
    return cells_of(planes_.result());
  }

 private:
  Cells cells_of(const std::vector<std::byte>& result) const {
    const auto check = check_result(case_, planes_.source(), bytes_, result);
    if (!check) return {};
    return {100 * check->equal, check->off};
  }

  const bool wanted_;
  const Case& case_;
  const Device device_;
  const Planes& planes_;
  std::vector<std::byte> bytes_;  // vidconv's
  Cells ours_;
};

class Measurement {
 public:
  Measurement(const KernelSettings& settings, Table& table) : settings_(settings), table_(table) {}

  void run(const char* kind, const Case& c, const char* frame, Device device) {
    const Plan plan = make_plan(c.filter, c.sample, {}, Role::colour);
    const Planes planes(device, c.sample, c.width, c.height, settings_.pairs);
    if (settings_.variants.empty())
      run(kind, c, frame, device, pick(plan, device, cuda_abilities(0)), planes);
    for (const std::string& name : settings_.variants) {
      const Variant* const variant = find_variant(name);
      if (variant->device != device) continue;
      if (Prepared prepared = variant->prepare(plan, cuda_abilities(0)))
        run(kind, c, frame, device, {variant, std::move(prepared)}, planes);
    }
  }

 private:
  void run(const char* kind, const Case& c, const char* frame, Device device, const Choice& choice,
           const Planes& planes) {
    const Effort effort = effort_of(settings_);
    const double ours = microseconds(choice, c, device, planes, effort);
    const double samples = static_cast<double>(c.width) * c.height;
    const Results results(settings_.check, choice, c, device, planes);
    const auto row = [&](std::string peer, Cell time, Cell ratio, const Results::Cells& check) {
      table_.add({fmt::format("{} {}", kind, c.size), std::to_string(c.sample.depth), frame,
                  std::string(choice.variant->name), ours, samples / ours / 1e3, std::move(peer),
                  std::move(time), std::move(ratio)});
      if (!settings_.check) return;
      std::vector<Cell>& cells = table_.rows.back();
      cells.insert(cells.end(), {check.equal, check.off, results.ours().off});
    };
    bool alone = true;
    for (const Peer& peer : peers()) {
      if (settings_.no_peers || peer.device != device) continue;
      for (const PeerWay& way : peer.ways(c, planes.pairs())) {
        alone = false;
        try {
          const double theirs = 1e6 * median_seconds(device, way.body, effort);
          row(way.name, theirs, theirs / ours, results.of(way));
        } catch (const std::exception& error) {
          row(way.name, fmt::format("refused: {}", error.what()), {}, {});
        }
      }
    }
    if (alone) row("", {}, {}, {});
  }

  const KernelSettings& settings_;
  Table& table_;
};

// Finds how much each variant wins over the next one that can do the same: in each row, and over
// all rows that it serves.
class Wins {
 public:
  Wins(const KernelSettings& settings, Table& rows) : settings_(settings), rows_(rows) {}

  void run(const char* kind, const Case& c, const char* frame, Device device) {
    const Plan plan = make_plan(c.filter, c.sample, {}, Role::colour);
    const Planes planes(device, c.sample, c.width, c.height, settings_.pairs);
    const Variant* picked = nullptr;
    double fastest = 0;
    int place = 0;
    for (const Variant& variant : variants()) {
      if (variant.device != device || variant.name == "reference") continue;
      Prepared prepared = variant.prepare(plan, cuda_abilities(0));
      if (!prepared) continue;
      const double us =
          microseconds({&variant, std::move(prepared)}, c, device, planes, effort_of(settings_));
      if (!picked) picked = &variant, fastest = us;
      if (++place == 2) logs_[picked].push_back(std::log(us / fastest));
      rows_.add({fmt::format("{} {}", kind, c.size), std::to_string(c.sample.depth), frame,
                 static_cast<double>(place), std::string(variant.name), us, us / fastest});
    }
    if (place == 1) logs_[picked];
  }

  Table summary() const {
    Table table{.id = "wins",
                .title = "what a variant wins over the next, over the rows that it serves",
                .columns = {"variant", "rows with a next", "next / variant, mean", "least", "most"},
                .rows = {},
                .notes = {"Means are geometric. Several processors' rows are several runs."}};
    for (const Variant& variant : variants()) {
      const auto found = logs_.find(&variant);
      if (found == logs_.end()) continue;
      const std::vector<double>& logs = found->second;
      table.add({std::string(variant.name), static_cast<double>(logs.size())});
      if (logs.empty()) continue;
      const auto [least, most] = std::ranges::minmax(logs);
      const double mean =
          std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
      table.rows.back().insert(table.rows.back().end(),
                               {std::exp(mean), std::exp(least), std::exp(most)});
    }
    return table;
  }

 private:
  const KernelSettings& settings_;
  Table& rows_;
  std::map<const Variant*, std::vector<double>> logs_;
};

bool chosen(const auto& names, const auto& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

template <class Row>
const Row& named(std::span<const Row> rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end())
    throw std::runtime_error(fmt::format("--targets: '{}' is unknown here", name));
  return *found;
}

int run_targets(const KernelSettings& settings) {
  const Targets targets = read_targets(settings.targets);
  const Device device = targets.device == "cuda" ? Device::cuda : Device::cpu;
  if (device == Device::cuda && !have_cuda())
    throw std::runtime_error(
        fmt::format("'{}' is about CUDA devices: {}", settings.targets, describe_gpu()));
  const FrameSize& frame = named<FrameSize>(frame_sizes, targets.frame);
  Report report{typed_command(), describe_machine(), {}};
  measure_targets(
      targets,
      [&](const std::string& filter, int size, int bits) {
        const Case c =
            case_of(named<KindRow>(kinds(), filter), size, bits, frame, settings.threads);
        const Plan plan = make_plan(c.filter, c.sample, {}, Role::colour);
        const Choice choice = pick(plan, device, cuda_abilities(0));
        const Planes planes(device, c.sample, c.width, c.height, settings.pairs);
        return Timing{std::string(choice.variant->name),
                      microseconds(choice, c, device, planes, effort_of(settings))};
      },
      report);
  publish(report, settings.json);
  return 0;
}

// Runs `measured` with each filter, depth and frame size that is asked for.
void for_each_row(const KernelSettings& settings, Device device, auto& measured) {
  for (const FrameSize& frame : frame_sizes) {
    if (!chosen(settings.frames, std::string(frame.name))) continue;
    for (const int depth : settings.depths)
      for (const KindRow& kind : kinds()) {
        if (!chosen(settings.kinds, std::string(kind.name))) continue;
        for (const int size : kind.sizes) {
          if (!chosen(settings.sizes, size)) continue;
          measured.run(kind.name, case_of(kind, size, depth, frame, settings.threads), frame.name,
                       device);
        }
      }
  }
}

int run(const KernelSettings& settings) {
  if (!settings.targets.empty()) return run_targets(settings);
  Report report{typed_command(), describe_machine(), {}};
  for (const Peer& peer : peers())
    report.machine.push_back(fmt::format("{}: {}", peer.name, peer.status()));
  for (const SimdLevel level : simd_levels())
    if (simd_name(level) == settings.simd) {
      force_simd(level);
      report.machine.push_back("vidconv's CPU kernels: " + settings.simd);
    }
  for (const Device device : {Device::cpu, Device::cuda}) {
    const char* const word = device == Device::cpu ? "cpu" : "cuda";
    if (!chosen(settings.devices, std::string(word))) continue;
    if (device == Device::cuda && !have_cuda()) {
      if (!settings.devices.empty()) throw std::runtime_error("--device cuda: " + describe_gpu());
      continue;
    }
    Table& table = report.tables.emplace_back();
    table.id = fmt::format("kernels-{}", word);
    table.title =
        device == Device::cpu
            ? fmt::format("one frame on the CPU, {} threads, microseconds", settings.threads)
            : "one frame in device memory, microseconds";
    table.columns = {"filter",    "bits", "frame",   "variant",       "vidconv us",
                     "Gsample/s", "peer", "peer us", "peer / vidconv"};
    table.notes = {
        fmt::format("A frame is one plane of width x 1.5 height samples, as many as 4:2:0 has. "
                    "{}; pairs of planes in turn: {}; border reflect101 (NPP, IPP: replicate).",
                    settings.fastest ? "Fastest of many" : "Medians", settings.pairs)};
    if (settings.check) {
      table.columns.insert(table.columns.end(), {"equal %", "peer off by", "vidconv off by"});
      table.notes.emplace_back(
          "equal: share of samples that are vidconv's; off by: largest difference from the filter "
          "in double before rounding, in codes (floats: white is 1). Away from the edges.");
    }
    if (settings.wins) {
      table.columns = {"filter", "bits", "frame", "preferred", "variant", "us", "/ the first"};
      Wins wins(settings, table);
      for_each_row(settings, device, wins);
      report.tables.push_back(wins.summary());
      continue;
    }
    Measurement measurement(settings, table);
    for_each_row(settings, device, measurement);
  }
  publish(report, settings.json);
  return 0;
}

}  // namespace

Run kernels_command(CLI::App& app) {
  const auto s = std::make_shared<KernelSettings>();
  std::vector<std::string> kind_names, frame_names, variant_names;
  for (const KindRow& kind : kinds()) kind_names.emplace_back(kind.name);
  for (const FrameSize& frame : frame_sizes) frame_names.emplace_back(frame.name);
  for (const Variant& variant : variants()) variant_names.emplace_back(variant.name);
  std::vector<std::string> simd_names;
  for (const SimdLevel level : simd_levels()) simd_names.emplace_back(simd_name(level));
  app.add_option("--kind", s->kinds, "only these filters")->check(CLI::IsMember(kind_names));
  app.add_option("--size", s->sizes, "only these kernel sizes");
  app.add_option("--frame", s->frames, "frame sizes")
      ->check(CLI::IsMember(frame_names))
      ->capture_default_str();
  app.add_option("--variant", s->variants, "these, where they can, not the one that is picked")
      ->check(CLI::IsMember(variant_names));
  app.add_option("--depth", s->depths, "bits of a sample; 32: float")
      ->check(CLI::IsMember({8, 10, 12, 16, 32}))
      ->capture_default_str();
  app.add_option("--device", s->devices, "cpu or cuda (default: what there is)")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--threads", s->threads, "CPU threads, peers' too")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seconds", s->seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_option("--pairs", s->pairs, "pairs of planes in turn; 1: the same again and again")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_flag("--fastest", s->fastest,
               "the fastest of many runs, not the median: where others use the machine too");
  app.add_flag("--no-peers", s->no_peers, "vidconv alone");
  app.add_flag("--check", s->check,
               "how far results are from the filter in double, and how many are vidconv's");
  app.add_flag("--wins", s->wins,
               "every variant that can, in order of preference, and what each wins over the next")
      ->excludes("--variant")
      ->excludes("--check");
  app.add_option("--simd", s->simd, "vidconv's CPU kernels by this instruction set, not the best")
      ->check(CLI::IsMember(simd_names));
  app.add_option("--targets", s->targets,
                 "measure what this file has targets for, beside them: bench/targets/h200.json")
      ->excludes("--kind")
      ->excludes("--size")
      ->excludes("--frame")
      ->excludes("--depth")
      ->excludes("--device")
      ->excludes("--variant")
      ->excludes("--simd");
  app.add_option("--json", s->json, "write the tables to this file too (- is stdout)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
