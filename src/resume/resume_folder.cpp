#include "src/resume/resume_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/content_key.h"
#include "pipeline/io/partial_name.h"
#include "src/cluster/cluster_plan.h"
#include "src/options/output_key.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int run_schema = 1;
constexpr std::size_t shard_key_digits = 16;
constexpr std::string_view folder_ending = ".vidconv", run_name = "run.json", lock_name = "lock";

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why,
                                const std::string& remedy) {
  throw Error(MessageKind::resume, "cannot go on with what is kept in", path, why, remedy);
}
constexpr const char* same_or_anew =
    "start it with the same command, or use `overwrite` to begin anew";

// "3-0123456789abcdef.nut": the shard; none for other names.
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

// A shard that has one is whole.
bool is_ledger(const std::string& name) { return name.ends_with(".json") && shard_of(name); }

// Whether such a file is one of this folder's, or was to become one.
bool is_ours(const std::string& name) {
  const std::string_view part = ".part";
  std::string_view whole = name;
  if (whole.ends_with(part) && whole.size() > part.size() + 1 + shard_key_digits)
    whole.remove_suffix(part.size() + 1 + shard_key_digits);
  return whole == run_name || shard_of(whole).has_value();
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

std::string holder_of(int lock) {
  std::array<char, 256> text{};
  const ssize_t count = pread(lock, text.data(), text.size() - 1, 0);
  return count > 0 ? printable(text.data()) : "another process";
}

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

// The content of run.json.
struct ResumeFolder::Run {
  std::string key, version, libraries, input, identity, output;
  std::vector<std::string> options, command;

  static std::unique_ptr<Run> of(const Options& o) {
    const std::string path = local_path(o.input);
    const bool pattern = o.input.starts_with("pattern:");
    if (!pattern && !is_there(path))
      throw Error(MessageKind::input_missing, "cannot open the input", path,
                  "there is no such file");
    const auto key = output_key(key_of_words(o), o);
    const auto identity = pattern ? std::optional(o.input) : identity_of_file(path);
    if (!key || !identity)
      throw Error(MessageKind::resume, "cannot go on later with", redacted(o.input),
                  "nobody can tell whether such an input is still the same then",
                  "name a file that can be read, or leave out --resume");
    return std::make_unique<Run>(
        Run{.key = *key,
            .version = VIDCONV_VERSION,
            .libraries = libav_versions(),
            .input = pattern ? o.input : std::filesystem::absolute(path).string(),
            .identity = *identity,
            .output = std::filesystem::absolute(local_path(o.output)).string(),
            .options = words_of(o),
            .command = o.command});
  }

  static Run parse(const std::string& text) {
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

  std::string json(bool in_order, const std::string& quality,
                   const std::optional<Named>& named) const {
    Json all{{"schema", run_schema},
             {"key", key},
             {"version", version},
             {"libraries", libraries},
             {"input", {{"path", input}, {"identity", identity}}},
             {"output", output},
             {"options", options},
             {"command", command},
             {"in_order", in_order},
             {"quality", quality}};
    if (named)
      all["named"] = {{"inode", named->inode}, {"size", named->size}, {"damaged", named->damaged}};
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  // Why what `kept` has made is not for this run.
  std::string difference(const Run& kept) const {
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
};

std::string resume_folder(const Options& o) {
  const std::filesystem::path output = local_path(o.output);
  const std::filesystem::path folder =
      o.resume_folder.empty() ? output.parent_path() : std::filesystem::path(o.resume_folder);
  const std::string name = "." + output.filename().string() + std::string(folder_ending);
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
      run_(Run::of(options)) {
  lock();
  try {
    take_over(overwrite_);
  } catch (...) {
    if (!is_there(fmt::format("{}/{}", path_, run_name))) {  // it is not a run's
      unlink(fmt::format("{}/{}", path_, lock_name).c_str());
      rmdir(path_.c_str());
    }
    close(lock_);
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
  close(lock_);
}

// The folder's own name has to last as well.
void ResumeFolder::make() {
  if (mkdir(path_.c_str(), 0777) == 0) {
    const int parent = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent >= 0) sync_to_disk(parent);
    if (parent >= 0) close(parent);
    return;
  }
  struct stat status;
  if (errno != EEXIST) {
    const int error = errno;
    throw Error(Fault::output, "cannot make the folder", path_, std::strerror(error),
                "name another one with --resume=DIR");
  }
  if (lstat(path_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    refuse_folder(path_, "it is no folder", "find out who has put it there, and remove it");
}

void ResumeFolder::lock() {
  const std::string name = fmt::format("{}/{}", path_, lock_name);
  constexpr int tries = 3;  // the run before may just be removing it
  for (int i = 0; i < tries; ++i) {
    make();
    const int fd = open(name.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) continue;
    if (fd < 0) refuse_folder(path_, std::strerror(errno), "name another one with --resume=DIR");
    struct stat held, there;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string holder = holder_of(fd);
      close(fd);
      if (error != EWOULDBLOCK)
        refuse_folder(path_, fmt::format("files cannot be locked there: {}", std::strerror(error)),
                      "name a folder on another file system with --resume=DIR");
      refuse_folder(path_, fmt::format("another run is at work on it: {}", holder),
                    "wait for it, or end it and start this again");
    }
    if (fstat(fd, &held) == 0 && lstat(name.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
        held.st_dev == there.st_dev) {
      lock_ = fd;
      std::array<char, 256> host{};
      gethostname(host.data(), host.size() - 1);
      const std::string who = fmt::format("process {} on {}", getpid(), host.data());
      // Where the disk is full, it is "another process" for who comes next.
      [[maybe_unused]] const bool said =
          ftruncate(fd, 0) == 0 && pwrite(fd, who.data(), who.size(), 0) > 0;
      return;
    }
    close(fd);
  }
  refuse_folder(path_, "another run comes and goes there", "start this again");
}

void ResumeFolder::take_over(bool overwrite) {
  const std::string name = fmt::format("{}/{}", path_, run_name);
  std::string why;
  if (is_there(name)) {
    try {
      const std::string text = read_text(name, MessageKind::resume);
      const Run kept = Run::parse(text);
      if (kept.key == run_->key) {
        const Json all = Json::parse(text);
        all.at("in_order").get_to(in_order_);
        all.at("quality").get_to(quality_);
        if (const auto named = all.find("named"); named != all.end())
          named_ = {named->at("inode"), named->at("size"), named->at("damaged")};
        return;
      }
      why = run_->difference(kept);
    } catch (const Error& error) {
      why = error.message();
    } catch (const std::exception& error) {
      why = fmt::format("its {} makes no sense: {}", run_name, verbatim(error.what()));
    }
  } else if (std::ranges::any_of(names_in(path_), [](const std::string& file) {
               return file != lock_name && !is_ours(file);
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
  write_text(fmt::format("{}/{}", path_, run_name), "what is known of the run",
             run_->json(in_order_, quality_, named_), false);
}

void ResumeFolder::keep_quality(const std::string& crf) {
  quality_ = crf;
  write_run();
}

void ResumeFolder::about_to_name(int fd, bool damaged) {
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  named_ = {status.st_ino, status.st_size, damaged};
  try {
    write_run();
  } catch (const Error&) {
    // The output has its room all the same; a next run would say that it exists.
  }
}

bool ResumeFolder::output_is_there() const {
  struct stat status;
  return named_ && stat(run_->output.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_ino == named_->inode && status.st_size == named_->size;
}

void ResumeFolder::clear() const {
  for (const std::string& name : names_in(path_))
    if (is_ours(name)) unlink(fmt::format("{}/{}", path_, name).c_str());
}

void ResumeFolder::remove() {
  if (std::exchange(removed_, true)) return;
  try {
    clear();
  } catch (...) {
    return;  // --list-resumable will name it
  }
  unlink(fmt::format("{}/{}", path_, lock_name).c_str());
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
  key.add("run", run_->key);
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
    in_order_ = true;
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
  if (!is_there(fmt::format("{}/{}", resume_folder(options), run_name))) return;
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

std::vector<Leftover> leftovers_in(const std::string& folder) {
  std::vector<Leftover> all;
  if (std::error_code error; !std::filesystem::is_directory(folder, error))
    throw Error(MessageKind::resume, "cannot list what is kept in", folder,
                "there is no such folder", "name one");
  for (const std::string& name : names_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    if (!name.starts_with('.') || !name.ends_with(folder_ending) ||
        !std::filesystem::is_directory(std::filesystem::symlink_status(path, error)))
      continue;
    Leftover& left = all.emplace_back();
    left.path = path;
    try {
      const Json run =
          Json::parse(read_text(fmt::format("{}/{}", path, run_name), MessageKind::resume));
      run.at("output").get_to(left.output);
      run.at("input").at("path").get_to(left.input);
      run.at("command").get_to(left.command);
    } catch (...) {
      left.output = left.input = "";  // nobody knows
    }
    for (const std::string& file : names_in(path)) {
      if (is_ledger(file)) ++left.shards;
      const auto size = std::filesystem::file_size(std::filesystem::path(path) / file, error);
      if (!error) left.bytes += static_cast<std::int64_t>(size);
    }
    const int lock =
        open(fmt::format("{}/{}", path, lock_name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    left.at_work = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lock >= 0) close(lock);
  }
  return all;
}

}  // namespace vidconv
