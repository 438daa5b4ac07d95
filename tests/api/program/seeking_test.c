/* Tests frames by their number and in other pixel formats: seeking_test VIDCONV FOLDER. */
#include <math.h>
#include <sys/stat.h>

#include "job.h"

enum { all_frames = 40 };

static vidconv_reader* opened(vidconv_job* job) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_reader* reader = NULL;
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  return reader;
}

static vidconv_frame* next(vidconv_reader* reader) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_frame* frame = NULL;
  CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
  return frame;
}

static vidconv_frame_info described(const vidconv_frame* frame) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  CHECK_OK(vidconv_frame_get_info(frame, &info, &error), error);
  return info;
}

/* A digest of all samples, and of when the frame is shown. */
static unsigned digest(const vidconv_frame* frame) {
  const vidconv_frame_info info = described(frame);
  unsigned sum = (unsigned)info.pts;
  int p, y;
  int64_t x;
  for (p = 0; p < info.planes; ++p)
    for (y = 0; y < info.rows[p]; ++y) {
      const unsigned char* row = (const unsigned char*)info.data[p] + info.stride[p] * y;
      for (x = 0; x < info.row_bytes[p]; ++x) sum = sum * 31 + row[x];
    }
  return sum;
}

/* Any frame is the one that comes in its turn, with filters over time too. */
static void frames_by_number(const char* input, const char* kernel, int64_t count) {
  static const int64_t order[] = {39, 0, 13, 14, 12, 30, 5, 38, 38, 1};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = new_job(input, NULL, kernel);
  vidconv_reader* reader = opened(job);
  vidconv_frame* frame;
  unsigned expected[all_frames];
  int64_t times[all_frames], number = 0, counted = 0;
  size_t i;
  while ((frame = next(reader))) {
    expected[number] = digest(frame);
    times[number++] = described(frame).pts;
    vidconv_frame_free(frame);
  }
  CHECK(number == count);
  CHECK_OK(vidconv_reader_check_seek(reader, &error), error);
  CHECK_OK(vidconv_reader_count(reader, &counted, &error), error);
  CHECK(counted == count);
  for (i = 0; i < sizeof order / sizeof *order; ++i) {
    const int64_t n = order[i] < count ? order[i] : count - 1;
    CHECK_OK(vidconv_reader_seek(reader, n, &error), error);
    frame = next(reader);
    CHECK(frame && described(frame).number == n && digest(frame) == expected[n]);
    vidconv_frame_free(frame);
    CHECK_OK(vidconv_reader_find(reader, times[n], &number, &error), error);
    CHECK(number == n);
  }
  CHECK_OK(vidconv_reader_find(reader, times[0] - 1, &number, &error), error);
  CHECK(number == -1);
  CHECK_OK(vidconv_reader_find(reader, INT64_MAX, &number, &error), error);
  CHECK(number == count - 1);
  /* It goes on from there, to the end. */
  CHECK_OK(vidconv_reader_seek(reader, count - 3, &error), error);
  for (number = count - 3; (frame = next(reader)); ++number) {
    CHECK(digest(frame) == expected[number]);
    vidconv_frame_free(frame);
  }
  CHECK(number == count);
  vidconv_reader_free(reader);
  vidconv_job_free(job);
}

/* Counting changes nothing for who reads on. */
static void counting_meanwhile(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = new_job(path("in.mp4"), NULL, "box");
  vidconv_reader* reader = opened(job);
  int64_t count = 0, expected = 0;
  vidconv_frame* frame;
  while ((frame = next(reader))) {
    CHECK(described(frame).number == expected++);
    vidconv_frame_free(frame);
    CHECK_OK(vidconv_reader_count(reader, &count, &error), error);
  }
  CHECK(count == all_frames && expected == all_frames);
  vidconv_reader_cancel(reader);
  CHECK_STATUS(vidconv_reader_seek(reader, 3, &error), VIDCONV_CANCELLED, error);
  CHECK_STATUS(vidconv_reader_next(reader, &frame, &error), VIDCONV_CANCELLED, error);
  CHECK(frame == NULL);
  vidconv_reader_free(reader);
  vidconv_job_free(job);
}

static void inputs_that_pass_once(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job;
  vidconv_reader* reader;
  int64_t count = 0;
  char line[4096];
  unlink(path("pipe"));
  CHECK(mkfifo(path("pipe"), 0600) == 0);
  snprintf(line, sizeof line, "'%s' -q pattern:64x48#3 -o - --kernel box > '%s' &", command,
           path("pipe"));
  CHECK(system(line) == 0);
  job = new_job(path("pipe"), NULL, NULL);
  reader = opened(job);
  CHECK_STATUS(vidconv_reader_check_seek(reader, &error), VIDCONV_USAGE, error);
  CHECK_STATUS(vidconv_reader_count(reader, &count, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "read once"));
  vidconv_frame_free(next(reader));
  vidconv_reader_free(reader);
  vidconv_job_free(job);
}

/* A grey picture is grey in every format, and black and white are the ends of the range. */
static void formats(void) {
  static const char* const names[] = {"rgb24", "bgr24", "gray", "rgba"};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job;
  vidconv_reader* reader;
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  vidconv_frame *frame, *converted = NULL;
  size_t i;
  shell("'pattern:64x48:yuv420p#1' -o white.mkv --kernel fill:white --codec ffv1");
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    vidconv_frame_info info;
    job = new_job(path("white.mkv"), NULL, NULL);
    set(job, "pixel_format", names[i]);
    reader = opened(job);
    CHECK_OK(vidconv_reader_get_video(reader, &video, &error), error);
    CHECK(strcmp(video.format, names[i]) == 0 && strcmp(video.range, "pc") == 0);
    frame = next(reader);
    info = described(frame);
    CHECK(info.planes == 1 && info.rows[0] == 48);
    CHECK(((const unsigned char*)info.data[0])[0] == 255 &&
          ((const unsigned char*)info.data[0])[2] == 255);
    vidconv_frame_free(frame);
    vidconv_reader_free(reader);
    vidconv_job_free(job);
  }
  job = new_job(path("white.mkv"), NULL, NULL);
  reader = opened(job);
  frame = next(reader);
  CHECK_OK(vidconv_frame_convert(frame, "gbrpf32", &converted, &error), error);
  for (i = 0; i < 3; ++i) CHECK(fabs(((const float*)described(converted).data[i])[65] - 1) < 1e-6);
  CHECK(described(frame).planes == 3 && described(converted).planes == 3);
  vidconv_frame_free(converted);
  CHECK_OK(vidconv_frame_convert(frame, "yuv420p", &converted, &error), error); /* as it is */
  CHECK(digest(converted) == digest(frame));
  vidconv_frame_free(frame);
  CHECK(described(converted).height == 48);
  vidconv_frame_free(converted);
  vidconv_reader_free(reader);
  vidconv_job_free(job);
  CHECK(vidconv_format_name(0) != NULL && vidconv_format_name(SIZE_MAX) == NULL);
  for (i = 0; vidconv_format_name(i); ++i) {
    vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
    options.format = vidconv_format_name(i);
    options.width = options.height = 16;
    vidconv_plan_free(planned("box", &options));
  }
  CHECK(i > 50);
}

/* Values without words do what words do. */
static void numbers(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  vidconv_job* job = new_job(path("in.mp4"), "numbers.mp4", "box");
  CHECK_OK(vidconv_job_set_double(job, "crf", 18.5, &error), error);
  CHECK_OK(vidconv_job_set_double(job, "start", 0.2, &error), error);
  CHECK_OK(vidconv_job_set_int(job, "frames", 7, &error), error);
  CHECK_OK(vidconv_job_set_int(job, "threads", 1, &error), error);
  CHECK_OK(vidconv_job_set_switch(job, "linear", 1, &error), error);
  CHECK_OK(vidconv_job_set_switch(job, "linear", 0, &error), error);
  CHECK_OK(vidconv_job_set_switch(job, "overwrite", 1, &error), error);
  set(job, "codec", "libx264");
  CHECK_OK(vidconv_job_run(job, &stats, &error), error);
  CHECK(stats.written == 7 && strstr(stats.encoder, "crf=18.5"));
  vidconv_job_free(job);
  shell(
      "in.mp4 -o numbers-command.mp4 --kernel box --crf 18.5 --start 0.2 --frames 7 --threads 1 "
      "--codec libx264");
  CHECK(equal_files("numbers.mp4", "numbers-command.mp4"));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  command = argv[1];
  folder = argv[2];
  vidconv_hear_libav();
  shell(
      "'pattern:64x48@25#40' -o in.mp4 --kernel identity --codec libx264 --encoder-opt g=12 "
      "--encoder-opt bf=3");
  shell("in.mp4 -o in.y4m --kernel identity");
  frames_by_number(path("in.mp4"), "sobel", all_frames);
  frames_by_number(path("in.mp4"), "time:1 2 3:scale=auto", all_frames);
  frames_by_number(path("in.mp4"), "time:1 1:scale=auto:every=2", all_frames / 2);
  frames_by_number(path("in.y4m"), "box", all_frames);
  frames_by_number("pattern:64x48@25#40", "box", all_frames);
  counting_meanwhile();
  inputs_that_pass_once();
  formats();
  numbers();
  return check_failures ? 1 : 0;
}
