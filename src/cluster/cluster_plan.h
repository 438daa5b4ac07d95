// plan.json: what all hosts agree on that encode the parts of a video. docs/plan.schema.json
// describes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/source/source.h"
#include "src/cluster/cluster_words.h"

namespace vidconv {

struct ClusterPlan {
  struct Source {
    std::string path;        // absolute, or a URL
    std::int64_t bytes = 0;  // of all of it
    std::string digest;      // of pieces of it, survey.h says which
    bool operator==(const Source&) const = default;
  };
  struct Part {
    std::int64_t begin = 0;   // when its first frame is shown, ticks of the time base
    std::int64_t frames = 0;  // that are shown from then on, until the next part begins
  };

  std::map<std::string, std::string> versions;  // by name: of vidconv and of FFmpeg's libraries
  Source source;
  std::string ending;                          // of the output's name, such as ".mkv"
  std::vector<std::string> words;              // KeptWords::job
  std::string shards;                          // of --shards, after the choice
  std::map<std::string, std::string> kernels;  // digests of files of kernels, by path
  std::string header;                          // digest of the encoder's
  AVRational time_base{1, 1};
  bool seeks = true;    // see Interval
  std::string counted;  // how the frames were: "packets" or "decoded"
  std::vector<Part> parts;

  std::string json() const;
  // Throws Error(plan) for what is no plan of this schema, and for what no plan may carry.
  static ClusterPlan parse(const std::string& text, const std::string& name);
  static ClusterPlan load(const std::string& folder);

  // A digest of all that bears on the bytes of a part.
  std::string key(std::size_t part) const;
  // The frames of a part.
  Interval interval(std::size_t part, VideoInfo video) const;
  // The options of parse_options(), with what a worker was told, of KeptWords::machine. Throws
  // Error(plan) where the output's name has another ending.
  Options options(const std::string& output, const std::vector<std::string>& machine) const;
  std::int64_t frames() const;

 private:
  void check_names() const;
};

// ".mkv" of "folder/out.mkv".
std::string ending_of(const std::string& output);
std::map<std::string, std::string> library_versions();
// Throws Error(plan) for what is no file that hosts can share: pipes, devices.
void check_shared(const std::string& input);
ClusterPlan::Source identify(const std::string& input, const SourceOptions& options);
// SHA-256 of the files of all kernels.
std::map<std::string, std::string> digests_of_kernels(const Options& options);
// Throws Error(plan) where this process has other libraries or other files of kernels.
void check_host(const ClusterPlan& plan, const Options& options);
// Throws Error(plan) where the source is not the plan's, Error(try_again) where it cannot be read.
void check_source(const ClusterPlan& plan, const SourceOptions& options);

// "DIR/parts/3-0123456789abcdef", to which ".nut" or ".json" is added.
std::string part_path(const std::string& folder, std::size_t part, const std::string& key);
std::string ledger_json(const ShardLedger& ledger, std::size_t part);
// Throw Error(part). `key`: of the part whose ledger it is to be.
ShardLedger parse_ledger(const std::string& text, const std::string& path, const std::string& key);
ShardLedger read_ledger(const std::string& path, const std::string& key);
// Whether there is anything of that name, be it a link that leads nowhere.
bool is_there(const std::string& path);
// All of a small file, which is refused where it is large or none. Throws Error(kind).
std::string read_text(const std::string& path, MessageKind kind);
// SHA-256 of a regular file of any size. Throws Error(kind).
std::string digest_of_regular(const std::string& path, MessageKind kind);
// Writes a small file whole or not at all; one that is there is replaced.
void write_text(const std::string& path, const std::string& what, const std::string& text,
                bool look_for_leftovers = true);

}  // namespace vidconv
