/* Pictures in the memory of a CUDA device get the bytes of a plan for the CPU, and all of the
 * device's memory around them is unchanged. Ends with 77 if there is no device, or fails with
 * VIDCONV_REQUIRE_CUDA=1. */
#include <pthread.h>
#include <unistd.h>

#include "device_picture.h"

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
  printf("%d checks failed\n", check_failures);
  return check_failures ? 1 : 0;
}
