#include "src/resume/leftovers.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "pipeline/base/error.h"
#include "pipeline/io/byte_io.h"
#include "src/cluster/cluster_plan.h"
#include "src/resume/folder_lock.h"
#include "src/resume/resume_files.h"
#include "src/resume/resume_run.h"

namespace vidconv {

std::vector<Leftover> leftovers_in(const std::string& folder) {
  std::vector<Leftover> all;
  if (std::error_code error; !std::filesystem::is_directory(folder, error))
    throw Error(MessageKind::resume, "cannot list what is kept in", folder,
                "there is no such folder", "name one");
  for (const std::string& name : names_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    if (!name.starts_with('.') || !name.ends_with(resume_folder_ending) ||
        !std::filesystem::is_directory(std::filesystem::symlink_status(path, error)))
      continue;
    Leftover& left = all.emplace_back();
    left.path = path;
    try {
      const ResumeRun run = ResumeRun::parse(
          read_text(fmt::format("{}/{}", path, resume_run_name), MessageKind::resume));
      left.output = run.output;
      left.input = run.input;
      left.command = run.command;
    } catch (...) {
      // Nobody knows.
    }
    for (const std::string& file : names_in(path)) {
      if (is_ledger(file)) ++left.shards;
      const auto size = std::filesystem::file_size(std::filesystem::path(path) / file, error);
      if (!error) left.bytes += static_cast<std::int64_t>(size);
    }
    left.at_work = FolderLock::is_held(path);
  }
  return all;
}

}  // namespace vidconv
