#include "src/help/words.h"

namespace vidconv {
namespace {

constexpr Example example_table[] = {
    {"vidconv in.mp4 -o blurred.mp4 --kernel gaussian:sigma=2",
     "blurs a file; sound, subtitles, chapters and tags come along"},
    {"vidconv in.mp4 -o edges.mp4 --kernel sobel", "draws its edges"},
    {"vidconv in.mkv -o out.mkv --kernel \"matrix:0 -1 0;-1 5 -1;0 -1 0\"",
     "sharpens with a matrix of one's own"},
    {"vidconv in.mp4 -o out.mp4 --kernel box --kernel sobel --start 1:00",
     "a chain of filters on a part of the input"},
    {"ffmpeg -i in.mp4 -f yuv4mpegpipe - | vidconv - -o - --kernel box:size=5 | ffplay -",
     "between other programs"},
    {"vidconv v4l2:/dev/video0 -o camera.mkv --kernel unsharp --latency 100",
     "a camera until Ctrl-C; what would be more than 100 ms late is left out, and counted"},
    {"vidconv footage --recursive -o 'out/{stem}.mkv' --kernel unsharp --skip-done",
     "all videos of a folder; started again, it goes on where it was"},
    {"vidconv footage --watch -o 'out/{stem}.mkv' --kernel unsharp",
     "each video of a folder as it comes, once it is whole, until Ctrl-C"},
    {"vidconv in.mp4 -o soft.mp4 --kernel unsharp -o edges.mkv --kernel sobel",
     "two outputs of an input that is decoded once"},
    {"vidconv pattern:3840x2160 -o null: --kernel sobel --benchmark",
     "what the machine can do without codecs"},
    {"vidconv in.mp4 -o sheet.png --gallery --at 12.5",
     "one frame of the input through every filter"},
};

constexpr ExitCode exit_table[] = {
    {0, "done"},
    {1, "an error of vidconv itself"},
    {2, "the command line makes no sense"},
    {3, "the input cannot be read"},
    {4, "the output cannot be written"},
    {5, "the device is missing or failed"},
    {6, "--verify found a difference"},
    {7, "finished, but the input was damaged: something is missing or wrong"},
    {75, "of shard and join: try again, on this host or another (docs/cluster.md)"},
    {129, "interrupted by SIGHUP; as 130"},
    {130,
     "interrupted by Ctrl-C; the output is finished and plays, or there is none (of a live input "
     "a signal is an end like others, and the exit code 0, once there is a frame); with --resume "
     "there is none yet"},
    {143, "the same by SIGTERM"},
};

constexpr std::string_view trust_table[] = {
    "Playlists and lists name other files, and whoever made them gets no more opened than was "
    "asked "
    "for. A file leads to files beside and below it, all links followed, where it is named as what "
    "it is (.m3u8, .m3u, .ffconcat, .mlv) or --format-in says so (hls, concat, mlv). What comes "
    "through a pipe leads to nothing, and neither leads to the network. An address leads to "
    "addresses of its scheme, http to https too, and to no file. Scripts, which are programs, run "
    "with --format-in only. Whatever leads elsewhere is refused with exit code 3.",
    "Certificates of servers are checked, unless --insecure is given. Where FFmpeg cannot do so "
    "(DASH over https, rtsps), the input is refused without it. https leads to no http.",
    "Passwords and tokens of addresses are shown as ***, in messages and reports alike. An output "
    "goes to an address only where one is named, with its --format. Devices are read where v4l2: "
    "or "
    "--format-in names one.",
};

constexpr std::string_view batch_table[] = {
    "In the names of outputs, and of --stats and --trace, {stem} is the input's name without its "
    "ending, {name} with it, {n} its number from 1; a brace itself is {{ or }}. A name with a "
    "field "
    "makes even one input a run of several. With --recursive the folders in which a file was found "
    "stand before the last part of the name: footage/a/b.mp4 goes to out/a/b.mkv of "
    "'out/{stem}.mkv'. Folders of outputs are made. Of a folder those files are taken that have an "
    "ending of videos and are not hidden; links to folders are not followed. Names that clash, and "
    "outputs that are inputs, are refused before anything is done. Of md5: each line ends with its "
    "input, and lines of an input stand together; -o - is refused.",
    // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): it is one paragraph
    "One process filters all of them: the device stays awake, threads and memory are kept, and the "
    "bytes are those of a run each. --jobs says how many at once; then each is filtered by one of "
    "several devices in turn, else their frames are, and parts of --shards are encoded one after "
    "the other.",
    "Each input has its line, its report with --stats 'folder/{stem}.json', or a report in one "
    "line "
    "with --stats -. One that fails does not stop the others, unless --fail-fast says so. The exit "
    "code is the worst of all: from the best 0, 7, 3, 4, 2, 5, 6, 1, then those of signals. A "
    "signal "
    "leaves no output that is not whole; inputs that have not begun are not.",
    "--skip-done knows an output by a key of its input (size, time, first and last bytes), the "
    "options that bear on its bytes, and the versions of vidconv and FFmpeg. Runs of several "
    "inputs "
    "set it on the output before that gets its name, as the attribute user.vidconv.key. A change "
    "in the middle that leaves size and time is missed; --skip-done=content reads all of each "
    "input and goes by its bytes alone, so that a copy is the same. What one of them has marked, "
    "the other makes anew. An output "
    "with another key, or none, is there already: -y makes it anew. One whose input was damaged "
    "stays exit code 7. Inputs that cannot be known again (pipes, addresses, numbered pictures, "
    "playlists) are not skipped.",
    "--watch goes on until a signal ends it: each video that lies in the folder or comes into it "
    "is "
    "filtered when it is whole, which is when its writer has closed it or it was moved there, and "
    "on network file systems when its size and time have stayed for 5 s. Each content is filtered "
    "once, by --skip-done, and a name with new content again: its output is replaced where the "
    "same options have made it from that name. What is broken is said once and tried again when it "
    "changes; what fails by the output or the device is tried again after a minute, later after "
    "longer, an hour at most. Outputs in that folder are no inputs. docs/operating.md says more.",
};

constexpr std::string_view outputs_table[] = {
    "vidconv INPUT -o A --kernel X -o B --kernel Y reads and decodes the input once for all "
    "outputs, "
    "and each of them has the bytes of a run of its own. Options behind an -o are of that output: "
    "filters, codec, quality, container, sound, --verify, --measure, --audit, --trace and "
    "--metrics. Those before the first -o are of all, and one behind an output stands in the place "
    "of the same one before, a chain of --kernel in the place of a whole chain. Options of the "
    "input stand before the first -o; those of the machine, -y, --stats, --progress and --strict "
    "are of the run wherever they stand.",
    "An output that fails does not stop the others, unless --strict is given: then outputs that "
    "are "
    "not complete are given up. Each output has its lines and its last line, the exit code is the "
    "worst of all (as of several inputs), and --stats has a report of each. A slow output holds "
    "the "
    "others, so that memory stays as it is. One of them may be standard output. Several outputs do "
    "not go with several inputs, --resume, --report, --target, --latency, --gallery, --benchmark "
    "and plan.",
};

constexpr std::string_view times_table[] = {
    "Outputs begin at 0: pictures, sound, text and chapters are moved alike by the time at which "
    "the "
    "input begins, as with ffmpeg. Where its clock begins "
    "anew on the way, as in joined transport and program streams (more than 10 s ahead, or 0.1 s "
    "back), all streams go on there together. --copy-times leaves both; "
    "pictures that would go back then follow the one before. --start counts by the input's clock.",
    "Numbered pictures and bare streams of a codec have no times: --fps gives them a rate, "
    "whatever "
    "they say. A picture that says a time far ahead of those that follow is shown between its "
    "neighbours. An "
    "animation keeps the delay of its last picture, and how often it is shown.",
    "An input is damaged (exit code 7) where something is missing that its container promises: "
    "packets of an index (MP4), ticks of a header (AVI), bytes (Matroska, FLV, AVI), the mark at "
    "the end (GIF), and elsewhere a length. A picture that is held to the end is not missing. "
    "Where "
    "transport streams were joined, their counters of packets begin anew; that is no damage while "
    "the times go on or jump and the decoder has nothing to complain of.",
};

constexpr std::string_view resuming_table[] = {
    "With --resume a video is encoded in shards (--shards, else auto), and those that are finished "
    "are kept in the folder .NAME.vidconv beside the output NAME, or in that of --resume=DIR. "
    "After "
    "a signal, a crash, a power cut or a full disk the same command goes on with them: they are "
    "neither decoded (but of inputs that are read in order), filtered nor encoded again. The "
    "output "
    "has the bytes of a run that nothing has ended, and the folder goes when it is there. What is "
    "lost is at most the shard that each encoder was at work on.",
    "Where the options that bear on the bytes, the input (its size, time, first and last bytes) or "
    "the versions of vidconv and FFmpeg are others, the line says which, nothing is touched, and "
    "-y "
    "begins anew. A shard that is corrupt is encoded again. One run at a time is at work on a "
    "folder. The output needs its room twice while it is made. --list-resumable DIR lists what is "
    "left in a folder; to drop it, remove it.",
};

constexpr std::string_view keeping_table[] = {
    "With --keep-unchanged the packets of stretches between key frames in which no filter acts on "
    "any frame are copied as they are coded, and only the others are decoded, filtered and encoded "
    "to fit: by the input's codec, profile and pixel format, with its quality where its packets "
    "tell (else as --crf says), and with headers that decoders keep apart from those of the input. "
    "A decoder is tried with both before anything is written.",
    "Where that cannot be, all is encoded and a line says why; --strict refuses. It can be for "
    "H.264 (by libx264), H.265 and AV1 whose key frames have their headers with them, MPEG-2, VP9, "
    "FFV1, and codecs that have key frames only, such as MJPEG, ProRes and DNxHR, out of files "
    "that "
    "are read whole. docs/unchanged.md says more.",
};

constexpr std::string_view many_hosts_table[] = {
    "vidconv plan INPUT -o OUTPUT --kernel SPEC --shards N --dir DIR writes DIR/plan.json: which "
    "frames each part has. vidconv shard I DIR encodes part I, counted from 0, and vidconv join "
    "DIR -o OUTPUT makes the output of all parts, with the bytes of --shards N on one host. A plan "
    "is data: workers take from it what bears on the bytes, and nothing else. Parts can be "
    "encoded in any order, again, and by two hosts at once; one that is there and whole is left "
    "alone. 'vidconv plan --help' lists their options; --script slurm, kubernetes or parallel "
    "prints a job for a scheduler. Where an input is named plan, shard or join, write ./plan.",
};

}  // namespace

std::span<const std::string_view> batches() { return batch_table; }
std::span<const std::string_view> many_hosts() { return many_hosts_table; }
std::span<const std::string_view> keeping() { return keeping_table; }
std::span<const std::string_view> several_outputs() { return outputs_table; }
std::span<const std::string_view> resuming() { return resuming_table; }
std::span<const std::string_view> times() { return times_table; }
std::span<const std::string_view> trust() { return trust_table; }
std::span<const Example> examples() { return example_table; }
std::span<const ExitCode> exit_codes() { return exit_table; }

}  // namespace vidconv
