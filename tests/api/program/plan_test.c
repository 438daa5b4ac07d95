/* Tests pictures in memory: plan_test VIDCONV FOLDER. The bytes are the command's, in a folder of
 * its own. */
#include "window.h"

static const char* command;
static const char* folder;

/* Writes pictures into a file, or reads them. */
static void transfer(const picture* p, int count, const char* name, int write) {
  char path[1024];
  FILE* file;
  size_t i;
  int y;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, write ? "wb" : "rb");
  CHECK(file != NULL);
  if (!file) return;
  for (; count > 0; --count, ++p)
    for (i = 0; i < p->planes; ++i)
      for (y = 0; y < p->info[i].rows; ++y) {
        const size_t bytes = (size_t)p->info[i].row_bytes;
        CHECK((write ? fwrite(row_of(p, i, y), 1, bytes, file)
                     : fread(row_of(p, i, y), 1, bytes, file)) == bytes);
      }
  fclose(file);
}

static void like_the_command(const char* format, int width, int height, const char* kernel,
                             const char* border) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  vidconv_plan* plan;
  picture from, to, wanted;
  char line[4096];
  options.format = format;
  options.width = width;
  options.height = height;
  options.border = border;
  plan = planned(kernel, &options);
  if (!plan) return;
  from = make_picture(plan, width % 2);
  to = make_picture(plan, width % 3 == 0);
  wanted = make_picture(plan, 0);
  make_samples(&from, format, (unsigned)(width * 41 + height));
  transfer(&from, 1, "in.raw", 1);
  snprintf(line, sizeof line,
           "'%s' '%s/in.raw' --raw %dx%d:%s -o '%s/out.raw' --format raw -y -q --device cpu "
           "--kernel '%s' --border %s",
           command, folder, width, height, format, folder, kernel, border);
  CHECK(system(line) == 0);
  transfer(&wanted, 1, "out.raw", 0);
  CHECK_OK(run(plan, &from, &to, &error), error);
  if (!equal(&to, &wanted)) {
    ++check_failures;
    fprintf(stderr, "not the command's bytes: %s\n", line);
  }
  CHECK(guards_hold(&from) && guards_hold(&to));
  free_picture(&from);
  free_picture(&to);
  free_picture(&wanted);
  vidconv_plan_free(plan);
}

/* Every width and height from 1 to 40 is tested, each in some format. */
static void sizes(void) {
  static const char* const formats[] = {"gray", "yuv420p",   "rgb24",    "yuv422p10le", "rgba",
                                        "nv12", "gbrpf32le", "gray16le", "yuyv422"};
  static const char* const kernels[] = {
      "gaussian:sigma=2", "sobel", "unsharp", "box:size=5", "matrix:1 2 3;4 5 6;7 8 9:scale=auto",
      "laplacian"};
  static const char* const borders[] = {"reflect101", "wrap", "zero", "replicate", "constant:0.25"};
  int i;
  for (i = 1; i <= 40; ++i)
    like_the_command(formats[i % 9], i, i * 17 % 40 + 1, kernels[i % 6], borders[i % 5]);
}

/* Bare samples are filtered like a format's of the same kind; a plan may be used again. */
static void bare_samples(void) {
  static const char* const pairs[][2] = {
      {"u8", "gray"},       {"u8x3", "rgb24"}, {"u16", "gray16le"},    {"u10", "gray10le"},
      {"f32", "grayf32le"}, {"u8p3", "gbrp"},  {"f32p3", "gbrpf32le"}, {"u16x3", "rgb48le"}};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  size_t i;
  for (i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
    vidconv_plan *bare, *named;
    picture from, a, b;
    int again;
    options.width = 37;
    options.height = 23;
    options.format = pairs[i][0];
    bare = planned("gaussian:sigma=1.5", &options);
    options.format = pairs[i][1];
    named = planned("gaussian:sigma=1.5", &options);
    from = make_picture(bare, 0);
    a = make_picture(bare, 0);
    b = make_picture(named, 0);
    for (again = 0; again < 2; ++again) {
      make_samples(&from, pairs[i][1], (unsigned)(i + 100 * (size_t)again));
      CHECK_OK(run(bare, &from, &a, &error), error);
      CHECK_OK(run(named, &from, &b, &error), error);
      CHECK(equal(&a, &b));
    }
    free_picture(&from);
    free_picture(&a);
    free_picture(&b);
    vidconv_plan_free(bare);
    vidconv_plan_free(named);
  }
}

/* A chain gives the result of its filters one after the other. */
static void chain(void) {
  static const char* const kernels[] = {"gaussian:sigma=2", "unsharp", "box:size=5:planes=y",
                                        "emboss"};
  static const char* const formats[] = {"yuv420p", "rgba", "u16p5"};
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  size_t f;
  for (f = 0; f < 3; ++f) {
    const vidconv_filter* filters[4];
    vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
    vidconv_plan* plan = NULL;
    picture pictures[5], at_once;
    size_t i, count = 0;
    options.format = formats[f];
    options.width = 31;
    options.height = 19;
    for (i = 0; i < 4; ++i)
      if (f == 0 || !strstr(kernels[i], "planes=y")) filters[count++] = parsed(kernels[i]);
    CHECK_OK(vidconv_plan_new(filters, count, &options, &plan, &error), error);
    for (i = 0; i <= count; ++i) pictures[i] = make_picture(plan, i % 2);
    at_once = make_picture(plan, 0);
    make_samples(&pictures[0], formats[f], 77);
    CHECK_OK(run(plan, &pictures[0], &at_once, &error), error);
    vidconv_plan_free(plan);
    for (i = 0; i < count; ++i) {
      CHECK_OK(vidconv_plan_new(filters + i, 1, &options, &plan, &error), error);
      CHECK_OK(run(plan, &pictures[i], &pictures[i + 1], &error), error);
      vidconv_plan_free(plan);
    }
    CHECK(equal(&at_once, &pictures[count]));
    CHECK(!equal(&at_once, &pictures[0]));
    for (i = 0; i <= count; ++i) free_picture(&pictures[i]);
    free_picture(&at_once);
    for (i = 0; i < count; ++i) vidconv_filter_free((vidconv_filter*)filters[i]);
  }
}

/* Fields are filtered as separate pictures. */
static void fields(void) {
  enum { width = 24, height = 11 };
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  unsigned char samples[width * height], at_once[width * height], by_field[width * height];
  const void* from[1];
  void* to[1];
  ptrdiff_t stride = width, both = 2 * width;
  vidconv_plan* plan;
  int field;
  fill_random(samples, sizeof samples, 9);
  options.format = "gray";
  options.width = width;
  options.height = height;
  options.interlaced = 1;
  plan = planned("gaussian", &options);
  from[0] = samples;
  to[0] = at_once;
  CHECK_OK(vidconv_plan_run(plan, 1, from, &stride, to, &stride, NULL, &error), error);
  vidconv_plan_free(plan);
  options.interlaced = 0;
  for (field = 0; field < 2; ++field) {
    options.height = (height + 1 - field) / 2;
    plan = planned("gaussian", &options);
    from[0] = samples + field * width;
    to[0] = by_field + field * width;
    CHECK_OK(vidconv_plan_run(plan, 1, from, &both, to, &both, NULL, &error), error);
    vidconv_plan_free(plan);
  }
  CHECK(memcmp(at_once, by_field, sizeof by_field) == 0);
}

/* Windows of pictures in memory, of which each lies in another way, give the command's bytes: in
 * order, and each on its own from the last one to the first. */
static void like_the_command_over_time(const char* format, const char* border,
                                       const char* const* kernels, int pictures) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  picture video[most_pictures], wanted[most_pictures], to;
  char line[4096];
  vidconv_plan* plan;
  int i, results, backwards;
  options.format = format;
  options.width = 37;
  options.height = 10;
  options.border = border;
  plan = planned_chain(kernels, &options);
  if (!plan) return;
  for (i = 0; i < pictures; ++i) {
    video[i] = make_picture(plan, i % 2);
    make_samples(&video[i], format, (unsigned)(i * 97 + pictures));
    wanted[i] = make_picture(plan, 0);
  }
  transfer(video, pictures, "in.raw", 1);
  snprintf(line, sizeof line,
           "'%s' '%s/in.raw' --raw 37x10:%s -o '%s/out.raw' --format raw -y -q --device cpu "
           "--border %s",
           command, folder, format, folder, border);
  for (i = 0; i < 3 && kernels[i]; ++i)
    snprintf(line + strlen(line), sizeof line - strlen(line), " --kernel '%s'", kernels[i]);
  CHECK(system(line) == 0);
  results = results_of(plan, pictures);
  transfer(wanted, results, "out.raw", 0);
  to = make_picture(plan, 1);
  for (backwards = 0; backwards < 2; ++backwards)
    for (i = 0; i < results; ++i) {
      const int result = backwards ? results - 1 - i : i;
      CHECK_OK(run_window(plan, video, pictures, result, !backwards && i > 0, &to, NULL, &error),
               error);
      CHECK(guards_hold(&to));
      if (equal(&to, &wanted[result])) continue;
      ++check_failures;
      fprintf(stderr, "result %d is not the command's: %s\n", result, line);
    }
  for (i = 0; i < pictures; ++i) {
    free_picture(&video[i]);
    free_picture(&wanted[i]);
  }
  free_picture(&to);
  vidconv_plan_free(plan);
}

static void over_time(void) {
  static const char* const chains[][3] = {
      {"time:1 2 3 2 1:scale=auto", NULL},
      {"time-box:size=9", "sobel", "time:1 2 1:scale=auto:border=reflect"},
      {"box", "time-exp:decay=0.5:border=shrink", NULL},
      {"time-box:size=3:cut=0.3", "time-box:size=2:every=2:phase=1", "time:1 1:scale=auto"},
      {"volume:0 1 0;1 2 1|1 2 1;2 4 2:scale=auto:border=zero", "time:1 3:scale=auto", NULL},
      {"time:-1 0 1:abs=1:threshold=0.2:region=3,2,20,6", NULL},
      {"unsharp", "gaussian", NULL}};
  static const char* const formats[] = {"yuv420p", "gray10le", "rgb24", "nv12", "gbrpf32le"};
  size_t c, f;
  for (c = 0; c < sizeof chains / sizeof *chains; ++c)
    for (f = 0; f < sizeof formats / sizeof *formats; ++f)
      like_the_command_over_time(formats[f], f % 2 ? "zero" : "reflect101", chains[c],
                                 f == 3 ? 2 : most_pictures);
}

/* Planes that lie side by side in the same rows, and pictures of one row with any stride. */
static void places_over_time(void) {
  enum { width = 5, height = 3, stride = 3 * width };
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  vidconv_window window = VIDCONV_INIT(vidconv_window);
  unsigned char samples[2][height * stride], result[height * stride];
  const void* from[6];
  void* to[3];
  ptrdiff_t strides[6];
  vidconv_plan* plan;
  size_t i;
  int rows;
  fill_random(samples[0], sizeof samples, 3);
  for (rows = height; rows >= 1; rows -= 2) {
    options.format = "u8p3";
    options.width = width;
    options.height = rows;
    plan = planned("time:1 1:scale=auto", &options);
    for (i = 0; i < 6; ++i) {
      from[i] = samples[i / 3] + i % 3 * width;
      strides[i] = rows == 1 ? (ptrdiff_t)i - 3 : stride;
    }
    for (i = 0; i < 3; ++i) to[i] = result + i * width;
    window.result = 1;
    window.pictures = 2;
    CHECK_OK(vidconv_plan_run_window(plan, &window, 3, from, strides, to, strides, NULL, &error),
             error);
    for (i = 0; i < (size_t)(rows * stride); ++i)
      CHECK(result[i] == (samples[0][i] + samples[1][i] + 1) / 2);
    vidconv_plan_free(plan);
  }
}

/* Plans describe themselves, and filters warn of probable mistakes. */
static void words(void) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
  vidconv_plan_info info = VIDCONV_INIT(vidconv_plan_info);
  vidconv_step_info step = VIDCONV_INIT(vidconv_step_info);
  vidconv_filter* const bright = parsed("matrix:1 1 1");
  vidconv_plan* plan;
  options.format = "yuva420p";
  options.width = 9;
  options.height = 7;
  plan = planned("sobel", &options);
  CHECK_OK(vidconv_plan_get_info(plan, &info, &error), error);
  CHECK(info.width == 9 && info.height == 7 && info.planes == 4 && info.steps == 3);
  CHECK(info.exact == 1 && info.device == -1);
  CHECK_OK(vidconv_plan_get_step(plan, 0, &step, &error), error);
  CHECK(strcmp(step.filter, "sobel") == 0 && strcmp(step.action, "filter") == 0);
  CHECK(strcmp(step.components, "Y") == 0 && step.variant[0] && step.exact == 1);
  CHECK_OK(vidconv_plan_get_step(plan, 1, &step, &error), error);
  CHECK(strcmp(step.components, "UV") == 0 && strcmp(step.action, "fill") == 0);
  CHECK(strcmp(vidconv_filter_text(bright), "matrix:1 1 1") == 0);
  CHECK(strstr(vidconv_filter_warning(bright, 0), "scale") != NULL);
  vidconv_filter_free(bright);
  vidconv_plan_free(plan);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  command = argv[1];
  folder = argv[2];
  CHECK(vidconv_version() == VIDCONV_VERSION);
  sizes();
  bare_samples();
  chain();
  fields();
  over_time();
  places_over_time();
  words();
  return check_failures ? 1 : 0;
}
