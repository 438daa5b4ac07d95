// A team of threads for one piece of work.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#else
#include <omp.h>
#endif

namespace vidconv {

// Calls body(thread, count) once for each thread of a team of `count` <= `threads`, all at once,
// and returns when all have returned.
template <class Body>
void parallel(int threads, const Body& body) {
#ifdef __SANITIZE_THREAD__
  // ThreadSanitizer cannot see how GCC's OpenMP runtime hands work over and waits for it.
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread)
    team.emplace_back([&body, thread, threads] { body(thread, threads); });
#else
#pragma omp parallel num_threads(threads)
  body(omp_get_thread_num(), omp_get_num_threads());  // fewer where the system has no more
#endif
}

}  // namespace vidconv
