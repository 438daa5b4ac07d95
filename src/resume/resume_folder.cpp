#include "src/resume/resume_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string_view>
#include <utility>

#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/content_key.h"
#include "pipeline/io/partial_name.h"
#include "src/cluster/cluster_plan.h"
#include "src/resume/resume_files.h"

namespace vidconv {
namespace {

constexpr const char* same_or_anew =
    "start it with the same command, or use `overwrite` to begin anew";

}  // namespace

std::string resume_folder(const Options& o) {
  const std::filesystem::path output = local_path(o.output);
  const std::filesystem::path folder =
      o.resume_folder.empty() ? output.parent_path() : std::filesystem::path(o.resume_folder);
  const std::string name = "." + output.filename().string() + std::string(resume_folder_ending);
  return folder.empty() ? name : (folder / name).string();
}

class ResumeFolder::Writer final : public ShardWriter {
 public:
  Writer(ResumeFolder& folder, std::int64_t shard)
      : folder_(folder),
        shard_(shard),
        file_(std::make_unique<ShardFileWriter>(folder.path_of(shard) + ".nut",
                                                "the shard that is kept", folder.video_)) {}

  void write(const AVPacket& packet) override {
    const PacketPtr copy(av_packet_clone(&packet));
    if (!copy) throw_out_of_memory("for a packet of", folder_.path_);
    file_->write(*copy);
  }

  void keep() override {
    file_->finish();
    folder_.finished(shard_, std::move(file_));
  }

 private:
  ResumeFolder& folder_;
  const std::int64_t shard_;
  std::unique_ptr<ShardFileWriter> file_;
};

ResumeFolder::ResumeFolder(const Options& options, Notify notify)
    : path_(resume_folder(options)),
      notify_(std::move(notify)),
      overwrite_(options.sink.overwrite),
      run_(ResumeRun::of(options)),
      lock_(path_) {
  try {
    take_over(overwrite_);
  } catch (...) {
    if (!is_there(fmt::format("{}/{}", path_, resume_run_name))) {  // it is not a run's
      lock_.remove();
      rmdir(path_.c_str());
    }
    throw;
  }
}

ResumeFolder::~ResumeFolder() {
  unjudged_.clear();
  try {
    if (std::ranges::none_of(names_in(path_), is_ledger)) remove();
  } catch (...) {
    // It stays, and --list-resumable names it.
  }
}

void ResumeFolder::take_over(bool overwrite) {
  const std::string name = fmt::format("{}/{}", path_, resume_run_name);
  std::string why;
  if (is_there(name)) {
    try {
      const std::string text = read_text(name, MessageKind::resume);
      const ResumeRun kept = ResumeRun::parse(text);
      if (kept.key == run_.key) {
        state_ = ResumeRun::parse_state(text);
        return;
      }
      why = run_.difference(kept);
    } catch (const Error& error) {
      why = error.message();
    } catch (const std::exception& error) {
      why = fmt::format("its {} makes no sense: {}", resume_run_name, verbatim(error.what()));
    }
  } else if (std::ranges::any_of(names_in(path_), [](const std::string& file) {
               return file != resume_lock_name && !is_resume_file(file);
             })) {
    refuse_folder(path_, "it holds files that are not of a run",
                  "move them elsewhere, or name another folder with --resume=DIR");
  }
  if (!why.empty() && !overwrite) refuse_folder(path_, why, same_or_anew);
  if (!why.empty())
    vidconv::notify(notify_, MessageKind::resumed,
                    fmt::format("what is kept in {} is dropped: {}", verbatim(path_), why));
  clear();
  write_run();
}

void ResumeFolder::write_run() const {
  write_text(fmt::format("{}/{}", path_, resume_run_name), "what is known of the run",
             run_.json(state_), false);
}

void ResumeFolder::keep_quality(const std::string& crf) {
  state_.quality = crf;
  write_run();
}

void ResumeFolder::about_to_name(int fd, bool damaged) {
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  state_.named = {status.st_ino, status.st_size, damaged};
  try {
    write_run();
  } catch (const Error&) {
    // The output has its room all the same; a next run would say that it exists.
  }
}

bool ResumeFolder::output_is_there() const {
  struct stat status;
  return state_.named && stat(run_.output.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_ino == state_.named->inode && status.st_size == state_.named->size;
}

void ResumeFolder::clear() const {
  for (const std::string& name : names_in(path_))
    if (is_resume_file(name)) unlink(fmt::format("{}/{}", path_, name).c_str());
}

void ResumeFolder::remove() {
  if (std::exchange(removed_, true)) return;
  try {
    clear();
  } catch (...) {
    return;  // --list-resumable will name it
  }
  lock_.remove();
  rmdir(path_.c_str());
  kept_by_now_ = 0;
}

void ResumeFolder::begin(const ShardOptions& cut, const AVCodecParameters& encoded,
                         AVRational time_base, const std::string& encoder) {
  video_ = {.parameters = CodecParametersPtr(avcodec_parameters_alloc()),
            .time_base = time_base,
            .encoder = encoder};
  if (!video_.parameters) throw_out_of_memory("for the encoder", encoder);
  check_av(avcodec_parameters_copy(video_.parameters.get(), &encoded), Fault::internal,
           "cannot describe the video");
  check_cluster_encoder(encoded.codec_id, static_cast<AVPixelFormat>(encoded.format), encoder);
  ContentKey key;
  key.add("run", run_.key);
  key.add("cut", fmt::format("{} {}", cut.count, cut.length));
  if (cut.begins)
    for (const std::int64_t begin : *cut.begins) key.add("begin", fmt::format("{}", begin));
  key.add("encoder", encoder);
  key.add("header", std::string_view(reinterpret_cast<const char*>(encoded.extradata),
                                     static_cast<std::size_t>(encoded.extradata_size)));
  key.add("time base", fmt::format("{}/{}", time_base.num, time_base.den));
  cut_key_ = key.hex();
  if (std::exchange(begun_, true)) {  // nothing that was done before counts
    judged_later_ = false;
    const std::lock_guard lock(mutex_);
    unjudged_.clear();
    judged_.clear();
    refused_.clear();
    ledgers_.clear();
    clear();
    state_.in_order = true;
    write_run();
  }
  find_shards(overwrite_);
}

void ResumeFolder::find_shards(bool overwrite) {
  shards_.clear();
  frames_ = 0;
  seconds_ = 0;
  bool foreign = false;
  for (const std::string& name : names_in(path_)) {
    if (is_ledger(name))
      foreign |= fmt::format("{}/{}", path_, name) != path_of(*shard_of(name)) + ".json";
  }
  if (foreign) {
    const std::string why =
        "shards that are there were cut otherwise, or made with another library of the encoder";
    if (!overwrite) refuse_folder(path_, why, same_or_anew);
    vidconv::notify(notify_, MessageKind::resumed,
                    fmt::format("what is kept in {} is dropped: {}", verbatim(path_), why));
    clear();
    write_run();
  }
  std::int64_t ticks = 0;
  for (const std::string& name : names_in(path_)) {
    if (!is_ledger(name) || !take(*shard_of(name))) continue;
    shards_.push_back(*shard_of(name));
    const ShardLedger& ledger = ledgers_.at(shards_.back());
    frames_ += std::ssize(ledger.packets);
    for (const PacketTimes& packet : ledger.packets) ticks += packet.duration;
  }
  std::ranges::sort(shards_);
  seconds_ = static_cast<double>(ticks) * av_q2d(video_.time_base);
  kept_by_now_ = shards_.size();
  if (!shards_.empty())
    vidconv::notify(
        notify_, MessageKind::resumed,
        fmt::format("going on: {} {} of {} frames, {:.1f} s, from before", shards_.size(),
                    shards_.size() == 1 ? "shard" : "shards", frames_, seconds_));
}

// Whether it is whole; one that is not goes.
bool ResumeFolder::take(std::int64_t shard) {
  const std::string path = path_of(shard);
  try {
    ShardLedger ledger = read_ledger(path + ".json", key_of(shard));
    check_part(path + ".nut", ledger, true);
    if (ledger.packets.empty()) return false;
    ledgers_.emplace(shard, std::move(ledger));
    return true;
  } catch (const Error& error) {
    vidconv::notify(notify_, MessageKind::resumed,
                    fmt::format("shard {} is encoded again: '{}': {}", shard, error.value().text(),
                                error.why()));
  }
  for (const char* kind : {".json", ".nut"}) unlink((path + kind).c_str());
  return false;
}

std::string ResumeFolder::path_of(std::int64_t shard) const {
  return fmt::format("{}/{}-{}", path_, shard, key_of(shard));
}

std::string ResumeFolder::key_of(std::int64_t shard) const {
  ContentKey key;
  key.add("cut", cut_key_);
  key.add("shard", fmt::format("{}", shard));
  return key.hex().substr(0, shard_key_digits);
}

namespace {

class FileShard final : public KeptShard {
 public:
  FileShard(const std::string& path, const ShardLedger& ledger)
      : shown_(times_of(ledger)), reader_(path, ledger) {}

  const std::vector<std::int64_t>& shown() const override { return shown_; }
  PacketPtr read() override { return reader_.read(); }

 private:
  const std::vector<std::int64_t> shown_;
  PartReader reader_;
};

}  // namespace

std::unique_ptr<KeptShard> ResumeFolder::read(std::int64_t shard) const {
  return std::make_unique<FileShard>(path_of(shard) + ".nut", ledgers_.at(shard));
}

std::unique_ptr<ShardWriter> ResumeFolder::write(std::int64_t shard) {
  return std::make_unique<Writer>(*this, shard);
}

void ResumeFolder::finished(std::int64_t shard, std::unique_ptr<ShardFileWriter> file) {
  {
    const std::lock_guard lock(mutex_);
    if (refused_.contains(shard)) return;
    if (judged_later_ && !judged_.contains(shard)) {
      unjudged_[shard] = std::move(file);
      return;
    }
  }
  publish(shard, *file);
}

void ResumeFolder::judged(std::int64_t shard) {
  std::unique_ptr<ShardFileWriter> file;
  {
    const std::lock_guard lock(mutex_);
    judged_.insert(shard);
    const auto found = unjudged_.find(shard);
    if (found == unjudged_.end()) return;
    file = std::move(found->second);
    unjudged_.erase(found);
  }
  publish(shard, *file);
}

void ResumeFolder::refuse(std::int64_t shard) {
  const std::lock_guard lock(mutex_);
  refused_.insert(shard);
}

// The ledger comes last: what has one is whole.
void ResumeFolder::publish(std::int64_t shard, ShardFileWriter& file) {
  ShardLedger ledger = file.publish();
  ledger.key = key_of(shard);
  write_text(path_of(shard) + ".json", "the ledger of the shard",
             ledger_json(ledger, static_cast<std::size_t>(shard)), false);
  ++kept_by_now_;
}

void remove_kept(const Options& options) {
  if (!is_there(fmt::format("{}/{}", resume_folder(options), resume_run_name))) return;
  try {
    ResumeFolder(options, {}).remove();
  } catch (const Error&) {
    // It is another's, or at work.
  }
}

std::string describe(const ResumeFolder& kept) {
  return fmt::format("{} {} kept in {}: the same command goes on", kept.kept_by_now(),
                     kept.kept_by_now() == 1 ? "shard is" : "shards are", verbatim(kept.path()));
}

}  // namespace vidconv
