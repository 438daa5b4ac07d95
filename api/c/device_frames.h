// Frames in the memory of a job's CUDA device.
#pragma once

#include "pipeline/settings/settings.h"

namespace vidconv {

// Returns N of cuda:N, the only device of a job. Throws Error(usage), by `act`, where the settings
// name none or several, or ask for something that looks at frames on the CPU.
int device_of_frames(const Settings& settings, const char* act);

}  // namespace vidconv
