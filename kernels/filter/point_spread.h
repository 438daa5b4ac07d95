// A picture of a point of light as it is to be seen, as a kernel for planes of any subsampling.
#pragma once

#include "kernels/filter/filter.h"

namespace vidconv {

// The kernel, whose taps each lie on a luma sample, for a plane of fewer samples: each tap is
// shared among the samples that its luma sample touches, by how much of it they cover. The sum and
// the place of the anchor stay.
Kernel on_samples(const Kernel& luma, Subsampling subsampling);

}  // namespace vidconv
