#include "src/run/report_files.h"

#include <chrono>
#include <optional>
#include <utility>

#include "pipeline/io/byte_io.h"
#include "src/options/measure_words.h"
#include "src/process/standard_streams.h"
#include "src/run/metrics.h"
#include "src/run/report.h"

namespace vidconv {

void ReportFiles::open(RunFiles& files) {
  const Options& o = options_;
  // All files are checked before one is made.
  std::optional<PartialFile::Options> stats, metrics, audit, trace, measures, page;
  if (wants_stats() && !stats_on_stdout())
    stats = report_options("the report of --stats", o.stats_file, o, files);
  if (wants_metrics()) metrics = report_options("the file of --metrics", o.metrics_file, o, files);
  if (!o.trace_file.empty()) trace = report_options("the file of --trace", o.trace_file, o, files);
  if (!o.measure_log.empty())
    measures = report_options("the file of --measure-log", o.measure_log, o, files);
  if (wants_page()) page = report_options("the page of --report", o.report_file, o, files);
  if (!o.audit_file.empty()) audit = report_options("the file of --audit", o.audit_file, o, files);
  if (page) page_ = std::make_unique<PartialFile>(o.report_file, *page);
  if (audit) {
    audit_ = std::make_unique<PartialFile>(o.audit_file, *audit);
    audit_writer_ = std::make_unique<ByteWriter>(audit_->fd(), o.audit_file);
  }
  if (metrics) metrics_ = std::make_unique<PartialFile>(o.metrics_file, *metrics);
  if (stats) stats_ = std::make_unique<PartialFile>(o.stats_file, *stats);
  if (trace) trace_ = std::make_unique<Trace>(o.trace_file, *trace);
  if (measures)
    measures_.reset(new Lines{PartialFile(o.measure_log, *measures), measure_log_head(o)});
}

void ReportFiles::finish_trace() const {
  if (trace_) trace_->finish();
}

void ReportFiles::add(const FrameScore& score) {
  constexpr std::size_t enough = 65536;
  if (!measures_) return;
  measures_->waiting += measure_log_line(score, options_.measures);
  if (measures_->waiting.size() >= enough) flush();
}

void ReportFiles::flush() {
  ByteWriter(measures_->file.fd(), options_.measure_log).write(measures_->waiting);
  measures_->waiting.clear();
}

void ReportFiles::finish_measures(const Measured& measured) {
  if (!measures_) return;
  measures_->waiting += measure_log_end(measured);
  flush();
  measures_->file.commit();
  measures_.reset();
}

void ReportFiles::write_page(const std::string& html) {
  ByteWriter(page_->fd(), options_.report_file).write(html);
  page_->commit();
}

void ReportFiles::finish_audit() {
  audit_writer_.reset();
  if (const auto file = std::exchange(audit_, nullptr)) file->commit();
}

void ReportFiles::write_stats(const std::string& json) {
  if (stats_on_stdout()) return print(json);
  const auto file = std::exchange(stats_, nullptr);
  if (!file) return;
  ByteWriter(file->fd(), options_.stats_file).write(json);
  file->commit();
}

void ReportFiles::write_metrics(const std::string& json) {
  const auto file = std::exchange(metrics_, nullptr);
  if (!file) return;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  ByteWriter(file->fd(), options_.metrics_file).write(metrics_text(json, now.count()));
  file->commit();
}

}  // namespace vidconv
