// What the Python package calls, over the C library: plans and videos, with numbers for addresses.
// What an array is, and all words, are the business of vidconv/*.py.
#pragma once

#include <nanobind/nanobind.h>
#include <vidconv/vidconv.h>

namespace vidconv_python {

namespace nb = nanobind;

// Throws a vidconv.Error of the status's own class, unless it is VIDCONV_OK. `stats`: what was done
// by then, or None.
void check(vidconv_status status, const vidconv_error& error, const nb::object& stats = nb::none());

void add_pictures(nb::module_& module);
void add_videos(nb::module_& module);

}  // namespace vidconv_python
