/* Tests videos: video_test VIDCONV FOLDER. The bytes are the command's, in a folder of its own. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "job.h"

typedef struct {
  int progress, messages, stop_at, gains;
  int64_t frames, total;
} heard;

static int on_progress(void* user, const vidconv_progress* progress) {
  heard* const h = user;
  ++h->progress;
  h->frames = progress->frames;
  h->total = progress->total;
  CHECK(progress->size == sizeof *progress);
  return h->stop_at > 0 && progress->frames >= h->stop_at;
}

static void on_message(void* user, const vidconv_message* message) {
  heard* const h = user;
  ++h->messages;
  CHECK(message->kind[0] && message->text[0]);
  if (strcmp(message->kind, "gain") == 0) ++h->gains;
}

static void listen(vidconv_job* job, heard* h) {
  CHECK(vidconv_job_on_progress(job, on_progress, h, NULL) == VIDCONV_OK);
  CHECK(vidconv_job_on_message(job, on_message, h, NULL) == VIDCONV_OK);
}

/* A file is filtered into a file as the command does. */
static void file_to_file(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  heard h = {0};
  vidconv_job* job;
  shell("'pattern:64x48#20' -o in.mkv --kernel identity --codec ffv1");
  shell("in.mkv -o command.mp4 --kernel sobel --kernel 'matrix:1 1 1' --border wrap --crf 30");
  job = new_job(path("in.mkv"), "ours.mp4", "sobel");
  set(job, "kernel", "matrix:1 1 1");
  set(job, "border", "wrap");
  set(job, "crf", "30");
  listen(job, &h);
  CHECK_OK(vidconv_job_run(job, &stats, &error), error);
  CHECK(equal_files("ours.mp4", "command.mp4"));
  CHECK(stats.decoded == 20 && stats.filtered == 20 && stats.encoded == 20 && stats.written == 20);
  CHECK(stats.bytes > 0 && stats.seconds > 0 && stats.device[0] &&
        strstr(stats.encoder, "libx264"));
  CHECK(h.progress >= 2 && h.frames == 20 && h.gains == 1);

  /* The job runs again, with settings back at their defaults. libx264 sometimes decides differently
   * if its process has encoded before, so that only its input is compared. */
  set(job, "border", "");
  set(job, "crf", "");
  set(job, "kernel", "");
  set(job, "kernel", "box");
  set(job, "codec", "mpeg4");
  shell("in.mkv -o command.mp4 --kernel box --codec mpeg4");
  CHECK_OK(vidconv_job_run(job, NULL, &error), error);
  CHECK(equal_files("ours.mp4", "command.mp4"));
  vidconv_job_free(job);
}

/* A failure is named, and leaves files unchanged. */
static void failures(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  vidconv_job* job = new_job(path("no-such.mp4"), "none.y4m", "box");
  CHECK_STATUS(vidconv_job_run(job, &stats, &error), VIDCONV_INPUT, error);
  CHECK(strcmp(error.kind, "input-missing") == 0 && strstr(error.message, "no-such.mp4"));
  CHECK(error.status == VIDCONV_INPUT && error.column == 0 && error.frame == -1);
  CHECK(!exists("none.y4m") && stats.written == 0);
  set(job, "input", path("in.mkv"));
  set(job, "output", path("in.mkv"));
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_OUTPUT, error);
  CHECK(strcmp(error.kind, "output-is-input") == 0);
  set(job, "output", "/no/such/folder/a.y4m");
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_OUTPUT, error);
  CHECK_STATUS(vidconv_job_set(job, "kernel", "box:size=5:siz=3", &error), VIDCONV_USAGE, error);
  CHECK(error.column == 12 && strcmp(error.kind, "filter-spec") == 0);
  CHECK_STATUS(vidconv_job_set(job, "crff", "3", &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "crf") != NULL);
  set(job, "crf", "20");
  set(job, "bitrate", "1M");
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_USAGE, error);
  vidconv_job_free(job);

  job = new_job(NULL, NULL, NULL);
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "input") != NULL);
  vidconv_job_free(job);
}

/* Shards, and the original beside the result, are as in the command. */
static void parts_and_comparison(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* const job = new_job(path("in.mkv"), "ours.mkv", "sobel");
  shell("in.mkv -o command.mkv --kernel sobel --shards 3 --jobs 2 --compare side --codec libx264");
  set(job, "compare", "side");
  set(job, "codec", "libx264");
  set(job, "jobs", "2");
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "`jobs`") != NULL && strstr(error.remedy, "`shards`") != NULL);
  set(job, "shards", "3");
  CHECK_OK(vidconv_job_run(job, NULL, &error), error);
  CHECK(equal_files("ours.mkv", "command.mkv"));
  vidconv_job_free(job);
}

/* A damaged input is reported, and its frames are in the output. */
static void damage(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  struct stat all;
  vidconv_job* job;
  vidconv_reader* reader = NULL;
  vidconv_frame* frame = NULL;
  int frames = 0;
  vidconv_status status;
  shell("'pattern:64x48#9' -o cut.y4m --kernel identity");
  CHECK(stat(path("cut.y4m"), &all) == 0);
  CHECK(truncate(path("cut.y4m"), all.st_size - 100) == 0);
  job = new_job(path("cut.y4m"), "ours.y4m", "box");
  CHECK_STATUS(vidconv_job_run(job, &stats, &error), VIDCONV_DAMAGED, error);
  CHECK(strcmp(error.kind, "damaged") == 0 && stats.written == 8 && exists("ours.y4m"));
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  while ((status = vidconv_reader_next(reader, &frame, &error)) == VIDCONV_OK && frame) {
    ++frames;
    vidconv_frame_free(frame);
  }
  CHECK(frames == 8 && status == VIDCONV_DAMAGED && frame == NULL);
  CHECK_STATUS(vidconv_reader_next(reader, &frame, &error), VIDCONV_DAMAGED, error);
  vidconv_reader_free(reader);
  vidconv_job_free(job);
}

typedef struct {
  vidconv_job* job;
  int ends[2]; /* the pipe that is the input */
} half_an_input;

/* Cancels when the beginning of a file has been read, which has its streams but no picture. */
static void* cancel_while_opening(void* argument) {
  half_an_input* const half = argument;
  char beginning[600];
  int left = 1;
  const int file = open(path("in.mkv"), O_RDONLY);
  CHECK(file >= 0 && read(file, beginning, sizeof beginning) == (ssize_t)sizeof beginning);
  CHECK(write(half->ends[1], beginning, sizeof beginning) == (ssize_t)sizeof beginning);
  while (left > 0 && ioctl(half->ends[0], FIONREAD, &left) == 0) sched_yield();
  vidconv_job_cancel(half->job);
  close(file);
  return NULL;
}

static void cancelling_while_opening(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  half_an_input half;
  pthread_t thread;
  char input[64];
  CHECK(pipe(half.ends) == 0);
  snprintf(input, sizeof input, "/dev/fd/%d", half.ends[0]);
  half.job = new_job(input, "silent.y4m", "box");
  CHECK(pthread_create(&thread, NULL, cancel_while_opening, &half) == 0);
  CHECK_STATUS(vidconv_job_run(half.job, NULL, &error), VIDCONV_CANCELLED, error);
  pthread_join(thread, NULL);
  CHECK(!exists("silent.y4m"));
  vidconv_job_free(half.job);
  close(half.ends[0]);
  close(half.ends[1]);
}

static void* cancel_soon(void* job) {
  usleep(20000);
  vidconv_job_cancel(job);
  return NULL;
}

/* A cancelled run leaves the frames so far, or nothing. */
static void cancelling(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  heard h = {0};
  pthread_t thread;
  int ends[2];
  vidconv_job* job = new_job("pattern:64x48#100000000", "cancelled.y4m", "box");
  h.stop_at = 1;
  listen(job, &h);
  CHECK_STATUS(vidconv_job_run(job, &stats, &error), VIDCONV_CANCELLED, error);
  CHECK(strcmp(error.kind, "interrupted") == 0 && h.total == 100000000);
  CHECK(stats.written >= 1 && stats.written < 100000000 && exists("cancelled.y4m"));
  shell("cancelled.y4m -o null: --kernel box"); /* the file is complete */
  unlink(path("cancelled.y4m"));
  CHECK_STATUS(vidconv_job_run(job, &stats, &error), VIDCONV_CANCELLED, error);
  CHECK(!exists("cancelled.y4m") && stats.written == 0);
  vidconv_job_free(job);

  /* Another thread cancels while the input is silent. */
  CHECK(pipe(ends) == 0);
  {
    char input[64];
    snprintf(input, sizeof input, "/dev/fd/%d", ends[0]);
    job = new_job(input, "silent.y4m", "box");
  }
  CHECK(pthread_create(&thread, NULL, cancel_soon, job) == 0);
  CHECK_STATUS(vidconv_job_run(job, NULL, &error), VIDCONV_CANCELLED, error);
  pthread_join(thread, NULL);
  CHECK(!exists("silent.y4m"));
  vidconv_job_free(job);

  /* Cancelling ends a reader that is being opened, and every later one at once. */
  {
    vidconv_reader* reader = NULL;
    char input[64];
    int n;
    snprintf(input, sizeof input, "/dev/fd/%d", ends[0]);
    job = new_job(input, NULL, "box");
    CHECK(pthread_create(&thread, NULL, cancel_soon, job) == 0);
    for (n = 0; n < 2; ++n) {
      CHECK_STATUS(vidconv_reader_open(job, &reader, &error), VIDCONV_CANCELLED, error);
      CHECK(reader == NULL && strcmp(error.kind, "interrupted") == 0);
    }
    pthread_join(thread, NULL);
  }
  vidconv_job_free(job);
  close(ends[0]);
  close(ends[1]);
}

typedef struct {
  char name[64];
  vidconv_status status;
} side_job;

static void* run_beside(void* argument) {
  side_job* const side = argument;
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = NULL;
  side->status = vidconv_job_new(&job, &error);
  vidconv_job_set(job, "input", "pattern:64x48#20", &error);
  vidconv_job_set(job, "kernel", "gaussian:sigma=2", &error);
  vidconv_job_set(job, "device", "cpu", &error);
  vidconv_job_set(job, "overwrite", "1", &error);
  vidconv_job_set(job, "output", side->name, &error);
  if (side->status == VIDCONV_OK) side->status = vidconv_job_run(job, NULL, &error);
  vidconv_job_free(job);
  return NULL;
}

/* Several jobs run at once. */
static void side_by_side(void) {
  side_job sides[3];
  pthread_t threads[3];
  int i;
  CHECK(chdir(folder) == 0);
  shell("'pattern:64x48#20' -o command.y4m --kernel gaussian:sigma=2");
  for (i = 0; i < 3; ++i) {
    snprintf(sides[i].name, sizeof sides[i].name, "side%d.y4m", i);
    CHECK(pthread_create(&threads[i], NULL, run_beside, &sides[i]) == 0);
  }
  for (i = 0; i < 3; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(sides[i].status == VIDCONV_OK && equal_files(sides[i].name, "command.y4m"));
  }
}

/* Returns how many bytes are printed on stderr while a job runs and a setting is refused. */
static long printed_by(const char* output) {
  const int before = dup(STDERR_FILENO);
  const int file = open(path("stderr"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = new_job("pattern:64x48#3", output, "box");
  struct stat said;
  dup2(file, STDERR_FILENO);
  CHECK_OK(vidconv_job_run(job, NULL, &error), error);
  vidconv_job_set(job, "kernel", "no such", &error);
  vidconv_job_free(job);
  fflush(stderr);
  CHECK(fstat(file, &said) == 0);
  dup2(before, STDERR_FILENO);
  close(before);
  close(file);
  return (long)said.st_size;
}

/* The process is unchanged: no signal handler is set and nothing is printed; libav*'s log is left
 * to the program until it calls vidconv_hear_libav(). */
static void process_left_alone(void) {
  struct sigaction action;
  CHECK(printed_by("quiet.y4m") == 0);
  CHECK(printed_by("loud.mp4") > 0);
  vidconv_hear_libav();
  CHECK(printed_by("loud.mp4") == 0);
  CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
  CHECK(sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  command = argv[1];
  folder = argv[2];
  /* An earlier run that failed may have left these. */
  unlink(path("none.y4m"));
  unlink(path("cancelled.y4m"));
  unlink(path("silent.y4m"));
  process_left_alone();
  file_to_file();
  failures();
  damage();
  parts_and_comparison();
  cancelling();
  cancelling_while_opening();
  side_by_side();
  return check_failures ? 1 : 0;
}
