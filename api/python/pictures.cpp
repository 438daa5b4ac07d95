#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/python/core.h"

namespace vidconv_python {
namespace {

struct FreeFilter {
  void operator()(vidconv_filter* filter) const { vidconv_filter_free(filter); }
};
struct FreePlan {
  void operator()(vidconv_plan* plan) const {
    const nb::gil_scoped_release others_run;  // a CUDA plan waits for its queued work
    vidconv_plan_free(plan);
  }
};
using Filter = std::unique_ptr<vidconv_filter, FreeFilter>;

const char* text_or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

// Returns whether a filter is made of files, which may change.
bool reads_files(const std::string& kernel) {
  vidconv_error error = VIDCONV_INIT(vidconv_error);
  vidconv_filter* filter = nullptr;
  check(vidconv_filter_parse(kernel.c_str(), &filter, &error), error);
  const Filter owned(filter);
  return vidconv_filter_file(filter, 0) != nullptr;
}

// Filters for pictures of one format and size.
class Plan {
 public:
  Plan(const std::vector<std::string>& kernels, const std::string& format, int width, int height,
       const std::optional<std::string>& border, const std::optional<std::string>& planes,
       const std::string& device, int threads, bool host, bool linear) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    std::vector<Filter> filters;
    std::vector<const vidconv_filter*> chain;
    for (const std::string& kernel : kernels) {
      vidconv_filter* filter = nullptr;
      check(vidconv_filter_parse(kernel.c_str(), &filter, &error), error);
      chain.push_back(filters.emplace_back(filter).get());
    }
    vidconv_plan_options options = VIDCONV_INIT(vidconv_plan_options);
    options.format = format.c_str();
    options.width = width;
    options.height = height;
    options.border = text_or_null(border);
    options.planes = text_or_null(planes);
    options.device = device.c_str();
    options.threads = threads;
    options.host = host;
    options.linear = linear;
    vidconv_plan* plan = nullptr;
    vidconv_status status = VIDCONV_OK;
    {
      const nb::gil_scoped_release others_run;
      status = vidconv_plan_new(chain.data(), chain.size(), &options, &plan, &error);
    }
    check(status, error);
    plan_.reset(plan);
    vidconv_plan_info info = VIDCONV_INIT(vidconv_plan_info);
    check(vidconv_plan_get_info(plan, &info, &error), error);
    planes_ = static_cast<std::size_t>(info.planes);
    exact_ = info.exact != 0;
  }

  // `from` and `to` are the first samples' addresses; the others are the bytes from one plane or
  // row to the next.
  void run(std::uintptr_t from, std::ptrdiff_t from_plane, std::ptrdiff_t from_row,
           std::uintptr_t to, std::ptrdiff_t to_plane, std::ptrdiff_t to_row,
           std::uintptr_t stream) {
    const auto count = static_cast<std::ptrdiff_t>(planes_);
    std::vector<const void*> sources;
    std::vector<void*> targets;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      sources.push_back(reinterpret_cast<const char*>(from) + i * from_plane);
      targets.push_back(reinterpret_cast<char*>(to) + i * to_plane);
    }
    const std::vector source_rows(planes_, from_row);
    const std::vector target_rows(planes_, to_row);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    {
      const nb::gil_scoped_release others_run;
      status =
          vidconv_plan_run(plan_.get(), planes_, sources.data(), source_rows.data(), targets.data(),
                           target_rows.data(), reinterpret_cast<void*>(stream), &error);
    }
    check(status, error);
  }

  // Filters one picture of a video into `to`. `from`: the first of `pictures` that follow each
  // other, `from_picture` bytes apart, of which the first is number `first`. `goes_on`: as
  // vidconv_window has it.
  void run_window(std::int64_t result, std::int64_t first, std::int64_t pictures, bool goes_on,
                  std::uintptr_t from, std::ptrdiff_t from_picture, std::ptrdiff_t from_plane,
                  std::ptrdiff_t from_row, std::uintptr_t to, std::ptrdiff_t to_plane,
                  std::ptrdiff_t to_row, std::uintptr_t stream) {
    const auto count = static_cast<std::ptrdiff_t>(planes_);
    std::vector<const void*> sources;
    std::vector<void*> targets;
    for (std::ptrdiff_t n = 0; n < pictures; ++n)
      for (std::ptrdiff_t i = 0; i < count; ++i)
        sources.push_back(reinterpret_cast<const char*>(from) + n * from_picture + i * from_plane);
    for (std::ptrdiff_t i = 0; i < count; ++i)
      targets.push_back(reinterpret_cast<char*>(to) + i * to_plane);
    const std::vector source_rows(sources.size(), from_row);
    const std::vector target_rows(planes_, to_row);
    vidconv_window window = VIDCONV_INIT(vidconv_window);
    window.result = result;
    window.first = first;
    window.pictures = pictures;
    window.goes_on = goes_on ? 1 : 0;
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    {
      const nb::gil_scoped_release others_run;
      status = vidconv_plan_run_window(plan_.get(), &window, planes_, sources.data(),
                                       source_rows.data(), targets.data(), target_rows.data(),
                                       reinterpret_cast<void*>(stream), &error);
    }
    check(status, error);
  }

  // Returns how many pictures before and after a result depends on, and of how many it is one, and
  // of which.
  [[nodiscard]] nb::tuple reach() const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_reach reach = VIDCONV_INIT(vidconv_reach);
    check(vidconv_plan_get_reach(plan_.get(), &reach, &error), error);
    return nb::make_tuple(reach.before, reach.after, reach.every, reach.phase);
  }

  [[nodiscard]] std::size_t planes() const { return planes_; }
  [[nodiscard]] bool exact() const { return exact_; }

  // Returns the bytes of a sample of the first plane.
  [[nodiscard]] int sample_bytes() const { return plane(0).sample_bytes; }

  // Returns each plane's number of rows and the bytes of samples in a row.
  [[nodiscard]] nb::list extents() const {
    nb::list list;
    for (std::size_t i = 0; i < planes_; ++i)
      list.append(nb::make_tuple(plane(i).rows, plane(i).row_bytes));
    return list;
  }

 private:
  [[nodiscard]] vidconv_plane_info plane(std::size_t i) const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_plane_info info = VIDCONV_INIT(vidconv_plane_info);
    check(vidconv_plan_get_plane(plan_.get(), i, &info, &error), error);
    return info;
  }

  std::unique_ptr<vidconv_plan, FreePlan> plan_;
  std::size_t planes_ = 0;
  bool exact_ = false;
};

}  // namespace

void add_pictures(nb::module_& module) {
  module.def("reads_files", &reads_files);
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<const std::vector<std::string>&, const std::string&, int, int,
                    const std::optional<std::string>&, const std::optional<std::string>&,
                    const std::string&, int, bool, bool>(),
           nb::arg("kernels"), nb::arg("format"), nb::arg("width"), nb::arg("height"),
           nb::arg("border").none(), nb::arg("planes").none(), nb::arg("device"),
           nb::arg("threads"), nb::arg("host") = false, nb::arg("linear") = false)
      .def("run", &Plan::run)
      .def("run_window", &Plan::run_window)
      .def_prop_ro("reach", &Plan::reach)
      .def_prop_ro("planes", &Plan::planes)
      .def_prop_ro("exact", &Plan::exact)
      .def_prop_ro("extents", &Plan::extents)
      .def_prop_ro("sample_bytes", &Plan::sample_bytes);
}

}  // namespace vidconv_python
