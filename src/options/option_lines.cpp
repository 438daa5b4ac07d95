#include "src/options/option_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/names.h"
#include "kernels/spec/border_spec.h"
#include "src/options/option_table.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

constexpr const char* main_group = "Main";

// A value that is one of these words, in any case.
CLI::Option* one_of(CLI::Option* option, std::vector<std::string_view> words) {
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  const auto understand = [words = std::move(words)](std::string& value) {
    if (const std::string_view* word = row_named(words, value, std::identity())) {
      value = *word;
      return std::string();
    }
    return fmt::format("{} not in {{{}}}{}", value, fmt::join(words, ","),
                       did_you_mean(value, words));
  };
  return option->transform(CLI::Validator(understand, ""));
}

// Words of ours and of FFmpeg's, all of which are in lower case there.
void take_any_case(CLI::App& app) {
  const CLI::Validator lower(
      [](std::string& value) {
        value = CLI::detail::to_lower(value);
        return std::string();
      },
      "");
  for (const char* name :
       {"--codec", "--audio", "--pix-fmt", "--format", "--device", "--variant", "--decoder"})
    app.get_option(name)->transform(lower);
}

void declare_main(CLI::App& app, Options& o) {
  app.add_option(
         "INPUT", o.inputs,
         "file or URL; - (y4m or a container from stdin); v4l2:/dev/video0 (a camera); "
         "pattern:WxH[:PIXFMT][@FPS][#FRAMES]; several, and folders, where the output's name "
         "has a {field}")
      ->type_name("FILE");
  app.add_option(
         "-o,--output", o.output,
         "file (container by its ending); - (stdout); udp://, tcp://, srt:// or rtmp:// with "
         "--format; md5: (digests); null:; of several "
         "inputs a name with {stem}, {name} or {n}, their number")
      ->type_name("FILE");
}

void declare_filter(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option("--kernel", w.kernels,
                 "name[:key=value]..., matrix:R;R;..., row:, column:, separable:, file:PATH; "
                 "several make a chain")
      ->allow_extra_args(false)
      ->type_name("SPEC");
  app.add_option(
         "--border", w.border,
         "what lies outside of the picture; V from 0 to 1 is a level of luma, or of R, G and B: "
         "outside of chroma there is no colour")
      ->capture_default_str()
      ->type_name(border_words());
  app.add_option("--planes", o.planes,
                 "which planes are filtered; a list is such as y,u (default: by the filter's "
                 "purpose: blurs "
                 "all colours, sharpeners luma, edges luma with neutral chroma; a matrix is a blur "
                 "where no "
                 "tap is negative and their sum is 1, edges where it is 0, else a sharpener)")
      ->type_name("all|luma|chroma|LIST");
  app.add_option("--regions", w.regions,
                 "filters without a region of their own act in the boxes of this file, frame by "
                 "frame: JSON lines or CSV, as detectors write them")
      ->type_name("FILE[:grow=N%][:hold=N][:shape=ellipse][:feather=N][:units=relative]");
  app.add_option("--regions-default", w.regions_default,
                 "boxes that name no filter are of this one alone: its number in the chain, from "
                 "1, or one more filter, as --kernel takes it")
      ->type_name("N|SPEC");
  one_of(
      app.add_option(
          "--range", w.range,
          "results of limited-range video are left as they are (default), or clamped to 16..235, "
          "chroma to 16..240"),
      {"keep", "clamp"});
  app.add_flag(
      "--linear", o.linear,
      "filter in linear light, by the video's transfer function: all colours as R, G and B");
  one_of(
      app.add_option("--scan", w.scan,
                     "as each frame says (default), or whatever it says; interlaced pictures are "
                     "filtered field by field"),
      {"auto", "progressive", "interlaced"});
  app.add_option("--compare", w.compare,
                 "the original and the filtered picture in one: halves, next to each other, or in "
                 "turns")
      ->type_name("split|side|flip|flip:SECONDS");
}

void declare_input(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option("--raw", o.raw, "the input is bare frames")->type_name("WxH:PIXFMT[@FPS]");
  app.add_option(
         "--fps", o.frame_rate,
         "frames a second of numbered pictures and of bare streams of a codec, which do not "
         "say it (default: 25)")
      ->type_name("RATE");
  app.add_option(
         "--format-in", o.input_format,
         "read the input as this, by FFmpeg's name, which may be a device's such as x11grab or "
         "lavfi; as hls or concat it may refer to files beside and below it whatever its name "
         "is")
      ->type_name("NAME");
  app.add_option("--input-opt", w.input_options,
                 "an option of the input's format or device, such as video_size=1280x720; may be "
                 "repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option(
         "--latency", w.latency,
         "of a live input: every frame is in the output so many milliseconds after it came, or "
         "dropped, counted and said; nothing on the way keeps more than it must")
      ->type_name("MS");
  app.add_flag("--realtime", o.realtime,
               "take frames as their times say, no faster: a file played to a live output");
  app.add_option("--start", w.start, "skip what comes before: seconds or [HH:]MM:SS")
      ->type_name("TIME");
  app.add_option("--duration", w.duration, "stop after: seconds or [HH:]MM:SS")->type_name("TIME");
  app.add_option("--frames", w.frames, "stop after so many frames")->type_name("N");
  app.add_option("--video", w.video,
                 "filter the Nth video stream, copy the others (default: 1), or filter all")
      ->type_name("N|all");
  app.add_option("--orientation", w.orientation,
                 "pictures that are stored turned or mirrored are turned upright where the output "
                 "cannot say so (auto, the default), never, or always; or all by N degrees "
                 "clockwise, whatever the input says")
      ->type_name("auto|keep|apply|0|90|180|270");
  app.add_flag(
      "--copy-times", o.copy_times,
      "leave the times of an input that does not begin at 0, or whose clock begins anew on the way "
      "(default: all streams begin at 0 and go on there, as with ffmpeg)");
  app.add_option("--timeout", w.timeout,
                 "give up an input from which nothing comes for so long (default: never)")
      ->type_name("SECONDS");
  app.add_flag("--insecure", o.insecure, "do not check the certificates of https and its kin");
  app.add_option("--max-pixels", w.max_pixels,
                 "refuse pictures with more, of inputs and of kernels, before there is memory for "
                 "them")
      ->capture_default_str()
      ->type_name("N");
}

void declare_files(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option("--files-from", o.files_from,
                 "take inputs from this list too, one in a line (- is stdin)")
      ->type_name("FILE");
  app.add_flag("--null", o.null_separated,
               "names in the list of --files-from end with NUL, as find -print0 writes them");
  app.add_flag("--recursive", o.recursive,
               "take all videos in folders and below them; their subfolders are made anew before "
               "the last part of the output's name");
  one_of(app.add_option("--skip-done", w.skip_done,
                        "leave out inputs whose outputs are there already, made from the same "
                        "input by the same options and versions; the same by its size, its time "
                        "and its ends, or by all of its content, which is read for it"),
         {"times", "content"})
      ->type_name("[=times|content]");
  app.add_flag("--keep-going", o.keep_going,
               "an input that fails does not stop the others (the default)");
  app.add_flag("--fail-fast", o.fail_fast, "after an input has failed, begin no other");
}

void declare_output(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option(
         "--codec", o.codec,
         "encoder, as libx265 or hevc_nvenc (default: a video's own codec, else H.264, else the "
         "container's; on a pipe bare frames or ffv1)")
      ->type_name("NAME");
  app.add_option(
         "--crf", w.crf,
         "constant quality, on the encoder's own scale (default: what its users expect, as the "
         "manual page lists)")
      ->type_name("N");
  app.add_option("--target", w.target,
                 "find the --crf that reaches this on parts of the input, and encode with it")
      ->type_name("psnr=DB|ssim=VALUE|vmaf=VALUE|xpsnr=DB");
  app.add_option("--preset", o.preset, "speed preset of the encoder")->type_name("NAME");
  app.add_option("--encoder-opt", w.encoder_options, "an option of the encoder; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--bitrate", o.bitrate, "of the video, such as 5M or 800k, instead of a quality")
      ->type_name("RATE");
  app.add_option("--shards", w.shards,
                 "encode the video in N parts, or in parts of so many seconds (10s), several at "
                 "once, and join them: the output depends on the parts, not on who encodes them")
      ->type_name("auto|N|SECONDSs");
  app.add_option("--pix-fmt", o.pixel_format,
                 "pixel format of the output (default: the input's, or the nearest to it that the "
                 "encoder takes)")
      ->type_name("NAME");
  app.add_option(
         "--audio", o.audio,
         "sound as it is (default), none, or coded anew by an encoder such as libopus or aac")
      ->type_name("copy|none|CODEC");
  app.add_option("--muxer-opt", w.muxer_options,
                 "an option of the container, such as movflags=+faststart; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option(
         "--format", o.output_format,
         "of the output, whatever its name: y4m (default for -o -), raw, or a container such as "
         "mp4 or matroska")
      ->type_name("NAME");
  app.add_flag("-y", o.overwrite,
               "overwrite the output, and files of --stats and --trace that are no such reports");
  app.add_flag(
      "--strict", o.strict,
      "damage, whatever the output cannot hold, and a device that fails, is an error instead "
      "of a message");
}

void declare_machine(CLI::App& app, Options& o, OptionWords& w) {
  app.add_option("--device", w.device,
                 "where to convolve; on several CUDA devices, frame after frame in turn, with "
                 "cuda:N,M or cuda:all")
      ->capture_default_str()
      ->type_name("auto|cpu|cuda|cuda:N|cuda:N,M|cuda:all");
  app.add_option("--variant", w.variant,
                 "how to convolve: a name of --list-variants (default: the fastest)")
      ->type_name("VARIANT");
  app.add_option("--decoder", w.decoder,
                 "where to decode; nvdec: on the CUDA device, where the frames stay, in N sessions "
                 "on one file and device (as many as memory allows)")
      ->capture_default_str()
      ->type_name("auto|cpu|nvdec|nvdec:N");
  app.add_option("--threads", w.threads,
                 "CPU threads (default: one for each CPU that the process may use)")
      ->type_name("N");
  app.add_option(
         "--slots", w.slots,
         "frames in flight, on each device (default: 4; what 144 MiB hold, 4 to 48, on CUDA)")
      ->type_name("N");
  app.add_option(
         "--jobs", w.jobs,
         "of several inputs, those that are filtered at once (default: 1, of several devices "
         "one on each); of one, parts of --shards that are encoded at once (default: half as "
         "many as CPUs)")
      ->type_name("M");
  app.add_flag("--no-sandbox", o.no_sandbox,
               "keep the rights to files and to the network that the run should not need");
}

void declare_reports(CLI::App& app, Options& o, OptionWords& w) {
  one_of(app.add_option("--progress", w.progress, "on stderr; auto draws a bar on a terminal")
             ->capture_default_str(),
         {"auto", "plain", "json", "none"});
  app.add_flag("-q,--quiet", o.quiet, "errors only");
  app.add_option("--stats", o.stats_file, "write a JSON report to this file (- is stdout)")
      ->type_name("FILE");
  app.add_option("--metrics", o.metrics_file,
                 "write figures of the run to this file, in Prometheus' text form")
      ->type_name("FILE");
  app.add_option("--report", o.report_file,
                 "write a page to look at: pictures before and after, times, measures, all in one "
                 "file of HTML")
      ->type_name("FILE");
  app.add_option("--audit", o.audit_file,
                 "write for each frame digests of what lies inside the filters' regions and "
                 "outside, before and after, as JSON lines")
      ->type_name("FILE");
  app.add_option("--trace", o.trace_file,
                 "write what worked when on which frame: a file for ui.perfetto.dev")
      ->type_name("FILE");
  app.add_option("--benchmark", w.benchmark,
                 "frames per second of each stage and of all, no codec (for 2 seconds)")
      ->type_name("[=SECONDS]");
  app.add_option(
         "--verify", w.verify,
         "compute every Nth frame (all) in another way too, on the other device or else by another "
         "variant, and compare")
      ->type_name("[=N]");
  app.add_option(
         "--measure", w.measure,
         "decode again what was encoded, meanwhile, and compare it with the filtered frames")
      ->type_name("psnr,ssim,vmaf[:model=NAME],xpsnr");
  app.add_option("--measure-log", o.measure_log,
                 "write what --measure finds of each frame to this file, a line of JSON each")
      ->type_name("FILE");
  app.add_flag("--gallery", o.gallery,
               "draw one frame through every filter, or the --kernel ones, on a sheet (-o .png, "
               ".jpg)");
  app.add_option("--at", w.at, "the frame for --gallery: seconds or [HH:]MM:SS")->type_name("TIME");
  app.add_flag(
      "--show-originals", o.show_originals,
      "show in --report and --gallery what filters hide: by default pictures are not shown "
      "as they were where a filter has a place, or is mosaic or fill");
  app.add_flag("--explain", o.explain, "print what would be computed, and run nothing");
}

void declare_lists(CLI::App& app, OptionWords& w) {
  const auto list = [&](const char* name, std::string& word, const char* text) {
    one_of(app.add_option(name, word, text), {"text", "json"})->type_name("[=text|json]");
  };
  list("--list-kernels", w.list_kernels, "the named filters and what others take");
  list("--list-formats", w.list_formats, "the pixel formats");
  app.add_flag("--list-variants", w.list_variants, "the ways to compute a filter");
  app.add_flag("--list-devices", w.list_devices, "the devices");
  one_of(app.add_option("--completions", w.completions,
                        "completions for a shell; installed with the program"),
         {"bash", "zsh", "fish"});
  app.add_flag("--manual", w.manual, "the manual page, for man -l -");
}

// Declares what a group of options is, and calls it so. The description of a value is its name
// alone: what it may be is said by the option's text.
template <class Declare>
void declare_group(CLI::App& app, const char* name, Declare&& declare) {
  const std::size_t before = app.get_options().size();
  declare();
  const std::vector<CLI::Option*> options = app.get_options();
  for (std::size_t i = before; i < options.size(); ++i) {
    options[i]->group(name);
    try {
      options[i]->get_validator(0)->description("");
    } catch (const CLI::OptionNotFound&) {  // the only way to ask whether it has one
    }
  }
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.group = option.get_group() == main_group ? "" : option.get_group();
  for (const std::string& name : option.get_snames())
    text.names.push_back(fmt::format("-{}", name));
  for (const std::string& name : option.get_lnames())
    text.names.push_back(fmt::format("--{}", name));
  if (text.names.empty()) text.names.push_back(option.get_name(true));
  const bool flag = option.get_type_size_max() == 0 || option.get_items_expected_max() == 0;
  if (!flag) text.value = option.get_type_name();
  if (text.value.starts_with("[=")) {
    text.value_may_be_left_out = true;
    text.value = text.value.substr(2, text.value.size() - 3);
  }
  text.repeatable = option.get_expected_max() > 1;
  text.text = option.get_description();
  text.fallback = option.get_default_str();
  return text;
}

}  // namespace

void declare_options(CLI::App& app, Options& o, OptionWords& w) {
  app.set_help_flag();  // which comes last
  declare_group(app, main_group, [&] { declare_main(app, o); });
  declare_group(app, "Filter", [&] { declare_filter(app, o, w); });
  declare_group(app, "Input", [&] { declare_input(app, o, w); });
  declare_group(app, "Several inputs", [&] { declare_files(app, o, w); });
  declare_group(app, "Output", [&] { declare_output(app, o, w); });
  declare_group(app, "Machine", [&] { declare_machine(app, o, w); });
  declare_group(app, "Reports", [&] { declare_reports(app, o, w); });
  declare_group(app, "Lists", [&] {
    declare_lists(app, w);
    app.set_help_flag("-h,--help",
                      "-h: what is used most; --help: this text; --help FILTER: one filter");
    app.set_version_flag("-V,--version", "", "the version");
  });
  take_any_case(app);
}

const std::vector<OptionText>& option_table() {
  static const std::vector<OptionText> table = [] {
    Options o;
    OptionWords w;
    CLI::App app;
    declare_options(app, o, w);
    std::vector<OptionText> rows;
    for (const CLI::Option* option : app.get_options()) rows.push_back(describe(*option));
    return rows;
  }();
  return table;
}

}  // namespace vidconv
