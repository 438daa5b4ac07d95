// Provides a stack as large as libraries expect, whatever the limit (ulimit -s) is.
#pragma once

namespace vidconv {

// Runs `work` and returns its result. Threads started from then on have such a stack, too. To be
// called first of all, before there are threads.
int with_usual_stack(int (*work)(int argc, char** argv), int argc, char** argv);

}  // namespace vidconv
