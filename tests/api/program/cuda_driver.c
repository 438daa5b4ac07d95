#include "cuda_driver.h"

#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  int (*init)(unsigned);
  int (*count)(int*);
  int (*device)(int*, int);
  int (*retain)(void**, int);
  int (*get_current)(void**);
  int (*set_current)(void*);
  int (*allocate)(uintptr_t*, size_t);
  int (*release)(uintptr_t);
  int (*to_device)(uintptr_t, const void*, size_t);
  int (*to_host)(void*, uintptr_t, size_t);
  int (*memory)(size_t*, size_t*);
  int (*on_device)(uintptr_t, uintptr_t, size_t, device_stream);
  int (*new_stream)(device_stream*, unsigned);
  int (*free_stream)(device_stream);
  int (*synchronise)(device_stream);
  int (*query)(device_stream);
  int (*call_host)(device_stream, void (*)(void*), void*);
} cu;

static const struct {
  const char* name;
  void* place;
} functions[] = {{"cuInit", &cu.init},
                 {"cuDeviceGetCount", &cu.count},
                 {"cuDeviceGet", &cu.device},
                 {"cuDevicePrimaryCtxRetain", &cu.retain},
                 {"cuCtxGetCurrent", &cu.get_current},
                 {"cuCtxSetCurrent", &cu.set_current},
                 {"cuMemAlloc_v2", &cu.allocate},
                 {"cuMemFree_v2", &cu.release},
                 {"cuMemcpyHtoD_v2", &cu.to_device},
                 {"cuMemcpyDtoH_v2", &cu.to_host},
                 {"cuMemGetInfo_v2", &cu.memory},
                 {"cuMemcpyDtoDAsync_v2", &cu.on_device},
                 {"cuStreamCreate", &cu.new_stream},
                 {"cuStreamDestroy_v2", &cu.free_stream},
                 {"cuStreamSynchronize", &cu.synchronise},
                 {"cuStreamQuery", &cu.query},
                 {"cuLaunchHostFunc", &cu.call_host}};

static void must(int result, const char* what) {
  if (result == 0) return;
  fprintf(stderr, "the driver refuses to %s: error %d\n", what, result);
  exit(1);
}

int open_driver(void) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* context = NULL;
  size_t i;
  int device = 0, count = 0;
  if (!library) return 0;
  for (i = 0; i < sizeof functions / sizeof *functions; ++i) {
    *(void**)functions[i].place = dlsym(library, functions[i].name);
    if (!*(void**)functions[i].place) return 0;
  }
  if (cu.init(0) != 0 || cu.count(&count) != 0 || count == 0) return 0;
  must(cu.device(&device, 0), "name its first device");
  must(cu.retain(&context, device), "start its first device");
  make_context_current(context);
  return 1;
}

void* current_context(void) {
  void* context = NULL;
  must(cu.get_current(&context), "tell the current context");
  return context;
}
void make_context_current(void* context) { must(cu.set_current(context), "change the context"); }

void* device_malloc(size_t bytes) {
  uintptr_t memory = 0;
  must(cu.allocate(&memory, bytes), "allocate");
  return (void*)memory;
}
void device_free(void* memory) { must(cu.release((uintptr_t)memory), "free memory"); }
void upload(void* device, const void* host, size_t bytes) {
  must(cu.to_device((uintptr_t)device, host, bytes), "upload");
}
void download(void* host, const void* device, size_t bytes) {
  must(cu.to_host(host, (uintptr_t)device, bytes), "download");
}
size_t device_memory_left(void) {
  size_t left = 0, all = 0;
  must(cu.memory(&left, &all), "tell how much memory is left");
  return left;
}

void copy_on_device(void* to, const void* from, size_t bytes, device_stream stream) {
  must(cu.on_device((uintptr_t)to, (uintptr_t)from, bytes, stream), "copy on the device");
}

device_stream new_stream(void) {
  enum { does_not_wait_for_the_default_one = 1 };
  device_stream stream = NULL;
  must(cu.new_stream(&stream, does_not_wait_for_the_default_one), "make a stream");
  return stream;
}
void free_stream(device_stream stream) { must(cu.free_stream(stream), "drop a stream"); }
void wait_for(device_stream stream) { must(cu.synchronise(stream), "do what was queued"); }
int is_busy(device_stream stream) {
  enum { not_ready = 600 };
  const int result = cu.query(stream);
  if (result != not_ready) must(result, "do what was queued");
  return result == not_ready;
}

struct gate {
  sem_t opened;
  device_stream stream;
};
static void wait_at(void* closed) { sem_wait(&((gate*)closed)->opened); }
gate* close_gate(device_stream stream) {
  gate* const closed = malloc(sizeof *closed);
  sem_init(&closed->opened, 0, 0);
  closed->stream = stream;
  must(cu.call_host(stream, wait_at, closed), "call the host");
  return closed;
}
void open_gate(gate* closed) {
  sem_post(&closed->opened);
  wait_for(closed->stream);
  sem_destroy(&closed->opened);
  free(closed);
}
