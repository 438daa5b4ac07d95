// The settings of a job: one table, from words to what the pipeline takes.
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

// As the words say.
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
  SourceOptions source;  // with what the words say of the input
  SinkOptions sink;      // the same of the output
};

struct SettingRow {
  const char* name;
  const char* meaning;  // one line, with the values that it takes
  bool repeats;         // each value is added
  void (*set)(JobSettings& settings, const std::string& value);
};
std::span<const SettingRow> setting_table();

// Words for settings, as vidconv_job_set() collects them.
class SettingWords {
 public:
  // Throws Error(usage), ColumnError.
  void set(const std::string& name, const std::string& value);
  JobSettings settings() const;

 private:
  std::vector<std::pair<const SettingRow*, std::string>> words_;
};

// What the pipeline takes. `files` and `stop`, which ends the run early, outlive the job. Throws
// Error(usage) for settings that contradict each other.
JobOptions job_options(const JobSettings& settings, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& stop);

}  // namespace vidconv
