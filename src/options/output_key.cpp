#include "src/options/output_key.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "pipeline/base/url.h"
#include "pipeline/io/content_key.h"
#include "pipeline/io/policy/references.h"

namespace vidconv {
namespace {

// Options of the command that are no settings of a job.
constexpr std::string_view without_bearing[] = {
    "--files-from", "--null",    "--recursive",   "--skip-done", "--watch",         "--keep-going",
    "--fail-fast",  "--resume",  "--no-sandbox",  "--progress",  "--quiet",         "--stats",
    "--trace",      "--metrics", "--measure-log", "--report",    "--show-originals"};

std::optional<std::string> identity_of_input(const Options& o) {
  if (o.input.starts_with("pattern:")) return o.input;
  const std::string path = local_path(o.input);
  if (o.input == "-" || is_url(o.input) || is_playlist(path, o.source.format)) return std::nullopt;
  return o.by_content ? content_of_file(path) : identity_of_file(path);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool bears_on_bytes(std::string_view option) {
  if (const Setting* row = setting_of_option(option)) return !(row->flags & no_bytes);
  return std::ranges::find(without_bearing, option) == std::end(without_bearing);
}

std::string key_of_words(const Options& o) {
  ContentKey key;
  key.add("version", VIDCONV_VERSION);
  key.add("libraries", libav_versions());
  for (const FilterSpec& filter : o.filters) {
    key.add("filter", filter.text());
    for (const std::string& file : filter.files()) key.add("file", contents(file));
  }
  if (o.boxes) key.add("boxes", contents(o.boxes->options().file));
  for (const auto& [option, values] : o.words) key.add(option, values);
  return key.hex();
}

std::optional<std::string> output_key(const std::string& words, const Options& o) {
  const auto input = identity_of_input(o);
  if (!input) return std::nullopt;
  ContentKey key;
  key.add("words", words);
  key.add("input", *input);
  // Only the extension of the output's name bears on its content.
  key.add("ending", o.output.substr(std::min(o.output.rfind('.'), o.output.size())));
  return key.hex();
}

}  // namespace vidconv
