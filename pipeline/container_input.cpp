#include "pipeline/container_input.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "pipeline/container.h"

namespace vidconv {

ContainerInput::ContainerInput(const std::string& url, std::unique_ptr<ByteReader> reader,
                               const SourceOptions& options)
    : url_(url),
      name_(url.starts_with("file:") ? url.substr(5) : url),
      timeout_(options.timeout),
      interrupted_(options.interrupted) {
  if (reader) pipe_.emplace(std::move(reader));
  open();
}

void ContainerInput::open() {
  const AvErrors::Here listen(errors_);
  heard_ = Clock::now();
  AVFormatContext* context = avformat_alloc_context();
  if (!context) throw_out_of_memory("to read", name_);
  context->opaque = this;
  if (pipe_) context->pb = pipe_->context();
  context->interrupt_callback = {[](void* self) {
                                   const auto& input = *static_cast<ContainerInput*>(self);
                                   return static_cast<int>(input.stopped() || input.late());
                                 },
                                 this};
  AVDictionary* image_options = nullptr;
  if (!pipe_ && is_numbered(name_)) av_dict_set(&image_options, "start_number_range", "100000", 0);
  const int code = avformat_open_input(&context, url_.c_str(), nullptr, &image_options);
  av_dict_free(&image_options);
  container_.reset(context);  // which libavformat has freed and set to null where it failed
  check(code);
  // libavformat takes any text for a terminal's recording, with a picture of its letters.
  if (std::string_view(container_->iformat->name) == "tty")
    throw Error(Fault::input, "cannot read the input", name_, "it is text, not a video");
  heard_ = Clock::now();
  check(avformat_find_stream_info(context, nullptr));
}

int ContainerInput::read(AVPacket& packet) {
  const AvErrors::Here listen(errors_);
  heard_ = Clock::now();
  const int code = av_read_frame(container_.get(), &packet);
  if (code < 0 && late()) throw_late();
  return code;
}

bool ContainerInput::seek(std::int64_t time) {
  // Elementary streams have no times but those that are counted from the beginning.
  if (container_->iformat->flags & AVFMT_NOTIMESTAMPS) return false;
  const AVIOContext* bytes = container_->pb;
  if (bytes && !(bytes->seekable & AVIO_SEEKABLE_NORMAL)) return false;
  heard_ = Clock::now();
  moved_ = true;
  return av_seek_frame(container_.get(), -1, time, AVSEEK_FLAG_BACKWARD) >= 0;
}

void ContainerInput::rewind() {
  if (std::exchange(moved_, false)) open();
}

void ContainerInput::cancel() {
  cancelled_ = true;
  if (pipe_) pipe_->cancel();
}

int ContainerInput::check(int code) const {
  if (code < 0 && late()) throw_late();
  return check_av(code, Fault::input, "cannot read the input", name_);
}

void ContainerInput::throw_late() const {
  throw Error(Message::input_silent, "cannot read the input", name_,
              fmt::format("nothing came for {:g} s", timeout_), "see --timeout");
}

}  // namespace vidconv
