// How many threads a piece of work is worth: waking one takes longer than a small picture.
#pragma once

#include "kernels/plan/plan.h"

namespace vidconv {

// Returns about the time that one thread takes for a sample of the plan, as measured with AVX-512
// on a Zen 4 and right to within a half. `taps` are the plan's, unless a variant saves most of
// them.
double nanoseconds_a_sample(const Plan& plan);
double nanoseconds_a_sample(const SampleType& sample, int taps);

// Returns from 1 to `threads`: as many as have enough to do each. Always the same for the same
// work.
int worth_threads(int threads, double nanoseconds);

// For tests: makes all threads take part from now on, however little there is to do, or ends that.
void force_all_threads(bool all);

}  // namespace vidconv
