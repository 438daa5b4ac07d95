/* As much of CUDA's driver as tests want, found when they run: they compile without the toolkit. */
#ifndef VIDCONV_TESTS_CUDA_DRIVER_H
#define VIDCONV_TESTS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef void* device_stream; /* CUstream */

/* Whether there is a device; its primary context is current then. */
int open_driver(void);
/* The context of this thread. */
void* current_context(void);
void make_context_current(void* context);

/* What follows ends the program where the driver refuses. */
void* device_malloc(size_t bytes);
void device_free(void* memory);
void upload(void* device, const void* host, size_t bytes);
void download(void* host, const void* device, size_t bytes);
size_t device_memory_left(void);

device_stream new_stream(void); /* that does not wait for others */
void free_stream(device_stream stream);
void wait_for(device_stream stream);
int is_busy(device_stream stream);

/* What is queued on a stream from here on waits until it is opened. */
typedef struct gate gate;
gate* close_gate(device_stream stream);
void open_gate(gate* closed); /* once, and it is gone */

#endif
