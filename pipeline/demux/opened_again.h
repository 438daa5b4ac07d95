// OpenedAgain is a file that is read a second time, beside the reader of it.
#pragma once

#include <memory>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

struct AvioCloser {
  void operator()(AVIOContext* io) const { avio_closep(&io); }
};

struct OpenedAgain {
  std::unique_ptr<AVIOContext, AvioCloser> bytes;
  InputPtr container;  // none where it cannot be opened
};

// Opens `url` as a container of that format. It opens no other file, and ends where `interrupt`
// says so.
OpenedAgain open_again(const AVInputFormat* format, const std::string& url,
                       const AVIOInterruptCB& interrupt);

}  // namespace vidconv
