// How many threads a piece of work is worth: to wake one takes longer than a small picture.
#pragma once

#include "kernels/plan/plan.h"

namespace vidconv {

// About what one thread takes for a sample of the plan, as measured with AVX-512 on a Zen 4; no
// worse than by half. `taps`: of the plan, unless an engine does without most of them.
double nanoseconds_a_sample(const Plan& plan);
double nanoseconds_a_sample(const SampleType& sample, int taps);

// From 1 to `threads`: as many as have enough to do each. The same for the same work always.
int worth_threads(int threads, double nanoseconds);

// For tests: from now on, however little there is to do, all threads get some of it; or no more.
void force_all_threads(bool all);

}  // namespace vidconv
