// plan.json is what all hosts that encode the shards of a video agree on. docs/plan.schema.json
// describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/source/source.h"
#include "src/cluster/cluster_words.h"

namespace vidconv {

struct ClusterPlan {
  struct Source {
    std::string path;        // absolute, or a URL
    std::int64_t bytes = 0;  // total size
    std::string digest;      // over some pieces: see sample() in packet_survey.h
    bool operator==(const Source&) const = default;
  };
  struct Part {
    std::int64_t begin = 0;   // time of its first frame, ticks of the time base
    std::int64_t frames = 0;  // frames that come out until the next shard begins, or `end`
    // These two stand in plans with `fitting` alone. Where packets of the input are copied behind
    // it, when they begin; and how many frames of the video come before it, copied ones as well.
    std::optional<std::int64_t> end = {};
    std::int64_t before = 0;
    bool operator==(const Part&) const = default;
  };

  std::map<std::string, std::string> versions;  // by name: vidconv and FFmpeg's libraries
  Source source;
  std::string ending;                          // the output's extension, such as ".mkv"
  std::vector<std::string> words;              // KeptWords::job
  std::string shards;                          // the value of --shards, "auto" resolved
  std::map<std::string, std::string> kernels;  // digests of kernel files, by path
  std::string header;                          // digest of the encoder's header
  // With --keep-unchanged, whose shards are those that are encoded: the encoder's options, of the
  // form of `words`, with which it fits the input. Workers get them instead of the user's.
  std::optional<std::vector<std::string>> fitting;
  bool audit = false;  // each shard has an audit of its frames beside it
  AVRational time_base{1, 1};
  bool seeks = true;    // see Interval
  std::string counted;  // how frames were counted: "packets" or "decoded"
  std::vector<Part> parts;

  std::string json() const;
  // Throws Error(plan) if the text is no plan of this schema or carries what no plan may carry.
  static ClusterPlan parse(const std::string& text, const std::string& name);
  static ClusterPlan load(const std::string& folder);

  // Returns a digest of everything that bears on the bytes of a shard.
  std::string key(std::size_t part) const;
  // Returns the frames of a shard; where filters reach beyond them, with the shards around it.
  Interval interval(std::size_t part, VideoInfo video, const FrameReach& reach = {}) const;
  // Returns the options that parse_options() makes of the plan and of `machine`, the worker's own
  // words (KeptWords::machine). Throws Error(plan) if the output's name has another extension.
  Options options(const std::string& output, const std::vector<std::string>& machine) const;
  // Returns the options with which a shard is encoded, in the same way.
  Options shard_options(const std::string& output, const std::vector<std::string>& machine) const;
  std::int64_t frames() const;
  // Returns how many frames of the output come before those of a shard.
  std::int64_t frames_before(std::size_t part) const;

 private:
  void check_names() const;
  bool keeps_unchanged() const;  // `words` have it
};

// Returns the extension of a name: ".mkv" for "folder/out.mkv".
std::string ending_of(const std::string& output);
std::map<std::string, std::string> library_versions();
// Throws Error(plan) if hosts cannot share the input: pipes, devices.
void check_shared(const std::string& input);
ClusterPlan::Source identify(const std::string& input, const SourceOptions& options);
// Returns the SHA-256 of each kernel file, by path.
std::map<std::string, std::string> digests_of_kernels(const Options& options);
// Throws Error(plan) if this process has other libraries or other kernel files.
void check_host(const ClusterPlan& plan, const Options& options);
// Throws Error(plan) if the source is not the plan's, Error(try_again) if it cannot be read.
void check_source(const ClusterPlan& plan, const SourceOptions& options);

// Returns "DIR/parts/3-0123456789abcdef", to which ".nut" or ".json" is added.
std::string part_path(const std::string& folder, std::size_t part, const std::string& key);
std::string ledger_json(const ShardLedger& ledger, std::size_t part);
// Both throw Error(part). `key` is the key of the shard whose ledger is expected.
ShardLedger parse_ledger(const std::string& text, const std::string& path, const std::string& key);
ShardLedger read_ledger(const std::string& path, const std::string& key);
// Throws Error(part) where the audit of a shard is missing or does not match the ledger.
void check_audit(const std::string& path, const ShardLedger& ledger);
// Returns whether anything has that name, even a dangling link.
bool is_there(const std::string& path);
// Returns the content of a small file. Throws Error(kind), also if it is large or no file.
std::string read_text(const std::string& path, MessageKind kind);
// Gives `take` all of a regular file, block by block. Throws Error(kind).
void read_regular(const std::string& path, MessageKind kind,
                  const std::function<void(std::string_view)>& take);
// Returns the SHA-256 of a regular file of any size. Throws Error(kind).
std::string digest_of_regular(const std::string& path, MessageKind kind);
// Writes a small file completely or not at all; an existing one is replaced.
void write_text(const std::string& path, const std::string& what, const std::string& text,
                bool look_for_leftovers = true);

}  // namespace vidconv
