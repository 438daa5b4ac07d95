// The key of an output (output_key.h) on the file itself, as an extended attribute: it is there
// from the moment in which the file gets its name, and goes where the file goes.
#pragma once

#include <optional>
#include <string>

namespace vidconv {

// Of an open file that is complete. `damaged`: its input was. False, with errno, where the file
// system has no such thing.
bool mark_done(int fd, const std::string& key, bool damaged);

struct Done {
  bool damaged;
};
// Where the output is there, of the size that it had, and has this key. Of numbered pictures the
// first one tells of all.
std::optional<Done> done_before(const std::string& output, const std::string& key);

}  // namespace vidconv
