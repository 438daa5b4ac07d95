#include "pipeline/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/decode/picture_decoder.h"
#include "pipeline/region/box_words.h"
#include "pipeline/settings/region_settings.h"
#include "pipeline/settings/setting_values.h"

namespace vidconv {
namespace {

using S = Settings;
using Text = const std::string&;

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr int largest_int = std::numeric_limits<int>::max();

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

constexpr Setting rows[] = {
    {"input", "INPUT", "Main", "FILE", "",
     "file or URL; - (y4m or a container from stdin); v4l2:/dev/video0 (a camera); "
     "pattern:WxH[:PIXFMT][@FPS][#FRAMES]; several, and folders, where the output's name has a "
     "{field}",
     repeats | no_bytes, [](S& s, Text v) { s.input = v; }},
    {"output", "--output", "Main", "FILE", "",
     "file (container by its ending); - (stdout); udp://, tcp://, srt:// or rtmp:// with `format`; "
     "md5: (digests); null:; of several inputs a name with {stem}, {name} or {n}, their number",
     no_bytes, [](S& s, Text v) { s.output = v; }},

    {"kernel", "--kernel", "Filter", "SPEC", "",
     "name[:key=value]..., matrix:R;R;..., row:, column:, separable:, file:PATH; several make a "
     "chain",
     repeats | no_bytes | planned,
     [](S& s, Text v) {
       s.filters.push_back(FilterSpec::parse(v, s.source.max_pixels, decode_grey_picture));
     }},
    {"border", "--border", "Filter", "reflect101|reflect|replicate|wrap|zero|constant:V",
     "reflect101",
     "what lies outside of the picture; V from 0 to 1 is a level of luma, or of R, G and B: "
     "outside of chroma there is no colour",
     planned, [](S& s, Text v) { s.border = border_setting(v); }},
    {"planes", "--planes", "Filter", "all|luma|chroma|LIST", "",
     "which planes are filtered; a list is such as y,u (default: by the filter's purpose: blurs "
     "all colours, sharpeners luma, edges luma with neutral chroma; a matrix is a blur where no "
     "tap is negative and their sum is 1, edges where it is 0, else a sharpener)",
     planned, [](S& s, Text v) { s.planes = planes_setting(v); }},
    {"alpha", "--alpha", "Filter", "auto|weighted|separate", "auto",
     "of pictures with alpha: what is transparent lends no colour, and alpha is filtered too "
     "(weighted; of blurs that act on all planes, unless told otherwise), or each plane is "
     "filtered "
     "on its own",
     not_in_gallery | planned,
     [](S& s, Text v) {
       s.alpha = static_cast<AlphaUse>(word_setting("alpha", v, {"auto", "weighted", "separate"}));
     }},
    {"range", "--range", "Filter", "keep|clamp", "",
     "results of limited-range video are left as they are (default), or clamped to 16..235, chroma "
     "to 16..240",
     not_in_gallery | planned,
     [](S& s, Text v) {
       s.clamp_range = word_setting("range", v, {"keep", "clamp"}) == 1;
     }},
    {"linear", "--linear", "Filter", "", "",
     "filter in linear light, by the video's transfer function: all colours as R, G and B",
     not_in_gallery | planned, [](S& s, Text v) { s.linear = switch_setting("linear", v); }},
    {"scan", "--scan", "Filter", "auto|progressive|interlaced", "",
     "as each frame says (default), or whatever it says; interlaced pictures are filtered field by "
     "field",
     not_in_gallery | planned,
     [](S& s, Text v) {
       s.scan = static_cast<Scan>(word_setting("scan", v, {"auto", "progressive", "interlaced"}));
     }},
    {"compare", "--compare", "Filter", "split|side|flip|flip:SECONDS", "",
     "the original and the filtered picture in one: halves, next to each other, or in turns",
     planned, [](S& s, Text v) { s.compare = parse_comparison(v); }},
    {"regions", "--regions", "Filter", "FILE[:grow=N%][:hold=N][:shape=ellipse][:feather=N]...", "",
     "filters without a region of their own act in the boxes of this file, frame by frame: JSON "
     "lines or CSV, as detectors write them",
     0, [](S& s, Text v) { s.regions = parse_regions(v); }},
    {"regions_default", "--regions-default", "Filter", "N|SPEC", "",
     "boxes that name no filter are of this one alone: its number in the chain, from 1, or one "
     "more filter, as `kernel` takes it",
     0, [](S& s, Text v) { s.regions_default = filter_of_boxes_setting(v); }},

    {"raw", "--raw", "Input", "WxH:PIXFMT[@FPS]", "", "the input is bare frames", 0,
     [](S& s, Text v) { s.source.raw = v; }},
    {"frame_rate", "--fps", "Input", "RATE", "",
     "frames a second of numbered pictures and of bare streams of a codec, which do not say it "
     "(default: 25)",
     planned, [](S& s, Text v) { s.source.frame_rate = frame_rate_setting(v); }},
    {"input_format", "--format-in", "Input", "NAME", "",
     "read the input as this, by FFmpeg's name, which may be a device's such as x11grab or lavfi; "
     "as hls or concat it may refer to files beside and below it whatever its name is",
     planned, [](S& s, Text v) { s.source.format = v; }},
    {"input_options", "--input-opt", "Input", "KEY=VALUE", "",
     "an option of the input's format or device, such as video_size=1280x720; may be repeated",
     repeats | planned,
     [](S& s, Text v) {
       s.source.own.push_back(pair_setting("input_options", v, "video_size=1280x720"));
     }},
    {"latency", "--latency", "Input", "MS", "",
     "of a live input: every frame is in the output so many milliseconds after it came, or "
     "dropped, counted and said; nothing on the way keeps more than it must",
     0, [](S& s, Text v) { s.latency = number_setting("latency", v, 1, 60'000) / 1000; }},
    {"realtime", "--realtime", "Input", "", "",
     "take frames as their times say, no faster: a file played to a live output", no_bytes,
     [](S& s, Text v) { s.realtime = switch_setting("realtime", v); }},
    {"start", "--start", "Input", "TIME", "", "skip what comes before: seconds or [HH:]MM:SS",
     planned,
     [](S& s, Text v) {
       if (const double start = time_setting("start", v); start > 0) s.source.start = start;
     }},
    {"duration", "--duration", "Input", "TIME", "", "stop after: seconds or [HH:]MM:SS",
     not_in_gallery | planned,
     [](S& s, Text v) {
       s.source.duration = time_setting("duration", v);
       if (s.source.duration == 0)
         refuse_setting("duration", v, "nothing would be left", "give more than 0");
     }},
    {"frames", "--frames", "Input", "N", "", "stop after so many frames", not_in_gallery,
     [](S& s, Text v) { s.source.frames = whole_setting("frames", v, 1, largest); }},
    {"video", "--video", "Input", "N|all", "",
     "filter the Nth video stream, copy the others (default: 1), or filter all", planned,
     [](S& s, Text v) {
       s.source.video.reset();
       if (same_name(v, "all")) return;
       const auto number = number_of<int>(v, 1, largest_int);
       if (!number)
         refuse_setting("video", v, "not the number of a stream, counted from 1", "use N or all");
       s.source.video = *number;
     }},
    {"orientation", "--orientation", "Input", "auto|keep|apply|0|90|180|270", "",
     "pictures that are stored turned or mirrored are turned upright where the output cannot say "
     "so (auto, the default), never, or always; or all by N degrees clockwise, whatever the input "
     "says",
     0, [](S& s, Text v) { s.orientation = parse_orientation(v); }},
    {"copy_times", "--copy-times", "Input", "", "",
     "leave the times of an input that does not begin at 0, or whose clock begins anew on the way "
     "(default: all streams begin at 0 and go on there, as with ffmpeg)",
     planned,
     [](S& s, Text v) {
       s.source.copy_times = s.sink.copy_times = switch_setting("copy_times", v);
     }},
    {"timeout", "--timeout", "Input", "SECONDS", "",
     "give up an input from which nothing comes for so long (default: never)",
     no_bytes | of_machine,
     [](S& s, Text v) { s.source.timeout = number_setting("timeout", v, 0.001, longest_time); }},
    {"insecure", "--insecure", "Input", "", "",
     "do not check the certificates of https and its kin", no_bytes | of_machine,
     [](S& s, Text v) { s.source.insecure = s.sink.insecure = switch_setting("insecure", v); }},
    {"max_pixels", "--max-pixels", "Input", "N", "268435456",
     "refuse pictures with more, of inputs and of kernels, before there is memory for them",
     no_bytes | of_machine,
     [](S& s, Text v) { s.source.max_pixels = whole_setting("max_pixels", v, 1, largest); }},

    {"codec", "--codec", "Output", "NAME", "",
     "encoder, as libx265 or hevc_nvenc (default: a video's own codec, else H.264, else the "
     "container's; on a pipe bare frames or ffv1)",
     not_in_gallery | planned | any_case, [](S& s, Text v) { s.sink.encoder.codec = lower(v); }},
    {"crf", "--crf", "Output", "N", "",
     "constant quality, on the encoder's own scale (default: what its users expect, as the manual "
     "page lists)",
     not_in_gallery | planned,
     [](S& s, Text v) {
       s.sink.encoder.crf = fmt::format("{}", number_setting("crf", v, 0, 1000));
     }},
    {"target", "--target", "Output", "psnr=DB|ssim=VALUE|vmaf=VALUE|xpsnr=DB", "",
     "find the `crf` that reaches this on parts of the input, and encode with it", not_in_gallery,
     [](S& s, Text v) { s.target = parse_target(v); }},
    {"preset", "--preset", "Output", "NAME", "", "speed preset of the encoder",
     not_in_gallery | planned, [](S& s, Text v) { s.sink.encoder.preset = v; }},
    {"encoder_options", "--encoder-opt", "Output", "KEY=VALUE", "",
     "an option of the encoder; may be repeated", repeats | not_in_gallery | planned,
     [](S& s, Text v) {
       s.sink.encoder.own.push_back(pair_setting("encoder_options", v, "tune=film"));
     }},
    {"bitrate", "--bitrate", "Output", "RATE", "",
     "of the video, such as 5M or 800k, instead of a quality", not_in_gallery | planned,
     [](S& s, Text v) { s.sink.encoder.bitrate = bitrate_setting(v); }},
    {"shards", "--shards", "Output", "auto|N|SECONDSs", "",
     "encode the video in N parts, or in parts of so many seconds (10s), several at once, and join "
     "them: the output depends on the parts, not on who encodes them",
     planned, [](S& s, Text v) { s.shards = parse_shards(v); }},
    {"keep_unchanged", "--keep-unchanged", "Output", "", "",
     "copy what no filter changes as it is coded, from key frame to key frame, and encode only the "
     "rest, so that it fits",
     not_in_gallery | planned,
     [](S& s, Text v) { s.keep_unchanged = switch_setting("keep_unchanged", v); }},
    {"pixel_format", "--pix-fmt", "Output", "NAME", "",
     "pixel format of the output (default: the input's, or the nearest to it that the encoder "
     "takes)",
     not_in_gallery | planned | any_case,
     [](S& s, Text v) { s.sink.encoder.pixel_format = lower(v); }},
    {"audio", "--audio", "Output", "copy|none|CODEC", "",
     "sound as it is (default), none, or coded anew by an encoder such as libopus or aac",
     not_in_gallery | planned | any_case, [](S& s, Text v) { s.sink.audio = lower(v); }},
    {"muxer_options", "--muxer-opt", "Output", "KEY=VALUE", "",
     "an option of the container, such as movflags=+faststart; may be repeated",
     repeats | not_in_gallery | planned,
     [](S& s, Text v) {
       s.sink.muxer_options.push_back(pair_setting("muxer_options", v, "movflags=+faststart"));
     }},
    {"format", "--format", "Output", "NAME", "",
     "of the output, whatever its name: y4m (default for -o -), raw, or a container such as mp4 or "
     "matroska",
     planned | any_case, [](S& s, Text v) { s.sink.format = lower(v); }},
    {"overwrite", "-y", "Output", "", "",
     "overwrite the output, and files of reports that hold something else", no_bytes | of_machine,
     [](S& s, Text v) { s.sink.overwrite = switch_setting("overwrite", v); }},
    {"strict", "--strict", "Output", "", "",
     "damage, whatever the output cannot hold, and a device that fails, is an error instead of a "
     "message",
     no_bytes | of_machine,
     [](S& s, Text v) { s.strict = s.source.strict = switch_setting("strict", v); }},

    {"device", "--device", "Machine", "auto|cpu|cuda|cuda:N|cuda:N,M|cuda:all", "auto",
     "where to convolve; on several CUDA devices, frame after frame in turn, with cuda:N,M or "
     "cuda:all",
     no_bytes | of_machine | any_case,
     [](S& s, Text v) {
       s.device = parse_device(lower(v));
       s.device.asked = true;
     }},
    {"variant", "--variant", "Machine", "VARIANT", "",
     "how to convolve: a name of `variants` (default: the fastest)",
     no_bytes | not_in_gallery | of_machine | any_case,
     [](S& s, Text v) { s.variant = variant_setting(lower(v)); }},
    {"decoder", "--decoder", "Machine", "auto|cpu|nvdec|nvdec:N", "auto",
     "where to decode; nvdec: on the CUDA device, where the frames stay, in N sessions on one file "
     "and device (as many as memory allows)",
     no_bytes | any_case, [](S& s, Text v) { s.decoder = parse_decoder(lower(v)); }},
    {"threads", "--threads", "Machine", "N", "",
     "CPU threads (default: one for each CPU that the process may use)", planned,
     [](S& s, Text v) { s.threads = int(whole_setting("threads", v, 1, most_threads)); }},
    {"slots", "--slots", "Machine", "N", "",
     "frames in flight, on each device (default: 4; what 144 MiB hold, 4 to 48, on CUDA)",
     no_bytes | not_in_gallery | of_machine,
     [](S& s, Text v) { s.slots = int(whole_setting("slots", v, 1, most_slots)); }},
    {"jobs", "--jobs", "Machine", "M", "",
     "of several inputs, those that are filtered at once (default: 1, of several devices one on "
     "each); of one, parts of `shards` that are encoded at once (default: half as many as CPUs)",
     no_bytes, [](S& s, Text v) { s.jobs = int(whole_setting("jobs", v, 1, 1024)); }},
    {"verify", "--verify", "Reports", "[=N]", "",
     "compute every Nth frame (all) in another way too, on the other device or else by another "
     "variant, and compare",
     no_bytes | not_in_gallery | of_machine,
     [](S& s, Text v) { s.verify_every = int(whole_setting("verify", v, 1, largest_int)); }},
    {"measure", "--measure", "Reports", "psnr,ssim,vmaf[:model=NAME],xpsnr", "",
     "decode again what was encoded, meanwhile, and compare it with the filtered frames",
     no_bytes | not_in_gallery, [](S& s, Text v) { s.measures = parse_measures(v); }},
    {"audit", "--audit", "Reports", "FILE", "",
     "write for each frame digests of what lies inside the filters' regions and outside, before "
     "and "
     "after, as JSON lines",
     no_bytes, [](S& s, Text v) { s.audit_file = v; }},
};

}  // namespace

std::span<const Setting> settings() { return rows; }

const Setting* setting_named(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &Setting::name);
  return row == std::end(rows) ? nullptr : row;
}

const Setting* setting_of_option(std::string_view option) {
  const auto* row = std::ranges::find(rows, option, &Setting::option);
  return row == std::end(rows) ? nullptr : row;
}

void set_all(const SettingValues& values, Settings& settings) {
  // Pictures of kernels are not read beyond the limit of pixels.
  for (const bool limits : {true, false})
    for (const auto& [row, value] : values)
      if ((row->name == "max_pixels") == limits) row->set(settings, value);
}

}  // namespace vidconv
