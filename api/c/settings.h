// The settings of a job: one table translates them from words into the pipeline's options.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/spec/parse.h"
#include "pipeline/decode/decoder_request.h"
#include "pipeline/run/job.h"

namespace vidconv {

// The settings, parsed.
struct JobSettings {
  std::string input, output;
  std::vector<FilterSpec> kernels;
  DeviceRequest device;
  DecoderRequest decoder;
  Border border;
  PlaneSelection planes;
  bool clamp_range = false, linear = false, strict = false;
  Scan scan = Scan::automatic;
  int threads = 0, slots = 0;
  std::optional<int> verify_every;
  std::optional<Comparison> compare;
  OrientationRequest orientation;
  double latency = 0;  // seconds; 0: none
  std::optional<ShardOptions> shards;
  int jobs = 0;
  SourceOptions source;  // settings of the input
  SinkOptions sink;      // settings of the output
};

struct SettingRow {
  const char* name;
  const char* meaning;  // one line, with the values that the setting takes
  bool repeats;         // each value is added
  void (*set)(JobSettings& settings, const std::string& value);
};
std::span<const SettingRow> setting_table();

// Collects the words that vidconv_job_set() takes.
class SettingWords {
 public:
  // Throws Error(usage), ColumnError.
  void set(const std::string& name, const std::string& value);
  JobSettings settings() const;

 private:
  std::vector<std::pair<const SettingRow*, std::string>> words_;
};

// Returns the pipeline's options. `files` and `stop`, which ends the run early, outlive the job.
// Throws Error(usage) for settings that contradict each other.
JobOptions job_options(const JobSettings& settings, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& stop);

}  // namespace vidconv
