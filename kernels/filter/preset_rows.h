// The rows of the table of presets, by purpose, and what their functions share.
#pragma once

#include <vector>

#include "kernels/filter/presets.h"

namespace vidconv {

std::vector<Preset> blur_presets();
std::vector<Preset> sharpen_presets();
std::vector<Preset> gradient_presets();
std::vector<Preset> second_derivative_presets();
std::vector<Preset> time_presets();

inline constexpr double max_sigma = 85;  // 3 sigma on both sides fits Kernel::max_size
inline constexpr int max_block = 4096;
inline constexpr int max_radius = Kernel::max_size / 2;

Filter one_kernel(Kernel kernel, Purpose purpose);

// Returns the parameter of filters that have a direction.
Parameter angle_parameter(std::string_view description, double fallback);

}  // namespace vidconv
