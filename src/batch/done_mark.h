// The key of an output (output_key.h) on the file itself, as an extended attribute: it is there
// from the moment in which the file gets its name, and goes where the file goes.
#pragma once

#include <optional>
#include <string>

namespace vidconv {

// Marks an open file that is complete. `damaged`: its input was. `maker`: who may replace it by a
// newer one (made_by()), a digest; empty: nobody unasked. False, with errno, where the file system
// has no such thing.
bool mark_done(int fd, const std::string& key, bool damaged, const std::string& maker = {});

struct Done {
  bool damaged;
};
// Where the output is there, of the size that it had, and has this key. Of numbered pictures the
// first one tells of all.
std::optional<Done> done_before(const std::string& output, const std::string& key);
// Where the output is there as this maker has left it, whatever it was made from.
bool made_by(const std::string& output, const std::string& maker);

// Whether somebody has marked this file as an output, and whether its file system keeps marks.
bool has_done_mark(const std::string& path);
bool can_have_marks(const std::string& path);

}  // namespace vidconv
