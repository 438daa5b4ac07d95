/* Tests boxes of videos: regions_test VIDCONV FOLDER. The bytes are the command's. */
#include "job.h"

static void write_file(const char* name, const char* text) {
  FILE* const file = fopen(path(name), "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static vidconv_box box_on(int64_t frame, double x, double y, double width, double height) {
  vidconv_box box = VIDCONV_INIT(vidconv_box);
  box.frame = frame;
  box.x = x;
  box.y = y;
  box.width = width;
  box.height = height;
  return box;
}

static vidconv_job* job_with(const char* regions) {
  vidconv_job* const job = new_job("pattern:64x48@25#6", "ours.y4m", "gaussian:sigma=3");
  set(job, "regions", regions);
  return job;
}

/* Runs a job that must fail, and expects words in its message. */
static void refused(vidconv_job* job, const char* words) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_USAGE, error);
  if (!strstr(error.message, words)) {
    ++check_failures;
    fprintf(stderr, "no '%s' in: %s\n", words, error.message);
  }
  CHECK(!exists("ours.y4m"));
}

static void expect_equal(vidconv_job* job) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  int run;
  for (run = 0; run < 2; ++run) { /* boxes count anew in each run */
    CHECK_OK(vidconv_job_run(job, NULL, &error), error);
    CHECK(equal_files("ours.y4m", "command.y4m"));
  }
  unlink(path("ours.y4m"));
}

#define MOVES                                                   \
  "{\"frame\": 1, \"id\": \"a\", \"box\": [4, 5, 20, 10]}\n"    \
  "{\"frame\": 4, \"id\": \"a\", \"box\": [30, 9, 12, 16.5]}\n" \
  "{\"time\": 0.08, \"box\": [2, 30, 9, 9], \"shape\": \"ellipse\"}\n"

static void moving_boxes(vidconv_box* boxes) {
  boxes[0] = box_on(1, 4, 5, 20, 10);
  boxes[1] = box_on(4, 30, 9, 12, 16.5);
  boxes[0].id = boxes[1].id = "a";
  boxes[2] = box_on(0, 2, 30, 9, 9);
  boxes[2].by_time = boxes[2].ellipse = 1;
  boxes[2].time = 0.08;
}

static void files_and_lists(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_box boxes[3];
  vidconv_job* job;
  write_file("boxes.jsonl", MOVES);
  shell(
      "'pattern:64x48@25#6' -o command.y4m --kernel gaussian:sigma=3 "
      "--regions boxes.jsonl:grow=10%,1:hold=1");
  job = new_job("pattern:64x48@25#6", "ours.y4m", "gaussian:sigma=3");
  {
    char word[1100];
    snprintf(word, sizeof word, "%s:grow=10%%,1:hold=1", path("boxes.jsonl"));
    set(job, "regions", word);
  }
  expect_equal(job);
  moving_boxes(boxes);
  CHECK_OK(vidconv_job_set_regions(job, boxes, 3, "grow=10%,1:hold=1", &error), error);
  memset(boxes, 0xEE, sizeof boxes); /* they were copied */
  expect_equal(job);

  /* The last one counts. */
  set(job, "regions", path("none.jsonl"));
  refused(job, "none.jsonl");
  set(job, "regions", "");
  shell("'pattern:64x48@25#6' -o command.y4m --kernel gaussian:sigma=3");
  expect_equal(job);
  moving_boxes(boxes);
  CHECK_OK(vidconv_job_set_regions(job, boxes, 3, NULL, &error), error);
  CHECK_OK(vidconv_job_set_regions(job, NULL, 0, NULL, &error), error);
  expect_equal(job);
  vidconv_job_free(job);
}

/* A file that has changed is read again. */
static void changed_file(void) {
  vidconv_job* job;
  write_file("boxes.csv", "frame,x,y,w,h\n2,4,5,20,10\n");
  job = job_with(path("boxes.csv"));
  shell("'pattern:64x48@25#6' -o command.y4m --kernel gaussian:sigma=3 --regions boxes.csv");
  expect_equal(job);
  write_file("boxes.csv", "frame;x;y;w;h\n3;14,5;5;20;10\n");
  shell("'pattern:64x48@25#6' -o command.y4m --kernel gaussian:sigma=3 --regions boxes.csv");
  expect_equal(job);
  set(job, "regions_default", "fill:black");
  shell(
      "'pattern:64x48@25#6' -o command.y4m --kernel gaussian:sigma=3 --regions boxes.csv "
      "--regions-default fill:black");
  expect_equal(job);
  vidconv_job_free(job);
}

/* Frames that are sought have the boxes of their numbers, whatever was read before. */
static void frames(void) {
  static const int64_t order[] = {3, 1, 4, 2};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info), same = info;
  vidconv_box boxes[3];
  vidconv_job *job, *filtered;
  vidconv_reader *reader = NULL, *command_reader = NULL;
  vidconv_frame *frame = NULL, *expected = NULL;
  size_t i;
  int y;
  write_file("boxes.jsonl", MOVES);
  shell("'pattern:64x48@25#6' -o in.mkv --kernel identity --codec ffv1");
  shell("in.mkv -o command.mkv --codec ffv1 --kernel gaussian:sigma=3 --regions boxes.jsonl");
  job = new_job(path("in.mkv"), NULL, "gaussian:sigma=3");
  moving_boxes(boxes);
  CHECK_OK(vidconv_job_set_regions(job, boxes, 3, NULL, &error), error);
  filtered = new_job(path("command.mkv"), NULL, NULL);
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  CHECK_OK(vidconv_reader_open(filtered, &command_reader, &error), error);
  for (i = 0; i < sizeof order / sizeof *order; ++i) {
    CHECK_OK(vidconv_reader_seek(reader, order[i], &error), error);
    CHECK_OK(vidconv_reader_seek(command_reader, order[i], &error), error);
    CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
    CHECK_OK(vidconv_reader_next(command_reader, &expected, &error), error);
    if (!frame || !expected) break;
    CHECK_OK(vidconv_frame_get_info(frame, &info, &error), error);
    CHECK_OK(vidconv_frame_get_info(expected, &same, &error), error);
    for (y = 0; y < info.rows[0]; ++y)
      CHECK(memcmp((const char*)info.data[0] + y * info.stride[0],
                   (const char*)same.data[0] + y * same.stride[0], (size_t)info.row_bytes[0]) == 0);
    vidconv_frame_free(frame);
    vidconv_frame_free(expected);
  }
  /* Behind the last seek, boxes of frames that were passed over are not missed. */
  for (;;) {
    CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
    if (!frame) break;
    vidconv_frame_free(frame);
  }
  vidconv_reader_free(reader);
  vidconv_reader_free(command_reader);
  vidconv_job_free(filtered);
  vidconv_job_free(job);
}

static void wrong_uses(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_box boxes[2];
  vidconv_job* job;
  write_file("boxes.jsonl",
             "{\"frame\": 1, \"box\": [4, 5, 20, 10]}\n"
             "{\"frame\": 1.9, \"box\": [4, 5, 20, 10]}\n");
  job = job_with(path("boxes.jsonl"));
  refused(job, "line 2");
  write_file("boxes.jsonl", "{\"frame\": 9, \"box\": [4, 5, 20, 10]}\n");
  refused(job, "first that of line 1");
  set(job, "regions_default", "2");
  refused(job, "regions_default");
  set(job, "regions_default", "1");
  set(job, "video", "all");
  refused(job, "one video");
  set(job, "video", "");
  boxes[0] = box_on(0, 4, 5, 20, 10);
  boxes[1] = box_on(9, 4, 5, 20, 10);
  CHECK_OK(vidconv_job_set_regions(job, boxes, 2, NULL, &error), error);
  refused(job, "first that of regions[1]");
  boxes[1] = box_on(1, 400, 5, 20, 10);
  CHECK_OK(vidconv_job_set_regions(job, boxes, 2, NULL, &error), error);
  refused(job, "regions[1]: the box lies outside the picture");
  boxes[1] = boxes[0];
  boxes[0].id = boxes[1].id = "7";
  CHECK_OK(vidconv_job_set_regions(job, boxes, 2, NULL, &error), error);
  refused(job, "id 7 has a box at that frame already, in regions[0]");
  boxes[1].id = NULL;
  boxes[1].filter = 2;
  CHECK_OK(vidconv_job_set_regions(job, boxes, 2, NULL, &error), error);
  refused(job, "regions[1] names filter 2 of a chain of 1");
  vidconv_job_free(job);
  job = new_job("pattern:64x48@25#6", "ours.y4m", "box:region=0,0,9,9");
  CHECK_OK(vidconv_job_set_regions(job, boxes, 1, NULL, &error), error);
  refused(job, "region of its own");
  set(job, "regions", "");
  set(job, "regions_default", "1");
  refused(job, "there are no boxes");
  vidconv_job_free(job);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  command = words[1];
  folder = words[2];
  files_and_lists();
  changed_file();
  frames();
  wrong_uses();
  return check_failures > 0;
}
