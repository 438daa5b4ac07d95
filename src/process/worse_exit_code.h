// The exit code of several runs in one.
#pragma once

namespace vidconv {

// The worse of two. From the best to the worst: 0; 7, an output that is there all the same; 3, one
// input; 4, 2 and 5, which other inputs will meet as well; 6 and 1, after which no output is to be
// trusted; those above 128, with which not all was tried.
int worse_exit_code(int a, int b);

}  // namespace vidconv
