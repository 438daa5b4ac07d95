// The files of --stats, --metrics, --audit, --trace and the like are checked and opened before any
// work is done, and written at its end.
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
  explicit ReportFiles(const Options& options) : options_(options) {}  // `options` outlives it
  // Throws Error(output) or Error(usage) if one of the files is another file of the run, or exists
  // and is no report; none is made then. `files` outlives this object.
  void open(RunFiles& files);

  Trace* trace() const { return trace_.get(); }  // null if none is wanted
  void finish_trace() const;
  // Returns the writer for lines of --audit; null if none is wanted.
  ByteWriter* audit() const { return audit_writer_.get(); }
  void finish_audit();  // for a run that has finished: otherwise there is no such file
  bool wants_stats() const { return !options_.stats_file.empty(); }
  bool wants_metrics() const { return !options_.metrics_file.empty(); }
  bool stats_on_stdout() const { return options_.stats_file == "-"; }
  // Adds a measured frame to --measure-log, in order; does nothing without one. Throws
  // Error(output).
  void add(const FrameScore& score);
  void finish_measures(const Measured& measured);
  bool wants_page() const { return !options_.report_file.empty(); }
  void write_page(const std::string& html);
  // To be called once; does nothing if there is no such file or it could not be made.
  void write_stats(const std::string& json);
  void write_metrics(const std::string& json);  // takes the same report as write_stats()

 private:
  const Options& options_;
  struct Lines {  // the lines of --measure-log
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
