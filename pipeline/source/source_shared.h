// SharedSource: one source for several readers, so that what several outputs are made of is read
// and decoded once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "pipeline/source/source.h"

namespace vidconv {

// Its own thread reads the source and hands every item to each reader: frames are the same memory,
// which nobody may write. A reader that falls behind holds the others. The thread begins when each
// reader has asked for its first item or left, because sinks describe their outputs by a source
// that is unread. All members are thread-safe.
class SharedSource {
 public:
  // `capacity`: so many items may wait for each reader. `make_upload`: makes what the readers'
  // references to a frame have as Frame::upload(); empty: none.
  using MakeUpload = std::function<std::shared_ptr<SharedUpload>()>;
  SharedSource(std::unique_ptr<Source> source, std::size_t readers, std::size_t capacity = 2,
               MakeUpload make_upload = {});
  ~SharedSource();
  SharedSource(const SharedSource&) = delete;
  SharedSource& operator=(const SharedSource&) = delete;

  // Returns what reader `number` reads: frames in order of time, which it ends like the source
  // itself does. This object outlives it.
  std::unique_ptr<Source> reader(std::size_t number);
  // The others wait no longer for this reader, which gets no more items.
  void leave(std::size_t number);
  // Every reader that has not had its last item gets `error` instead.
  void stop(const Error& error);

  const Source& source() const;

 private:
  class Reader;
  struct Shared;
  const std::unique_ptr<Shared> shared_;
};

}  // namespace vidconv
