#include "pipeline/io/trace.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "pipeline/base/error.h"

#ifdef VIDCONV_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace vidconv {
namespace {

// Writes; the stream remembers failures for finish() to report.
void put(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(Fault::output, "cannot write the trace", path, std::strerror(errno),
              "name a writable file");
}

}  // namespace

const std::string_view Trace::beginning =
    "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\","
    "\"args\":{\"name\":\"vidconv\"}}";

Trace::Trace(const std::string& path, PartialFile::Options options)
    : path_(path),
      partial_(path, std::move(options)),
      file_(fdopen(fcntl(partial_.fd(), F_DUPFD_CLOEXEC, 0), "w")) {
  if (!file_) refuse(path);
  put(file_.get(), std::string(beginning));
}

void Trace::add(const std::string& track, const std::string& name, std::int64_t frame,
                Clock::time_point begin, Clock::time_point end) {
  const auto microseconds = [](Clock::duration d) {
    return std::chrono::duration<double, std::micro>(d).count();
  };
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  const auto [it, is_new] = tracks_.try_emplace(track, static_cast<int>(tracks_.size()) + 1);
  std::FILE* const file = file_.get();
  if (is_new)
    put(file, fmt::format(",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_name\","
                          "\"args\":{{\"name\":\"{1}\"}}}},\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},"
                          "\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
                          it->second, track));
  put(file, fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"{}\",\"ts\":{:.3f},"
                        "\"dur\":{:.3f},\"args\":{{\"frame\":{}}}}}",
                        it->second, name, microseconds(begin - start_), microseconds(end - begin),
                        frame));
}

void Trace::finish() {
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  put(file_.get(), "\n]}\n");
  const bool failed = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || failed) refuse(path_);
  partial_.commit();
}

TraceSpan::~TraceSpan() {
  if (trace_ && frame_ >= 0) trace_->add(name_, name_, frame_, begin_, Clock::now());
}

#ifdef VIDCONV_NVTX
NvtxRange::NvtxRange(const char* name) { nvtxRangePushA(name); }
NvtxRange::~NvtxRange() { nvtxRangePop(); }
#else
NvtxRange::NvtxRange(const char*) {}
NvtxRange::~NvtxRange() = default;
#endif

}  // namespace vidconv
