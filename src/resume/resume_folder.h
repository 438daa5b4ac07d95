// ResumeFolder: what --resume keeps of an output that is not finished, in a folder of its own:
//
//   run.json              what the run is: its input, its options, versions
//   lock                  held by the run that is at work
//   3-0123456789abcdef.*  a shard and its ledger, as in a plan's folder (docs/cluster.md)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "pipeline/cluster/shard_writer.h"
#include "pipeline/shards/shard_store.h"
#include "src/options/options.h"
#include "src/resume/folder_lock.h"
#include "src/resume/resume_run.h"

namespace vidconv {

// Where the run of these options keeps its shards: ".out.mkv.vidconv" beside "out.mkv", or in the
// folder of --resume.
std::string resume_folder(const Options& options);

class ResumeFolder final : public ShardStore {
 public:
  // Makes the folder, or takes over one of the same run; of another one only where
  // SinkOptions::overwrite says so. Opens files of all kinds: before the sandbox. Throws
  // Error(resume) where another run is at work on it or what is there is of another run.
  ResumeFolder(const Options& options, Notify notify);
  // Removes the folder where it has nothing to go on with.
  ~ResumeFolder() override;

  const std::string& path() const { return path_; }
  // The input is damaged, so that it is read in order of time.
  bool in_order() const { return state_.in_order; }
  // The quality that --target has found, in the encoder's words; empty: none yet.
  const std::string& quality() const { return state_.quality; }
  void keep_quality(const std::string& crf);
  // How many shards are kept by now, of earlier runs and this one.
  std::size_t kept_by_now() const { return kept_by_now_; }
  // The output is whole and about to get its name: `fd` is its file. Where the run is killed before
  // the folder goes, the next one knows it by that.
  void about_to_name(int fd, bool damaged);
  // An earlier run has given the output its name, and was killed before the folder went.
  bool output_is_there() const;
  // Its input was damaged.
  bool output_is_damaged() const { return state_.named && state_.named->damaged; }
  // The output is there: the folder goes.
  void remove();

  void begin(const ShardOptions& cut, const AVCodecParameters& encoded, AVRational time_base,
             const std::string& encoder) override;
  const std::vector<std::int64_t>& shards() const override { return shards_; }
  bool has(std::int64_t shard) const override { return ledgers_.contains(shard); }
  std::int64_t frames() const override { return frames_; }
  double seconds() const override { return seconds_; }
  std::unique_ptr<KeptShard> read(std::int64_t shard) const override;
  std::unique_ptr<ShardWriter> write(std::int64_t shard) override;
  void judge_later() override { judged_later_ = true; }
  void judged(std::int64_t shard) override;
  void refuse(std::int64_t shard) override;

 private:
  class Writer;

  void take_over(bool overwrite);
  void write_run() const;
  void find_shards(bool overwrite);
  bool take(std::int64_t shard);
  void finished(std::int64_t shard, std::unique_ptr<ShardFileWriter> file);
  void publish(std::int64_t shard, ShardFileWriter& file);
  // Removes the files that this class makes, but for the lock.
  void clear() const;
  std::string path_of(std::int64_t shard) const;  // without ".nut" and ".json"
  std::string key_of(std::int64_t shard) const;

  const std::string path_;
  const Notify notify_;
  const bool overwrite_;
  const ResumeRun run_;
  const FolderLock lock_;
  ResumeState state_;
  bool begun_ = false, removed_ = false;
  EncodedVideo video_;
  std::string cut_key_;
  std::map<std::int64_t, ShardLedger> ledgers_;  // indices into shards_
  std::vector<std::int64_t> shards_;
  std::int64_t frames_ = 0;
  double seconds_ = 0;

  std::mutex mutex_;  // guards the next members
  std::set<std::int64_t> judged_, refused_;
  std::map<std::int64_t, std::unique_ptr<ShardFileWriter>> unjudged_;  // finished
  std::atomic<bool> judged_later_ = false;
  std::atomic<std::size_t> kept_by_now_ = 0;
};

// Removes what is kept of a run whose output is known to be done; what is another's stays.
void remove_kept(const Options& options);

// For people, of a run that has failed.
std::string describe(const ResumeFolder& kept);

}  // namespace vidconv
