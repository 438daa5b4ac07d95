/* Jobs, and their files beside the command's, for tests of videos. */
#ifndef VIDCONV_TESTS_JOB_H
#define VIDCONV_TESTS_JOB_H

#include <unistd.h>

#include "check.h"

static const char* command;
static const char* folder;
static char path_buffer[8][1024];

static inline const char* path(const char* name) {
  static int next;
  char* const buffer = path_buffer[next++ % 8];
  snprintf(buffer, sizeof *path_buffer, "%s/%s", folder, name);
  return buffer;
}

static inline int exists(const char* name) { return access(path(name), F_OK) == 0; }

static inline void shell(const char* arguments) {
  char line[4096];
  snprintf(line, sizeof line, "cd '%s' && '%s' -y -q --device cpu %s", folder, command, arguments);
  CHECK(system(line) == 0);
}

static inline int equal_files(const char* a, const char* b) {
  char line[4096];
  snprintf(line, sizeof line, "cmp '%s' '%s'", path(a), path(b));
  return system(line) == 0;
}

static inline void set(vidconv_job* job, const char* name, const char* value) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  CHECK_OK(vidconv_job_set(job, name, value, &error), error);
}

static inline vidconv_job* new_job(const char* input, const char* output, const char* kernel) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = NULL;
  CHECK_OK(vidconv_job_new(&job, &error), error);
  set(job, "device", "cpu");
  set(job, "overwrite", "1");
  if (input) set(job, "input", input);
  if (output) set(job, "output", path(output));
  if (kernel) set(job, "kernel", kernel);
  return job;
}

#endif
