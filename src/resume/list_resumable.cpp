#include "src/resume/list_resumable.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/base/printable.h"
#include "src/process/standard_streams.h"
#include "src/resume/leftovers.h"
#include "src/run/progress.h"

namespace vidconv {
namespace {

// As a shell takes it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_=./:,+@%") == word.npos;
  if (plain) return word;
  std::string all = "'";
  for (const char c : word) all += c == '\'' ? "'\\''" : std::string(1, c);
  return all + "'";
}

std::string line_of(const Leftover& left) {
  std::string line = fmt::format("{}: ", printable(left.path));
  if (left.output.empty()) return line + "nobody can tell what it is of: remove it";
  line += fmt::format("{} {}, {}, of {}", left.shards, left.shards == 1 ? "shard" : "shards",
                      byte_count(left.bytes), printable(left.output));
  if (left.at_work) return line + ", at work";
  std::string command;
  for (const std::string& word : left.command)
    command += (command.empty() ? "" : " ") + quoted(printable(word));
  return line + ", goes on with: " + command;
}

}  // namespace

void list_resumable(const std::string& folder) {
  std::string all;
  for (const Leftover& left : leftovers_in(folder)) all += line_of(left) + "\n";
  print(all);
}

}  // namespace vidconv
