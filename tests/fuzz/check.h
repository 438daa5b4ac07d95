// Checks that must hold for every specification that a parser accepts.
#pragma once

#include <cstdlib>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"

namespace vidconv::fuzz {

// Calls `parse`, which may only throw SpecError, with a column inside its text. An accepted
// specification must make filters and plans.
template <class Parse>
void check(Parse parse) {
  try {
    const FilterSpec spec = parse();
    spec.gain_warning();
    spec.shape_warning();
    for (const Subsampling s : {Subsampling{1, 1}, {2, 2}, {4, 1}}) {
      const Filter filter = spec.make(s);
      if (filter.kernels[0].taps().size() > 1000) continue;  // planning would take too long
      for (const SampleType sample :
           {SampleType{Storage::u8, 8, 0}, {Storage::u16, 16, 0}, {Storage::f32, 32, 0}})
        make_plan(filter, sample, {}, Role::colour);
    }
  } catch (const SpecError& error) {
    if (error.column() < 1 || error.column() > error.text().size() + 1) std::abort();
  }
}

}  // namespace vidconv::fuzz
