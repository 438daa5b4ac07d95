/* Tests frames one by one: frames_test VIDCONV FOLDER. The bytes are the command's, in a folder of
 * its own. */
#include <pthread.h>

#include "job.h"

/* Frames from a reader to a writer give the command's output; without a kernel they pass
 * unchanged. */
static void frames_out_and_in(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  vidconv_job* in = new_job(path("in.mkv"), NULL, "gaussian:sigma=2");
  vidconv_job* out = new_job(NULL, "frames.mkv", NULL);
  vidconv_reader* reader = NULL;
  vidconv_writer* writer = NULL;
  vidconv_frame *frame = NULL, *kept = NULL;
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  int64_t expected = 0;
  set(out, "codec", "ffv1");
  CHECK_OK(vidconv_reader_open(in, &reader, &error), error);
  CHECK_OK(vidconv_reader_get_video(reader, &video, &error), error);
  CHECK(strcmp(video.format, "yuv420p") == 0 && video.width == 64 && video.height == 48);
  CHECK(video.frame_rate_num == 25 * video.frame_rate_den);
  CHECK_OK(vidconv_writer_open(out, &video, &writer, &error), error);
  while (vidconv_reader_next(reader, &frame, &error) == VIDCONV_OK && frame) {
    CHECK_OK(vidconv_frame_get_info(frame, &info, &error), error);
    CHECK(info.number == expected && info.width == 64 && info.height == 48 && info.planes == 3);
    CHECK(info.rows[1] == 24 && info.row_bytes[1] == 32 && info.data[3] == NULL);
    CHECK_OK(vidconv_writer_write(writer, (size_t)info.planes, info.data, info.stride,
                                  expected % 2 ? info.pts : VIDCONV_NO_TIME, &error),
             error);
    CHECK_STATUS(vidconv_writer_write(writer, 3, info.data, info.stride, info.pts, &error),
                 VIDCONV_USAGE, error); /* a time twice */
    ++expected;
    if (kept) vidconv_frame_free(frame);
    if (!kept) kept = frame;
  }
  CHECK(expected == 20);
  CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
  CHECK(frame == NULL);
  vidconv_reader_free(reader);
  CHECK_OK(vidconv_frame_get_info(kept, &info, &error), error); /* outlives its reader */
  CHECK(info.number == 0 && ((const unsigned char*)info.data[0])[63] < 255);
  vidconv_frame_free(kept);
  CHECK_OK(vidconv_writer_finish(writer, &stats, &error), error);
  CHECK(stats.written == 20);
  CHECK_STATUS(vidconv_writer_finish(writer, NULL, &error), VIDCONV_USAGE, error);
  vidconv_writer_free(writer);
  vidconv_job_free(in);
  vidconv_job_free(out);
  shell("in.mkv -o command.y4m --kernel gaussian:sigma=2");
  shell("frames.mkv -o frames.y4m --kernel identity");
  CHECK(equal_files("frames.y4m", "command.y4m"));
}

static vidconv_video small_grey(void) {
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  video.format = "gray";
  video.width = 64;
  video.height = 48;
  video.frame_rate_num = 30;
  video.frame_rate_den = 1;
  return video;
}

/* A reader or a writer that is freed early ends at once, and leaves nothing. */
static void giving_up(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_video video = small_grey();
  vidconv_job* job = new_job("pattern:64x48#100000000", "given-up.y4m", "box");
  vidconv_reader* reader = NULL;
  vidconv_writer* writer = NULL;
  vidconv_frame* frame = NULL;
  unsigned char samples[64 * 48] = {0};
  const void* data[1];
  const ptrdiff_t stride = 64;
  int i;
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
  vidconv_frame_free(frame);
  vidconv_reader_free(reader);
  CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  vidconv_reader_cancel(reader);
  CHECK_STATUS(vidconv_reader_next(reader, &frame, &error), VIDCONV_CANCELLED, error);
  CHECK(frame == NULL);
  vidconv_reader_free(reader);

  data[0] = samples;
  CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
  for (i = 0; i < 10; ++i) /* more than fit into the queues, so that some are encoded */
    CHECK_OK(vidconv_writer_write(writer, 1, data, &stride, VIDCONV_NO_TIME, &error), error);
  vidconv_writer_free(writer);
  CHECK(!exists("given-up.y4m"));
  CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
  CHECK_STATUS(vidconv_writer_finish(writer, NULL, &error), VIDCONV_INPUT, error); /* no frame */
  vidconv_writer_free(writer);
  CHECK(!exists("given-up.y4m"));
  set(job, "output", "/no/such/folder/a.y4m");
  CHECK_STATUS(vidconv_writer_open(job, &video, &writer, &error), VIDCONV_OUTPUT, error);
  CHECK(writer == NULL);
  vidconv_job_free(job);
}

enum { cancelled_frames = 30 };

static int cancel_after_the_last(void* writer, const vidconv_progress* progress) {
  if (progress->frames == cancelled_frames) vidconv_writer_cancel(*(vidconv_writer**)writer);
  return 0;
}

static void* cancel_writer(void* writer) {
  vidconv_writer_cancel(writer);
  return NULL;
}

/* A writer leaves nothing if it is cancelled while frames come, or while it waits for an encoder
 * that has all of them. A complete output stays. */
static void writer_cancelled(void) {
  static const char* const names[] = {"given-up.y4m", "given-up.mp4"};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_video video = small_grey();
  unsigned char samples[64 * 48] = {0};
  const void* data[1];
  const ptrdiff_t stride = 64;
  vidconv_writer* writer = NULL;
  pthread_t thread;
  int n, i;
  data[0] = samples;
  for (n = 0; n < 6; ++n) {
    vidconv_job* const job = new_job(NULL, names[n % 2], "box");
    vidconv_status status = VIDCONV_OK;
    if (n / 2 == 0)
      CHECK(vidconv_job_on_progress(job, cancel_after_the_last, &writer, NULL) == VIDCONV_OK);
    CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
    for (i = 0; i < cancelled_frames && status == VIDCONV_OK; ++i) {
      if (n / 2 == 1 && i == 5) CHECK(pthread_create(&thread, NULL, cancel_writer, writer) == 0);
      if (n / 2 == 1 && i == 6) pthread_join(thread, NULL);
      status = vidconv_writer_write(writer, 1, data, &stride, VIDCONV_NO_TIME, &error);
    }
    CHECK(status == (n / 2 == 1 ? VIDCONV_CANCELLED : VIDCONV_OK));
    CHECK_STATUS(vidconv_writer_finish(writer, NULL, &error),
                 n / 2 == 2 ? VIDCONV_OK : VIDCONV_CANCELLED, error);
    CHECK(n / 2 == 2 || strcmp(error.kind, "interrupted") == 0);
    vidconv_writer_cancel(writer);
    CHECK(exists(names[n % 2]) == (n / 2 == 2));
    vidconv_writer_free(writer);
    CHECK(exists(names[n % 2]) == (n / 2 == 2));
    vidconv_job_free(job);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  command = argv[1];
  folder = argv[2];
  unlink(path("given-up.y4m")); /* left by an earlier run that failed */
  unlink(path("given-up.mp4"));
  vidconv_hear_libav();
  shell("'pattern:64x48#20' -o in.mkv --kernel identity --codec ffv1");
  frames_out_and_in();
  giving_up();
  writer_cancelled();
  return check_failures ? 1 : 0;
}
