#include "pipeline/base/message.h"

namespace vidconv {
namespace {

constexpr MessageRow kinds[] = {
    {MessageKind::internal, "internal", Fault::internal, "vidconv itself is at fault",
     "report it, with the line and the command"},
    {MessageKind::unaccounted, "unaccounted", Fault::internal,
     "packets or frames were read of which it is not known what became of them",
     "report it; the output is not to be trusted and was not given its name"},
    {MessageKind::command_line, "command-line", Fault::usage,
     "an option, its value, or what was combined makes no sense", "see `help`"},
    {MessageKind::filter_spec, "filter-spec", Fault::usage,
     "a filter cannot be understood, or cannot act on this picture", "see `kernels`"},
    {MessageKind::encoder_option, "encoder-option", Fault::usage,
     "the encoder or the container does not have the option, does not take the value, or would not "
     "heed it beside another",
     "'ffmpeg -h encoder=NAME' and 'muxer=NAME' list them"},
    {MessageKind::input_missing, "input-missing", Fault::input,
     "the input is not there or may not be opened", "check its name and permissions"},
    {MessageKind::input_unreadable, "input-unreadable", Fault::input,
     "the input is empty, is no video, or is broken from the start",
     "check it with ffprobe; name bare frames with `raw`"},
    {MessageKind::input_silent, "input-silent", Fault::input,
     "the input sent nothing for as long as `timeout` says (a live one that has begun is damaged "
     "then, "
     "and the output finished)",
     "try again, or wait longer"},
    {MessageKind::input_reference, "input-reference", Fault::input,
     "the input refers to a file or an address that it may not lead to",
     "TRUST says what an input may lead to; `input_format` trusts it with more"},
    {MessageKind::too_large, "too-large", Fault::input,
     "a picture has more pixels than `max_pixels` allows, or more bytes than FFmpeg can hold",
     "a higher `max_pixels`, where the input can be trusted"},
    {MessageKind::no_video, "no-video", Fault::input,
     "the input has no video stream, or none of that number", "`video` counts from 1"},
    {MessageKind::no_frame, "no-frame", Fault::input,
     "the input has no frame in the part that was asked for", "choose an earlier `start`"},
    {MessageKind::output_exists, "output-exists", Fault::output, "the output is there already",
     "`overwrite` overwrites it"},
    {MessageKind::output_is_input, "output-is-input", Fault::output, "the output is the input",
     "choose another name"},
    {MessageKind::output_unwritable, "output-unwritable", Fault::output,
     "the output, or a report, cannot be written: the folder, permissions, a full disk, the "
     "encoder",
     "the line says which; an older file is as it was"},
    {MessageKind::output_closed, "output-closed", Fault::output,
     "whoever read the output through a pipe has closed it", ""},
    {MessageKind::output_unsuited, "output-unsuited", Fault::output,
     "the output's container cannot be found out, or does not take such video",
     "choose another ending of its name, or another `codec`"},
    {MessageKind::strict, "strict", Fault::output,
     "with `strict`: the output cannot hold something, or another output of the run has failed",
     "without `strict` the rest is kept"},
    {MessageKind::device, "device", Fault::device, "the device is not there or has failed",
     "see `devices`, or use `device` cpu"},
    {MessageKind::memory, "memory", Fault::device,
     "there is not enough memory, on the host or the device",
     "try fewer `slots`, fewer `threads` or a smaller picture"},
    {MessageKind::verification, "verification", Fault::verification,
     "`verify` found two ways of computing a frame that disagree",
     "report it; the line says where"},
    {MessageKind::damaged, "damaged", Fault::damaged,
     "the input was damaged or ended early; what could be decoded is in the output",
     "the line says what is missing; `strict` stops at the first damage"},
    {MessageKind::plan, "plan", Fault::input,
     "a plan cannot be read, or the source, the libraries or a kernel's file are not those that it "
     "was made with",
     "make it again with 'vidconv plan'"},
    {MessageKind::part, "part", Fault::input,
     "a part is missing, corrupt, of another plan, or has another number of frames than the plan",
     "'vidconv shard' makes parts that are not whole again"},
    {MessageKind::try_again, "try-again", Fault::again,
     "a part, or the joining of parts, has failed by what may be over later or on another host: a "
     "full disk, a source that cannot be reached, too little memory, a failing device",
     "try again, as the job scripts do"},
    {MessageKind::resume, "resume", Fault::output,
     "what `resume` has kept cannot be gone on with: it is of other options, another input or "
     "another version, or another run is at work on it",
     "use the same command, or begin anew with `overwrite`; nothing was touched"},
    {MessageKind::interrupted, "interrupted", Fault::none,
     "a signal ended the run early (the exit code is 128 and its number: 129, 130 or 143; of a "
     "live "
     "input it is 0); the output "
     "holds the frames so far and plays, or, before the first frame and after a second signal, "
     "there "
     "is none and an older file is as it was",
     ""},
    {MessageKind::device_chosen, "device-chosen", Fault::none,
     "what `device` auto has chosen, and why", ""},
    {MessageKind::shards_chosen, "shards-chosen", Fault::none,
     "into how many parts `shards` auto has cut the video, and how many are encoded at once", ""},
    {MessageKind::kept, "kept", Fault::none,
     "with `keep_unchanged`: how many frames are copied as they are coded, and how the others are "
     "encoded",
     ""},
    {MessageKind::all_encoded, "all-encoded", Fault::none,
     "with `keep_unchanged`: what filters leave as it is cannot be copied, and all is encoded",
     "the line says why; with `strict` it is an error"},
    {MessageKind::part_done, "part-done", Fault::none,
     "the part is there and whole: nothing was done", ""},
    {MessageKind::resumed, "resumed", Fault::none,
     "with `resume`: the run goes on with shards that an earlier one has kept, encodes one again "
     "that is corrupt, or has dropped those of another run",
     ""},
    {MessageKind::fallback, "fallback", Fault::none,
     "the device could not do it all and it is done otherwise: with fewer frames in flight, in "
     "memory that copies slower, by another device, or on the CPU; or `measure` could not take the "
     "encoder's own pictures and decodes all; or inotify watches no more folders, which are looked "
     "at "
     "then; the output is the same",
     ""},
    {MessageKind::device_failed, "device-failed", Fault::none,
     "a device failed, for another reason than want of memory, and another one or the CPU has done "
     "its work; the output is the same, and the last line says so again",
     "`strict` ends the run instead; report it, with the line and the command"},
    {MessageKind::gain, "gain", Fault::none, "a filter makes the picture brighter until it clips",
     "scale=auto keeps its brightness"},
    {MessageKind::one_row, "one-row", Fault::none,
     "a matrix has one row, or column, of as many numbers as a square one has",
     "';' begins a new row; row: or column: says that one is meant"},
    {MessageKind::no_effect, "no-effect", Fault::none, "an option changes nothing here", ""},
    {MessageKind::assumed, "assumed", Fault::none,
     "the video does not say how its colours are coded: what is usual was assumed", ""},
    {MessageKind::byte_order, "byte-order", Fault::none,
     "samples were turned into this machine's order of bytes", ""},
    {MessageKind::converted, "converted", Fault::none,
     "a pixel format, colours or a stream are not taken as they are and were converted", ""},
    {MessageKind::encoder_said, "encoder-said", Fault::none,
     "the library of an encoder has complained in the middle of its work and gone on",
     "look at the output, or choose another `codec`"},
    {MessageKind::picture_changes, "picture-changes", Fault::none,
     "the picture changes its size or format midstream: it is scaled to the first", ""},
    {MessageKind::no_picture, "no-picture", Fault::none,
     "the decoder dropped pictures without calling them damaged, as some do before the first key "
     "frame or where the size changes",
     ""},
    {MessageKind::ended_early, "ended-early", Fault::none,
     "an input that is read once, from a pipe or a socket, ended between two packets before the "
     "time "
     "that its header announces: it was live, or cut there; or a mask video ended before the video "
     "that it is for",
     "compare with where it comes from"},
    {MessageKind::times_moved, "times-moved", Fault::none,
     "times of the input do not grow, or jump where its clock begins anew: some were moved",
     "`copy_times` leaves jumps"},
    {MessageKind::dropped, "dropped", Fault::none,
     "with `latency`: so many frames would have been in the output too late and are not in it",
     "a "
     "longer `latency`, a smaller picture or a faster `preset`"},
    {MessageKind::left_out, "left-out", Fault::none,
     "streams, or subtitles of one, that the output cannot hold are left out",
     "choose another container, or `audio` CODEC for sound"},
    {MessageKind::not_held, "not-held", Fault::none,
     "the output cannot hold some times, tags or chapters of the input",
     "choose another container"},
    {MessageKind::untried, "untried", Fault::none,
     "vidconv was built with a version of FFmpeg that it was not tried with: damage and refusals "
     "that nothing but FFmpeg's log tells of may go unnoticed",
     "build it with a version that the README names"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (static_cast<std::size_t>(kinds[i].id) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const MessageRow> message_table() { return kinds; }

const MessageRow& kind_of(MessageKind message) { return kinds[static_cast<std::size_t>(message)]; }

MessageKind usual_kind(Fault fault) {
  switch (fault) {
    case Fault::usage:
      return MessageKind::command_line;
    case Fault::input:
      return MessageKind::input_unreadable;
    case Fault::output:
      return MessageKind::output_unwritable;
    case Fault::device:
      return MessageKind::device;
    case Fault::verification:
      return MessageKind::verification;
    case Fault::again:
      return MessageKind::try_again;
    case Fault::damaged:
      return MessageKind::damaged;
    case Fault::none:
    case Fault::internal:
      break;
  }
  return MessageKind::internal;
}

}  // namespace vidconv
