// Stores the key of an output (output_key.h) in an extended attribute of the file: it is there from
// the moment the file gets its name, and moves with the file.
#pragma once

#include <optional>
#include <string>

namespace vidconv {

// Marks a complete file, open as `fd`. `damaged` says that its input was. `maker` is a digest of
// who may replace it by a newer one (made_by()); empty: nobody unasked. Returns false and sets
// errno if the file system has no such attributes.
bool mark_done(int fd, const std::string& key, bool damaged, const std::string& maker = {});

struct Done {
  bool damaged;
};
// Returns a value if the output exists, has kept its size and carries this key. The first of
// numbered pictures stands for all of them.
std::optional<Done> done_before(const std::string& output, const std::string& key);
// Where the output is there as this maker has left it, whatever it was made from.
bool made_by(const std::string& output, const std::string& maker);

// Whether somebody has marked this file as an output, and whether its file system keeps marks.
bool has_done_mark(const std::string& path);
bool can_have_marks(const std::string& path);

}  // namespace vidconv
