#include "src/resume/resume_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/io/content_key.h"
#include "src/options/output_key.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int run_schema = 1;

// For people: the options that bear on the bytes, as they were given.
std::vector<std::string> words_of(const Options& o) {
  std::vector<std::string> all;
  for (const FilterSpec& filter : o.filters) all.push_back("--kernel " + filter.text());
  for (const auto& [option, values] : o.words) {
    std::string word = option;
    for (const std::string& value : values)
      if (value != "true") word += " " + value;
    all.push_back(word);
  }
  return all;
}

// The first that only one of the lists has.
std::string first_difference(const std::vector<std::string>& kept,
                             const std::vector<std::string>& now) {
  const auto missing = [](const auto& from, const auto& in) {
    const auto word = std::ranges::find_if(
        from, [&](const auto& w) { return std::ranges::find(in, w) == in.end(); });
    return word == from.end() ? std::string() : verbatim(shortened(*word, longest_value));
  };
  const std::string was = missing(kept, now), is = missing(now, kept);
  if (!was.empty() && !is.empty())
    return fmt::format("it is of other options: of {}, not of {}", was, is);
  if (!was.empty()) return fmt::format("it is of other options: of {} too", was);
  if (!is.empty()) return fmt::format("it is of other options: without {}", is);
  return {};
}

}  // namespace

ResumeRun ResumeRun::of(const Options& o) {
  const std::string path = local_path(o.input);
  const bool pattern = o.input.starts_with("pattern:");
  if (!pattern && !is_there(path))
    throw Error(MessageKind::input_missing, "cannot open the input", path, "there is no such file");
  const auto key = output_key(key_of_words(o), o);
  const auto identity = pattern ? std::optional(o.input) : identity_of_file(path);
  if (!key || !identity)
    throw Error(MessageKind::resume, "cannot go on later with", redacted(o.input),
                "nobody can tell whether such an input is still the same then",
                "name a file that can be read, or leave out --resume");
  return {.key = *key,
          .version = VIDCONV_VERSION,
          .libraries = libav_versions(),
          .input = pattern ? o.input : std::filesystem::absolute(path).string(),
          .identity = *identity,
          .output = std::filesystem::absolute(local_path(o.output)).string(),
          .options = words_of(o),
          .command = o.command};
}

ResumeRun ResumeRun::parse(const std::string& text) {
  const Json all = Json::parse(text);
  if (const int its = all.at("schema").get<int>(); its != run_schema)
    throw std::runtime_error(fmt::format("it is of schema {}", its));
  return {.key = all.at("key"),
          .version = all.at("version"),
          .libraries = all.at("libraries"),
          .input = all.at("input").at("path"),
          .identity = all.at("input").at("identity"),
          .output = all.at("output"),
          .options = all.at("options"),
          .command = all.at("command")};
}

ResumeState ResumeRun::parse_state(const std::string& text) {
  const Json all = Json::parse(text);
  ResumeState state;
  all.at("in_order").get_to(state.in_order);
  all.at("quality").get_to(state.quality);
  if (const auto named = all.find("named"); named != all.end())
    state.named = {named->at("inode"), named->at("size"), named->at("damaged")};
  return state;
}

std::string ResumeRun::json(const ResumeState& state) const {
  Json all{{"schema", run_schema},
           {"key", key},
           {"version", version},
           {"libraries", libraries},
           {"input", {{"path", input}, {"identity", identity}}},
           {"output", output},
           {"options", options},
           {"command", command},
           {"in_order", state.in_order},
           {"quality", state.quality}};
  if (const auto& named = state.named)
    all["named"] = {{"inode", named->inode}, {"size", named->size}, {"damaged", named->damaged}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ResumeRun::difference(const ResumeRun& kept) const {
  if (kept.version != version)
    return fmt::format("it is of vidconv {}, this is {}", verbatim(kept.version), version);
  if (kept.libraries != libraries)
    return fmt::format("it was made with FFmpeg {}, this is {}", verbatim(kept.libraries),
                       libraries);
  if (kept.identity != identity)
    return fmt::format("it is of another input: '{}' was {}, and is {}", verbatim(kept.input),
                       verbatim(kept.identity), identity);
  const std::string words = first_difference(kept.options, options);
  return words.empty() ? "it is of other options, or a file that they name has changed" : words;
}

}  // namespace vidconv
