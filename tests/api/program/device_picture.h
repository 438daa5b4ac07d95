/* Pictures in the memory of a CUDA device. */
#ifndef VIDCONV_TESTS_DEVICE_PICTURE_H
#define VIDCONV_TESTS_DEVICE_PICTURE_H

#include "cuda_driver.h"
#include "picture.h"

/* Returns a copy of a picture on the device, guards included. */
static inline picture on_device(const picture* host) {
  picture p = *host;
  size_t i;
  for (i = 0; i < p.planes; ++i) {
    p.memory[i] = device_malloc(p.bytes[i]);
    p.data[i] = p.memory[i] + ((unsigned char*)host->data[i] - host->memory[i]);
    upload(p.memory[i], host->memory[i], p.bytes[i]);
  }
  return p;
}

static inline void free_on_device(picture* p) {
  size_t i;
  for (i = 0; i < p->planes; ++i) device_free(p->memory[i]);
}

static inline int same_on_device(const picture* device, const picture* host) {
  size_t i;
  int same = 1;
  for (i = 0; i < host->planes; ++i) {
    unsigned char* const bytes = malloc(host->bytes[i]);
    download(bytes, device->memory[i], host->bytes[i]);
    same &= memcmp(bytes, host->memory[i], host->bytes[i]) == 0;
    free(bytes);
  }
  return same;
}

static inline vidconv_status run_on(vidconv_plan* plan, const picture* from, const picture* to,
                                    device_stream stream, vidconv_error* error) {
  return vidconv_plan_run(plan, from->planes, (const void* const*)from->data, from->stride,
                          to->data, to->stride, stream, error);
}

#endif
