// A stack as large as libraries take for granted, whatever the limit (ulimit -s) says.
#pragma once

namespace vidconv {

// Runs `work` and returns what it returns. Threads that are begun from then on have such a stack
// too. First of all, before there are threads.
int with_usual_stack(int (*work)(int argc, char** argv), int argc, char** argv);

}  // namespace vidconv
