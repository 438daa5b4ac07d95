#include "arguments.h"

static vidconv_plan_options usual(void) {
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  options.format = "gray";
  options.width = 8;
  options.height = 8;
  return options;
}

static vidconv_status plan_with(const vidconv_plan_options* options, vidconv_error* error) {
  vidconv_filter* const filter = parsed("box");
  const vidconv_filter* const filters[] = {filter};
  vidconv_plan* plan = NULL;
  const vidconv_status status = vidconv_plan_new(filters, 1, options, &plan, error);
  CHECK((plan != NULL) == (status == VIDCONV_OK));
  vidconv_plan_free(plan);
  vidconv_filter_free(filter);
  return status;
}

static void plan_options(void) {
  static const char* const formats[] = {"",        "u7",     "u17",  "u08",        "u8x0",
                                        "u8x4097", "u8p-1",  "u8x",  "u8x03",      "f64",
                                        "no-such", "u8x3p3", "pal8", "yuv420p9be", "cuda"};
  static const int32_t sizes[] = {0, -1, INT32_MIN, INT32_MAX, 1 << 30};
  static const char* const borders[] = {"no-such", "constant", "constant:", "constant:nan",
                                        "constant:2"};
  static const char* const devices[] = {"",         "auto",     "cuda:", "cuda:-1",
                                        "cuda:all", "cuda:0,1", "gpu"};
  static const int32_t numbers[] = {-1, INT32_MIN, INT32_MAX};
  vidconv_plan_options o;
  size_t i;
  for (i = 0; i < sizeof formats / sizeof *formats; ++i) {
    o = usual();
    o.format = formats[i];
    REFUSED(plan_with(&o, error));
  }
  o = usual();
  o.format = NULL;
  REFUSED(plan_with(&o, error));
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    o = usual();
    o.width = sizes[i];
    REFUSED(plan_with(&o, error));
    o = usual();
    o.height = sizes[i];
    REFUSED(plan_with(&o, error));
  }
  o = usual(); /* few pixels, many bytes */
  o.format = "f32x4096";
  o.width = 1 << 20;
  REFUSED(plan_with(&o, error));
  for (i = 0; i < sizeof borders / sizeof *borders; ++i) {
    o = usual();
    o.border = borders[i];
    REFUSED(plan_with(&o, error));
  }
  for (i = 0; i < sizeof devices / sizeof *devices; ++i) {
    o = usual();
    o.device = devices[i];
    REFUSED(plan_with(&o, error));
  }
  o = usual();
  o.planes = "nonsense";
  REFUSED(plan_with(&o, error));
  o.planes = "chroma"; /* grey has none */
  REFUSED(plan_with(&o, error));
  for (i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    o = usual();
    o.threads = numbers[i];
    REFUSED(plan_with(&o, error));
    o = usual();
    o.interlaced = numbers[i];
    REFUSED(plan_with(&o, error));
    o = usual();
    o.host = numbers[i];
    REFUSED(plan_with(&o, error));
    o = usual();
    o.linear = numbers[i];
    REFUSED(plan_with(&o, error));
  }
  /* Light has colours. */
  o = usual();
  o.linear = 1;
  o.format = "u8x3";
  REFUSED(plan_with(&o, error));
  o.format = "grayf32le";
  REFUSED(plan_with(&o, error));
  o.format = "rgb24";
  o.planes = "luma";
  REFUSED(plan_with(&o, error));
  /* No machine has this device. */
  {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    o = usual();
    o.device = "cuda:99";
    CHECK_STATUS(plan_with(&o, &error), VIDCONV_DEVICE, error);
    CHECK(strcmp(error.kind, "device") == 0 && error.remedy[0]);
  }
}

static void plans(void) {
  union {
    vidconv_plan_options known;
    unsigned char bytes[sizeof(vidconv_plan_options) + 64];
  } u;
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = usual();
  vidconv_filter* const filter = parsed("box");
  const vidconv_filter* filters[2];
  vidconv_plan* plan = NULL;
  size_t i;
  filters[0] = filter;
  filters[1] = NULL;
  tried("vidconv_plan_new");
  REFUSED(vidconv_plan_new(NULL, 1, &options, &plan, error));
  REFUSED(vidconv_plan_new(filters, 0, &options, &plan, error));
  REFUSED(vidconv_plan_new(filters, 2, &options, &plan, error));
  REFUSED(vidconv_plan_new(filters, SIZE_MAX, &options, &plan, error));
  REFUSED(vidconv_plan_new(filters, 1, NULL, &plan, error));
  REFUSED(vidconv_plan_new(filters, 1, &options, NULL, error));
  memset(&u, 0, sizeof u);
  u.known = usual();
  for (i = 0; i < wrong_size_count; ++i) {
    u.known.size = wrong_sizes[i];
    REFUSED(vidconv_plan_new(filters, 1, &u.known, &plan, error));
  }
  u.known.size = sizeof u; /* a later version's struct, without use of its members */
  CHECK_OK(vidconv_plan_new(filters, 1, &u.known, &plan, &error), error);
  vidconv_plan_free(plan);
  u.bytes[sizeof u - 1] = 1; /* a later version's member is used */
  REFUSED(vidconv_plan_new(filters, 1, &u.known, &plan, error));
  plan_options();
  tried("vidconv_plan_free");
  vidconv_plan_free(NULL);
  vidconv_filter_free(filter);
}

static void runs(void) {
  static const ptrdiff_t strides[] = {
      0, 1, 15, -15, 17, PTRDIFF_MAX - 1, PTRDIFF_MIN, PTRDIFF_MIN + 2};
  vidconv_plan_options options = usual();
  unsigned char memory[2][256];
  const void* from[1];
  void* to[1];
  ptrdiff_t good = 16, bad;
  vidconv_plan* plan;
  size_t i;
  options.format = "u16";
  plan = planned("box", &options);
  memset(memory, 0, sizeof memory);
  from[0] = memory[0];
  to[0] = memory[1];
  tried("vidconv_plan_run");
  REFUSED(vidconv_plan_run(NULL, 1, from, &good, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 0, from, &good, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 2, from, &good, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, SIZE_MAX, from, &good, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 1, NULL, &good, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 1, from, NULL, to, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 1, from, &good, NULL, &good, NULL, error));
  REFUSED(vidconv_plan_run(plan, 1, from, &good, to, NULL, NULL, error));
  for (i = 0; i < sizeof strides / sizeof *strides; ++i) {
    bad = strides[i];
    REFUSED(vidconv_plan_run(plan, 1, from, &bad, to, &good, NULL, error));
    REFUSED(vidconv_plan_run(plan, 1, from, &good, to, &bad, NULL, error));
  }
  from[0] = NULL;
  REFUSED(vidconv_plan_run(plan, 1, from, &good, to, &good, NULL, error));
  from[0] = memory[0] + 1; /* half a sample */
  REFUSED(vidconv_plan_run(plan, 1, from, &good, to, &good, NULL, error));
  from[0] = memory[1]; /* in place */
  REFUSED(vidconv_plan_run(plan, 1, from, &good, to, &good, NULL, error));
  from[0] = (const void*)(UINTPTR_MAX - 15); /* the end of all memory */
  REFUSED(vidconv_plan_run(plan, 1, from, &good, to, &good, NULL, error));
  vidconv_plan_free(plan);
}

static vidconv_window window_of(int64_t result, int64_t first, int64_t pictures) {
  vidconv_window window = VIDCONV_INIT(vidconv_window);
  window.result = result;
  window.first = first;
  window.pictures = pictures;
  return window;
}

static void windows(void) {
  static const int64_t wrong[][3] = {{-1, 0, 4}, {0, -1, 4}, {0, 0, 0},         {0, 0, -1},
                                     {4, 0, 4},  {1, 2, 2},  {INT64_MAX, 0, 4}, {0, INT64_MAX, 4},
                                     {3, 3, 1},  {3, 2, 2},  {0, 0, INT64_MAX}, {INT64_MIN, 0, 4}};
  vidconv_plan_options options = usual();
  unsigned char memory[5][64];
  const void* from[4];
  void* to[1];
  ptrdiff_t strides[4] = {8, 8, 8, 8};
  vidconv_window window = window_of(2, 0, 4);
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan* plan = planned("time:1 2 1:anchor=2:scale=auto", &options);
  size_t i;
  memset(memory, 0, sizeof memory);
  for (i = 0; i < 4; ++i) from[i] = memory[i];
  to[0] = memory[4];
  tried("vidconv_plan_run_window");
  CHECK_OK(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, &error),
           error);
  REFUSED(vidconv_plan_run_window(NULL, &window, 1, from, strides, to, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, NULL, 1, from, strides, to, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, &window, 2, from, strides, to, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, &window, 1, NULL, strides, to, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, NULL, to, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, NULL, strides, NULL, error));
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, NULL, NULL, error));
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    window = window_of(wrong[i][0], wrong[i][1], wrong[i][2]);
    REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, error));
  }
  window = window_of(2, 0, 4);
  window.goes_on = 2;
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, error));
  window.goes_on = 0;
  for (i = 0; i < wrong_size_count; ++i) {
    window.size = wrong_sizes[i];
    REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, error));
  }
  window.size = sizeof window;
  from[3] = NULL; /* one that the result does not depend on */
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, error));
  from[3] = memory[4]; /* in place */
  REFUSED(vidconv_plan_run_window(plan, &window, 1, from, strides, to, strides, NULL, error));
  /* A picture alone has no others around it. */
  REFUSED(vidconv_plan_run(plan, 1, from, strides, to, strides, NULL, error));
  vidconv_plan_free(plan);
}

static void questions(void) {
  vidconv_plan_options options = usual();
  vidconv_plan* const plan = planned("sobel", &options);
  vidconv_plan_info info = VIDCONV_INIT(vidconv_plan_info);
  vidconv_plane_info plane = VIDCONV_INIT(vidconv_plane_info);
  vidconv_step_info step = VIDCONV_INIT(vidconv_step_info);
  vidconv_reach reach = VIDCONV_INIT(vidconv_reach);
  tried("vidconv_plan_get_info");
  REFUSED(vidconv_plan_get_info(NULL, &info, error));
  GIVES(vidconv_plan_info, vidconv_plan_get_info(plan, out, error));
  tried("vidconv_plan_get_reach");
  REFUSED(vidconv_plan_get_reach(NULL, &reach, error));
  GIVES(vidconv_reach, vidconv_plan_get_reach(plan, out, error));
  tried("vidconv_plan_get_plane");
  REFUSED(vidconv_plan_get_plane(NULL, 0, &plane, error));
  REFUSED(vidconv_plan_get_plane(plan, 1, &plane, error));
  REFUSED(vidconv_plan_get_plane(plan, SIZE_MAX, &plane, error));
  GIVES(vidconv_plane_info, vidconv_plan_get_plane(plan, 0, out, error));
  tried("vidconv_plan_get_step");
  REFUSED(vidconv_plan_get_step(NULL, 0, &step, error));
  REFUSED(vidconv_plan_get_step(plan, 1, &step, error));
  REFUSED(vidconv_plan_get_step(plan, SIZE_MAX, &step, error));
  GIVES(vidconv_step_info, vidconv_plan_get_step(plan, 0, out, error));
  vidconv_plan_free(plan);
}

/* Options combined at random always give a status, never a crash. */
static void at_random(void) {
  static const char* const words[] = {NULL,    "",           "gray",    "rgb24",   "u8",
                                      "u16x3", "f16p2",      "nv12",    "reflect", "yuv420pf32",
                                      "zero",  "constant:1", "all",     "luma",    "y,u",
                                      "cpu",   "cuda:99",    "yuv410p", "\x80",    "%s%n"};
  static const int32_t numbers[] = {-1, 0, 1, 2, 3, 7, 64, 1 << 16, INT32_MAX};
  enum {
    word_count = sizeof words / sizeof *words,
    number_count = sizeof numbers / sizeof *numbers
  };
  unsigned state = 1;
  int i, made = 0;
  for (i = 0; i < 3000; ++i) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_plan_options o = VIDCONV_INIT(vidconv_plan_options);
    vidconv_status status;
    o.format = words[next_random(&state) % word_count];
    o.border = words[next_random(&state) % word_count];
    o.planes = words[next_random(&state) % word_count];
    o.device = next_random(&state) % 4 ? "cpu" : words[next_random(&state) % word_count];
    o.width = numbers[next_random(&state) % number_count];
    o.height = numbers[next_random(&state) % number_count];
    o.threads = (int32_t)(next_random(&state) % 3);
    o.interlaced = (int32_t)(next_random(&state) % 3);
    status = plan_with(&o, &error);
    CHECK(status == VIDCONV_OK || status == VIDCONV_USAGE || status == VIDCONV_DEVICE);
    CHECK(status == VIDCONV_OK || (error.status == status && error.message[0]));
    made += status == VIDCONV_OK;
  }
  CHECK(made > 10);
}

int plan_arguments(void) {
  plans();
  runs();
  windows();
  questions();
  at_random();
  return check_failures;
}
