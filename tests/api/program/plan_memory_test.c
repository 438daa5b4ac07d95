/* Tests pictures in memory: ownership, allocations, and use by several threads. */
#include <pthread.h>
#include <sys/mman.h>

#include "picture.h"

/* Planes may be many, and halves of one array side by side. */
static void planes_of_one_array(void) {
  enum { width = 16, height = 9, planes = 300 };
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  unsigned char* const all = malloc(2 * planes * width * height);
  const void* from[planes];
  void* to[planes];
  ptrdiff_t strides[planes];
  vidconv_plan* plan;
  size_t i;
  options.format = "u8p300";
  options.width = width;
  options.height = height;
  plan = planned("box", &options);
  fill_random(all, 2 * planes * width * height, 7);
  for (i = 0; i < planes; ++i) {
    from[i] = all + 2 * i * width * height;
    to[i] = all + 2 * i * width * height + width; /* the right half of it */
    strides[i] = 2 * width;
  }
  CHECK_OK(vidconv_plan_run(plan, planes, from, strides, to, strides, NULL, &error), error);
  to[5] = (unsigned char*)to[5] - 1;
  CHECK_STATUS(vidconv_plan_run(plan, planes, from, strides, to, strides, NULL, &error),
               VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "plane 5 overlaps one that is read") != NULL);
  to[5] = to[4];
  CHECK_STATUS(vidconv_plan_run(plan, planes, from, strides, to, strides, NULL, &error),
               VIDCONV_USAGE, error);
  CHECK(strstr(error.message, "overlaps another one that is written") != NULL);
  vidconv_plan_free(plan);
  free(all);
}

/* The input may be read-only memory. */
static void read_only_input(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  const size_t bytes = 64 * 64;
  unsigned char* const from =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const void* planes[1];
  void* to[1];
  const ptrdiff_t stride = 64;
  vidconv_plan* plan;
  CHECK(from != MAP_FAILED);
  fill_random(from, bytes, 3);
  CHECK(mprotect(from, bytes, PROT_READ) == 0);
  options.format = "gray";
  options.width = options.height = 64;
  options.interlaced = 1;
  plan = planned("gaussian", &options);
  planes[0] = from;
  to[0] = malloc(bytes);
  CHECK_OK(vidconv_plan_run(plan, 1, planes, &stride, to, &stride, NULL, &error), error);
  free(to[0]);
  munmap(from, bytes);
  vidconv_plan_free(plan);
}

typedef struct {
  vidconv_plan* plan;
  const picture* from;
  picture to;
} turn;

static void* take_turns(void* argument) {
  turn* const t = argument;
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  int i;
  for (i = 0; i < 50; ++i) CHECK_OK(run(t->plan, t->from, &t->to, &error), error);
  return NULL;
}

/* Several threads use one plan, and others beside it. */
static void threads(void) {
  enum { count = 4 };
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  vidconv_plan *shared, *own[count];
  picture from, wanted;
  turn turns[count];
  pthread_t ids[count];
  int i;
  options.format = "yuv420p";
  options.width = 67;
  options.height = 45;
  shared = planned("gaussian:sigma=3", &options);
  from = make_picture(shared, 0);
  wanted = make_picture(shared, 0);
  make_samples(&from, "", 5);
  CHECK_OK(run(shared, &from, &wanted, &error), error);
  for (i = 0; i < count; ++i) {
    own[i] = planned("gaussian:sigma=3", &options);
    turns[i].plan = i % 2 ? own[i] : shared;
    turns[i].from = &from;
    turns[i].to = make_picture(shared, 0);
    CHECK(pthread_create(&ids[i], NULL, take_turns, &turns[i]) == 0);
  }
  for (i = 0; i < count; ++i) {
    pthread_join(ids[i], NULL);
    CHECK(equal(&turns[i].to, &wanted));
    free_picture(&turns[i].to);
    vidconv_plan_free(own[i]);
  }
  free_picture(&from);
  free_picture(&wanted);
  vidconv_plan_free(shared);
}

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
/* Every allocation of the process, C++'s included, passes here. */
static volatile long allocations;
extern void* __libc_malloc(size_t bytes);
void* malloc(size_t bytes) {
  __sync_fetch_and_add(&allocations, 1);
  return __libc_malloc(bytes);
}

/* Nothing is allocated for a picture except for the first one. */
static void no_allocations(void) {
  static const char* const kernels[] = {"gaussian:sigma=2", "sobel",
                                        "box:size=31",      "random:1,25x25",
                                        "unsharp",          "matrix:1 2 3;4 5 6;7 8 9:scale=auto"};
  static const char* const formats[] = {"u8x3", "yuv420p10le", "f32", "gray16le", "f16"};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  size_t k, f;
  for (k = 0; k < sizeof kernels / sizeof *kernels; ++k)
    for (f = 0; f < sizeof formats / sizeof *formats; ++f) {
      vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
      vidconv_plan* plan;
      picture from, to;
      long before, i;
      options.format = formats[f];
      options.width = options.height = 70;
      plan = planned(kernels[k], &options);
      from = make_picture(plan, 0);
      to = make_picture(plan, 0);
      make_samples(&from, formats[f], 1);
      CHECK_OK(run(plan, &from, &to, &error), error);
      before = allocations;
      CHECK(before > 0);
      for (i = 0; i < 5; ++i) run(plan, &from, &to, &error);
      if (allocations != before) {
        ++check_failures;
        fprintf(stderr, "%ld allocations by 5 runs of %s on %s\n", allocations - before, kernels[k],
                formats[f]);
      }
      free_picture(&from);
      free_picture(&to);
      vidconv_plan_free(plan);
    }
}
#else
static void no_allocations(void) {}
#endif

int main(void) {
  planes_of_one_array();
  read_only_input();
  no_allocations();
  threads();
  return check_failures ? 1 : 0;
}
