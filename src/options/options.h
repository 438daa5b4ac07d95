// The command line: what the user asked for, checked as far as words can be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/picture/border.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/decode/decoder_wish.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/encode/shards.h"
#include "pipeline/filter/boxes.h"
#include "pipeline/filter/processor.h"
#include "pipeline/measure/frame_score.h"
#include "pipeline/run/compare.h"
#include "pipeline/run/upright.h"

namespace vidconv {

enum class ProgressMode { automatic, plain, json, none };
enum class List {
  none,
  short_help,
  help,
  help_of_filter,  // Options::listed
  version,
  kernels,
  kernels_as_json,
  formats,
  formats_as_json,
  variants,
  devices,
  manual,
  bash_completions,
  zsh_completions,
  fish_completions,
};

// What the encoding is to reach.
struct Target {
  std::string measure;  // "psnr", "ssim"
  double value = 0;
};

struct Options {
  std::string input, output;
  // Of several inputs (src/batch/batch.h); `input` is the first of `inputs`.
  std::vector<std::string> inputs;
  std::vector<std::string> command;  // as it was typed, the program first
  std::string files_from;            // a list of more, "-" is standard input; empty: none
  bool null_separated = false, recursive = false;
  bool skip_done = false, keep_going = false, fail_fast = false;
  bool by_content = false;  // what is done is known by all bytes of its input
  int jobs = 0;             // files at once; 0: the default
  // Options as they were given that bear on the bytes of the output, but for `filters`.
  std::vector<std::pair<std::string, std::vector<std::string>>> words;
  std::string raw;            // WxH:PIXFMT[@FPS]; empty: the input describes itself
  std::string frame_rate;     // of an input without times; empty: as usual
  std::string input_format;   // a demuxer or a device; empty: found out
  double latency = 0;         // seconds; 0: no frame is dropped
  bool realtime = false;      // frames leave the input as their times say
  std::string output_format;  // "y4m", "raw" or a container; empty: by the output's name
  std::vector<FilterSpec> filters;

  DeviceWish device;
  DecoderWish decoder;
  const Variant* variant = nullptr;  // nullptr: the best for each step
  Border border;
  std::string planes;            // empty: by the purpose of the filter
  std::shared_ptr<Boxes> boxes;  // nullptr: none
  bool clamp_range = false;
  bool linear = false;
  int threads = 0;  // 0: as many as the machine has
  int slots = 0;    // 0: the default of the pipeline

  std::string codec, preset, bitrate, pixel_format, audio;  // empty: chosen by the output
  std::optional<double> crf;
  std::optional<ShardOptions> shards;
  std::vector<std::pair<std::string, std::string>> encoder_options, muxer_options, input_options;

  double start = 0;                // seconds
  std::optional<double> duration;  // seconds
  std::optional<std::int64_t> frames;

  std::optional<int> video = 1;  // which video stream, counted from 1; none: all
  std::optional<Comparison> compare;
  bool copy_times = false;  // as the input has them, where they jump too
  bool insecure = false;    // certificates of servers are not checked
  double timeout = 0;       // seconds; 0: wait for ever
  std::int64_t max_pixels = default_max_pixels;
  Scan scan = Scan::automatic;
  OrientationWish orientation;
  bool strict = false;  // what would be lost is an error

  bool no_sandbox = false;
  bool overwrite = false;
  bool quiet = false;
  ProgressMode progress = ProgressMode::automatic;
  std::string stats_file, metrics_file, trace_file, audit_file;  // empty: none
  std::optional<double> benchmark_seconds;
  std::optional<int> verify_every;
  Measures measures;
  std::string measure_log;  // empty: none
  std::optional<Target> target;
  std::string report_file;  // empty: none
  bool explain = false;
  bool gallery = false;
  bool show_originals = false;  // in a report or a gallery, whatever filters hide
  List list = List::none;
  std::string listed;  // which of it, where not all
};

// Whether it is read as it comes, in its own time, and ends where somebody ends it.
bool is_live(const Options& options);

// Whether there may be several inputs, whose outputs' names are made from theirs.
bool is_batch(const Options& options);

// Throws Error(Fault::usage).
Options parse_options(int argc, const char* const* argv);

}  // namespace vidconv
