// Makes names from the inputs' names: "out/{stem}.mkv".
#pragma once

#include <cstddef>
#include <string>

namespace vidconv {

// The fields of an input that a pattern can use.
struct NamedInput {
  std::string name;        // "a.mp4": without folders
  std::string folder;      // "b/c/", relative to the listed folder it was found in; else empty
  std::size_t number = 1;  // among all inputs
};

// Returns "a.mp4" for "b/a.mp4", "file:a.mp4" and "http://host/b/a.mp4?x=1"; "stdin", "pattern" or
// "url" for inputs without a name.
std::string name_of_input(const std::string& input);

// Returns whether a pattern has a field: {name}, {stem} (the name without its extension) or {n}.
bool has_field(const std::string& pattern);

// Returns the name for this input, with its folder before the last component. {{ and }} stand for
// braces. `option` is for messages. Throws Error(usage) for other fields, and if a field is "..".
std::string fill_in(const char* option, const std::string& pattern, const NamedInput& input);

// Returns the folder of all names of a pattern: "out" for "out/{stem}/a.mkv", "." for "{stem}.mkv".
std::string common_folder(const std::string& pattern);

}  // namespace vidconv
