// Lists the kinds of messages that a person can see: one table for what is printed, the manual
// page, reports and the tests. Settings are named as in error.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace vidconv {

// Says whose fault it is. The numbers are the exit codes of the command.
enum class Fault : int {
  none = 0,          // nothing failed
  internal = 1,      // ours
  usage = 2,         // the request makes no sense
  input = 3,         // the input cannot be read
  output = 4,        // the output cannot be written
  device = 5,        // a device is missing, refuses or is out of memory
  verification = 6,  // two ways to compute a frame disagree
  damaged = 7,       // frames of the input are missing
  again = 75,        // it may succeed later, or on another host
};

// Names the rows of the table, in its order: failures first, then notices, which end nothing.
enum class MessageKind : std::uint8_t {
  internal,
  unaccounted,
  command_line,
  filter_spec,
  encoder_option,
  input_missing,
  input_unreadable,
  input_silent,
  input_reference,
  too_large,
  no_video,
  no_frame,
  output_exists,
  output_is_input,
  output_unwritable,
  output_closed,
  output_unsuited,
  strict,
  device,
  memory,
  verification,
  damaged,
  plan,
  part,
  try_again,
  resume,
  interrupted,
  device_chosen,
  shards_chosen,
  kept,
  all_encoded,
  part_done,
  resumed,
  fallback,
  device_failed,
  gain,
  one_row,
  no_effect,
  assumed,
  byte_order,
  converted,
  encoder_said,
  picture_changes,
  no_picture,
  ended_early,
  times_moved,
  dropped,
  left_out,
  not_held,
  untried,
};

struct MessageRow {
  MessageKind id;
  std::string_view name;     // at the end of its lines, in brackets
  Fault fault;               // the exit code; none for a notice
  std::string_view meaning;  // a sentence without its full stop
  std::string_view remedy;   // likewise; empty where nothing has to be done
};

std::span<const MessageRow> message_table();
const MessageRow& kind_of(MessageKind message);
// Returns the kind of a failure of which only the fault is known.
MessageKind usual_kind(Fault fault);

}  // namespace vidconv
