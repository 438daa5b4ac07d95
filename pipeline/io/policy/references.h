// References: decides what an input may lead to. Playlists, manifests, lists and scripts name other
// files and addresses, and whoever made them gets no more opened than the user has asked for:
//
//   a pipe                    nothing
//   a file                    files beside and below it, where it is named as what it is (.m3u8)
//                             or its format was asked for; no address
//   a description (.sdp)      the RTP stream that it describes, where its format was asked for
//   numbered pictures         the pictures of that name
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

// Returns whether a file of that name, read as `format` (empty: detected), may refer to files
// beside it.
bool is_playlist(const std::string& path, const std::string& format);
// Returns whether what is read as `format` lies in other files.
bool lies_in_others(const AVInputFormat& format);

class References {
 public:
  enum class Input { pipe, file, address };

  // `url` is the input's name for FFmpeg, `name` the one for people; `format` is the demuxer that
  // was asked for, or nullptr. `insecure`: servers' certificates are not checked. `files`, which
  // may be null and outlives the object, hears what is opened. Throws Error(input_reference) for a
  // list of files that names a forbidden one.
  References(Input input, std::string url, std::string name, const AVInputFormat* format,
             bool insecure, RunFiles* files);

  // Restricts what FFmpeg opens without asking, and the formats it may detect. Call it before
  // avformat_open_input().
  void limit(AVFormatContext& container) const;
  // Bars an FFmpeg whose DASH opens files unasked from doing so, by an option of the demuxer,
  // unless `options` have it. Returns whether it was added: other demuxers leave it.
  bool close_dash(AVDictionary** options) const;
  static constexpr const char* files_of_dash = "allowed_extensions";  // the option

  // Serves as FFmpeg's io_open: opens what `container` asks for, or refuses and remembers that.
  // Removes the options that the protocol knows from `options`, which may be null.
  int open(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
           int flags, AVDictionary** options) noexcept;

  bool refused() const { return refused_ != nullptr; }
  // Throws Error(input_reference) where something was refused: FFmpeg may go on without it.
  void check() const;
  // Throws likewise for what FFmpeg refused by itself, according to its log lines `words`.
  void check(const std::string& words) const;

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& why,
                           const std::string& remedy) const;
  [[noreturn]] void refuse_format() const;
  bool trusts_dash() const;
  bool describes_a_session() const;
  std::string protocols(bool asked) const;
  void judge(const AVFormatContext& container, std::string_view target) const;
  int open_judged(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
                  int flags, AVDictionary** options) const;
  int open_url(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
               int flags, AVDictionary** options) const;
  void check_kind(const std::string& target) const;
  void check_regular(const std::string& path, int fd) const;
  void check_beside(const std::string& path, int fd) const;
  void check_list(const std::string& path) const;
  void check_listed(const std::string& name, const std::string& here) const;

  const Input input_;
  const std::string url_, name_;
  const AVInputFormat* const format_;
  const bool insecure_;
  RunFiles* const files_;
  std::string folder_;          // the file's, without links
  bool list_ = false;           // a list for FFmpeg's concat, which opens its files unasked
  std::exception_ptr refused_;  // the first refusal
};

}  // namespace vidconv
