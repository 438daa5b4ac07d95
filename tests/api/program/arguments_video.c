#include <math.h>

#include "arguments.h"

/* Every setting refuses invalid values, except for names that only FFmpeg or the disk knows. */
static void settings(vidconv_job* job) {
  static const char* const names[] = {"input",   "output",       "raw",    "input_format",
                                      "format",  "codec",        "preset", "audit",
                                      "regions", "pixel_format", "audio"};
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

/* Values without words are refused as their words are. */
static void numbers(vidconv_job* job) {
  tried("vidconv_job_set_int");
  REFUSED(vidconv_job_set_int(NULL, "crf", 18, error));
  REFUSED(vidconv_job_set_int(job, NULL, 18, error));
  REFUSED(vidconv_job_set_int(job, "no-such", 18, error));
  REFUSED(vidconv_job_set_int(job, "threads", -1, error));
  REFUSED(vidconv_job_set_int(job, "threads", INT64_MIN, error));
  REFUSED(vidconv_job_set_int(job, "slots", INT64_MAX, error));
  tried("vidconv_job_set_double");
  REFUSED(vidconv_job_set_double(NULL, "crf", 18, error));
  REFUSED(vidconv_job_set_double(job, NULL, 18, error));
  REFUSED(vidconv_job_set_double(job, "no-such", 18, error));
  REFUSED(vidconv_job_set_double(job, "crf", -0.5, error));
  REFUSED(vidconv_job_set_double(job, "crf", NAN, error));
  REFUSED(vidconv_job_set_double(job, "crf", INFINITY, error));
  REFUSED(vidconv_job_set_double(job, "threads", 1.5, error));
  tried("vidconv_job_set_switch");
  REFUSED(vidconv_job_set_switch(NULL, "overwrite", 1, error));
  REFUSED(vidconv_job_set_switch(job, NULL, 1, error));
  REFUSED(vidconv_job_set_switch(job, "no-such", 1, error));
  REFUSED(vidconv_job_set_switch(job, "overwrite", 2, error));
  REFUSED(vidconv_job_set_switch(job, "overwrite", -1, error));
}

/* Boxes are refused by their index; what is right behind a wrong one does not count. */
static void regions(vidconv_job* job) {
  static const struct {
    double x, y, width, height, time;
    int64_t frame;
    int32_t by_time, ellipse, filter;
  } wrong[] = {{0, 0, 0, 9, 0, 0, 0, 0, 0},         {0, 0, 9, -9, 0, 0, 0, 0, 0},
               {NAN, 0, 9, 9, 0, 0, 0, 0, 0},       {0, INFINITY, 9, 9, 0, 0, 0, 0, 0},
               {0, 0, 2e6, 9, 0, 0, 0, 0, 0},       {0, 0, 9, 9, 0, -1, 0, 0, 0},
               {0, 0, 9, 9, 0, INT64_MAX, 0, 0, 0}, {0, 0, 9, 9, -1, 0, 1, 0, 0},
               {0, 0, 9, 9, NAN, 0, 1, 0, 0},       {0, 0, 9, 9, 0, 0, 2, 0, 0},
               {0, 0, 9, 9, 0, 0, 0, -1, 0},        {0, 0, 9, 9, 0, 0, 0, 0, -1}};
  static const char* const wrong_options[] = {"grow=10", "hold",     "shape=star",   "feather=-1",
                                              "units=m", "a.csv",    "grow=5%:",     ":grow=5%",
                                              "gorw=5%", "hold=1.5", "hold=1:what=2"};
  vidconv_box boxes[3];
  size_t i;
  tried("vidconv_job_set_regions");
  for (i = 0; i < 3; ++i) {
    memset(&boxes[i], 0, sizeof boxes[i]);
    boxes[i].size = sizeof boxes[i];
    boxes[i].x = boxes[i].y = boxes[i].width = boxes[i].height = 9;
    boxes[i].frame = (int64_t)i;
  }
  REFUSED(vidconv_job_set_regions(NULL, boxes, 3, NULL, error));
  REFUSED(vidconv_job_set_regions(job, NULL, 3, NULL, error));
  REFUSED(vidconv_job_set_regions(job, boxes, SIZE_MAX, NULL, error));
  CHECK(vidconv_job_set_regions(job, boxes, 3, NULL, NULL) == VIDCONV_OK);
  CHECK(vidconv_job_set_regions(job, boxes, 3, "", NULL) == VIDCONV_OK);
  CHECK(vidconv_job_set_regions(job, boxes, 3, "grow=15%,3:hold=2:feather=4", NULL) == VIDCONV_OK);
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_box* const box = &boxes[2];
    box->x = wrong[i].x;
    box->y = wrong[i].y;
    box->width = wrong[i].width;
    box->height = wrong[i].height;
    box->time = wrong[i].time;
    box->frame = wrong[i].frame;
    box->by_time = wrong[i].by_time;
    box->ellipse = wrong[i].ellipse;
    box->filter = wrong[i].filter;
    CHECK_STATUS(vidconv_job_set_regions(job, boxes, 3, NULL, &error), VIDCONV_USAGE, error);
    CHECK(strstr(error.message, "regions[2]") != NULL);
  }
  for (i = 0; i < sizeof wrong_options / sizeof *wrong_options; ++i)
    REFUSED(vidconv_job_set_regions(job, boxes, 2, wrong_options[i], error));
  for (i = 0; i < wrong_size_count; ++i) {
    boxes[1].size = wrong_sizes[i];
    REFUSED(vidconv_job_set_regions(job, boxes, 2, NULL, error));
    boxes[0].size = wrong_sizes[i];
    REFUSED(vidconv_job_set_regions(job, boxes, 1, NULL, error));
    boxes[0].size = boxes[1].size = sizeof *boxes;
  }
  for (i = 0; i < 2; ++i) boxes[i].x = boxes[i].y = boxes[i].width = boxes[i].height = 0.25;
  REFUSED(vidconv_job_set_regions(job, boxes, 2, NULL, error)); /* pixels, or shares? */
  CHECK(vidconv_job_set_regions(job, boxes, 2, "units=relative", NULL) == VIDCONV_OK);
  CHECK(vidconv_job_set_regions(job, NULL, 0, NULL, NULL) == VIDCONV_OK);
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
  numbers(job);
  regions(job);
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
  vidconv_reader *reader = NULL, *other_reader = NULL;
  vidconv_frame *frame = NULL, *other = NULL;
  int64_t number = 0;
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
  vidconv_job_set(job, "pixel_format", "no-such", NULL);
  REFUSED(vidconv_reader_open(job, &reader, error));
  vidconv_job_set(job, "pixel_format", "", NULL);
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  tried("vidconv_reader_open_on_device");
  REFUSED(vidconv_reader_open_on_device(NULL, &other_reader, error));
  REFUSED(vidconv_reader_open_on_device(job, NULL, error));
  REFUSED(vidconv_reader_open_on_device(job, &other_reader, error)); /* "device" is "cpu" */
  vidconv_job_set(job, "device", "auto", NULL);
  REFUSED(vidconv_reader_open_on_device(job, &other_reader, error));
  vidconv_job_set(job, "device", "cuda:all", NULL);
  REFUSED(vidconv_reader_open_on_device(job, &other_reader, error));
  vidconv_job_set(job, "device", "cuda:0,1", NULL);
  REFUSED(vidconv_reader_open_on_device(job, &other_reader, error));
  vidconv_job_set(job, "device", "cuda", NULL);
  vidconv_job_set(job, "verify", "1", NULL);
  REFUSED(vidconv_reader_open_on_device(job, &other_reader, error));
  CHECK(other_reader == NULL);
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
  CHECK_OK(vidconv_frame_get_info(frame, &info, &error), error);
  CHECK(info.on_device == 0 && info.device == 0);
  tried("vidconv_frame_used_on");
  REFUSED(vidconv_frame_used_on(NULL, NULL, error));
  REFUSED(vidconv_frame_used_on(frame, NULL, error)); /* of the host */
  tried("vidconv_frame_convert");
  REFUSED(vidconv_frame_convert(NULL, "rgb24", &other, error));
  REFUSED(vidconv_frame_convert(frame, NULL, &other, error));
  REFUSED(vidconv_frame_convert(frame, "rgb24", NULL, error));
  REFUSED(vidconv_frame_convert(frame, "", &other, error));
  REFUSED(vidconv_frame_convert(frame, "u8x3", &other, error));
  REFUSED(vidconv_frame_convert(frame, "cuda", &other, error));
  CHECK(other == NULL);
  tried("vidconv_reader_check_seek");
  REFUSED(vidconv_reader_check_seek(NULL, error));
  tried("vidconv_reader_count");
  REFUSED(vidconv_reader_count(NULL, &number, error));
  REFUSED(vidconv_reader_count(reader, NULL, error));
  tried("vidconv_reader_find");
  REFUSED(vidconv_reader_find(NULL, 0, &number, error));
  REFUSED(vidconv_reader_find(reader, 0, NULL, error));
  tried("vidconv_reader_seek");
  REFUSED(vidconv_reader_seek(NULL, 0, error));
  REFUSED(vidconv_reader_seek(reader, -1, error));
  REFUSED(vidconv_reader_seek(reader, 2, error));
  REFUSED(vidconv_reader_seek(reader, INT64_MAX, error));
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
  tried("vidconv_writer_write_on_device");
  REFUSED(vidconv_writer_write_on_device(NULL, 1, data, &stride, 1, NULL, error));
  REFUSED(vidconv_writer_write_on_device(writer, 2, data, &stride, 1, NULL, error));
  REFUSED(vidconv_writer_write_on_device(writer, 1, NULL, &stride, 1, NULL, error));
  REFUSED(vidconv_writer_write_on_device(writer, 1, data, NULL, 1, NULL, error));
  REFUSED(vidconv_writer_write_on_device(writer, 1, data, &bad, 1, NULL, error));
  REFUSED(vidconv_writer_write_on_device(writer, 1, data, &stride, 1, NULL, error)); /* "cpu" */
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
  tried("vidconv_writer_cancel");
  vidconv_writer_cancel(NULL);
  tried("vidconv_writer_free");
  vidconv_writer_free(writer);
  vidconv_writer_free(NULL);
  vidconv_job_free(job);
}

int video_arguments(void) {
  jobs();
  readers();
  writers();
  return check_failures;
}
