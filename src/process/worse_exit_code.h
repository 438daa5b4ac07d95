// Combines the exit codes of several runs into one.
#pragma once

namespace vidconv {

// Returns the worse of two codes. From the best to the worst: 0; 7, after which there is an output
// all the same; 3, which concerns one input; 4, 2 and 5, which other inputs will meet as well; 6
// and 1, after which no output can be trusted; codes above 128, with which not all inputs were
// tried.
int worse_exit_code(int a, int b);

}  // namespace vidconv
