#include "api/python/core.h"

namespace vidconv_python {

void check(vidconv_status status, const vidconv_error& error, const nb::object& stats) {
  if (status == VIDCONV_OK) return;
  nb::module_::import_("vidconv._errors")
      .attr("raise_error")(status, error.kind, error.message, error.remedy, error.column,
                           error.frame, stats);
}

}  // namespace vidconv_python

NB_MODULE(_core, module) {
  module.def("version", &vidconv_version_text);
  module.def("numerics", &vidconv_numerics);
  module.def("cuda_devices", &vidconv_cuda_devices,
             nanobind::call_guard<nanobind::gil_scoped_release>());
  vidconv_python::add_pictures(module);
  vidconv_python::add_videos(module);
}
