// The Python package's extension module, over the C library: plans and videos, with addresses as
// numbers. Arrays and texts for people are left to vidconv/*.py.
#pragma once

#include <nanobind/nanobind.h>
#include <vidconv/vidconv.h>

namespace vidconv_python {

namespace nb = nanobind;

// Throws the vidconv.Error of the status, unless it is VIDCONV_OK. `stats` says what was done by
// then, or is None.
void check(vidconv_status status, const vidconv_error& error, const nb::object& stats = nb::none());

void add_pictures(nb::module_& module);
void add_videos(nb::module_& module);

}  // namespace vidconv_python
