// Names that are made from those of the inputs: "out/{stem}.mkv".
#pragma once

#include <cstddef>
#include <string>

namespace vidconv {

// What of an input may stand in a name.
struct NamedInput {
  std::string name;        // "a.mp4": without folders
  std::string folder;      // "b/c/": below the folder that it was found through; else empty
  std::size_t number = 1;  // among all inputs
};

// "a.mp4" of "b/a.mp4", "file:a.mp4" and "http://host/b/a.mp4?x=1"; "stdin" and "pattern" of what
// has no name.
std::string name_of_input(const std::string& input);

// Whether a name of `option` has a field: {name}, {stem}, which is without the ending, or {n}.
bool has_field(const std::string& pattern);

// The name for this input; its folder stands before the last part. {{ and }} stand for braces.
// `option`: for messages. Throws Error(usage) for other fields, and where a field would be "..".
std::string fill_in(const char* option, const std::string& pattern, const NamedInput& input);

// The folder of all names of a pattern: "out" of "out/{stem}/a.mkv", "." of "{stem}.mkv".
std::string common_folder(const std::string& pattern);

}  // namespace vidconv
