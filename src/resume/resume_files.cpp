#include "src/resume/resume_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "pipeline/base/error.h"

namespace vidconv {

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why,
                                const std::string& remedy) {
  throw Error(MessageKind::resume, "cannot go on with what is kept in", path, why, remedy);
}

std::optional<std::int64_t> shard_of(std::string_view name) {
  std::int64_t shard = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), shard);
  const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  if (error != std::errc() || shard < 0 || rest.size() < 1 + shard_key_digits || rest[0] != '-' ||
      rest.substr(1, shard_key_digits).find_first_not_of("0123456789abcdef") != rest.npos)
    return std::nullopt;
  const std::string_view kind = rest.substr(1 + shard_key_digits);
  if (kind == ".nut" || kind == ".json") return shard;
  return std::nullopt;
}

bool is_ledger(const std::string& name) { return name.ends_with(".json") && shard_of(name); }

bool is_resume_file(const std::string& name) {
  const std::string_view part = ".part";
  std::string_view whole = name;
  if (whole.ends_with(part) && whole.size() > part.size() + 1 + shard_key_digits)
    whole.remove_suffix(part.size() + 1 + shard_key_digits);
  return whole == resume_run_name || shard_of(whole).has_value();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  if (error) refuse_folder(folder, error.message(), "");
  std::ranges::sort(names);
  return names;
}

}  // namespace vidconv
