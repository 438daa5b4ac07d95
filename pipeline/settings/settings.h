// One table of all that a job can be told. The command's options, its manual and completions,
// the settings of the C library, the keys of outputs and what a plan of shards carries are read
// from it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/picture/border.h"
#include "kernels/spec/parse.h"
#include "kernels/spec/plane_selection.h"
#include "kernels/variants/variants.h"
#include "pipeline/decode/decoder_request.h"
#include "pipeline/demux/source_options.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/measure/measures.h"
#include "pipeline/region/boxes.h"
#include "pipeline/run/compare.h"
#include "pipeline/run/upright.h"
#include "pipeline/shards/shards.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

// The values of all settings of one job.
struct Settings {
  std::string input, output;
  std::vector<FilterSpec> filters;
  std::optional<BoxOptions> regions;  // boxes that take_boxes() reads
  std::string regions_default;        // the filter of boxes that name none, or its number
  std::shared_ptr<Boxes> boxes;  // where filters without a region of their own act; may be null
  Border border;
  PlaneSelection planes;
  AlphaUse alpha = AlphaUse::automatic;
  bool clamp_range = false, linear = false;
  Scan scan = Scan::automatic;
  OrientationRequest orientation;
  std::optional<Comparison> compare;

  DeviceRequest device;
  DecoderRequest decoder;
  const Variant* variant = nullptr;  // nullptr: the best for each step
  int threads = 0;                   // 0: as many as the machine has
  int slots = 0;                     // 0: the pipeline's default
  std::optional<ShardOptions> shards;
  int jobs = 0;                 // shards at once; 0: as many as the CPUs carry
  bool keep_unchanged = false;  // unfiltered stretches are copied as they are coded
  double latency = 0;           // seconds; 0: no frame is dropped
  bool realtime = false;        // frames leave the input as their times say
  bool strict = false;          // a loss is an error
  std::optional<int> verify_every;
  Measures measures;             // compared with the filtered frames
  std::optional<Target> target;  // looked for by find_quality()
  std::string audit_file;        // empty: none

  SourceOptions source;  // as the settings of the input say
  SinkOptions sink;      // as the settings of the output say
};

// Properties of a setting, as bits.
enum SettingFlags : unsigned {
  repeats = 1,         // each value is added to those before
  no_bytes = 2,        // does not bear on the output's bytes
  not_in_gallery = 4,  // refused beside a gallery, which is one picture drawn on the CPU
  planned = 8,         // a plan of shards carries it to its workers
  of_machine = 16,     // each worker of a plan is told it by its own command line
  any_case = 32,       // its words are the same in upper and lower case
};

struct Setting {
  std::string_view name;      // in C, in Python and, in backticks, in messages
  std::string_view option;    // on the command line
  std::string_view group;     // heading in the help
  std::string_view value;     // placeholder in the help, "N|all"; empty: a switch
  std::string_view fallback;  // the value where it is not set; empty where `text` says it
  std::string_view text;      // for people, one sentence without its full stop
  unsigned flags;
  // Throws Error(usage), SpecError for a filter.
  void (*set)(Settings& settings, const std::string& value);
};

// Groups of settings lie together, in the order of the help.
std::span<const Setting> settings();
// By its name; nullptr where there is none.
const Setting* setting_named(std::string_view name);
// By its option, "--crf"; nullptr for options that are no settings.
const Setting* setting_of_option(std::string_view option);

// Sets all of them in an order in which none lacks what another one says. Throws as they do.
using SettingValues = std::vector<std::pair<const Setting*, std::string>>;
void set_all(const SettingValues& values, Settings& settings);

}  // namespace vidconv
