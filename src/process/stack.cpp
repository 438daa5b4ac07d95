#include "src/process/stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cstddef>

namespace vidconv {
namespace {

constexpr std::size_t usual = 8 << 20, enough = 2 << 20;

void give_threads_enough() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t size = 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < enough &&
      pthread_attr_setstacksize(&attributes, usual) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

// Returns whether the main thread's stack can grow enough: it grows up to the current limit.
bool has_enough() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= enough) return true;
  limit.rlim_cur = limit.rlim_max < usual ? limit.rlim_max : usual;
  return setrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= enough;
}

// A call on another stack.
struct Call {
  int (*work)(int, char**);
  int argc;
  char** argv;
  int result = 0;
  ucontext_t before{}, inside{};
};
Call* call = nullptr;

void make_call() { call->result = call->work(call->argc, call->argv); }

}  // namespace

// Stays in the same thread, so that a sandbox that is entered later binds all threads.
int with_usual_stack(int (*work)(int argc, char** argv), int argc, char** argv) {
  give_threads_enough();
  if (has_enough()) return work(argc, argv);
  void* const stack = mmap(nullptr, usual, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  static Call this_call{.work = work, .argc = argc, .argv = argv};
  call = &this_call;
  if (stack == MAP_FAILED || getcontext(&this_call.inside) != 0) return work(argc, argv);
  mprotect(stack, 4096, PROT_NONE);  // an overflow crashes instead of corrupting memory
  this_call.inside.uc_stack.ss_sp = stack;
  this_call.inside.uc_stack.ss_size = usual;
  this_call.inside.uc_link = &this_call.before;
  makecontext(&this_call.inside, make_call, 0);
  if (swapcontext(&this_call.before, &this_call.inside) != 0) return work(argc, argv);
  return this_call.result;
}

}  // namespace vidconv
