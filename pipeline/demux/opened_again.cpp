#include "pipeline/demux/opened_again.h"

namespace vidconv {
namespace {

int refuse_file(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

}  // namespace

OpenedAgain open_again(const AVInputFormat* format, const std::string& url,
                       const AVIOInterruptCB& interrupt) {
  OpenedAgain opened;
  AVIOContext* bytes = nullptr;
  if (avio_open2(&bytes, url.c_str(), AVIO_FLAG_READ, &interrupt, nullptr) < 0) return opened;
  opened.bytes.reset(bytes);
  AVFormatContext* context = avformat_alloc_context();
  if (!context) throw_out_of_memory("to look for streams");
  context->pb = bytes;
  context->interrupt_callback = interrupt;
  context->io_open = refuse_file;
  context->skip_estimate_duration_from_pts = 1;
  if (avformat_open_input(&context, url.c_str(), format, nullptr) >= 0)
    opened.container.reset(context);
  return opened;
}

}  // namespace vidconv
