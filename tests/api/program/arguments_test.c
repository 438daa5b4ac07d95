/* Nonsense for every function: an error or nothing at all, never a crash. Prints the names of the
 * functions that were tried, one a line, for library_test.py. */
#include <limits.h>

#include "check.h"

static void tried(const char* function) { printf("%s\n", function); }

/* Each argument that must be there is left out once; the error may always be left out. */
#define REFUSED(call)                                                                   \
  do {                                                                                  \
    vidconv_error refused_ = VIDCONV_INIT(vidconv_error);                               \
    vidconv_error* error = &refused_;                                                   \
    CHECK_STATUS(call, VIDCONV_USAGE, refused_);                                        \
    CHECK(refused_.status == VIDCONV_USAGE && refused_.kind[0] && refused_.message[0]); \
    error = NULL;                                                                       \
    CHECK((call) == VIDCONV_USAGE);                                                     \
  } while (0)

static const size_t wrong_sizes[] = {0, 1, sizeof(size_t), 1 << 20, SIZE_MAX};
enum { wrong_size_count = sizeof wrong_sizes / sizeof *wrong_sizes };

static vidconv_plan_options usual(void) {
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  options.format = "gray";
  options.width = 8;
  options.height = 8;
  return options;
}

static void library(void) {
  tried("vidconv_version");
  CHECK(vidconv_version() == VIDCONV_VERSION);
  tried("vidconv_version_text");
  CHECK(strchr(vidconv_version_text(), '.') != NULL);
  tried("vidconv_cuda_devices");
  CHECK(vidconv_cuda_devices() >= 0);
  tried("vidconv_hear_libav");
  vidconv_hear_libav();
  vidconv_hear_libav();
}

static void filters(void) {
  static const char* const nonsense[] = {"",
                                         ":",
                                         "gaussian:",
                                         "gaussian:sigma",
                                         "gaussian:sigma=",
                                         "gaussian:sigma=nan",
                                         "gaussian:sigma=1e999",
                                         "matrix:",
                                         "matrix:;",
                                         "matrix:1;2 3",
                                         "row:",
                                         "file:",
                                         "file:/no/such",
                                         "random:1,99999x99999",
                                         "box:size=-1",
                                         "box:size=999999999999999999999",
                                         "\xff\xfe",
                                         "box\n",
                                         "matrix:1/0",
                                         "sobel:norm=l3",
                                         "box:anchor=1",
                                         "separable:1;",
                                         "box:planes=q"};
  vidconv_filter* filter = NULL;
  char* huge;
  size_t i;
  tried("vidconv_filter_parse");
  REFUSED(vidconv_filter_parse(NULL, &filter, error));
  REFUSED(vidconv_filter_parse("box", NULL, error));
  for (i = 0; i < sizeof nonsense / sizeof *nonsense; ++i) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    filter = (vidconv_filter*)&error; /* no object: it is emptied */
    CHECK_STATUS(vidconv_filter_parse(nonsense[i], &filter, &error), VIDCONV_USAGE, error);
    CHECK(filter == NULL && error.column >= 1 && error.column <= (int)strlen(nonsense[i]) + 1);
    CHECK(strcmp(error.kind, "filter-spec") == 0);
  }
  huge = malloc(1 << 20);
  memset(huge, 'x', (1 << 20) - 1);
  huge[(1 << 20) - 1] = 0;
  REFUSED(vidconv_filter_parse(huge, &filter, error));
  free(huge);
  tried("vidconv_filter_text");
  CHECK(vidconv_filter_text(NULL) == NULL);
  tried("vidconv_filter_warning");
  CHECK(vidconv_filter_warning(NULL, 0) == NULL);
  filter = parsed("box");
  CHECK(vidconv_filter_warning(filter, 0) == NULL &&
        vidconv_filter_warning(filter, SIZE_MAX) == NULL);
  tried("vidconv_filter_free");
  vidconv_filter_free(filter);
  vidconv_filter_free(NULL);
}

/* An error whose size makes no sense is left alone; a larger one has 0 in what is not known. */
static void errors(void) {
  union {
    vidconv_error known;
    unsigned char bytes[sizeof(vidconv_error) + 64];
  } u;
  vidconv_filter* filter;
  size_t i, b;
  for (i = 0; i < wrong_size_count; ++i) {
    memset(&u, 0xEE, sizeof u);
    u.known.size = wrong_sizes[i];
    CHECK(vidconv_filter_parse("nonsense", &filter, &u.known) == VIDCONV_USAGE);
    for (b = sizeof(size_t); b < sizeof u; ++b) CHECK(u.bytes[b] == 0xEE);
  }
  memset(&u, 0xEE, sizeof u);
  u.known.size = sizeof u;
  CHECK(vidconv_filter_parse("nonsense", &filter, &u.known) == VIDCONV_USAGE);
  CHECK(u.known.size == sizeof u && u.known.status == VIDCONV_USAGE && u.known.column == 1);
  for (b = sizeof(vidconv_error); b < sizeof u; ++b) CHECK(u.bytes[b] == 0);
  /* What did not fail does not touch it. */
  memset(u.known.message, 'm', sizeof u.known.message);
  CHECK(vidconv_filter_parse("box", &filter, &u.known) == VIDCONV_OK);
  CHECK(u.known.message[0] == 'm' && u.known.status == VIDCONV_USAGE);
  vidconv_filter_free(filter);
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
  }
  /* A device that no machine has. */
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
  u.known.size = sizeof u; /* of a later version, whose members are not used */
  CHECK_OK(vidconv_plan_new(filters, 1, &u.known, &plan, &error), error);
  vidconv_plan_free(plan);
  u.bytes[sizeof u - 1] = 1; /* and where they are */
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

/* Of a function that fills a struct: `call` uses it as `out`. */
#define GIVES(type, call)                                                    \
  do {                                                                       \
    union {                                                                  \
      type known;                                                            \
      unsigned char bytes[sizeof(type) + 64];                                \
    } u;                                                                     \
    type* out = NULL;                                                        \
    vidconv_error given_ = VIDCONV_INIT(vidconv_error);                      \
    vidconv_error* error = &given_;                                          \
    size_t i, b;                                                             \
    CHECK((call) == VIDCONV_USAGE);                                          \
    out = &u.known;                                                          \
    for (i = 0; i < wrong_size_count; ++i) {                                 \
      memset(&u, 0xEE, sizeof u);                                            \
      out->size = wrong_sizes[i];                                            \
      CHECK((call) == VIDCONV_USAGE);                                        \
      for (b = sizeof(size_t); b < sizeof u; ++b) CHECK(u.bytes[b] == 0xEE); \
    }                                                                        \
    memset(&u, 0xEE, sizeof u);                                              \
    out->size = sizeof u;                                                    \
    CHECK_OK(call, given_);                                                  \
    CHECK(out->size == sizeof u);                                            \
    for (b = sizeof(type); b < sizeof u; ++b) CHECK(u.bytes[b] == 0);        \
  } while (0)

static void questions(void) {
  vidconv_plan_options options = usual();
  vidconv_plan* const plan = planned("sobel", &options);
  vidconv_plan_info info = VIDCONV_INIT(vidconv_plan_info);
  vidconv_plane_info plane = VIDCONV_INIT(vidconv_plane_info);
  vidconv_step_info step = VIDCONV_INIT(vidconv_step_info);
  tried("vidconv_plan_get_info");
  REFUSED(vidconv_plan_get_info(NULL, &info, error));
  GIVES(vidconv_plan_info, vidconv_plan_get_info(plan, out, error));
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

/* Every setting refuses what it cannot be, but for names that only FFmpeg or the disk knows. */
static void settings(vidconv_job* job) {
  static const char* const names[] = {"input", "output", "raw",     "input_format", "format",
                                      "codec", "preset", "bitrate", "pixel_format", "audio"};
  size_t i, n;
  const char* name;
  tried("vidconv_setting_name");
  tried("vidconv_setting_meaning");
  for (i = 0; (name = vidconv_setting_name(i)); ++i) {
    int free_text = 0;
    CHECK(vidconv_setting_meaning(i) != NULL && vidconv_setting_meaning(i)[0]);
    for (n = 0; n < sizeof names / sizeof *names; ++n) free_text |= strcmp(names[n], name) == 0;
    CHECK(vidconv_job_set(job, name, "", NULL) == VIDCONV_OK);
    if (!free_text) REFUSED(vidconv_job_set(job, name, "no such value", error));
    if (!free_text) REFUSED(vidconv_job_set(job, name, "-1", error));
    REFUSED(vidconv_job_set(job, name, NULL, error));
  }
  CHECK(i > 30);
  CHECK(vidconv_setting_name(i) == NULL && vidconv_setting_meaning(i) == NULL);
  CHECK(vidconv_setting_name(SIZE_MAX) == NULL && vidconv_setting_meaning(SIZE_MAX) == NULL);
}

static int never(void* user, const vidconv_progress* progress) {
  (void)user;
  (void)progress;
  return 0;
}
static void nobody(void* user, const vidconv_message* message) {
  (void)user;
  (void)message;
}

static void jobs(void) {
  vidconv_job* job = NULL;
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  size_t i;
  tried("vidconv_job_new");
  REFUSED(vidconv_job_new(NULL, error));
  CHECK(vidconv_job_new(&job, NULL) == VIDCONV_OK);
  tried("vidconv_job_set");
  REFUSED(vidconv_job_set(NULL, "input", "a", error));
  REFUSED(vidconv_job_set(job, NULL, "a", error));
  REFUSED(vidconv_job_set(job, "", "a", error));
  REFUSED(vidconv_job_set(job, "\xff\n", "a", error));
  settings(job);
  tried("vidconv_job_on_progress");
  REFUSED(vidconv_job_on_progress(NULL, never, NULL, error));
  CHECK(vidconv_job_on_progress(job, NULL, NULL, NULL) == VIDCONV_OK);
  tried("vidconv_job_on_message");
  REFUSED(vidconv_job_on_message(NULL, nobody, NULL, error));
  CHECK(vidconv_job_on_message(job, NULL, NULL, NULL) == VIDCONV_OK);
  tried("vidconv_job_run");
  REFUSED(vidconv_job_run(NULL, &stats, error));
  REFUSED(vidconv_job_run(job, &stats, error)); /* nothing is set */
  for (i = 0; i < wrong_size_count; ++i) {
    stats.size = wrong_sizes[i];
    REFUSED(vidconv_job_run(job, &stats, error));
  }
  vidconv_job_set(job, "input", "pattern:16x16#2", NULL);
  vidconv_job_set(job, "output", "null:", NULL);
  vidconv_job_set(job, "kernel", "box", NULL);
  vidconv_job_set(job, "device", "cpu", NULL);
  GIVES(vidconv_stats, out ? vidconv_job_run(job, out, error) : VIDCONV_USAGE);
  tried("vidconv_job_cancel");
  vidconv_job_cancel(NULL);
  tried("vidconv_job_free");
  vidconv_job_free(job);
  vidconv_job_free(NULL);
}

static void readers(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = NULL;
  vidconv_reader* reader = NULL;
  vidconv_frame* frame = NULL;
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  CHECK_OK(vidconv_job_new(&job, &error), error);
  tried("vidconv_reader_open");
  REFUSED(vidconv_reader_open(NULL, &reader, error));
  REFUSED(vidconv_reader_open(job, NULL, error));
  REFUSED(vidconv_reader_open(job, &reader, error)); /* no input */
  vidconv_job_set(job, "input", "pattern:16x16#2", NULL);
  vidconv_job_set(job, "device", "cpu", NULL);
  vidconv_job_set(job, "video", "all", NULL);
  REFUSED(vidconv_reader_open(job, &reader, error));
  vidconv_job_set(job, "video", "", NULL);
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  tried("vidconv_reader_get_video");
  REFUSED(vidconv_reader_get_video(NULL, &video, error));
  GIVES(vidconv_video, vidconv_reader_get_video(reader, out, error));
  tried("vidconv_reader_next");
  REFUSED(vidconv_reader_next(NULL, &frame, error));
  REFUSED(vidconv_reader_next(reader, NULL, error));
  CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
  tried("vidconv_frame_get_info");
  REFUSED(vidconv_frame_get_info(NULL, &info, error));
  GIVES(vidconv_frame_info, vidconv_frame_get_info(frame, out, error));
  tried("vidconv_frame_free");
  vidconv_frame_free(frame);
  vidconv_frame_free(NULL);
  tried("vidconv_reader_cancel");
  vidconv_reader_cancel(NULL);
  tried("vidconv_reader_free");
  vidconv_reader_free(reader);
  vidconv_reader_free(NULL);
  vidconv_job_free(job);
}

static vidconv_video small(void) {
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  video.format = "gray";
  video.width = video.height = 16;
  video.frame_rate_num = 25;
  video.frame_rate_den = 1;
  return video;
}

static void videos(const vidconv_job* job) {
  vidconv_writer* writer = NULL;
  vidconv_video v;
  size_t i;
#define WRONG(member, value)                               \
  do {                                                     \
    v = small();                                           \
    v.member = (value);                                    \
    REFUSED(vidconv_writer_open(job, &v, &writer, error)); \
  } while (0)
  for (i = 0; i < wrong_size_count; ++i) WRONG(size, wrong_sizes[i]);
  WRONG(format, NULL);
  WRONG(format, "u8");
  WRONG(format, "no-such");
  WRONG(width, 0);
  WRONG(width, INT32_MAX);
  WRONG(height, -5);
  WRONG(frame_rate_num, 0);
  WRONG(frame_rate_num, -1);
  WRONG(frame_rate_den, 0);
  WRONG(frame_rate_den, INT32_MIN);
  WRONG(time_base_num, 1);
  WRONG(sample_aspect_num, INT32_MIN);
  WRONG(range, "no-such");
  WRONG(primaries, "");
  WRONG(transfer, "no-such");
  WRONG(matrix, "no-such");
}

static void writers(void) {
  static const int64_t times[] = {0, -1, VIDCONV_NO_TIME + 1};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = NULL;
  vidconv_writer* writer = NULL;
  vidconv_video video = small();
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  unsigned char samples[16 * 16] = {0};
  const void* data[1];
  ptrdiff_t stride = 16, bad = 15;
  size_t i;
  data[0] = samples;
  CHECK_OK(vidconv_job_new(&job, &error), error);
  vidconv_job_set(job, "device", "cpu", NULL);
  tried("vidconv_writer_open");
  REFUSED(vidconv_writer_open(job, &video, &writer, error)); /* no output */
  vidconv_job_set(job, "output", "null:", NULL);
  REFUSED(vidconv_writer_open(NULL, &video, &writer, error));
  REFUSED(vidconv_writer_open(job, NULL, &writer, error));
  REFUSED(vidconv_writer_open(job, &video, NULL, error));
  videos(job);
  CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
  tried("vidconv_writer_write");
  REFUSED(vidconv_writer_write(NULL, 1, data, &stride, 0, error));
  REFUSED(vidconv_writer_write(writer, 0, data, &stride, 0, error));
  REFUSED(vidconv_writer_write(writer, SIZE_MAX, data, &stride, 0, error));
  REFUSED(vidconv_writer_write(writer, 1, NULL, &stride, 0, error));
  REFUSED(vidconv_writer_write(writer, 1, data, NULL, 0, error));
  REFUSED(vidconv_writer_write(writer, 1, data, &bad, 0, error));
  data[0] = NULL;
  REFUSED(vidconv_writer_write(writer, 1, data, &stride, 0, error));
  data[0] = samples;
  CHECK_OK(vidconv_writer_write(writer, 1, data, &stride, 0, &error), error);
  for (i = 0; i < sizeof times / sizeof *times; ++i)
    REFUSED(vidconv_writer_write(writer, 1, data, &stride, times[i], error));
  tried("vidconv_writer_finish");
  REFUSED(vidconv_writer_finish(NULL, &stats, error));
  for (i = 0; i < wrong_size_count; ++i) {
    stats.size = wrong_sizes[i];
    REFUSED(vidconv_writer_finish(writer, &stats, error));
  }
  stats.size = sizeof stats;
  CHECK_OK(vidconv_writer_finish(writer, &stats, &error), error);
  CHECK(stats.written == 1);
  REFUSED(vidconv_writer_write(writer, 1, data, &stride, 1, error));
  tried("vidconv_writer_free");
  vidconv_writer_free(writer);
  vidconv_writer_free(NULL);
  vidconv_job_free(job);
}

/* Options put together at random: whatever comes of it, it is a status. */
static void at_random(void) {
  static const char* const words[] = {NULL,    "",           "gray",    "rgb24",   "u8",
                                      "u16x3", "f32p2",      "nv12",    "reflect", "wrap",
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

int main(void) {
  library();
  filters();
  errors();
  plans();
  runs();
  questions();
  jobs();
  readers();
  writers();
  at_random();
  return check_failures ? 1 : 0;
}
