#include "src/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

extern "C" {
#include <libavutil/parseutils.h>
}

#include "pipeline/error.h"

namespace vidconv {
namespace {

constexpr const char* examples = R"(Examples:
  vidconv in.mp4 -o blurred.mp4 --kernel gaussian:sigma=2
  vidconv in.mp4 -o edges.mp4 --kernel sobel
  vidconv in.mkv -o out.mkv --kernel "matrix:0 -1 0;-1 5 -1;0 -1 0"
  ffmpeg -i in.mp4 -f yuv4mpegpipe - | vidconv - -o - --kernel box:size=5 | ffplay -
  vidconv pattern:3840x2160 -o null: --kernel sobel --benchmark
  vidconv in.mp4 -o sheet.png --gallery --at 12.5

Exit codes: 0 done; 1 internal error; 2 command line; 3 input cannot be read; 4 output cannot be
written; 5 device; 6 verification failed; 7 finished, but the input was damaged; 130 interrupted.)";

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& why, const std::string& remedy) {
  throw Error(Fault::usage, option, value, why, remedy);
}

// Words as typed on the command line, before they mean anything.
struct Words {
  std::vector<std::string> kernels, encoder_options;
  std::string border = "reflect101", start, at, duration, progress = "auto", range;
  double benchmark = 0;
  int verify = 0;
  std::string list_kernels;
  bool list_formats = false, list_variants = false, list_devices = false;
};

FilterSpec parse_kernel(const std::string& text) {
  try {
    return FilterSpec::parse(text);
  } catch (const SpecError& error) {
    throw Error(Message::filter_spec, "--kernel", error.text(),
                fmt::format("column {}: {}", error.column(), error.what()), "see --list-kernels");
  }
}

std::string border_words() {
  std::string words;
  for (const BorderName& border : border_modes)
    if (border.mode != BorderMode::constant) words += fmt::format("{}, ", border.name);
  return words + "zero or constant:V (0 to 1)";
}

Border parse_border(const std::string& text) {
  if (text == "zero") return {BorderMode::constant, 0};
  constexpr std::string_view constant = "constant:";
  if (text.starts_with(constant)) {
    Border border{BorderMode::constant, 0};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + constant.size(), end, border.value);
    if (error == std::errc() && stop == end && border.value >= 0 && border.value <= 1)
      return border;
    refuse("--border", text, "the level is not a number from 0 to 1", "e.g. constant:0.5");
  }
  for (const BorderName& border : border_modes)
    if (border.name == text && border.mode != BorderMode::constant) return {border.mode, 0};
  refuse("--border", text, "no such border mode", "use " + border_words());
}

// Seconds, or [HH:]MM:SS[.mmm].
double parse_time(const char* option, const std::string& text) {
  std::int64_t microseconds = 0;
  if (av_parse_time(&microseconds, text.c_str(), 1) < 0 || microseconds < 0)
    refuse(option, text, "not a time of 0 or more", "give seconds (12.5) or [HH:]MM:SS[.mmm]");
  return static_cast<double>(microseconds) / 1e6;
}

ProgressMode parse_progress(const std::string& text) {
  static const std::map<std::string_view, ProgressMode> modes = {{"auto", ProgressMode::automatic},
                                                                 {"plain", ProgressMode::plain},
                                                                 {"json", ProgressMode::json},
                                                                 {"none", ProgressMode::none}};
  if (const auto it = modes.find(text); it != modes.end()) return it->second;
  refuse("--progress", text, "no such mode", "use auto, plain, json or none");
}

std::pair<std::string, std::string> parse_encoder_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse("--encoder-opt", text, "not of the form key=value", "e.g. --encoder-opt tune=film");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void declare(CLI::App& app, Options& o, Words& w) {
  app.footer(examples);
  app.set_version_flag("--version", "vidconv " VIDCONV_VERSION);
  app.add_option("INPUT", o.input,
                 "file or URL; - (y4m or a container from stdin); "
                 "pattern:WxH[:PIXFMT][@FPS][#FRAMES]");
  app.add_option("-o,--output", o.output,
                 "file (container by its ending); - (stdout); md5: (digests); null:");

  const char* filter = "Filter";
  app.add_option("--kernel", w.kernels,
                 "name[:key=value]..., matrix:R;R;..., row:, column:, separable:, file:PATH; "
                 "several make a chain")
      ->allow_extra_args(false)
      ->group(filter);
  app.add_option("--border", w.border, border_words())->capture_default_str()->group(filter);
  app.add_option("--planes", o.planes,
                 "all, luma, chroma or a list such as y,u (default: by the filter's purpose)")
      ->group(filter);
  app.add_option("--range", w.range,
                 "keep (default), or clamp: results of limited-range video stay in 16..235, "
                 "chroma in 16..240")
      ->check(CLI::IsMember({"keep", "clamp"}))
      ->group(filter);
  app.add_flag(
         "--linear", o.linear,
         "filter in linear light, by the video's transfer function: all colours as R, G and B")
      ->group(filter);

  app.add_option("--scan", o.scan,
                 "auto (as each frame says), progressive, or interlaced: filter field by field")
      ->check(CLI::IsMember({"auto", "progressive", "interlaced"}))
      ->group(filter);

  const char* input = "Input";
  app.add_option("--raw", o.raw, "the input is bare frames: WxH:PIXFMT[@FPS]")->group(input);
  app.add_option("--start", w.start, "skip what comes before: seconds or [HH:]MM:SS")->group(input);
  app.add_option("--duration", w.duration, "stop after: seconds or [HH:]MM:SS")->group(input);
  app.add_option("--frames", o.frames, "stop after so many frames")
      ->check(CLI::NonNegativeNumber)
      ->group(input);

  app.add_option("--video", o.video, "filter the Nth video stream, copy the others (default: 1)")
      ->check(CLI::PositiveNumber)
      ->group(input);
  app.add_option("--timeout", o.timeout,
                 "give up an input from which nothing comes for so many seconds (default: never)")
      ->check(CLI::PositiveNumber)
      ->group(input);

  const char* output = "Output";
  app.add_option("--codec", o.codec, "encoder (default: the input's codec, else H.264)")
      ->group(output);
  app.add_option("--crf", o.crf, "quality of the encoder (default: visually lossless)")
      ->check(CLI::NonNegativeNumber)
      ->group(output);
  app.add_option("--preset", o.preset, "speed preset of the encoder")->group(output);
  app.add_option("--encoder-opt", w.encoder_options, "key=value for the encoder; may be repeated")
      ->allow_extra_args(false)
      ->group(output);
  app.add_option("--format", o.output_format,
                 "of -o -: y4m (default), raw, or a container such as nut or matroska")
      ->group(output);
  app.add_flag("-y", o.overwrite, "overwrite the output")->group(output);
  app.add_flag("--strict", o.strict,
               "damage, and whatever the output cannot hold, is an error instead of a message")
      ->group(output);

  const char* machine = "Machine";
  app.add_option("--device", o.device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str()
      ->group(machine);
  app.add_option("--variant", o.variant,
                 "how to convolve: a name of --list-variants (default: the fastest)")
      ->group(machine);
  app.add_option("--threads", o.threads, "CPU threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->group(machine);
  app.add_option("--slots", o.slots,
                 "frames in flight (default: 4; 16 where small frames go to a CUDA device)")
      ->check(CLI::Range(1, 256))
      ->group(machine);

  const char* reports = "Reports";
  app.add_option("--progress", w.progress, "auto, plain, json or none, on stderr")
      ->capture_default_str()
      ->group(reports);
  app.add_flag("-q,--quiet", o.quiet, "errors only")->group(reports);
  app.add_option("--stats", o.stats_file, "write a JSON report to this file (- is stdout)")
      ->group(reports);
  app.add_option("--trace", o.trace_file,
                 "write what worked when on which frame: a file for ui.perfetto.dev")
      ->group(reports);
  app.add_option("--benchmark", w.benchmark,
                 "--benchmark[=SECONDS]: frames per second of each stage and of all, no codec")
      ->check(CLI::Range(0.01, 3600.0))
      ->group(reports);
  app.add_option("--verify", w.verify,
                 "--verify[=N]: compute every Nth frame on the other path too and compare")
      ->check(CLI::PositiveNumber)
      ->group(reports);
  app.add_flag(
         "--gallery", o.gallery,
         "draw one frame through every filter, or the --kernel ones, on a sheet (-o .png, .jpg)")
      ->group(reports);
  app.add_option("--at", w.at, "the frame for --gallery: seconds or [HH:]MM:SS")->group(reports);
  app.add_flag("--explain", o.explain, "print what would be computed, and run nothing")
      ->group(reports);
  app.add_option("--list-kernels", w.list_kernels,
                 "--list-kernels[=text|json]: the named filters and what others take")
      ->check(CLI::IsMember({"text", "json"}))
      ->group(reports);
  app.add_flag("--list-formats", w.list_formats, "the pixel formats")->group(reports);
  app.add_flag("--list-variants", w.list_variants, "the ways to compute a filter")->group(reports);
  app.add_flag("--list-devices", w.list_devices, "the devices")->group(reports);
}

// "--benchmark" alone must not take the next word for its value.
std::vector<std::string> with_defaults(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--benchmark") word = "--benchmark=2";
    if (word == "--verify") word = "--verify=1";
    if (word == "--list-kernels") word = "--list-kernels=text";
  }
  std::ranges::reverse(words);  // the order in which CLI11 takes a vector
  return words;
}

void check_together(const Options& o) {
  if (o.input.empty())
    refuse("INPUT", "", "no input was named", "vidconv INPUT -o OUTPUT --kernel SPEC; see --help");
  if (o.filters.empty() && !o.gallery)
    refuse("--kernel", "", "no filter was named",
           "e.g. --kernel gaussian:sigma=2; see --list-kernels");
  if (o.output.empty() && !o.explain && !o.benchmark_seconds)
    refuse("--output", "", "no output was named", "-o FILE, -o -, -o md5: or -o null:");
  if (!o.output_format.empty() && o.output != "-")
    refuse("--format", o.output_format, "it is for -o - only",
           "a file's format follows from its ending");
  if (o.stats_file == "-" && (o.output == "-" || o.output == "md5:"))
    refuse("--stats", "-", "stdout carries the output", "name a file");
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options o;
  Words w;
  CLI::App app("Filter video with convolution kernels, as fast as the machine can move frames.",
               "vidconv");
  declare(app, o, w);
  try {
    app.parse(with_defaults(argc, argv));
  } catch (const CLI::Success& success) {
    app.exit(success);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(Fault::usage, "the command line", "", error.what(), "see vidconv --help");
  }

  if (!w.list_kernels.empty())
    o.list = w.list_kernels == "json" ? List::kernels_as_json : List::kernels;
  if (w.list_formats) o.list = List::formats;
  if (w.list_variants) o.list = List::variants;
  if (w.list_devices) o.list = List::devices;
  if (o.list != List::none) return o;

  for (const std::string& text : w.kernels) o.filters.push_back(parse_kernel(text));
  o.border = parse_border(w.border);
  o.clamp_range = w.range == "clamp";
  if (!w.at.empty()) {
    if (!o.gallery) refuse("--at", w.at, "it is for --gallery only", "use --start");
    o.start = parse_time("--at", w.at);
  }
  if (!w.start.empty()) o.start = parse_time("--start", w.start);
  if (!w.duration.empty()) o.duration = parse_time("--duration", w.duration);
  o.progress = parse_progress(w.progress);
  for (const std::string& text : w.encoder_options)
    o.encoder_options.push_back(parse_encoder_option(text));
  if (w.benchmark > 0) o.benchmark_seconds = w.benchmark;
  if (w.verify > 0) o.verify_every = w.verify;
  check_together(o);
  return o;
}

}  // namespace vidconv
