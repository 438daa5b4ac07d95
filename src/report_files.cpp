#include "src/report_files.h"

#include <optional>
#include <utility>

#include "pipeline/bytes/byte_io.h"
#include "src/report.h"
#include "src/standard_streams.h"

namespace vidconv {

void ReportFiles::open(RunFiles& files) {
  const Options& o = options_;
  // Both are looked at before either is made.
  std::optional<PartialFile::Options> stats, trace;
  if (wants_stats() && !stats_on_stdout())
    stats = report_options("the report of --stats", o.stats_file, o, files);
  if (!o.trace_file.empty()) trace = report_options("the file of --trace", o.trace_file, o, files);
  if (stats) stats_ = std::make_unique<PartialFile>(o.stats_file, *stats);
  if (trace) trace_ = std::make_unique<Trace>(o.trace_file, *trace);
}

void ReportFiles::finish_trace() const {
  if (trace_) trace_->finish();
}

void ReportFiles::write_stats(const std::string& json) {
  if (stats_on_stdout()) return print(json);
  const auto file = std::exchange(stats_, nullptr);
  if (!file) return;
  ByteWriter(file->fd(), options_.stats_file).write(json);
  file->commit();
}

}  // namespace vidconv
