/* Readers whose frames stay on the device give the bytes of readers on the host, and writers take
 * frames from there, whatever the caller's streams are doing. */
#include "device_frames.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cuda_driver.h"

enum { most_planes = 4, some = 12 };

static const char* const formats[] = {"yuv420p", "nv12",      "rgb24",    "bgr0",       "gray10le",
                                      "gbrp",    "gbrpf32le", "yuva444p", "yuv422p16le"};
static const char* const kernels[] = {NULL, "gaussian:sigma=2", "sobel", "time-box:size=3"};

static vidconv_job* job_for(const char* device, const char* input, const char* kernel) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* job = NULL;
  CHECK_OK(vidconv_job_new(&job, &error), error);
  CHECK_OK(vidconv_job_set(job, "device", device, &error), error);
  if (input) CHECK_OK(vidconv_job_set(job, "input", input, &error), error);
  if (kernel) CHECK_OK(vidconv_job_set(job, "kernel", kernel, &error), error);
  return job;
}

static vidconv_reader* reader_of(vidconv_job* job, int on_device) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_reader* reader = NULL;
  if (on_device)
    CHECK_OK(vidconv_reader_open_on_device(job, &reader, &error), error);
  else
    CHECK_OK(vidconv_reader_open(job, &reader, &error), error);
  vidconv_job_free(job);
  if (!reader) exit(1);
  return reader;
}

static vidconv_frame* next_of(vidconv_reader* reader, vidconv_frame_info* info) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_frame* frame = NULL;
  CHECK_OK(vidconv_reader_next(reader, &frame, &error), error);
  info->size = sizeof *info;
  if (frame) CHECK_OK(vidconv_frame_get_info(frame, info, &error), error);
  return frame;
}

/* Returns a copy of a plane in the host's memory, from the device or the host, row after row. */
static unsigned char* copy_of(const vidconv_frame_info* info, int p) {
  const size_t row = (size_t)info->row_bytes[p], stride = (size_t)info->stride[p];
  const size_t bytes = stride * (size_t)(info->rows[p] - 1) + row;
  unsigned char* const all = malloc(stride * (size_t)info->rows[p]);
  int y;
  CHECK(info->stride[p] > 0);
  if (info->on_device)
    download(all, info->data[p], bytes);
  else
    memcpy(all, info->data[p], bytes);
  for (y = 1; y < info->rows[p]; ++y) memmove(all + row * (size_t)y, all + stride * (size_t)y, row);
  return all;
}

static int same_pictures(const vidconv_frame_info* a, const vidconv_frame_info* b) {
  int p, same = a->planes == b->planes && a->number == b->number && a->pts == b->pts &&
                a->duration == b->duration;
  for (p = 0; same && p < a->planes; ++p) {
    unsigned char *of_a, *of_b;
    const size_t bytes = (size_t)a->row_bytes[p] * (size_t)a->rows[p];
    if (a->row_bytes[p] != b->row_bytes[p] || a->rows[p] != b->rows[p]) return 0;
    of_a = copy_of(a, p);
    of_b = copy_of(b, p);
    same = memcmp(of_a, of_b, bytes) == 0;
    free(of_a);
    free(of_b);
  }
  return same;
}

/* All frames are held at once, and outlive their reader. */
static void the_bytes_of_the_host(void) {
  size_t f, k;
  int i;
  for (f = 0; f < sizeof formats / sizeof *formats; ++f)
    for (k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
      char input[64];
      vidconv_reader *device, *host;
      vidconv_frame *frames[some], *wanted;
      vidconv_frame_info infos[some], info = VIDCONV_INIT(vidconv_frame_info);
      snprintf(input, sizeof input, "pattern:322x77:%s#%d", formats[f], some);
      device = reader_of(job_for("cuda", input, kernels[k]), 1);
      host = reader_of(job_for("cpu", input, kernels[k]), 0);
      for (i = 0; i < some; ++i) {
        frames[i] = next_of(device, &infos[i]);
        CHECK(frames[i] && infos[i].on_device == 1 && infos[i].device == 0);
      }
      CHECK(next_of(device, &info) == NULL);
      vidconv_reader_free(device);
      for (i = 0; i < some; ++i) {
        wanted = next_of(host, &info);
        CHECK(info.on_device == 0);
        if (!same_pictures(&infos[i], &info)) {
          ++check_failures;
          fprintf(stderr, "frame %d of %s by %s has not the host's bytes\n", i, formats[f],
                  kernels[k] ? kernels[k] : "no kernel");
        }
        vidconv_frame_free(wanted);
        vidconv_frame_free(frames[i]);
      }
      vidconv_reader_free(host);
    }
}

/* A frame by its number is the one that a loop comes to. */
static void by_number(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_reader* const device =
      reader_of(job_for("cuda", "pattern:64x48#9", "time-box:size=3"), 1);
  vidconv_reader* const host = reader_of(job_for("cpu", "pattern:64x48#9", "time-box:size=3"), 0);
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info),
                     wanted_info = VIDCONV_INIT(vidconv_frame_info);
  const int numbers[] = {5, 2, 8};
  size_t i;
  for (i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    vidconv_frame *frame, *wanted;
    CHECK_OK(vidconv_reader_seek(device, numbers[i], &error), error);
    CHECK_OK(vidconv_reader_seek(host, numbers[i], &error), error);
    frame = next_of(device, &info);
    wanted = next_of(host, &wanted_info);
    CHECK(frame && wanted && same_pictures(&info, &wanted_info));
    vidconv_frame_free(frame);
    vidconv_frame_free(wanted);
  }
  vidconv_reader_free(device);
  vidconv_reader_free(host);
}

/* Keeps a stream busy for a while. */
static void delay(device_stream stream, void* memory, size_t bytes) {
  int i;
  for (i = 0; i < 400; ++i) copy_on_device((char*)memory + bytes / 2, memory, bytes / 2, stream);
}

static sem_t all_read;
static void* context;

/* Opens a gate when all is read, or after ten seconds: reading would wait for ever if it had to
 * allocate memory of the device, which waits for all streams. */
static void* gate_keeper(void* closed) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10;
  sem_timedwait(&all_read, &until);
  make_context_current(context);
  open_gate(closed);
  return NULL;
}

/* A stream behind a closed gate is to copy a frame, which is freed, and many others come before the
 * gate opens. */
static void memory_waits_for_streams(void) {
  enum { bytes = 640 * 360, held = 30, frames = 100 };
  const char* const input = "pattern:640x360:gray#100";
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* const job = job_for("cuda", input, "box");
  vidconv_reader *reader, *host = reader_of(job_for("cpu", input, "box"), 0);
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  vidconv_frame *kept[held], *wanted;
  void* const copy = device_malloc(bytes);
  const device_stream stream = new_stream();
  unsigned char *const copied = malloc(bytes), *picture;
  pthread_t keeper;
  int i;
  sem_init(&all_read, 0, 0);
  context = current_context();
  CHECK_OK(vidconv_job_set(job, "slots", "1", &error), error); /* memory is soon used again */
  reader = reader_of(job, 1);
  for (i = 0; i < held; ++i) kept[i] = next_of(reader, &info);
  CHECK_OK(vidconv_frame_get_info(kept[0], &info, &error), error);
  CHECK(info.stride[0] == 640);
  CHECK(pthread_create(&keeper, NULL, gate_keeper, close_gate(stream)) == 0);
  copy_on_device(copy, info.data[0], bytes, stream);
  CHECK_OK(vidconv_frame_used_on(kept[0], stream, &error), error);
  /* Memory that is free last is used first. */
  for (i = held - 1; i >= 0; --i) vidconv_frame_free(kept[i]);
  for (i = held; i < frames; ++i) vidconv_frame_free(next_of(reader, &info));
  sem_post(&all_read);
  pthread_join(keeper, NULL);
  wait_for(stream);
  download(copied, copy, bytes);
  wanted = next_of(host, &info);
  picture = copy_of(&info, 0);
  CHECK(memcmp(copied, picture, bytes) == 0);
  free(picture);
  free(copied);
  vidconv_frame_free(wanted);
  vidconv_reader_free(reader);
  vidconv_reader_free(host);
  device_free(copy);
  free_stream(stream);
  sem_destroy(&all_read);
}

/* Where as many frames were held at once as there can be on their way later, no memory of the
 * device is allocated any more. */
static void nothing_is_allocated(void) {
  enum { held = 60, frames = 300 };
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* const job = job_for("cuda", "pattern:640x360#300", "sobel");
  vidconv_reader* reader;
  vidconv_frame* kept[held];
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  const device_stream stream = new_stream();
  size_t left;
  int i;
  CHECK_OK(vidconv_job_set(job, "slots", "4", &error), error);
  reader = reader_of(job, 1);
  for (i = 0; i < held; ++i) kept[i] = next_of(reader, &info);
  for (i = 0; i < held; ++i) vidconv_frame_free(kept[i]);
  left = device_memory_left();
  for (i = held; i < frames; ++i) {
    vidconv_frame* const frame = next_of(reader, &info);
    CHECK_OK(vidconv_frame_used_on(frame, stream, &error), error);
    vidconv_frame_free(frame);
  }
  CHECK(device_memory_left() == left);
  wait_for(stream);
  free_stream(stream);
  vidconv_reader_free(reader);
}

static vidconv_writer* writer_for(const char* device, const char* output, const char* kernel,
                                  const vidconv_video* video) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_job* const job = job_for(device, NULL, kernel);
  vidconv_writer* writer = NULL;
  CHECK_OK(vidconv_job_set(job, "output", output, &error), error);
  CHECK_OK(vidconv_job_set(job, "overwrite", "1", &error), error);
  CHECK_OK(vidconv_writer_open(job, video, &writer, &error), error);
  vidconv_job_free(job);
  if (!writer) exit(1);
  return writer;
}

static int same_files(const char* a, const char* b) {
  FILE* const of_a = fopen(a, "rb");
  FILE* const of_b = fopen(b, "rb");
  int from_a, from_b = EOF;
  long count = 0;
  if (!of_a || !of_b) return 0;
  do {
    from_a = getc(of_a);
    from_b = getc(of_b);
    ++count;
  } while (from_a == from_b && from_a != EOF);
  fclose(of_a);
  fclose(of_b);
  return from_a == from_b && count > 1000;
}

/* Frames of a reader on the device go to a writer, some through the host, and give the bytes of
 * frames that go through the host. */
static void from_the_device(void) {
  static const char* const video_formats[] = {"yuv420p", "gray", "yuv444p10le"};
  char ours[] = "/tmp/vidconv-device-XXXXXX.y4m", theirs[] = "/tmp/vidconv-host-XXXXXX.y4m";
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  size_t f;
  int i, k;
  if (close(mkstemps(ours, 4)) != 0 || close(mkstemps(theirs, 4)) != 0) exit(1);
  for (f = 0; f < sizeof video_formats / sizeof *video_formats; ++f)
    for (k = 0; k < 2; ++k) {
      const char* const kernel = k ? "unsharp" : NULL;
      char input[64];
      vidconv_video video = VIDCONV_INIT(vidconv_video);
      vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
      vidconv_reader *device, *host;
      vidconv_writer *by_device, *by_host;
      snprintf(input, sizeof input, "pattern:322x78:%s#%d", video_formats[f], some);
      device = reader_of(job_for("cuda", input, NULL), 1);
      host = reader_of(job_for("cpu", input, NULL), 0);
      CHECK_OK(vidconv_reader_get_video(device, &video, &error), error);
      by_device = writer_for("cuda:0", ours, kernel, &video);
      by_host = writer_for("cpu", theirs, kernel, &video);
      for (i = 0; i < some; ++i) {
        vidconv_frame *frame = next_of(device, &info), *of_host;
        if (i % 5 != 4)
          CHECK_OK(vidconv_writer_write_on_device(by_device, (size_t)info.planes, info.data,
                                                  info.stride, info.pts, NULL, &error),
                   error);
        CHECK_OK(vidconv_frame_used_on(frame, NULL, &error), error);
        vidconv_frame_free(frame);
        of_host = next_of(host, &info);
        if (i % 5 == 4)
          CHECK_OK(vidconv_writer_write(by_device, (size_t)info.planes, info.data, info.stride,
                                        info.pts, &error),
                   error);
        CHECK_OK(vidconv_writer_write(by_host, (size_t)info.planes, info.data, info.stride,
                                      info.pts, &error),
                 error);
        vidconv_frame_free(of_host);
      }
      CHECK_OK(vidconv_writer_finish(by_device, NULL, &error), error);
      CHECK_OK(vidconv_writer_finish(by_host, NULL, &error), error);
      vidconv_writer_free(by_device);
      vidconv_writer_free(by_host);
      vidconv_reader_free(device);
      vidconv_reader_free(host);
      CHECK(same_files(ours, theirs));
    }
  remove(ours);
  remove(theirs);
}

static vidconv_video small_grey(void) {
  vidconv_video video = VIDCONV_INIT(vidconv_video);
  video.format = "gray";
  video.width = 64;
  video.height = 48;
  video.frame_rate_num = 25;
  video.frame_rate_den = 1;
  return video;
}

static sem_t first_written;

static int on_progress(void* user, const vidconv_progress* progress) {
  int* const told = user;
  if (progress->frames > 0 && !*told) {
    *told = 1;
    sem_post(&first_written);
  }
  return 0;
}

/* A picture is made behind a closed gate, written, and overwritten: the writer takes it in between,
 * and its calls wait for nothing. Rows go upwards in the second one. */
static void writing_is_queued(void) {
  enum { bytes = 64 * 48 };
  char output[] = "/tmp/vidconv-queued-XXXXXX.mkv";
  const vidconv_video video = small_grey();
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream stream = new_stream();
  unsigned char picture[bytes], other[bytes];
  void *const source = device_malloc(bytes), *const last = device_malloc(bytes);
  void* const plane = device_malloc(bytes);
  const void* data[1];
  const ptrdiff_t downwards = 64, upwards = -64;
  int told = 0, y;
  vidconv_job* const job = job_for("cuda", NULL, NULL);
  vidconv_writer* writer = NULL;
  vidconv_reader* reader;
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  vidconv_frame* frames[4];
  gate* closed;
  if (close(mkstemps(output, 4)) != 0) exit(1);
  sem_init(&first_written, 0, 0);
  fill_random(picture, bytes, 1);
  fill_random(other, bytes, 2);
  upload(source, picture, bytes);
  upload(last, other, bytes);
  upload(plane, other, bytes);
  CHECK_OK(vidconv_job_set(job, "output", output, &error), error);
  CHECK_OK(vidconv_job_set(job, "overwrite", "1", &error), error);
  CHECK_OK(vidconv_job_set(job, "codec", "ffv1", &error), error);
  CHECK_OK(vidconv_job_on_progress(job, on_progress, &told, &error), error);
  CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
  data[0] = plane;
  CHECK_OK(
      vidconv_writer_write_on_device(writer, 1, data, &downwards, VIDCONV_NO_TIME, stream, &error),
      error);
  sem_wait(&first_written); /* all memory is there by now */
  closed = close_gate(stream);
  copy_on_device(plane, source, bytes, stream);
  CHECK_OK(
      vidconv_writer_write_on_device(writer, 1, data, &downwards, VIDCONV_NO_TIME, stream, &error),
      error);
  data[0] = (const unsigned char*)plane + 64 * 47;
  CHECK_OK(
      vidconv_writer_write_on_device(writer, 1, data, &upwards, VIDCONV_NO_TIME, stream, &error),
      error);
  copy_on_device(plane, last, bytes, stream);
  CHECK(is_busy(stream));
  open_gate(closed);
  CHECK_OK(vidconv_writer_finish(writer, NULL, &error), error);
  vidconv_writer_free(writer);

  reader = reader_of(job_for("cpu", output, NULL), 0);
  for (y = 0; y < 4; ++y) frames[y] = next_of(reader, &info);
  CHECK(frames[2] && !frames[3]);
  CHECK_OK(vidconv_frame_get_info(frames[1], &info, &error), error);
  for (y = 0; y < 48; ++y)
    CHECK(memcmp((const char*)info.data[0] + info.stride[0] * y, picture + 64 * y, 64) == 0);
  CHECK_OK(vidconv_frame_get_info(frames[2], &info, &error), error);
  for (y = 0; y < 48; ++y)
    CHECK(memcmp((const char*)info.data[0] + info.stride[0] * y, picture + 64 * (47 - y), 64) == 0);
  for (y = 0; y < 4; ++y) vidconv_frame_free(frames[y]);
  vidconv_reader_free(reader);

  /* A writer that is given up waits for what it still reads. */
  CHECK_OK(vidconv_writer_open(job, &video, &writer, &error), error);
  delay(stream, source, bytes);
  CHECK_OK(
      vidconv_writer_write_on_device(writer, 1, data, &upwards, VIDCONV_NO_TIME, stream, &error),
      error);
  vidconv_writer_cancel(writer);
  vidconv_writer_free(writer);
  vidconv_job_free(job);
  remove(output);
  device_free(source);
  device_free(last);
  device_free(plane);
  free_stream(stream);
  sem_destroy(&first_written);
}

static void refused(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_video video = small_grey();
  vidconv_job* job = job_for("cuda", "pattern:64x48:gray#3", "box");
  vidconv_reader* reader = NULL;
  vidconv_writer* writer;
  vidconv_frame *frame, *converted = NULL;
  vidconv_frame_info info = VIDCONV_INIT(vidconv_frame_info);
  static const unsigned char samples[64 * 48];
  const void* data[] = {samples};
  const ptrdiff_t stride = 64;
  vidconv_job_set(job, "pixel_format", "rgb24", NULL);
  CHECK_STATUS(vidconv_reader_open_on_device(job, &reader, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "`pixel_format`") && strstr(error.message, "gray") && !reader);
  vidconv_job_set(job, "pixel_format", "gray", NULL);
  reader = reader_of(job, 1);
  frame = next_of(reader, &info);
  CHECK_STATUS(vidconv_frame_convert(frame, "rgb24", &converted, &error), VIDCONV_USAGE, error);
  CHECK(converted == NULL && strstr(error.message, "on the device"));
  writer = writer_for("cuda", "null:", NULL, &video);
  CHECK_STATUS(
      vidconv_writer_write_on_device(writer, 1, data, &stride, VIDCONV_NO_TIME, NULL, &error),
      VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "memory that it cannot use") && error.remedy[0]);
  CHECK_OK(vidconv_writer_write_on_device(writer, 1, info.data, info.stride, VIDCONV_NO_TIME, NULL,
                                          &error),
           error); /* and the writer goes on */
  CHECK_OK(vidconv_writer_finish(writer, NULL, &error), error);
  vidconv_writer_free(writer);
  vidconv_frame_free(frame);
  vidconv_reader_free(reader);
}

int device_frames(void) {
  the_bytes_of_the_host();
  by_number();
  memory_waits_for_streams();
  nothing_is_allocated();
  from_the_device();
  writing_is_queued();
  refused();
  return check_failures;
}
