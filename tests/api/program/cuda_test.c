/* Pictures in the memory of a CUDA device get the bytes of a plan for the CPU, and all of the
 * device's memory around them is unchanged. Ends with 77 if there is no device, or fails with
 * VIDCONV_REQUIRE_CUDA=1. */
#include <pthread.h>
#include <unistd.h>

#include "device_frames.h"
#include "device_picture.h"
#include "window.h"

static vidconv_plan_options device_options(const char* format, int width, int height) {
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  options.format = format;
  options.width = width;
  options.height = height;
  options.device = "cuda:0";
  return options;
}

/* A plan for the CPU and one for the device, pictures for both, and the CPU's result. */
typedef struct {
  vidconv_plan *plan, *of_cpu;
  picture from, to, device_from, device_to;
} pair;

static pair make_pair(const char* kernel, vidconv_plan_options options, int shift) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  pair p;
  size_t i;
  p.plan = planned(kernel, &options);
  options.device = "cpu";
  p.of_cpu = planned(kernel, &options);
  p.from = make_picture(p.of_cpu, options.width % 2);
  p.to = make_picture(p.of_cpu, options.width % 3 == 0);
  for (i = 0; i < p.from.planes; ++i) { /* rows may begin at any sample */
    p.from.data[i] = (unsigned char*)p.from.data[i] + shift * p.from.info[i].sample_bytes;
    p.to.data[i] = (unsigned char*)p.to.data[i] + shift / 2 * p.from.info[i].sample_bytes;
  }
  make_samples(&p.from, options.format, (unsigned)(options.width * 41 + options.height));
  p.device_from = on_device(&p.from);
  p.device_to = on_device(&p.to);
  CHECK_OK(run_on(p.of_cpu, &p.from, &p.to, NULL, &error), error);
  return p;
}

static void free_pair(pair* p) {
  vidconv_plan_free(p->plan);
  vidconv_plan_free(p->of_cpu);
  free_on_device(&p->device_from);
  free_on_device(&p->device_to);
  free_picture(&p->from);
  free_picture(&p->to);
}

static void like_the_cpu(const char* kernel, const vidconv_plan_options* options, int shift) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream stream = new_stream();
  pair p = make_pair(kernel, *options, shift);
  CHECK_OK(run_on(p.plan, &p.device_from, &p.device_to, stream, &error), error);
  wait_for(stream);
  if (!same_on_device(&p.device_to, &p.to) || !same_on_device(&p.device_from, &p.from)) {
    ++check_failures;
    fprintf(stderr, "not the CPU's bytes: %s on %s, %dx%d\n", kernel, options->format,
            options->width, options->height);
  }
  free_pair(&p);
  free_stream(stream);
}

static const char* const formats[] = {"gray",      "yuv420p",  "rgb24", "yuv422p10le", "rgba",
                                      "nv12",      "u8x3",     "f32p3", "gray16le",    "yuyv422",
                                      "gbrpf32le", "u16x3",    "u10",   "f32",         "yuva420p",
                                      "f16x3",     "gbrpf16le"};
static const char* const kernels[] = {"gaussian:sigma=2",
                                      "sobel",
                                      "unsharp",
                                      "box:size=5",
                                      "matrix:1 2 3;4 5 6;7 8 9:scale=auto",
                                      "laplacian",
                                      "kirsch",
                                      "gaussian:sigma=120"};
static const char* const borders[] = {"reflect101", "wrap", "zero", "replicate", "constant:0.25"};
enum {
  format_count = sizeof formats / sizeof *formats,
  kernel_count = sizeof kernels / sizeof *kernels
};

/* Every width and height from 1 to 70 is tested, each in some format. */
static void sizes(void) {
  int i;
  for (i = 1; i <= 70; ++i) {
    vidconv_plan_options options = device_options(formats[i % format_count], i, i * 17 % 70 + 1);
    options.border = borders[i % 5];
    options.interlaced = i % 4 == 3;
    like_the_cpu(kernels[i % kernel_count], &options, i % 6);
  }
}

/* Pictures of usual sizes are tested with kernels of all kinds. */
static void large_pictures(void) {
  static const int extents[][2] = {{641, 361}, {1920, 1080}, {1919, 1079}, {4097, 3}, {3, 4097}};
  static const char* const large[] = {"gaussian:sigma=8", "box:size=31", "random:1,25x25",
                                      "disk:radius=9", "motion:length=21:angle=30"};
  size_t e, f;
  for (e = 0; e < sizeof extents / sizeof *extents; ++e)
    for (f = 0; f < format_count; ++f) {
      const vidconv_plan_options options = device_options(formats[f], extents[e][0], extents[e][1]);
      like_the_cpu((f + e) % 2 ? large[(f + e) % 5] : kernels[(f + e) % kernel_count], &options, 0);
    }
}

/* The call returns while a closed gate still keeps the stream from the work. */
static void asynchronous(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream stream = new_stream();
  const void* const context = current_context();
  pair p = make_pair("gaussian:sigma=2", device_options("yuv420p", 321, 201), 0);
  const picture untouched = on_device(&p.to);
  size_t i;
  gate* closed;
  CHECK_OK(run_on(p.plan, &p.device_from, &untouched, stream, &error), error); /* loads kernels */
  wait_for(stream);
  closed = close_gate(stream);
  for (i = 0; i < 3; ++i)
    CHECK_OK(run_on(p.plan, &p.device_from, &p.device_to, stream, &error), error);
  CHECK(is_busy(stream));
  CHECK(current_context() == context);
  open_gate(closed);
  CHECK(same_on_device(&p.device_to, &p.to));
  free_pair(&p);
  free_on_device((picture*)&untouched);
  free_stream(stream);
}

/* The memory between a chain's filters is shared: a run on another stream waits for it. Freeing a
 * plan waits for its work. */
static void several_streams(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream streams[2] = {new_stream(), new_stream()};
  vidconv_plan_options options = device_options("u16x3", 333, 77);
  const vidconv_filter* const chain[] = {parsed("gaussian:sigma=3"), parsed("unsharp"),
                                         parsed("box")};
  vidconv_plan* plan = NULL;
  pair p[2];
  gate* closed;
  int i;
  CHECK_OK(vidconv_plan_new(chain, 3, &options, &plan, &error), error);
  for (i = 0; i < 2; ++i) {
    vidconv_plan* of_cpu = NULL;
    p[i] = make_pair("box", options, i);
    make_samples(&p[i].from, options.format, (unsigned)(40 + i));
    free_on_device(&p[i].device_from);
    p[i].device_from = on_device(&p[i].from);
    options.device = "cpu";
    CHECK_OK(vidconv_plan_new(chain, 3, &options, &of_cpu, &error), error);
    CHECK_OK(run_on(of_cpu, &p[i].from, &p[i].to, NULL, &error), error);
    vidconv_plan_free(of_cpu);
    options.device = "cuda:0";
    CHECK_OK(run_on(plan, &p[i].device_from, &p[i].device_to, streams[i], &error), error);
    wait_for(streams[i]);
    CHECK(same_on_device(&p[i].device_to, &p[i].to));
  }
  closed = close_gate(streams[0]);
  for (i = 0; i < 20; ++i)
    CHECK_OK(run_on(plan, &p[i % 2].device_from, &p[i % 2].device_to, streams[i % 2], &error),
             error);
  CHECK(is_busy(streams[1]));
  open_gate(closed);
  vidconv_plan_free(plan);
  for (i = 0; i < 2; ++i) {
    CHECK(!is_busy(streams[i]));
    CHECK(same_on_device(&p[i].device_to, &p[i].to));
    free_pair(&p[i]);
    free_stream(streams[i]);
  }
  for (i = 0; i < 3; ++i) vidconv_filter_free((vidconv_filter*)chain[i]);
}

/* No device memory is allocated for a picture except for the first one. */
static void no_device_memory(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream stream = new_stream();
  size_t k;
  for (k = 0; k < kernel_count; ++k) {
    pair p = make_pair(kernels[k], device_options(formats[k], 640, 480), 0);
    size_t before;
    int i;
    CHECK_OK(run_on(p.plan, &p.device_from, &p.device_to, stream, &error), error);
    wait_for(stream);
    before = device_memory_left();
    for (i = 0; i < 100; ++i)
      CHECK_OK(run_on(p.plan, &p.device_from, &p.device_to, stream, &error), error);
    CHECK(device_memory_left() == before);
    wait_for(stream);
    free_pair(&p);
  }
  free_stream(stream);
}

/* Memory that the device cannot use, filtering in place and missing devices are refused, and the
 * next picture is filtered all the same. */
static void refusals(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = device_options("gray", 64, 48);
  pair p = make_pair("box", options, 0);
  CHECK_STATUS(run_on(p.plan, &p.from, &p.device_to, NULL, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "memory that it cannot use") != NULL && error.remedy[0]);
  CHECK_STATUS(run_on(p.plan, &p.device_from, &p.to, NULL, &error), VIDCONV_USAGE, error);
  CHECK_STATUS(run_on(p.plan, &p.device_from, &p.device_from, NULL, &error), VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "overlaps") != NULL);
  CHECK_OK(run_on(p.plan, &p.device_from, &p.device_to, NULL, &error), error);
  wait_for(NULL);
  CHECK(same_on_device(&p.device_to, &p.to));
  free_pair(&p);
}

typedef struct {
  void* context;
  unsigned seed;
} hosted;

static void* filter_hosted(void* argument) {
  const hosted* const h = argument;
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  unsigned i;
  make_context_current(h->context);
  for (i = 0; i < 8; ++i) {
    vidconv_plan_options options =
        device_options(formats[(h->seed + i) % format_count], (int)(20 + 31 * i), (int)(7 + 9 * i));
    vidconv_plan *plan, *of_cpu;
    picture from, to, wanted;
    options.host = 1;
    plan = planned(kernels[i % kernel_count], &options);
    options.device = "cpu";
    of_cpu = planned(kernels[i % kernel_count], &options);
    from = make_picture(plan, 1);
    to = make_picture(plan, i % 2);
    wanted = make_picture(plan, 0);
    make_samples(&from, options.format, h->seed + i);
    CHECK_OK(run(of_cpu, &from, &wanted, &error), error);
    CHECK_OK(run(plan, &from, &to, &error), error);
    CHECK(equal(&to, &wanted) && guards_hold(&to) && guards_hold(&from));
    free_picture(&from);
    free_picture(&to);
    free_picture(&wanted);
    vidconv_plan_free(plan);
    vidconv_plan_free(of_cpu);
  }
  return NULL;
}

/* Pictures in host memory are filtered by the device, on several threads. */
static void host_memory(void) {
  enum { count = 3 };
  hosted sides[count];
  pthread_t ids[count];
  unsigned i;
  for (i = 0; i < count; ++i) {
    sides[i].context = current_context();
    sides[i].seed = 5 * i;
    CHECK(pthread_create(&ids[i], NULL, filter_hosted, &sides[i]) == 0);
  }
  for (i = 0; i < count; ++i) pthread_join(ids[i], NULL);
}

/* Pictures that follow each other, in host memory and on the device, and the results of a plan for
 * the CPU. */
typedef struct {
  int pictures, results;
  picture from[most_pictures], device_from[most_pictures];
  picture to[most_pictures], device_to[most_pictures];
} video;

static video make_video(const char* const* kernels, vidconv_plan_options options, int pictures,
                        int turned) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan* of_cpu;
  video v;
  int i;
  options.device = "cpu";
  of_cpu = planned_chain(kernels, &options);
  v.pictures = pictures;
  v.results = results_of(of_cpu, pictures);
  for (i = 0; i < pictures; ++i) {
    v.from[i] = make_picture(of_cpu, turned && i % 2);
    /* Cuts are found where all pictures of a scene are the same. */
    make_samples(&v.from[i], options.format,
                 (unsigned)((strstr(kernels[0], "cut=") ? i / 4 : i) * 97 + pictures));
    v.device_from[i] = on_device(&v.from[i]);
  }
  for (i = 0; i < v.results; ++i) {
    v.to[i] = make_picture(of_cpu, turned && i % 2);
    v.device_to[i] = on_device(&v.to[i]);
    CHECK_OK(run_window(of_cpu, v.from, pictures, i, i > 0, &v.to[i], NULL, &error), error);
  }
  vidconv_plan_free(of_cpu);
  return v;
}

static void free_video(video* v) {
  int i;
  for (i = 0; i < v->pictures; ++i) {
    free_on_device(&v->device_from[i]);
    free_picture(&v->from[i]);
  }
  for (i = 0; i < v->results; ++i) {
    free_on_device(&v->device_to[i]);
    free_picture(&v->to[i]);
  }
}

/* Filters all pictures in order, in turn on two streams, and waits for none. */
static void run_video(vidconv_plan* plan, const video* v, const device_stream* streams) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  int i;
  for (i = 0; i < v->results; ++i)
    CHECK_OK(run_window(plan, v->device_from, v->pictures, i, i > 0, &v->device_to[i],
                        streams[i % 2], &error),
             error);
}

static void check_video(const video* v, const char* kernel, const vidconv_plan_options* options) {
  int i;
  for (i = 0; i < v->results; ++i)
    if (!same_on_device(&v->device_to[i], &v->to[i])) {
      ++check_failures;
      fprintf(stderr, "result %d has not the CPU's bytes: %s on %s, %dx%d\n", i, kernel,
              options->format, options->width, options->height);
    }
  for (i = 0; i < v->pictures; ++i) CHECK(same_on_device(&v->device_from[i], &v->from[i]));
}

static void clear_results(const video* v) {
  int i;
  size_t p;
  for (i = 0; i < v->results; ++i)
    for (p = 0; p < v->to[i].planes; ++p) {
      unsigned char* const guards = malloc(v->to[i].bytes[p]);
      memset(guards, guard_byte, v->to[i].bytes[p]);
      upload(v->device_to[i].memory[p], guards, v->to[i].bytes[p]);
      free(guards);
    }
}

static const char* const chains_over_time[][3] = {
    {"time:1 2 3 2 1:scale=auto", NULL},
    {"time-box:size=9", "sobel", "time:1 2 1:scale=auto:border=reflect"},
    {"box", "time-exp:decay=0.5:border=shrink", NULL},
    {"time-box:size=3:cut=0.1", "time-box:size=2:every=2:phase=1", "time:1 1:scale=auto:cut=0.2"},
    {"time:-1 0 1:abs=1:threshold=0.2:region=3,2,20,6:border=zero", NULL},
    {"volume:1 2 1;2 4 2;1 2 1|2 4 2;4 8 4;2 4 2|1 2 1;2 4 2;1 2 1:scale=auto:border=shrink", NULL},
    {"volume:0 1 0;1 -6 1;0 1 0|0 0 0;0 2 0;0 0 1:bias=0.5", "time-exp:decay=0.5", NULL},
    {"unsharp", "gaussian", NULL}};
enum { chain_count = sizeof chains_over_time / sizeof *chains_over_time };

/* Windows of pictures on the device, in order on two streams and each on its own from the last one
 * to the first. */
static void over_time(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const device_stream streams[2] = {new_stream(), new_stream()};
  size_t c, f;
  int i;
  for (c = 0; c < chain_count; ++c)
    for (f = 0; f < format_count; ++f) {
      const char* const* const chain = chains_over_time[c];
      vidconv_plan_options options = device_options(formats[f], 37, f % 5 == 4 ? 1 : 10);
      const int pictures = f % 4 == 3 ? 2 : most_pictures;
      vidconv_plan *plan, *hosted;
      video v;
      if (options.height == 1 && c == 4) options.height = 9; /* a region with rows */
      options.border = borders[(c + f) % 5];
      v = make_video(chain, options, pictures, (c + f) % 2 == 1);
      plan = planned_chain(chain, &options);
      run_video(plan, &v, streams);
      wait_for(streams[0]);
      wait_for(streams[1]);
      check_video(&v, chain[0], &options);
      clear_results(&v);
      for (i = v.results - 1; i >= 0; --i)
        CHECK_OK(
            run_window(plan, v.device_from, pictures, i, 0, &v.device_to[i], streams[0], &error),
            error);
      wait_for(streams[0]);
      check_video(&v, chain[0], &options);
      vidconv_plan_free(plan);
      options.host = 1;
      hosted = planned_chain(chain, &options);
      for (i = 0; i < 2 * v.results; ++i) { /* the second half: backwards */
        const int result = i < v.results ? i : 2 * v.results - 1 - i;
        picture to = make_picture(hosted, i % 2);
        CHECK_OK(
            run_window(hosted, v.from, pictures, result, i > 0 && i < v.results, &to, NULL, &error),
            error);
        CHECK(equal(&to, &v.to[result]) && guards_hold(&to));
        free_picture(&to);
      }
      vidconv_plan_free(hosted);
      free_video(&v);
    }
  free_stream(streams[0]);
  free_stream(streams[1]);
}

/* Windows are queued behind a closed gate: runs on two streams wait for each other, and after the
 * first pictures no memory is allocated. */
static void windows_are_queued(void) {
  const device_stream streams[2] = {new_stream(), new_stream()};
  size_t c;
  for (c = 0; c < 3; ++c) { /* the others compare pictures, or make none between filters */
    const char* const* const chain = chains_over_time[c];
    const vidconv_plan_options options = device_options(c == 1 ? "f16x3" : "yuv420p", 333, 77);
    vidconv_plan* const plan = planned_chain(chain, &options);
    video v = make_video(chain, options, most_pictures, 0);
    size_t before;
    gate* closed;
    run_video(plan, &v, streams);
    wait_for(streams[0]);
    wait_for(streams[1]);
    clear_results(&v);
    before = device_memory_left();
    closed = close_gate(streams[0]);
    run_video(plan, &v, streams);
    CHECK(is_busy(streams[0]) && is_busy(streams[1]));
    open_gate(closed);
    wait_for(streams[0]);
    wait_for(streams[1]);
    CHECK(device_memory_left() == before);
    check_video(&v, chain[0], &options);
    vidconv_plan_free(plan);
    free_video(&v);
  }
  free_stream(streams[0]);
  free_stream(streams[1]);
}

static void windows_refused(void) {
  static const char* const chain[] = {"time:1 2 1:scale=auto", NULL};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  const vidconv_plan_options options = device_options("gray", 64, 48);
  vidconv_plan* const plan = planned_chain(chain, &options);
  video v = make_video(chain, options, 3, 0);
  CHECK_STATUS(run_window(plan, v.from, 3, 1, 0, &v.device_to[1], NULL, &error), VIDCONV_USAGE,
               error);
  CHECK(strstr(error.message, "memory that it cannot use") != NULL && error.remedy[0]);
  CHECK_STATUS(run_window(plan, v.device_from, 3, 1, 0, &v.device_from[2], NULL, &error),
               VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "overlaps") != NULL);
  CHECK_OK(run_window(plan, v.device_from, 3, 1, 0, &v.device_to[1], NULL, &error), error);
  wait_for(NULL);
  CHECK(same_on_device(&v.device_to[1], &v.to[1]));
  vidconv_plan_free(plan);
  free_video(&v);
}

int main(void) {
  const char* const required = getenv("VIDCONV_REQUIRE_CUDA");
  if (!open_driver() || vidconv_cuda_devices() == 0) {
    printf("SKIPPED: there is no CUDA device, or libvidconv was built without CUDA\n");
    return required && strcmp(required, "1") == 0 ? 1 : 77;
  }
  alarm(300); /* a call that waits for a closed gate would block for ever */
  sizes();
  large_pictures();
  asynchronous();
  several_streams();
  no_device_memory();
  refusals();
  host_memory();
  over_time();
  windows_are_queued();
  windows_refused();
  check_failures += device_frames();
  printf("%d checks failed\n", check_failures);
  return check_failures ? 1 : 0;
}
