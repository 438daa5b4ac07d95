// Writes to standard output and standard error; nothing else in the program prints.
#pragma once

#include <string_view>

namespace vidconv {

// To be called first of all; affects the whole process. Fills closed descriptors among 0 to 2 with
// something that can be neither read nor written, so that no file opened later gets their output.
// SIGPIPE and SIGXFSZ become errors of the write. Libraries print nothing by themselves from now
// on.
void prepare_standard_streams();

// Writes text, made printable, to standard output. Throws Error(output) if not all of it can be
// written.
void print(std::string_view text);
// Writes to standard output byte for byte unless it is a terminal: text for programs has its own
// quoting.
void print_for_programs(std::string_view text);

// Writing to stderr cannot fail: text is dropped if stderr is closed, full or not read.
enum class Patience {
  none,     // dropped if the write would block: it is repeated soon
  a_moment  // dropped if nobody reads for a second
};

// Writes a line in one piece, made printable and at most 4000 bytes long. `line` has no newline.
void print_error_line(std::string_view line, Patience patience = Patience::a_moment) noexcept;
// Writes text unchanged: cursor movements and colours.
void draw_on_stderr(std::string_view text) noexcept;

}  // namespace vidconv
