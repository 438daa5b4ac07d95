// Each kind of message in the table is provoked here, and comes with its exit code.
#include <algorithm>
#include <functional>
#include <map>

#include "kernels/spec/parse.h"
#include "pipeline/base/error.h"
#include "pipeline/base/message.h"
#include "pipeline/filter/processor_fit.h"
#include "pipeline/run/run.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv {
void PrintTo(const MessageRow& kind, std::ostream* out) { *out << kind.name; }
}  // namespace vidconv

namespace vidconv::test {
namespace {

class Messages : public CliTest, public testing::WithParamInterface<MessageRow> {
 protected:
  Result filter(const std::string& input, const std::string& more) const {
    return shell(vidconv() + " " + input + " --kernel box " + more);
  }
  Result with_fault(const std::string& fault, const std::string& input) const {
    return shell("LD_PRELOAD=" VIDCONV_FAULTS
                 " ASAN_OPTIONS=verify_asan_link_order=0 VIDCONV_FAULT='" +
                 fault + "' " + vidconv() + " " + input + " --kernel box -o " + path("out.mkv"));
  }
  std::string out(const std::string& name) const { return "-o " + path(name); }

  std::string sound() const {
    ffmpeg("-f lavfi -i sine=duration=0.2 " + path("sound.wav"));
    return path("sound.wav");
  }
  std::string damaged_clip() const {
    ffmpeg("-i " + clip() + " -c copy -f matroska " + path("whole.mkv"));
    const std::string whole = read_file(path("whole.mkv"));
    write_file(path("cut.mkv"), whole.substr(0, whole.size() * 2 / 3));
    return path("cut.mkv");
  }
  std::string changing_clip() const {
    std::string both;
    for (const std::string size : {"64x48", "96x32"}) {
      const std::string part = path(size + ".ts");
      ffmpeg("-f lavfi -i testsrc2=size=" + size + ":duration=0.4 -c:v mpeg2video -bf 0 " +
             (both.empty() ? "" : "-mpegts_flags +initial_discontinuity -output_ts_offset 0.4 ") +
             part);
      both += read_file(part);
    }
    write_file(path("changes.ts"), both);
    return path("changes.ts");
  }
  std::string jumping_clip() const {
    return make_clip("jumps.mkv", "-c:v mjpeg -bsf:v setts=pts='if(eq(N\\,5)\\,PTS+300\\,PTS)'");
  }
  std::string variable_clip() const {
    return make_clip("vfr.mkv", "-vf select='not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr");
  }

  Result interrupted() const {
    Process process(command({"pattern:320x240#1000000", "-o", path("out.mkv"), "--kernel", "box",
                             "--progress", "plain"}));
    EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
    process.signal(SIGINT);
    return process.wait();
  }

  // No input makes two variants disagree, so that the second one does something else here.
  static Result disagreeing() {
    const auto source = open_source("pattern:40x30#8", {});
    const auto processor = [&](const char* filter) {
      return make_processor(
          make_work(std::vector{FilterSpec::parse(filter)}, *source->video().format, {}, {}), 40,
          30, {});
    };
    const auto sink = open_sink("null:", {}, source->info());
    Verifier verifier(processor("gaussian:sigma=3"), 1);
    RunOptions options;
    options.verifier = &verifier;
    try {
      run(*source, *processor("box"), *sink, options);
    } catch (const Error& error) {
      return {static_cast<int>(error.fault()), false, "",
              error.message() + " [" + std::string(kind_of(error.kind()).name) + "]"};
    }
    return {};
  }

  // There is no device here that could fail.
  static Result device_failing() {
    const auto source = open_source("pattern:40x30#8", {});
    ProcessorOptions options{.device = Device::cuda, .variant = {}};
    Result result{.exit_code = 0, .out = {}, .err = {}};
    make_fitting_processor(
        [&](const ProcessorOptions& with) {
          if (with.device == Device::cuda) throw Error(Fault::device, "the device failed", "", "");
          const auto work =
              make_work(std::vector{FilterSpec::parse("box")}, *source->video().format, {}, {});
          return make_processor(work, 40, 30, with);
        },
        options, true,
        [&](MessageKind kind, const std::string& line) {
          result.err += line + " [" + std::string(kind_of(kind).name) + "]";
        });
    return result;
  }

  // Makes a plan of one shard for clip(), then runs these lines of a shell.
  Result with_plan(const std::string& lines) const {
    return shell(vidconv() + " plan " + clip() + " -q --kernel box --shards 1 " + out("all.mkv") +
                 " --dir " + path("job") + "; " + lines);
  }
  std::string shard() const { return vidconv() + " shard 0 " + path("job") + " -q"; }

  using Trigger = std::function<Result()>;
  std::map<MessageKind, Trigger> triggers() const;
};

std::map<MessageKind, Messages::Trigger> Messages::triggers() const {
  const std::string pattern = "pattern:64x48#20";
  return {
      {MessageKind::internal, [=, this] { return with_fault("moved frame", clip()); }},
      {MessageKind::unaccounted, [=, this] { return with_fault("lost packet", clip()); }},
      {MessageKind::command_line, [=, this] { return filter(pattern, "-o null: --frames many"); }},
      {MessageKind::filter_spec, [=, this] { return filter(pattern, "-o null: --kernel nosuch"); }},
      {MessageKind::encoder_option,
       [=, this] { return filter(pattern, out("a.mkv") + " --encoder-opt nosuch=1"); }},
      {MessageKind::input_missing, [=, this] { return filter("/nowhere/in.mp4", "-o null:"); }},
      {MessageKind::input_unreadable, [=, this] { return filter("/dev/null", "-o null:"); }},
      {MessageKind::input_silent,
       [] {
         return shell("set +o pipefail; sleep 3 | " + vidconv() +
                      " - -o null: --kernel box --timeout 0.3");
       }},
      {MessageKind::input_reference,
       [=, this] {
         write_file(path("a.mp4"), "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/a.ts\n");
         return filter(path("a.mp4"), "-o null:");
       }},
      {MessageKind::too_large, [=, this] { return filter(clip(), "-o null: --max-pixels 9215"); }},
      {MessageKind::no_video, [=, this] { return filter(sound(), "-o null:"); }},
      {MessageKind::no_frame, [=, this] { return filter(clip(), "-o null: --start 99"); }},
      {MessageKind::output_exists,
       [=, this] {
         write_file(path("a.mkv"), "precious");
         return filter(pattern, out("a.mkv"));
       }},
      {MessageKind::output_is_input, [=, this] { return filter(clip(), out("clip.mp4") + " -y"); }},
      {MessageKind::output_unwritable, [=, this] { return filter(pattern, "-o /nowhere/a.mkv"); }},
      {MessageKind::output_closed,
       [=, this] {
         return shell(vidconv() + " pattern:640x480 -o - --kernel box | head -c 1 >" +
                      path("head") + "; exit ${PIPESTATUS[0]}");
       }},
      {MessageKind::output_unsuited, [=, this] { return filter(pattern, out("a.nosuch")); }},
      {MessageKind::strict, [=, this] { return filter(clip(), out("a.y4m") + " --strict"); }},
      {MessageKind::device, [=, this] { return filter(pattern, "-o null: --device cuda:99"); }},
      {MessageKind::memory,
       [=, this] { return with_fault("no memory for aligned_alloc 0", pattern); }},
      {MessageKind::verification, [] { return disagreeing(); }},
      {MessageKind::damaged, [=, this] { return filter(damaged_clip(), out("a.mkv")); }},
      {MessageKind::plan, [=, this] { return shell(shard()); }},
      {MessageKind::part,
       [=, this] {
         return with_plan(vidconv() + " join " + path("job") + " -o " + path("j.mkv"));
       }},
      {MessageKind::try_again,
       [=, this] { return with_plan("rm " + path("clip.mp4") + "; " + shard()); }},
      {MessageKind::resume,
       [=, this] {
         return shell("mkdir " + path(".a.mkv.vidconv") + "; touch " + path(".a.mkv.vidconv/mine") +
                      "; " + vidconv() + " " + pattern + " --kernel box --resume " + out("a.mkv"));
       }},
      {MessageKind::resumed,
       [=, this] {
         const std::string line =
             vidconv() + " " + pattern + " --kernel box --shards 2 --resume " + out("a.mkv");
         return shell(
             "VIDCONV_REFUSED=linkat@3=killed ASAN_OPTIONS=verify_asan_link_order=0 "
             "LD_PRELOAD=" VIDCONV_FAULTS " " +
             line + " 2>/dev/null; " + line);
       }},
      {MessageKind::part_done,
       [=, this] { return with_plan(shard() + "; " + vidconv() + " shard 0 " + path("job")); }},
      {MessageKind::interrupted, [=, this] { return interrupted(); }},
      {MessageKind::device_chosen, [=, this] { return filter(pattern, "-o null: --device auto"); }},
      {MessageKind::shards_chosen,
       [=, this] { return filter(pattern, out("a.mkv") + " --shards auto"); }},
      {MessageKind::kept,
       [=, this] {
         return shell(vidconv() + " " + clip() + " --kernel box:between=9s-10s --keep-unchanged " +
                      out("a.mp4"));
       }},
      {MessageKind::all_encoded,
       [=, this] { return filter(clip(), out("a.mp4") + " --keep-unchanged"); }},
      {MessageKind::fallback,
       [=, this] {
         return shell("CUDA_VISIBLE_DEVICES= " + vidconv() + " " + clip() +
                      " -o null: --kernel box --decoder nvdec");
       }},
      {MessageKind::device_failed, [] { return device_failing(); }},
      {MessageKind::gain,
       [=, this] { return filter(pattern, "-o null: --kernel 'matrix:1 1;1 1'"); }},
      {MessageKind::one_row,
       [=, this] { return filter(pattern, "-o null: --kernel 'matrix:0 -1 0 -1 5 -1 0 -1 0'"); }},
      {MessageKind::no_effect,
       [=, this] { return filter("pattern:64x48:gbrp#2", "-o null: --range clamp"); }},
      {MessageKind::assumed, [=, this] { return filter(pattern, "-o null: --linear"); }},
      {MessageKind::byte_order,
       [=, this] {
         write_file(path("a.raw"), std::string(2 * 64 * 48, 'a'));
         return filter(path("a.raw"), "-o null: --raw 64x48:gray16be");
       }},
      {MessageKind::converted, [=, this] { return filter("pattern:64x48:gbrp#2", out("a.y4m")); }},
      {MessageKind::encoder_said, [=, this] { return with_fault("encoder complains", pattern); }},
      {MessageKind::picture_changes, [=, this] { return filter(changing_clip(), out("a.mkv")); }},
      {MessageKind::no_picture, [=, this] { return with_fault("silent decoder", clip()); }},
      {MessageKind::ended_early,
       [] {
         return shell("ffmpeg -v error -f lavfi -i testsrc2=duration=0.4 -t 5 -f flv - | " +
                      vidconv() + " - -o null: --kernel box");
       }},
      {MessageKind::times_moved, [=, this] { return filter(jumping_clip(), out("a.mkv")); }},
      {MessageKind::dropped,
       [=, this] {  // nobody reads the output before all of the input is there
         ffmpeg("-f lavfi -i testsrc2=size=320x240:duration=3 " + path("a.y4m"));
         return shell("mkfifo " + path("sent") + "; (cat " + path("a.y4m") + "; echo > " +
                      path("sent") + ") | " + vidconv() +
                      " - --latency 50 -o - --kernel box | (read < " + path("sent") +
                      "; cat > /dev/null)");
       }},
      {MessageKind::left_out, [=, this] { return filter(clip(), out("a.y4m")); }},
      {MessageKind::not_held, [=, this] { return filter(variable_clip(), out("a.y4m")); }},
      {MessageKind::untried, [=, this] { return with_fault("newer FFmpeg", clip()); }},
  };
}

bool ends_with_a_kind(const std::string& line) {
  return std::ranges::any_of(message_table(), [&](const MessageRow& kind) {
    return line.ends_with(" [" + std::string(kind.name) + "]");
  });
}

TEST_P(Messages, ComesWithItsExitCode) {
  const MessageRow& kind = GetParam();
  const auto all = triggers();
  const auto trigger = all.find(kind.id);
  ASSERT_NE(trigger, all.end()) << "nothing here brings it about";
  const Result result = trigger->second();
  EXPECT_EQ(result.exit_code,
            kind.id == MessageKind::interrupted ? exit_interrupted : static_cast<int>(kind.fault))
      << result.err;
  bool said = false;
  for (const std::string& line : split_lines(result.err)) {
    said |= line.ends_with(" [" + std::string(kind.name) + "]");
    // Other lines may only be the summary.
    const bool summary = line.find(" frames in ") != std::string::npos;
    EXPECT_TRUE(summary || !line.starts_with("vidconv: ") || ends_with_a_kind(line)) << line;
  }
  EXPECT_TRUE(said) << result.err;
  EXPECT_FALSE(kind.meaning.empty() || kind.meaning.ends_with('.'));
}

INSTANTIATE_TEST_SUITE_P(Table, Messages,
                         testing::ValuesIn(message_table().begin(), message_table().end()),
                         [](const auto& instance) {
                           std::string name(instance.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vidconv::test
