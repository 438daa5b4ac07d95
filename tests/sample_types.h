// The sample types that kernels are tested with: all that occur in a pixel format. The test of the
// formats fails if one is missing here.
#pragma once

#include "kernels/picture/plane.h"

namespace vidconv::test {

inline constexpr SampleType all_sample_types[] = {
    {Storage::u8, 8, 0},   {Storage::u16, 9, 0},  {Storage::u16, 10, 0}, {Storage::u16, 12, 0},
    {Storage::u16, 14, 0}, {Storage::u16, 16, 0}, {Storage::u16, 10, 6},  // P010
    {Storage::u16, 12, 4},                                                // P012
    {Storage::f32, 32, 0},
};

inline constexpr SampleType u8{Storage::u8, 8, 0};
inline constexpr SampleType u16{Storage::u16, 16, 0};
inline constexpr SampleType f32{Storage::f32, 32, 0};

}  // namespace vidconv::test
