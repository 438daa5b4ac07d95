// References: what an input may lead to. Playlists, manifests, lists and scripts name other files
// and addresses, and whoever made them gets no more opened than the user has asked for:
//
//   a pipe                    nothing
//   a file                    files beside and below it, where it is named as what it is (.m3u8)
//                             or its format was asked for; no address
//   a description (.sdp)      the stream of RTP that it describes, where its format was asked for
//   pictures by their number  the pictures of that name
//   an address                addresses of its kind (https of https), no file
//
// Scripts, which are programs, are read only where their format was asked for.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "pipeline/av/av.h"
#include "pipeline/io/run_files.h"

namespace vidconv {

// Whether a file of that name, read as `format` (empty: found out), may refer to files beside it.
bool is_playlist(const std::string& path, const std::string& format);

class References {
 public:
  enum class Input { pipe, file, address };

  // `url` is what FFmpeg calls the input, `name` what people do; `format` is the demuxer that was
  // asked for, or nullptr. `insecure`: certificates of servers are not checked. `files`, which may
  // be null and outlives the object, hears what is opened. Throws Error(input_reference) for a list
  // of files that names what it may not.
  References(Input input, std::string url, std::string name, const AVInputFormat* format,
             bool insecure, RunFiles* files);

  // Before avformat_open_input(): what FFmpeg opens without asking, and the formats it may find.
  void limit(AVFormatContext& container) const;

  // FFmpeg's io_open: opens what `container` asks for, or refuses and keeps in mind that it has.
  // Takes those of the options that the protocol knows; `options` may be null.
  int open(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
           int flags, AVDictionary** options) noexcept;

  bool refused() const { return refused_ != nullptr; }
  // Throws Error(input_reference) where something was refused: FFmpeg may go on without it.
  void check() const;
  // The same for what FFmpeg refused by itself, by what it said then.
  void check(const std::string& words) const;

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& why,
                           const std::string& remedy) const;
  bool describes_a_session() const;
  std::string protocols(bool asked) const;
  void judge(const AVFormatContext& container, std::string_view target) const;
  int open_judged(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
                  int flags, AVDictionary** options) const;
  int open_url(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
               int flags, AVDictionary** options) const;
  void check_regular(const std::string& path, int fd) const;
  void check_beside(const std::string& path, int fd) const;
  void check_list(const std::string& path) const;
  void check_listed(const std::string& name, const std::string& here) const;

  const Input input_;
  const std::string url_, name_;
  const AVInputFormat* const format_;
  const bool insecure_;
  RunFiles* const files_;
  std::string folder_;  // of a file, without links
  bool list_ = false;   // it is a list of files for FFmpeg's concat, which opens them unasked
  std::exception_ptr refused_;  // the first refusal
};

}  // namespace vidconv
