// A kernel after which the device's context is of no use any more.
#include "tests/doubles/trap.h"

namespace vidconv::test {
namespace {
__global__ void trap_kernel() { __trap(); }
}  // namespace

void spoil_device() { trap_kernel<<<1, 1>>>(); }

}  // namespace vidconv::test
