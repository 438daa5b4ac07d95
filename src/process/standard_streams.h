// Standard output and error: the doors by which words leave. Nothing else in the program prints.
#pragma once

#include <string_view>

namespace vidconv {

// First of all: descriptors 0 to 2 that are closed are taken by something that can be neither read
// nor written, so that no file that is opened later gets what is meant for them; and a reader that
// goes away and a file that may not grow (SIGPIPE, SIGXFSZ) are errors of the write. Libraries
// print nothing by themselves from now on. For the whole process.
void prepare_standard_streams();

// On standard output. Throws Error(output) where not all of it can be written.
void print(std::string_view text);
// The same, byte for byte, but to a terminal: what a program reads has its own way to quote.
void print_for_programs(std::string_view text);

// What is said on stderr cannot fail: where stderr is closed, full or not read, it is dropped.
enum class Patience {
  none,     // what will be said again soon: dropped where it would have to wait
  a_moment  // dropped where nobody reads for a second
};

// A line, made printable and at most 4000 bytes long, in one piece. `line` has no newline.
void print_error_line(std::string_view line, Patience patience = Patience::a_moment) noexcept;
// As it is: moves of the cursor and colours.
void draw_on_stderr(std::string_view text) noexcept;

}  // namespace vidconv
