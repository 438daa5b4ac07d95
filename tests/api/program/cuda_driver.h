/* The part of CUDA's driver that tests need, loaded at run time: they compile without the
 * toolkit. */
#ifndef VIDCONV_TESTS_CUDA_DRIVER_H
#define VIDCONV_TESTS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef void* device_stream; /* CUstream */

/* Returns whether there is a device; if so, its primary context is current. */
int open_driver(void);
/* Returns the context of this thread. */
void* current_context(void);
void make_context_current(void* context);

/* The functions below end the program if the driver fails. */
void* device_malloc(size_t bytes);
void device_free(void* memory);
void upload(void* device, const void* host, size_t bytes);
void download(void* host, const void* device, size_t bytes);
size_t device_memory_left(void);
/* Queues a copy from memory of the device to memory of the device. */
void copy_on_device(void* to, const void* from, size_t bytes, device_stream stream);

device_stream new_stream(void); /* the stream does not wait for others */
void free_stream(device_stream stream);
void wait_for(device_stream stream);
int is_busy(device_stream stream);

/* A closed gate stops a stream: work queued behind it waits until the gate is opened. */
typedef struct gate gate;
gate* close_gate(device_stream stream);
void open_gate(gate* closed); /* also frees it */

#endif
