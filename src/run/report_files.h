// The files of --stats, --metrics, --audit and --trace: looked at and opened before there is any
// work, written at its end.
#pragma once

#include <memory>
#include <string>

#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/io/run_files.h"
#include "pipeline/io/trace.h"
#include "pipeline/measure/measure_log.h"
#include "src/options/options.h"

namespace vidconv {

class ReportFiles {
 public:
  explicit ReportFiles(const Options& options) : options_(options) {}  // which outlive it
  // Throws Error(output), Error(usage) where one of them is another file of the run or exists and
  // is no report; neither is made then. `files` outlive it.
  void open(RunFiles& files);

  Trace* trace() const { return trace_.get(); }  // null where none is wanted
  void finish_trace() const;
  // Takes lines of --audit; null where none is wanted.
  ByteWriter* audit() const { return audit_writer_.get(); }
  void finish_audit();  // where the run has come to its end: else there is no such file
  bool wants_stats() const { return !options_.stats_file.empty(); }
  bool wants_metrics() const { return !options_.metrics_file.empty(); }
  bool stats_on_stdout() const { return options_.stats_file == "-"; }
  // A frame that was measured, in order; nothing where no --measure-log is wanted. Throws
  // Error(output).
  void add(const FrameScore& score);
  void finish_measures(const Measured& measured);
  bool wants_page() const { return !options_.report_file.empty(); }
  void write_page(const std::string& html);
  // Once; where there is no such file, or making it has failed, nothing happens.
  void write_stats(const std::string& json);
  void write_metrics(const std::string& json);  // of such a report, as write_stats()

 private:
  const Options& options_;
  struct Lines {  // of --measure-log
    PartialFile file;
    std::string waiting;
  };
  void flush();

  std::unique_ptr<PartialFile> stats_, metrics_, page_, audit_;
  std::unique_ptr<Lines> measures_;
  std::unique_ptr<ByteWriter> audit_writer_;
  std::unique_ptr<Trace> trace_;
};

}  // namespace vidconv
