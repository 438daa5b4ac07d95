#include "pipeline/io/policy/references.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/opt.h>
}

#include "pipeline/av/av_log.h"
#include "pipeline/av/container.h"
#include "pipeline/av/devices.h"
#include "pipeline/av/log_lines.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/io/address.h"
#include "pipeline/io/byte_io.h"

namespace vidconv {
namespace {

// Lists formats that refer to files, and the endings of their names.
struct Playlist {
  const char *format, *endings;
};
constexpr Playlist playlists[] = {{"hls", "m3u8,m3u"}, {"concat", "ffconcat"}, {"mlv", "mlv"}};
// These formats open files with demuxers of their own, without asking.
constexpr const char* referring = "hls,dash,sdp,rtsp,sap,imf,vobsub,mlv";
constexpr const char *scripts = "avisynth,vapoursynth", *endings_of_scripts = "avs,vpy";
// Refers to a file that cannot exist.
constexpr const char* manifest =
    "data:application/dash+xml,<MPD type=\"static\" mediaPresentationDuration=\"PT1S\"><Period>"
    "<AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\" bandwidth=\"1\"><BaseURL>"
    "/dev/null/</BaseURL><SegmentList duration=\"1\"><SegmentURL media=\"a.mp4\"/></SegmentList>"
    "</Representation></AdaptationSet></Period></MPD>";
constexpr std::string_view list_magic = "ffconcat version 1.0";
constexpr std::size_t longest_listed = 200;
// Words of messages.
constexpr const char* part_of_input = "a part of the input";
constexpr const char* unchecked_parts =
    "parts of it would come without a look at the server's certificate";
constexpr const char* takes_them_so = "`insecure` takes them so";
constexpr std::int64_t most_list = 16 << 20;  // bytes

const Playlist* playlist_of(const AVInputFormat& format) {
  const auto found = std::ranges::find_if(
      playlists, [&](const Playlist& p) { return av_match_name(p.format, format.name) != 0; });
  return found == std::end(playlists) ? nullptr : &*found;
}

std::string link_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

class Descriptor {
 public:
  explicit Descriptor(const std::string& path, int flags = O_PATH)
      : fd(::open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  std::string link() const { return link_of(fd); }

  const int fd;
};

std::string real_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  char real[PATH_MAX];
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  return realpath(folder.c_str(), real) ? real : "";
}

// Keeps the entries of `options` that are also in `unknown`.
void keep_unknown(AVDictionary** options, AVDictionary* unknown) {
  AVDictionary* kept = nullptr;
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(*options, "", entry, AV_DICT_IGNORE_SUFFIX)))
    if (av_dict_get(unknown, entry->key, nullptr, 0))
      av_dict_set(&kept, entry->key, entry->value, 0);
  av_dict_free(options);
  *options = kept;
}

bool begins_a_list(const std::string& path) {
  char begin[list_magic.size()];
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  return file.fd >= 0 && read(file.fd, begin, sizeof begin) == sizeof begin &&
         std::string_view(begin, sizeof begin) == list_magic;
}

// Returns the text of `words` between these two; empty where they are missing.
std::string part_between(std::string_view words, std::string_view before, std::string_view after) {
  const std::size_t at = words.find(before), begin = at + before.size();
  const std::size_t end = at == words.npos ? at : words.find(after, begin);
  return end == words.npos ? "" : std::string(words.substr(begin, end - begin));
}

// Return what FFmpeg's playlists refuse without asking: by a name's ending, or by its protocol.
std::string misnamed_part(std::string_view words) {
  const std::string name = part_between(words, log_lines::misnamed_begin, log_lines::misnamed_end);
  return name.empty()
             ? part_between(words, log_lines::not_allowed_begin, log_lines::not_allowed_end)
             : name;
}
std::string unopened_address(std::string_view words) {
  const std::string name =
      part_between(words, log_lines::first_segment_begin, log_lines::first_segment_end);
  const std::string_view scheme = scheme_of(name);
  constexpr std::string_view opened[] = {"", "file", "http", "https", "crypto", "data"};
  return std::ranges::find(opened, scheme) == std::end(opened) ? name : "";
}

bool is_dash(const AVInputFormat& format) { return av_match_name("dash", format.name) != 0; }

// Returns whether FFmpeg's DASH heeds the protocols that it may use. Versions before 7.1 do so only
// in updates, so it is tried.
bool dash_heeds_protocols() {
  static const bool heeds = [] {
    const AVInputFormat* const dash = av_find_input_format("dash");
    if (!dash) return true;  // FFmpeg without libxml2
    const AvLines lines;
    AvErrors errors(nullptr);
    const AvErrors::Here apart(errors);  // no damage of an input
    AVFormatContext* container = nullptr;
    AVDictionary* options = nullptr;
    av_dict_set(&options, "protocol_whitelist", "data", 0);
    avformat_open_input(&container, manifest, dash, &options);
    av_dict_free(&options);
    avformat_close_input(&container);
    take_av_line();
    return lines.text().find(log_lines::refused_protocol_end) != std::string::npos;
  }();
  return heeds;
}

bool is_numbered_pictures(const AVFormatContext& container) {
  return av_match_name("image2", container.iformat->name) && is_numbered(container.url);
}

}  // namespace

bool is_playlist(const std::string& path, const std::string& format) {
  return std::ranges::any_of(playlists, [&](const Playlist& p) {
    return format.empty() ? av_match_ext(path.c_str(), p.endings) != 0 : format == p.format;
  });
}

bool lies_in_others(const AVInputFormat& format) {
  return playlist_of(format) || av_match_list(format.name, referring, ',');
}

References::References(Input input, std::string url, std::string name, const AVInputFormat* format,
                       bool insecure, RunFiles* files)
    : input_(input),
      url_(std::move(url)),
      name_(std::move(name)),
      format_(format),
      insecure_(insecure),
      files_(files) {
  if (input_ != Input::file) return;
  const std::string path = local_path(url_);
  folder_ = real_folder_of(path);
  list_ = format_ ? av_match_name("concat", format_->name) != 0 : begins_a_list(path);
  if (list_ && !format_ && !av_match_ext(path.c_str(), "ffconcat"))
    throw Error(MessageKind::input_reference, "cannot read the input", name_,
                "it is a list of other files, and is not named as one",
                "name it .ffconcat, or add `input_format` concat, if you trust it");
  if (list_) check_list(path);
}

bool References::trusts_dash() const {
  if (input_ != Input::address) return false;
  if (dash_heeds_protocols()) return true;
  const std::string name = url_.substr(0, url_.find_first_of("?#"));
  if (format_ ? !is_dash(*format_) : !av_match_ext(name.c_str(), "mpd")) return false;
  const std::string_view scheme = scheme_of(url_);
  return scheme == "http" || (scheme == "https" && insecure_);
}

bool References::close_dash(AVDictionary** options) const {
  if (!trusts_dash() || dash_heeds_protocols() || av_dict_get(*options, files_of_dash, nullptr, 0))
    return false;
  av_dict_set(options, files_of_dash, "", 0);
  return true;
}

void References::limit(AVFormatContext& container) const {
  std::string formats;
  void* at = nullptr;
  while (const AVInputFormat* format = av_demuxer_iterate(&at)) {
    const bool other = av_match_list(format->name, scripts, ',') || is_device(*format) ||
                       (list_ && av_match_list(format->name, referring, ','));
    const bool barred = is_dash(*format) && !trusts_dash();
    if ((format == format_ || !other) && !barred) formats.append(format->name).append(",");
  }
  if (av_opt_set(&container, "format_whitelist", formats.c_str(), 0) < 0 ||
      av_opt_set(&container, "protocol_whitelist", protocols(false).c_str(), 0) < 0)
    throw_out_of_memory("to read", name_);
}

// Returns whether the input is a file that says where to receive an RTP stream, given as one.
bool References::describes_a_session() const {
  return input_ == Input::file && format_ && av_match_name("sdp", format_->name) != 0;
}

// Returns the protocols that FFmpeg may use where it asks (`asked`), or where it does not.
std::string References::protocols(bool asked) const {
  if (describes_a_session()) return asked ? "file" : "rtp,srtp,udp";
  if (input_ != Input::address) return asked ? "file,crypto,data" : list_ ? "file" : "none";
  std::string all = protocols_of(scheme_of(url_));
  if (asked || insecure_) return all;
  // Certificates cannot be checked where FFmpeg does not ask.
  std::string some = "none";
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one != "tls" && one != "https") some.append(",").append(one);
  }
  return some;
}

int References::open(const AVFormatContext& container, AVIOContext** opened, const std::string& url,
                     int flags, AVDictionary** options) noexcept {
  try {
    if (url == url_) return open_url(container, opened, url, flags, options);
    return open_judged(container, opened, url, flags, options);
  } catch (...) {
    if (!refused_) refused_ = std::current_exception();
    return AVERROR(EPERM);
  }
}

void References::check() const {
  if (refused_) std::rethrow_exception(refused_);
}

void References::check(const std::string& words) const {
  check();
  if (const std::string name = unopened_address(words); !name.empty())
    throw Error(MessageKind::input_reference, "cannot read the input", name_,
                fmt::format("it refers to '{}', which no playlist may lead to",
                            shortened(redacted(name), longest_listed)));
  if (const std::string name = misnamed_part(words); !name.empty()) {
    if (input_ == Input::address) check_kind(name);
    throw Error(MessageKind::input_reference, "cannot read the input", name_,
                fmt::format("it refers to '{}', whose name does not end as that of a video",
                            shortened(redacted(name), longest_listed)),
                "rename it, if you trust it");
  }
  if (words.find(log_lines::unnamed_playlist) != words.npos)
    throw Error(
        MessageKind::input_reference, "cannot read the input", name_,
        "it is a playlist, which refers to other files, and is not named as one",
        input_ == Input::file ? "name it .m3u8, or add `input_format` hls, if you trust it" : "");
  if (words.find(log_lines::refused_format) != words.npos) refuse_format();
  if (const std::size_t at = words.find(log_lines::certificate); at != words.npos && !insecure_) {
    const std::size_t from = words.rfind("; ", at);
    throw Error(Fault::input, "cannot read the input", name_,
                words.substr(from == words.npos ? 0 : from + 2, words.find("; ", at)),
                "`insecure` reads it all the same");
  }
  constexpr std::string_view begin = log_lines::refused_protocol_begin;
  const std::size_t after = words.find(log_lines::refused_protocol_end);
  if (after == words.npos) return;
  const std::size_t at = words.rfind(begin, after) + begin.size();
  const std::string protocol = words.substr(at, after - at);
  const bool unchecked = input_ == Input::address && (protocol == "tls" || protocol == "https");
  throw Error(MessageKind::input_reference, "cannot read the input", name_,
              unchecked ? unchecked_parts
              : protocol == "file"
                  ? "it refers to files, which FFmpeg would open unasked"
                  : fmt::format("it leads on by '{}', which is not allowed", protocol),
              unchecked ? takes_them_so
              : input_ == Input::file && protocol == "rtp"
                  ? "`input_format` sdp receives what it describes, if you trust it"
                  : "");
}

void References::refuse_format() const {
  const char* why = "it is a DASH manifest, and FFmpeg would open what it names unasked";
  const char* remedy = scheme_of(url_) == "http" ? "add `input_format` dash, if you trust it"
                                                 : "read it from an HTTP server";
  if (list_) {
    why = "a file of the list refers to others";
    remedy = "";
  } else if (!format_ && av_match_ext(url_.c_str(), endings_of_scripts)) {
    why = "it is a script";
    remedy = "`input_format` runs it, if you trust it";
  } else if (scheme_of(url_) == "https" && !insecure_) {
    why = unchecked_parts;
    remedy = takes_them_so;
  }
  throw Error(MessageKind::input_reference, "cannot read the input", name_, why, remedy);
}

void References::refuse(const std::string& what, const std::string& why,
                        const std::string& remedy) const {
  throw Error(MessageKind::input_reference, "cannot read the input", name_,
              fmt::format("it refers to '{}', {}",
                          verbatim(shortened(redacted(local_path(what)), longest_listed)), why),
              remedy);
}

int References::open_judged(const AVFormatContext& container, AVIOContext** opened,
                            const std::string& url, int flags, AVDictionary** options) const {
  const bool encrypted = url.starts_with("crypto+") || url.starts_with("crypto:");
  const std::string around = encrypted ? url.substr(0, 7) : "", target = url.substr(around.size());
  const std::string_view scheme = scheme_of(target);
  if (flags & AVIO_FLAG_WRITE) refuse(target, "and wants to write there", "");
  judge(container, target);
  if (input_ == Input::address || scheme == "data")
    return open_url(container, opened, url, flags, options);

  const std::string path = local_path(target);
  const Descriptor file(path);
  if (file.fd < 0) return AVERROR(errno);
  check_regular(path, file.fd);
  if (!is_numbered_pictures(container)) check_beside(path, file.fd);
  if (files_) files_->reads(part_of_input, file.fd);
  // Opens the checked descriptor, not what has that name by now.
  return open_url(container, opened, around + "file:" + file.link(), flags, options);
}

// Throws where the input may not refer to such a target at all.
void References::judge(const AVFormatContext& container, std::string_view target) const {
  const std::string what(target);
  const std::string_view scheme = scheme_of(target);
  if (input_ == Input::pipe)
    refuse(what, "and what comes through a pipe may not", "give the file's own name");
  if (input_ == Input::address) return check_kind(what);
  if (!scheme.empty() && scheme != "file" && scheme != "data")
    refuse(what, "and a file may lead to files only", "give that address, if you trust it");
  if (is_numbered_pictures(container)) return;
  const AVInputFormat& format = *container.iformat;
  const Playlist* playlist = playlist_of(format);
  if (!playlist) refuse(what, fmt::format("and {} may refer to no file", format.name), "");
  if (format_ != &format && !av_match_ext(url_.c_str(), playlist->endings))
    refuse(what, "and is not named as what may do so",
           fmt::format("name it .{}, or add `input_format` {}, if you trust it",
                       std::string_view(playlist->endings)
                           .substr(0, std::string_view(playlist->endings).find(',')),
                       playlist->format));
}

// Throws where an address may not lead there.
void References::check_kind(const std::string& target) const {
  const std::string_view own = scheme_of(url_), scheme = scheme_of(target);
  if (scheme != own && (own != "http" || scheme != "https") && scheme != "data")
    refuse(target, fmt::format("and {} may lead to {} only", own, own), "");
}

void References::check_regular(const std::string& path, int fd) const {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    refuse(path, "which is no regular file", "");
}

// Compares the path with all its links followed.
void References::check_beside(const std::string& path, int fd) const {
  char real[PATH_MAX];
  const ssize_t length = readlink(link_of(fd).c_str(), real, sizeof real);
  const std::string folder = folder_.ends_with('/') ? folder_ : folder_ + "/";
  if (folder_.empty() || length < 0 ||
      !std::string_view(real, static_cast<std::size_t>(length)).starts_with(folder))
    refuse(path, "which lies neither beside it nor below", "move it there, if you trust it");
}

// Checks the files of a list in advance: FFmpeg's concat does not ask.
void References::check_list(const std::string& path) const {
  const auto reader = ByteReader::open(path, nullptr);
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(reader->size(), 0, most_list)),
                   '\0');
  text.resize(reader->read(std::as_writable_bytes(std::span(text))));
  if (reader->size() > most_list)
    throw Error(Fault::input, "cannot read the input", name_, "the list is too long");
  const std::string here = path.substr(0, path.rfind('/') + 1);
  for (std::string_view rest = text; !rest.empty();) {
    std::string line(rest.substr(0, rest.find_first_of(std::string_view("\r\n\0", 3))));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t word = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t end = std::min(line.find_first_of(" \t", word), line.size());
    if (line.substr(word, end - word) != "file") continue;
    const char* cursor = line.c_str() + end;
    const std::unique_ptr<char, decltype(&av_free)> name(av_get_token(&cursor, " \t\r\n"), av_free);
    if (!name) throw_out_of_memory("to read", name_);
    check_listed(name.get(), here);
  }
}

void References::check_listed(const std::string& name, const std::string& here) const {
  if (!scheme_of(name).empty()) refuse(name, "and a list may lead to files only", "");
  const std::string path = name.starts_with('/') ? name : here + name;
  const Descriptor file(path);
  if (file.fd < 0) return;  // FFmpeg will report it
  check_regular(path, file.fd);
  check_beside(path, file.fd);
  if (begins_a_list(file.link())) refuse(name, "which is a list itself", "");
  if (files_) files_->reads(part_of_input, file.fd);
}

int References::open_url(const AVFormatContext& container, AVIOContext** opened,
                         const std::string& url, int flags, AVDictionary** options) const {
  AVDictionary* with = nullptr;
  if (options) av_dict_copy(&with, *options, 0);
  av_dict_set(&with, "protocol_whitelist", protocols(true).c_str(), 0);
  check_certificates(&with, insecure_);
  const int code = avio_open2(opened, url.c_str(), flags, &container.interrupt_callback, &with);
  if (options) keep_unknown(options, with);
  av_dict_free(&with);
  if (code < 0 || scheme_of(url) != "https") return code;
  // The server may have redirected to http.
  std::uint8_t* location = nullptr;
  av_opt_get(*opened, "location", AV_OPT_SEARCH_CHILDREN, &location);
  const std::string end = location ? reinterpret_cast<const char*>(location) : "";
  av_free(location);
  if (scheme_of(end) != "http") return code;
  avio_closep(opened);
  refuse(end, "and https may lead to https only", "");
}

}  // namespace vidconv
