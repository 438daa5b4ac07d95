#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/python/core.h"

namespace vidconv_python {
namespace {

// Holds a job's callbacks; lives as long as everything that was opened with the job.
struct Listener {
  nb::object message, progress;             // callables or None
  std::optional<nb::python_error> failure;  // an exception thrown by a callable

  // Throws the failure once: a kept exception would keep alive all that its stack frames refer to,
  // this object too.
  void rethrow() {
    if (!failure) return;
    const nb::python_error thrown(*failure);
    failure.reset();
    throw thrown;
  }
};

void on_message(void* user, const vidconv_message* message) {
  const nb::gil_scoped_acquire python;
  try {
    static_cast<Listener*>(user)->message(message->kind, message->text);
  } catch (nb::python_error& error) {
    auto& listener = *static_cast<Listener*>(user);
    // Ctrl-C is raised in whatever runs on Python's main thread.
    if (!error.matches(PyExc_Exception) && !listener.failure)
      listener.failure.emplace(error);
    else
      error.discard_as_unraisable("a message of vidconv");
  }
}

int on_progress(void* user, const vidconv_progress* p) {
  const nb::gil_scoped_acquire python;
  auto& listener = *static_cast<Listener*>(user);
  try {
    const nb::object total = p->total < 0 ? nb::object(nb::none()) : nb::int_(p->total);
    listener.progress(p->frames, total, p->seconds, p->position, p->bytes);
    return 0;
  } catch (nb::python_error& error) {
    if (!listener.failure) listener.failure.emplace(error);
    return 1;
  }
}

// Runs `work` on another thread while this one takes the GIL at times to check for signals:
// Python's handlers (Ctrl-C) run on its main thread alone. After an exception from a handler it
// calls `cancel`, and rethrows the exception when `work` has returned.
template <class Work, class Cancel>
void interruptible(const Work& work, const Cancel& cancel) {
  std::optional<nb::python_error> interruption;
  {
    const nb::gil_scoped_release others_run;
    const std::future<void> done = std::async(std::launch::async, work);
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const nb::gil_scoped_acquire python;
      if (interruption || PyErr_CheckSignals() == 0) continue;
      interruption.emplace();
      cancel();
    }
  }
  if (interruption) throw nb::python_error(*interruption);
}

nb::dict dict_of(const vidconv_stats& s) {
  nb::dict d;
  d["decoded"] = s.decoded;
  d["filtered"] = s.filtered;
  d["encoded"] = s.encoded;
  d["written"] = s.written;
  d["verified"] = s.verified;
  d["bytes"] = s.bytes;
  d["host_bytes"] = s.host_bytes;
  d["device_bytes"] = s.device_bytes;
  d["seconds"] = s.seconds;
  d["damaged_packets"] = s.damaged_packets;
  d["damaged_frames"] = s.damaged_frames;
  d["errors"] = s.errors;
  d["limiting_stage"] = s.limiting_stage;
  d["device"] = s.device;
  d["encoder"] = s.encoder;
  const auto measured = [&](const char* name, double value) {
    d[name] = std::isnan(value) ? nb::object(nb::none()) : nb::object(nb::float_(value));
  };
  measured("psnr", s.psnr);
  measured("ssim", s.ssim);
  measured("vmaf", s.vmaf);
  measured("xpsnr", s.xpsnr);
  measured("crf", s.crf);
  return d;
}

struct FreeJob {
  void operator()(vidconv_job* job) const { vidconv_job_free(job); }
};

// x, y, width, height, frame, time, by_time, ellipse, filter, id.
using Box =
    std::tuple<double, double, double, double, std::int64_t, double, bool, bool, int, std::string>;

// The texts stay those of `box`.
vidconv_box c_box(const Box& box) {
  vidconv_box c = VIDCONV_INIT(vidconv_box);
  c.x = std::get<0>(box);
  c.y = std::get<1>(box);
  c.width = std::get<2>(box);
  c.height = std::get<3>(box);
  c.frame = std::get<4>(box);
  c.time = std::get<5>(box);
  c.by_time = std::get<6>(box) ? 1 : 0;
  c.ellipse = std::get<7>(box) ? 1 : 0;
  c.filter = std::get<8>(box);
  c.id = std::get<9>(box).c_str();
  return c;
}

class Job {
 public:
  Job(const std::vector<std::pair<std::string, std::string>>& settings, nb::object message,
      nb::object progress, const std::vector<Box>& boxes, const std::string& box_options)
      : listener_(std::make_shared<Listener>()) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_job* job = nullptr;
    check(vidconv_job_new(&job, &error), error);
    job_.reset(job);
    for (const auto& [name, value] : settings)
      check(vidconv_job_set(job, name.c_str(), value.c_str(), &error), error);
    if (!boxes.empty()) set(boxes, box_options);
    listener_->message = std::move(message);
    listener_->progress = std::move(progress);
    check(vidconv_job_on_message(job, on_message, listener_.get(), &error), error);
    if (!listener_->progress.is_none())
      check(vidconv_job_on_progress(job, on_progress, listener_.get(), &error), error);
  }

  nb::dict run() {
    vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    interruptible([&] { status = vidconv_job_run(job_.get(), &stats, &error); },
                  [&] { vidconv_job_cancel(job_.get()); });
    listener_->rethrow();
    nb::dict done = dict_of(stats);
    check(status, error, done);
    return done;
  }

  [[nodiscard]] const vidconv_job* get() const { return job_.get(); }
  void cancel() const { vidconv_job_cancel(job_.get()); }
  [[nodiscard]] std::shared_ptr<Listener> listener() const { return listener_; }

 private:
  void set(const std::vector<Box>& boxes, const std::string& options) const {
    std::vector<vidconv_box> all;
    all.reserve(boxes.size());
    for (const Box& box : boxes) all.push_back(c_box(box));
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    check(vidconv_job_set_regions(job_.get(), all.data(), all.size(), options.c_str(), &error),
          error);
  }

  std::shared_ptr<Listener> listener_;
  std::unique_ptr<vidconv_job, FreeJob> job_;
};

nb::object text_or_none(const char* text) { return text ? nb::object(nb::str(text)) : nb::none(); }

nb::dict dict_of(const vidconv_video& v) {
  nb::dict d;
  d["format"] = v.format;
  d["width"] = v.width;
  d["height"] = v.height;
  d["time_base"] = nb::make_tuple(v.time_base_num, v.time_base_den);
  d["frame_rate"] = nb::make_tuple(v.frame_rate_num, v.frame_rate_den);
  d["sample_aspect"] = nb::make_tuple(v.sample_aspect_num, v.sample_aspect_den);
  d["range"] = text_or_none(v.range);
  d["primaries"] = text_or_none(v.primaries);
  d["transfer"] = text_or_none(v.transfer);
  d["matrix"] = text_or_none(v.matrix);
  d["frames"] = v.frames;
  d["seconds"] = v.seconds;
  return d;
}

// A plane of a frame as DLPack hands it over (its DLManagedTensor), and what it needs meanwhile.
struct Tensor {
  nb::dlpack::dltensor plane;
  void* context;
  void (*deleter)(Tensor*);
  std::shared_ptr<vidconv_frame> frame;
  std::optional<std::uintptr_t> stream;  // reads the plane
  std::vector<std::int64_t> shape, strides;

  // Called on any thread, with or without the GIL.
  static void drop(Tensor* tensor) {
    if (tensor->stream)  // a device that fails here reads nothing any more
      vidconv_frame_used_on(tensor->frame.get(), reinterpret_cast<void*>(*tensor->stream), nullptr);
    delete tensor;
  }
};

// The capsule's name, until somebody takes the tensor.
constexpr const char* unused_tensor = "dltensor";

void drop_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, unused_tensor))
    Tensor::drop(static_cast<Tensor*>(PyCapsule_GetPointer(capsule, unused_tensor)));
}

struct Frame {
  std::shared_ptr<vidconv_frame> frame;
  vidconv_frame_info info;

  // Returns for each plane its address, the bytes from one row to the next, the bytes of samples in
  // a row, and the number of rows.
  [[nodiscard]] nb::list planes() const {
    nb::list list;
    for (int i = 0; i < info.planes; ++i)
      list.append(nb::make_tuple(reinterpret_cast<std::uintptr_t>(info.data[i]), info.stride[i],
                                 info.row_bytes[i], info.rows[i]));
    return list;
  }

  void used_on(std::uintptr_t stream) const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    check(vidconv_frame_used_on(frame.get(), reinterpret_cast<void*>(stream), &error), error);
  }

  // Returns a plane as a capsule of DLPack; `stream`: reads it, and the frame's memory is not used
  // again before that. Strides are those of samples.
  [[nodiscard]] nb::object dlpack(int plane, int code, int bits, std::vector<std::int64_t> shape,
                                  std::vector<std::int64_t> strides,
                                  std::optional<std::uintptr_t> stream) const {
    auto tensor = std::make_unique<Tensor>();
    tensor->deleter = Tensor::drop;
    tensor->frame = frame;
    tensor->stream = stream;
    tensor->shape = std::move(shape);
    tensor->strides = std::move(strides);
    tensor->plane.data = const_cast<void*>(info.data[plane]);  // nobody is to write it
    tensor->plane.device = {info.on_device ? nb::device::cuda::value : nb::device::cpu::value,
                            info.device};
    tensor->plane.ndim = static_cast<std::int32_t>(tensor->shape.size());
    tensor->plane.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
    tensor->plane.shape = tensor->shape.data();
    tensor->plane.strides = tensor->strides.data();
    nb::object capsule = nb::steal(PyCapsule_New(tensor.get(), unused_tensor, drop_unused));
    if (!capsule.is_valid()) throw nb::python_error();
    static_cast<void>(tensor.release());
    return capsule;
  }

  [[nodiscard]] std::unique_ptr<Frame> convert(const std::string& format) const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_frame* converted = nullptr;
    vidconv_status status = VIDCONV_OK;
    {
      const nb::gil_scoped_release others_run;
      status = vidconv_frame_convert(frame.get(), format.c_str(), &converted, &error);
    }
    check(status, error);
    return described(converted);
  }

  // Takes the frame over.
  static std::unique_ptr<Frame> described(vidconv_frame* given) {
    auto out = std::make_unique<Frame>();
    out->frame.reset(given, vidconv_frame_free);
    out->info = VIDCONV_INIT(vidconv_frame_info);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    check(vidconv_frame_get_info(given, &out->info, &error), error);
    return out;
  }
};

// Frees an object without the GIL: freeing it waits for threads that may want the GIL.
template <auto Free>
struct FreeUnlocked {
  void operator()(auto* object) const {
    const nb::gil_scoped_release others_run;
    Free(object);
  }
};

class Reader {
 public:
  Reader(const Job& job, bool on_device) : listener_(job.listener()) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_reader* reader = nullptr;
    vidconv_status status = VIDCONV_OK;
    try {
      const auto open = on_device ? vidconv_reader_open_on_device : vidconv_reader_open;
      interruptible([&] { status = open(job.get(), &reader, &error); }, [&] { job.cancel(); });
    } catch (...) {
      reader_.reset(reader);  // it may have been open by then
      throw;
    }
    reader_.reset(reader);
    listener_->rethrow();
    check(status, error);
  }

  [[nodiscard]] nb::dict video() const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_video video = VIDCONV_INIT(vidconv_video);
    check(vidconv_reader_get_video(reader_.get(), &video, &error), error);
    return dict_of(video);
  }

  // Returns nullptr at the end.
  std::unique_ptr<Frame> next() {
    vidconv_frame* frame = nullptr;
    wait_for(
        [&](vidconv_error& error) { return vidconv_reader_next(reader_.get(), &frame, &error); });
    return frame ? Frame::described(frame) : nullptr;
  }

  void check_seek() const {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    check(vidconv_reader_check_seek(reader_.get(), &error), error);
  }

  std::int64_t count() {
    std::int64_t count = 0;
    wait_for(
        [&](vidconv_error& error) { return vidconv_reader_count(reader_.get(), &count, &error); });
    return count;
  }

  std::int64_t find(std::int64_t pts) {
    std::int64_t number = 0;
    wait_for([&](vidconv_error& error) {
      return vidconv_reader_find(reader_.get(), pts, &number, &error);
    });
    return number;
  }

  void seek(std::int64_t number) {
    wait_for(
        [&](vidconv_error& error) { return vidconv_reader_seek(reader_.get(), number, &error); });
  }

 private:
  // Calls a function of the library that takes time, so that Ctrl-C ends it.
  template <class Call>
  void wait_for(const Call& function) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    interruptible([&] { status = function(error); }, [&] { vidconv_reader_cancel(reader_.get()); });
    listener_->rethrow();
    check(status, error);
  }

  std::shared_ptr<Listener> listener_;
  std::unique_ptr<vidconv_reader, FreeUnlocked<vidconv_reader_free>> reader_;
};

using Ratio = std::pair<int, int>;

class Writer {
 public:
  Writer(const Job& job, const std::string& format, int width, int height, Ratio time_base,
         Ratio frame_rate, Ratio sample_aspect,
         const std::vector<std::optional<std::string>>& colour)
      : listener_(job.listener()) {
    const auto name = [&](std::size_t i) { return colour.at(i) ? colour[i]->c_str() : nullptr; };
    vidconv_video video = VIDCONV_INIT(vidconv_video);
    video.format = format.c_str();
    video.width = width;
    video.height = height;
    video.time_base_num = time_base.first;
    video.time_base_den = time_base.second;
    video.frame_rate_num = frame_rate.first;
    video.frame_rate_den = frame_rate.second;
    video.sample_aspect_num = sample_aspect.first;
    video.sample_aspect_den = sample_aspect.second;
    video.range = name(0);
    video.primaries = name(1);
    video.transfer = name(2);
    video.matrix = name(3);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_writer* writer = nullptr;
    vidconv_status status = VIDCONV_OK;
    try {
      interruptible([&] { status = vidconv_writer_open(job.get(), &video, &writer, &error); },
                    [&] { job.cancel(); });
    } catch (...) {
      writer_.reset(writer);  // it may have been open by then
      throw;
    }
    writer_.reset(writer);
    rethrow_then_check(status, error, nb::none());
  }

  // `stream`: the planes are in a device's memory, and read there on that stream.
  void write(const std::vector<std::uintptr_t>& data, const std::vector<std::ptrdiff_t>& strides,
             std::optional<std::int64_t> pts, std::optional<std::uintptr_t> stream) {
    std::vector<const void*> planes;
    for (const std::uintptr_t address : data)
      planes.push_back(reinterpret_cast<const void*>(address));
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    {
      const nb::gil_scoped_release others_run;
      const std::int64_t time = pts.value_or(VIDCONV_NO_TIME);
      if (stream)
        status = vidconv_writer_write_on_device(writer_.get(), planes.size(), planes.data(),
                                                strides.data(), time,
                                                reinterpret_cast<void*>(*stream), &error);
      else
        status = vidconv_writer_write(writer_.get(), planes.size(), planes.data(), strides.data(),
                                      time, &error);
    }
    rethrow_then_check(status, error, nb::none());
  }

  nb::dict finish() {
    vidconv_stats stats = VIDCONV_INIT(vidconv_stats);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_status status = VIDCONV_OK;
    interruptible([&] { status = vidconv_writer_finish(writer_.get(), &stats, &error); },
                  [&] { vidconv_writer_cancel(writer_.get()); });
    nb::dict done = dict_of(stats);
    rethrow_then_check(status, error, done);
    return done;
  }

  void drop() { writer_.reset(); }

 private:
  void rethrow_then_check(vidconv_status status, const vidconv_error& error,
                          const nb::object& stats) const {
    listener_->rethrow();
    check(status, error, stats);
  }

  std::shared_ptr<Listener> listener_;
  std::unique_ptr<vidconv_writer, FreeUnlocked<vidconv_writer_free>> writer_;
};

nb::list settings() {
  nb::list list;
  for (std::size_t i = 0; vidconv_setting_name(i); ++i)
    list.append(nb::make_tuple(vidconv_setting_name(i), vidconv_setting_meaning(i)));
  return list;
}

nb::list formats() {
  nb::list list;
  for (std::size_t i = 0; vidconv_format_name(i); ++i) list.append(vidconv_format_name(i));
  return list;
}

}  // namespace

void add_videos(nb::module_& module) {
  module.def("settings", &settings);
  module.def("formats", &formats);
  module.def("hear_libav", &vidconv_hear_libav);
  nb::class_<Job>(module, "Job")
      .def(nb::init<const std::vector<std::pair<std::string, std::string>>&, nb::object, nb::object,
                    const std::vector<Box>&, const std::string&>(),
           nb::arg("settings"), nb::arg("message"), nb::arg("progress").none(),
           nb::arg("boxes") = std::vector<Box>(), nb::arg("box_options") = "")
      .def("run", &Job::run);
  nb::class_<Frame>(module, "Frame")
      .def("planes", &Frame::planes)
      .def("used_on", &Frame::used_on)
      .def("dlpack", &Frame::dlpack, nb::arg("plane"), nb::arg("code"), nb::arg("bits"),
           nb::arg("shape"), nb::arg("strides"), nb::arg("stream").none())
      .def("convert", &Frame::convert)
      .def_prop_ro("on_device", [](const Frame& f) { return f.info.on_device != 0; })
      .def_prop_ro("device", [](const Frame& f) { return f.info.device; })
      .def_prop_ro("number", [](const Frame& f) { return f.info.number; })
      .def_prop_ro("pts", [](const Frame& f) { return f.info.pts; })
      .def_prop_ro("duration", [](const Frame& f) { return f.info.duration; })
      .def_prop_ro("width", [](const Frame& f) { return f.info.width; })
      .def_prop_ro("height", [](const Frame& f) { return f.info.height; })
      .def_prop_ro("interlaced", [](const Frame& f) { return f.info.interlaced != 0; })
      .def_prop_ro("top_field_first", [](const Frame& f) { return f.info.top_field_first != 0; });
  nb::class_<Reader>(module, "Reader")
      .def(nb::init<const Job&, bool>(), nb::arg("job"), nb::arg("on_device") = false)
      .def("video", &Reader::video)
      .def("next", &Reader::next)
      .def("check_seek", &Reader::check_seek)
      .def("count", &Reader::count)
      .def("find", &Reader::find)
      .def("seek", &Reader::seek);
  nb::class_<Writer>(module, "Writer")
      .def(nb::init<const Job&, const std::string&, int, int, Ratio, Ratio, Ratio,
                    const std::vector<std::optional<std::string>>&>())
      .def("write", &Writer::write, nb::arg("data"), nb::arg("strides"), nb::arg("pts").none(),
           nb::arg("stream").none() = nb::none())
      .def("finish", &Writer::finish)
      .def("drop", &Writer::drop);
}

}  // namespace vidconv_python
