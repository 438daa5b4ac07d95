// Lists the inputs of a run of several: from the command line, from lists and from folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.h"
#include "pipeline/base/notice.h"
#include "src/options/options.h"

namespace vidconv {

struct ListedInput {
  std::string input;   // as on the command line
  std::string folder;  // as NamedInput::folder
};

// Returns the inputs in the order in which they were named, a folder's files sorted by name.
// `notify` hears which of a folder's files are left out. Throws Error(usage) for a folder without
// --recursive, Error(input) if a list or a folder cannot be read or there is no input.
std::vector<ListedInput> list_inputs(const Options& options, const Notify& notify);

// All videos in a folder and, with `recursive`, below it. Nothing that is hidden; links to folders
// are not followed, and `outputs`, their folder, which may lie there too, is none of the inputs.
struct FolderContents {
  std::vector<ListedInput> files;    // by their names
  std::vector<std::string> folders;  // in which they lie or might, the folder itself first
  int left_out = 0;                  // files that are not called as videos are
  std::vector<Error> unreadable;     // folders below it that cannot be read
};
// Throws Error(input_missing) where the folder itself cannot be read.
FolderContents contents_of(const std::string& folder, const std::string& outputs, bool recursive);
// Returns one of the videos of a folder.
ListedInput listed_below(const std::filesystem::path& folder, const std::filesystem::path& file);
void say_left_out(const std::string& folder, int files, const Notify& to);

bool is_folder(const std::string& input);
// Returns whether a file's extension is one that videos have.
bool has_video_ending(std::string_view name);

}  // namespace vidconv
