#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "api/c/call.h"
#include "api/c/job.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/settings/settings_job.h"

namespace vidconv {
namespace {

constexpr double progress_seconds = 0.1;

[[noreturn]] void throw_interrupted(bool frames) {
  throw Error(MessageKind::interrupted, "the run was cancelled", "",
              frames ? "the output holds the frames so far" : "there is no output");
}

[[noreturn]] void throw_damaged(const Damage& damage) {
  std::string why = !damage.truncated.empty()    ? damage.truncated
                    : damage.first_error.empty() ? "frames are missing or wrong"
                                                 : damage.first_error;
  throw Error(MessageKind::damaged, "the input was damaged", "", why);
}

}  // namespace

Notify JobCallbacks::notify() const {
  if (!message) return {};
  return [to = message, user = message_user](MessageKind kind, const std::string& line) {
    const std::string name(kind_of(kind).name), text = printable(plain(redacted(line)));
    const vidconv_message said = {.size = sizeof said, .kind = name.c_str(), .text = text.c_str()};
    to(user, &said);
  };
}

JobRun::JobRun(const Settings& settings, const JobCallbacks& callbacks, std::atomic<bool>& stop,
               const std::function<void(JobOptions&)>& change)
    : callbacks_(callbacks), stop_(stop) {
  if (stop_) throw_interrupted(false);
  check_settings(settings);
  warn_of_filters(settings, callbacks_.notify());
  JobOptions options = job_options(settings, callbacks_.notify(), files_, stop_);
  if (change) change(options);
  if (!settings.audit_file.empty()) open_audit(settings, options);
  if (!options.open_source) files_.reads("the input", options.input);
  for (const FilterSpec& filter : settings.filters)
    for (const std::string& file : filter.files()) files_.reads("the file of a filter", file);
  if (settings.boxes && !settings.boxes->options().listed)
    files_.reads("the file of `regions`", settings.boxes->options().file);
  job_ = std::make_unique<Job>(std::move(options));
}

void JobRun::open_audit(const Settings& settings, JobOptions& options) {
  const std::string& name = settings.audit_file;
  audit_ =
      std::make_unique<PartialFile>(name, PartialFile::Options{.what = "the file of `audit`",
                                                               .overwrite = settings.sink.overwrite,
                                                               .files = &files_,
                                                               .interrupted = &stop_});
  audit_writer_ = std::make_unique<ByteWriter>(audit_->fd(), name);
  options.audit = [this](const std::string& line) { audit_writer_->write(line); };
}

void JobRun::open() {
  try {
    job_->open();
  } catch (...) {
    if (stop_) throw_interrupted(false);
    throw;
  }
  total_ = job_->source()->video().frames.value_or(-1);
}

bool JobRun::goes_on(const Progress& p) const {
  const vidconv_progress progress = {.size = sizeof progress,
                                     .frames = p.encoded,
                                     .total = total_,
                                     .seconds = p.seconds,
                                     .position = p.position,
                                     .bytes = p.bytes};
  return callbacks_.progress(callbacks_.progress_user, &progress) == 0;
}

void JobRun::run() noexcept {
  try {
    RunOptions options;
    options.reached = &result_;
    if (callbacks_.progress) {
      options.observer = [this](const Progress& p) {
        if (!goes_on(p)) stop_ = true;
      };
      options.observer_interval = progress_seconds;
    }
    result_ = job_->run(options);
    audit_writer_.reset();
    if (audit_) audit_->commit();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void JobRun::start(std::function<void()> ended) {
  thread_ = std::thread([this, ended = std::move(ended)] {
    run();
    ended();
  });
}

void JobRun::join() {
  if (thread_.joinable()) thread_.join();
}

void JobRun::conclude() const {
  if (failure_ && stop_ && result_.encoded == 0) throw_interrupted(false);
  if (failure_) std::rethrow_exception(failure_);
  if (stop_) throw_interrupted(true);
  if (result_.damage.any()) throw_damaged(result_.damage);
}

vidconv_stats JobRun::stats() const {
  vidconv_stats s = VIDCONV_INIT(vidconv_stats);
  s.decoded = result_.decoded;
  s.filtered = result_.filtered;
  s.encoded = result_.encoded;
  s.written = failure_ ? 0 : result_.written;
  s.verified = result_.verified;
  s.bytes = failure_ ? 0 : result_.bytes;
  s.host_bytes = static_cast<std::int64_t>(result_.memory.host);
  s.device_bytes = static_cast<std::int64_t>(result_.memory.device);
  s.seconds = result_.seconds;
  s.damaged_packets = result_.damage.packets;
  s.damaged_frames = result_.damage.frames;
  s.errors = result_.damage.errors;
  s.psnr = s.ssim = s.vmaf = s.xpsnr = s.crf = std::numeric_limits<double>::quiet_NaN();
  if (result_.measured) {
    const Measured& m = *result_.measured;
    for (const auto& [to, summary] : {std::pair(&s.psnr, &m.psnr),
                                      {&s.ssim, &m.ssim},
                                      {&s.vmaf, &m.vmaf},
                                      {&s.xpsnr, &m.xpsnr}})
      if (*summary) *to = (*summary)->all.value_or(std::numeric_limits<double>::infinity());
  }
  copy_text(s.limiting_stage, limiting_stage(result_.stages));
  if (job_->processor()) copy_text(s.device, job_->processor()->device());
  if (job_->sink()) copy_text(s.encoder, job_->sink()->description());
  return s;
}

void want_kernel(Settings& settings) {
  if (settings.filters.empty()) settings.filters.push_back(FilterSpec::parse("identity"));
}

}  // namespace vidconv
