/* Checks and helpers for tests in C. */
#ifndef VIDCONV_TESTS_CHECK_H
#define VIDCONV_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vidconv/vidconv.h>

static int check_failures;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      ++check_failures;                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    }                                                                               \
  } while (0)

/* Checks a status; prints the error's message if it is another one. */
#define CHECK_STATUS(call, wanted, error)                                                  \
  do {                                                                                     \
    const vidconv_status status_ = (call);                                                 \
    if (status_ != (wanted)) {                                                             \
      ++check_failures;                                                                    \
      fprintf(stderr, "%s:%d: %s is %d, not %d: %s\n", __FILE__, __LINE__, #call, status_, \
              (int)(wanted), status_ ? (error).message : "");                              \
    }                                                                                      \
  } while (0)
#define CHECK_OK(call, error) CHECK_STATUS(call, VIDCONV_OK, error)

/* Returns pseudo-random numbers that are the same on every machine. */
static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static inline void fill_random(unsigned char* bytes, size_t count, unsigned seed) {
  size_t i;
  for (i = 0; i < count; ++i) bytes[i] = (unsigned char)next_random(&seed);
}

static inline vidconv_filter* parsed(const char* spec) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_filter* filter = NULL;
  CHECK_OK(vidconv_filter_parse(spec, &filter, &error), error);
  return filter;
}

static inline vidconv_plan* planned(const char* spec, const vidconv_plan_options* options) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_filter* filter = parsed(spec);
  const vidconv_filter* const filters[] = {filter};
  vidconv_plan* plan = NULL;
  CHECK_OK(vidconv_plan_new(filters, 1, options, &plan, &error), error);
  vidconv_filter_free(filter);
  return plan;
}

#endif
