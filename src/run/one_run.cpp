#include "src/run/one_run.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "pipeline/av/container.h"
#include "pipeline/base/printable.h"
#include "src/options/measure_words.h"

namespace vidconv {

void claim_files(const Options& o, RunFiles& files) {
  files.reads("the input", o.input);
  if (o.input == "-") files.reads("the input", STDIN_FILENO);
  for (const FilterSpec& filter : o.filters)
    for (const std::string& file : filter.files()) files.reads("the file of a filter", file);
  if (o.boxes) files.reads("the file of --regions", o.boxes->options().file);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})  // both may be the same file
    files.writes("standard output or error", fd);
  const bool runs = !o.explain && !o.benchmark_seconds;
  if (runs && o.output != "null:" && o.output != "md5:" && o.output != "-" &&
      !is_numbered(o.output))
    files.writes("the output", o.output);
}

bool is_damaged(const Job& job) {
  return job.source()->damage().any() ||
         std::ranges::any_of(job.sink()->copies(), [](const auto& stream) {
           return stream.second.refused > 0 || stream.second.failed > 0;
         });
}

void say_end(const Options& options, const RunResult& result, const Sink& sink,
             Messages& messages) {
  if (result.measured) messages.summarise(describe(*result.measured));
  const bool kept = options.output != "null:" && options.output != "md5:";
  messages.summarise(summary(result, options.output, kept ? sink.description() : ""));
  if (result.damage.any())
    messages.warn(MessageKind::damaged, describe(result.damage, options.input));
  if (const std::string failure = first_of(MessageKind::device_failed, messages.said());
      !failure.empty())
    messages.warn(MessageKind::device_failed, "all is done, although a device failed: " + failure);
}

Parts parts_of(const Job* job, const Sandbox* sandbox) {
  Parts parts{.sandbox = sandbox};
  if (!job) return parts;
  parts.source = job->source();
  if (!job->works().empty()) parts.work = job->works().data();
  parts.processor = job->processor();
  parts.sink = job->sink();
  return parts;
}

}  // namespace vidconv
