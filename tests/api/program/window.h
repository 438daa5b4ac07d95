/* Pictures in memory that follow each other in time, for tests of plans. */
#ifndef VIDCONV_TESTS_WINDOW_H
#define VIDCONV_TESTS_WINDOW_H

#include "picture.h"

enum { most_pictures = 12 };

/* `kernels` has up to three, with NULL after the last one. */
static inline vidconv_plan* planned_chain(const char* const* kernels,
                                          const vidconv_plan_options* options) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_filter* filters[3];
  vidconv_plan* plan = NULL;
  size_t i, count = 0;
  while (count < 3 && kernels[count]) {
    filters[count] = parsed(kernels[count]);
    ++count;
  }
  CHECK_OK(vidconv_plan_new(filters, count, options, &plan, &error), error);
  for (i = 0; i < count; ++i) vidconv_filter_free((vidconv_filter*)filters[i]);
  return plan;
}

/* Returns the number of results of so many pictures. */
static inline int results_of(const vidconv_plan* plan, int pictures) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_reach reach = VIDCONV_INIT(vidconv_reach);
  CHECK_OK(vidconv_plan_get_reach(plan, &reach, &error), error);
  return (int)((pictures - reach.phase + reach.every - 1) / reach.every);
}

/* Filters one picture of a video, with the smallest window that holds what it depends on. If it
 * goes on with the last one, there is one picture more before it. */
static inline vidconv_status run_window(vidconv_plan* plan, const picture* video, int pictures,
                                        int result, int goes_on, const picture* to, void* stream,
                                        vidconv_error* error) {
  const void* from[most_pictures * MOST_PLANES];
  ptrdiff_t strides[most_pictures * MOST_PLANES];
  vidconv_window window = VIDCONV_INIT(vidconv_window);
  vidconv_reach reach = VIDCONV_INIT(vidconv_reach);
  int64_t here, end, n;
  size_t p, count = 0;
  CHECK_OK(vidconv_plan_get_reach(plan, &reach, error), *error);
  here = result * reach.every + reach.phase;
  end = here + reach.after + 1 < pictures ? here + reach.after + 1 : pictures;
  window.result = result;
  window.first = here > reach.before + goes_on ? here - reach.before - goes_on : 0;
  window.pictures = end - window.first;
  window.goes_on = goes_on;
  for (n = window.first; n < end; ++n)
    for (p = 0; p < video[n].planes; ++p, ++count) {
      from[count] = video[n].data[p];
      strides[count] = video[n].stride[p];
    }
  return vidconv_plan_run_window(plan, &window, to->planes, from, strides, to->data, to->stride,
                                 stream, error);
}

#endif
