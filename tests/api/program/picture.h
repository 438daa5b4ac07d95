/* Pictures in the host's memory, for tests of plans. */
#ifndef VIDCONV_TESTS_PICTURE_H
#define VIDCONV_TESTS_PICTURE_H

#include "check.h"

#define MOST_PLANES 8

/* The planes of a picture, each with guards around its rows. */
typedef struct {
  size_t planes, bytes[MOST_PLANES];
  unsigned char* memory[MOST_PLANES];
  void* data[MOST_PLANES];
  ptrdiff_t stride[MOST_PLANES];
  vidconv_plane_info info[MOST_PLANES];
} picture;

enum { guard = 64, gap = 24, guard_byte = 0xA5 };

static inline picture make_picture(const vidconv_plan* plan, int upside_down) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_plan_info info = VIDCONV_INIT(vidconv_plan_info);
  picture p;
  size_t i;
  CHECK_OK(vidconv_plan_get_info(plan, &info, &error), error);
  p.planes = (size_t)info.planes;
  for (i = 0; i < p.planes; ++i) {
    vidconv_plane_info plane = VIDCONV_INIT(vidconv_plane_info);
    ptrdiff_t stride;
    CHECK_OK(vidconv_plan_get_plane(plan, i, &plane, &error), error);
    stride = (ptrdiff_t)((plane.row_bytes + gap + 7) / 8 * 8);
    p.info[i] = plane;
    p.bytes[i] = (size_t)(stride * plane.rows) + 2 * guard;
    p.memory[i] = malloc(p.bytes[i]);
    memset(p.memory[i], guard_byte, p.bytes[i]);
    p.data[i] = p.memory[i] + guard + (upside_down ? stride * (plane.rows - 1) : 0);
    p.stride[i] = upside_down ? -stride : stride;
  }
  return p;
}

static inline void free_picture(picture* p) {
  size_t i;
  for (i = 0; i < p->planes; ++i) free(p->memory[i]);
}

static inline unsigned char* row_of(const picture* p, size_t plane, int y) {
  return (unsigned char*)p->data[plane] + p->stride[plane] * y;
}

/* Returns whether the bytes outside of rows are unchanged. */
static inline int guards_hold(const picture* p) {
  size_t i, b;
  for (i = 0; i < p->planes; ++i) {
    const ptrdiff_t stride = p->stride[i] < 0 ? -p->stride[i] : p->stride[i];
    for (b = 0; b < p->bytes[i]; ++b) {
      const ptrdiff_t at = (ptrdiff_t)b - guard;
      const int in_row =
          at >= 0 && at / stride < p->info[i].rows && at % stride < p->info[i].row_bytes;
      if (!in_row && p->memory[i][b] != guard_byte) return 0;
    }
  }
  return 1;
}

static inline int equal(const picture* a, const picture* b) {
  size_t i;
  int y;
  for (i = 0; i < a->planes; ++i)
    for (y = 0; y < a->info[i].rows; ++y)
      if (memcmp(row_of(a, i, y), row_of(b, i, y), (size_t)a->info[i].row_bytes) != 0) return 0;
  return 1;
}

static inline void make_samples(picture* p, const char* format, unsigned seed) {
  size_t i;
  int y;
  for (i = 0; i < p->planes; ++i)
    for (y = 0; y < p->info[i].rows; ++y) {
      unsigned char* row = row_of(p, i, y);
      size_t x;
      fill_random(row, (size_t)p->info[i].row_bytes, seed++);
      if (p->info[i].sample_bytes == 2 && strstr(format, "10"))
        for (x = 1; x < (size_t)p->info[i].row_bytes; x += 2) row[x] &= 3;
      if (strstr(format, "f16"))
        for (x = 1; x < (size_t)p->info[i].row_bytes; x += 2) row[x] &= 0xBF; /* below 2 */
      if (p->info[i].sample_bytes == 4)
        for (x = 0; x < (size_t)p->info[i].row_bytes; x += 4) {
          const float value = (float)row[x] / 255.0f;
          memcpy(row + x, &value, 4);
        }
    }
}

static inline vidconv_status run(vidconv_plan* plan, const picture* from, const picture* to,
                                 vidconv_error* error) {
  return vidconv_plan_run(plan, from->planes, (const void* const*)from->data, from->stride,
                          to->data, to->stride, NULL, error);
}

#endif
