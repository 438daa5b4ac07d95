// vidconv_job filters files into files.
#include "api/c/job.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "api/c/boxes.h"
#include "api/c/call.h"
#include "pipeline/platform/process.h"
#include "pipeline/settings/quality_search.h"

vidconv_status vidconv_job_new(vidconv_job** job, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_job*& place = vidconv::place_for(job, "job");
    vidconv::leave_process_alone();
    place = new vidconv_job;
  });
}

void vidconv_job_free(vidconv_job* job) { delete job; }

vidconv_status vidconv_job_set(vidconv_job* job, const char* name, const char* value,
                               vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::needed(job, "job")
        .words.set(&vidconv::needed(name, "name"), &vidconv::needed(value, "value"));
  });
}

vidconv_status vidconv_job_set_int(vidconv_job* job, const char* name, int64_t value,
                                   vidconv_error* error) {
  return vidconv_job_set(job, name, fmt::format_int(value).c_str(), error);
}

vidconv_status vidconv_job_set_double(vidconv_job* job, const char* name, double value,
                                      vidconv_error* error) {
  return vidconv::call(error, [&] {
    if (!std::isfinite(value)) vidconv::refuse_argument("value", fmt::format("it is {}", value));
    vidconv::needed(job, "job").words.set(&vidconv::needed(name, "name"), fmt::format("{}", value));
  });
}

vidconv_status vidconv_job_set_switch(vidconv_job* job, const char* name, int value,
                                      vidconv_error* error) {
  return vidconv::call(error, [&] {
    if (value != 0 && value != 1)
      vidconv::refuse_argument("value", fmt::format("it is {}, not 0 or 1", value));
    vidconv::needed(job, "job").words.set(&vidconv::needed(name, "name"), value ? "1" : "0");
  });
}

vidconv_status vidconv_job_set_regions(vidconv_job* job, const vidconv_box* regions, size_t count,
                                       const char* options, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::needed(job, "job")
        .words.set_regions(vidconv::understood(regions, count), options ? options : "");
  });
}

const char* vidconv_setting_name(size_t index) {
  const auto table = vidconv::settings();
  return index < table.size() ? table[index].name.data() : nullptr;  // a literal
}

const char* vidconv_setting_meaning(size_t index) {
  static const std::vector<std::string> meanings = [] {
    std::vector<std::string> lines;
    for (const vidconv::Setting& setting : vidconv::settings())
      lines.push_back(vidconv::meaning_of(setting));
    return lines;
  }();
  return index < meanings.size() ? meanings[index].c_str() : nullptr;
}

vidconv_status vidconv_job_on_progress(vidconv_job* job, vidconv_progress_function function,
                                       void* user, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::JobCallbacks& callbacks = vidconv::needed(job, "job").callbacks;
    callbacks.progress = function;
    callbacks.progress_user = user;
  });
}

vidconv_status vidconv_job_on_message(vidconv_job* job, vidconv_message_function function,
                                      void* user, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::JobCallbacks& callbacks = vidconv::needed(job, "job").callbacks;
    callbacks.message = function;
    callbacks.message_user = user;
  });
}

vidconv_status vidconv_job_run(vidconv_job* job, vidconv_stats* stats, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_job& j = vidconv::needed(job, "job");
    if (stats) vidconv::check_size(stats->size, sizeof *stats, "stats");
    vidconv::Settings settings = j.words.settings();
    for (const auto& [text, name] :
         {std::pair(&settings.input, "input"), {&settings.output, "output"}})
      if (text->empty())
        throw vidconv::Error(vidconv::Fault::usage, "cannot run the job", "",
                             std::string("`") + name + "` is not set", "set it");
    if (settings.filters.empty())
      throw vidconv::Error(vidconv::Fault::usage, "cannot run the job", "", "there is no `kernel`",
                           "set one");
    if (stats) vidconv::give(stats, vidconv_stats{}, "stats");
    double crf = std::numeric_limits<double>::quiet_NaN();
    if (settings.target) {
      const vidconv::FoundQuality found = vidconv::find_quality(settings, j.stop);
      vidconv::take(found, settings);
      crf = found.chosen.crf;
    }
    vidconv::JobRun run(settings, j.callbacks, j.stop);
    run.open();
    run.run();
    if (stats) {
      vidconv_stats done = run.stats();
      done.crf = crf;
      vidconv::give(stats, done, "stats");
    }
    run.conclude();
  });
}

void vidconv_job_cancel(vidconv_job* job) {
  if (!job) return;
  job->stop = true;
  job->opening->stop_opening();
}
