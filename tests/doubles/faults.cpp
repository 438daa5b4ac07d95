// Loaded before the program's libraries (LD_PRELOAD), this makes one call into FFmpeg or the C
// library fail or lose its data, as VIDCONV_FAULT says. The program itself does not know of it.
//
// "no memory for FUNCTION N" makes call N of the function, counted from 0 when the program begins
// to work, find no memory, or no thread.
//
// With VIDCONV_DISK_BYTES the disk has room for so many bytes of all regular files together. Then
// writes fail or, with VIDCONV_DISK_LATE, only closing and syncing a file, as with a file system
// that allocates late. VIDCONV_DISK_ERROR is the errno.
//
// VIDCONV_REFUSED is a list such as "linkat=95,link@2=5,rename@2+=5": what the system refuses with
// which errno, always, at call 2, or from call 2 on, counted from 0. "O_TMPFILE" is an open() with
// that flag, "random=0" no errno but a random number that is foreseen; at "rename@2=killed" the
// process is killed. VIDCONV_CALLS names a file that tells such calls.
//
// VIDCONV_DURABLE is a folder for what would outlast a power cut: of each file the bytes, of each
// folder the names, as they were when it was synced last, by its inode: "f123", "d123". Names of
// folders end with a slash.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace {

constexpr int calls_before = 5;  // calls that succeed before the fault

// Returns whether this call is the one that fails.
bool now(std::string_view name, std::atomic<int>& calls) {
  static const char* const fault = std::getenv("VIDCONV_FAULT");
  return fault && name == fault && calls++ == calls_before;
}

std::atomic<bool> at_work = false;

// Returns whether this call of the function finds no memory.
bool out_of_memory(std::string_view function, std::atomic<int>& calls) {
  constexpr std::string_view prefix = "no memory for ";
  static const char* const fault = std::getenv("VIDCONV_FAULT");
  if (!fault || !at_work || std::strncmp(fault, prefix.data(), prefix.size()) != 0) return false;
  const std::string_view which(fault + prefix.size());
  if (!which.starts_with(function) || which[function.size()] != ' ') return false;
  return calls++ == std::atoi(which.data() + function.size() + 1);
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

struct Disk {
  long long left = -1;  // bytes; negative: unlimited
  int error = ENOSPC;
  bool late = false, full = false;

  Disk() {
    if (const char* bytes = std::getenv("VIDCONV_DISK_BYTES")) left = std::atoll(bytes);
    if (const char* code = std::getenv("VIDCONV_DISK_ERROR")) error = std::atoi(code);
    late = std::getenv("VIDCONV_DISK_LATE") != nullptr;
  }

  bool has(int fd) const {
    struct stat status;
    return left >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  }

  // Returns how many of the bytes are written; 0 if the disk is full.
  std::size_t take(std::size_t bytes) {
    const std::size_t fits = std::min(bytes, static_cast<std::size_t>(left));
    left -= static_cast<long long>(fits);
    full |= fits < bytes;
    return late ? bytes : fits;
  }
};

// Returns whether the system refuses this call; if so, errno is set.
bool refused(std::string_view function, std::atomic<int>& calls) {
  const char* const told = std::getenv("VIDCONV_CALLS");
  if (told && function != "random") {  // libraries call that one too
    std::FILE* file = std::fopen(told, "a");
    std::fprintf(file, "%s\n", std::string(function).c_str());
    std::fclose(file);
  }
  const char* const list = std::getenv("VIDCONV_REFUSED");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const std::string entry(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    const std::size_t equals = entry.find('='), at = std::min(entry.find('@'), equals);
    if (entry.substr(0, at) != function) continue;
    const int call = calls++, wanted = std::atoi(entry.c_str() + at + 1);
    const bool now = at == equals || (entry[equals - 1] == '+' ? call >= wanted : call == wanted);
    if (now && entry.ends_with("=killed")) raise(SIGKILL);
    errno = std::atoi(entry.c_str() + equals + 1);
    return now;
  }
  return false;
}

// The file or folder that is open there is on the disk from now on, whole.
void make_durable(int fd) {
  const char* const folder = std::getenv("VIDCONV_DURABLE");
  struct stat status;
  if (!folder || fstat(fd, &status) != 0) return;
  std::string bytes;
  if (S_ISDIR(status.st_mode)) {
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const names = fdopendir(again);
    while (const dirent* entry = readdir(names))
      if (entry->d_name != std::string_view(".") && entry->d_name != std::string_view(".."))
        bytes += std::to_string(entry->d_ino) + " " + entry->d_name +
                 (entry->d_type == DT_DIR ? "/\n" : "\n");
    closedir(names);
  } else {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    if (pread(fd, bytes.data(), bytes.size(), 0) != status.st_size) std::abort();
  }
  const std::string name =
      std::string(folder) + (S_ISDIR(status.st_mode) ? "/d" : "/f") + std::to_string(status.st_ino);
  std::FILE* const file = std::fopen((name + ".new").c_str(), "w");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  std::rename((name + ".new").c_str(), name.c_str());
}

Disk& disk() {
  static Disk disk;
  return disk;
}

}  // namespace

struct AVCodecContext;
struct AVFrame;
struct AVPacket {  // the beginning of FFmpeg's struct
  void* buffer;
  std::int64_t pts;
};

extern "C" {

// Reports "not now" although the decoder is ready: the packet is lost.
int avcodec_send_packet(AVCodecContext* context, const AVPacket* packet) {
  static auto* const next = real<int(AVCodecContext*, const AVPacket*)>("avcodec_send_packet");
  static std::atomic<int> calls = 0;
  return now("lost packet", calls) ? -EAGAIN : next(context, packet);
}

// Loses an encoded frame.
int avcodec_receive_packet(AVCodecContext* context, AVPacket* packet) {
  static auto* const next = real<int(AVCodecContext*, AVPacket*)>("avcodec_receive_packet");
  static std::atomic<int> calls = 0;
  const int code = next(context, packet);
  if (code < 0) return code;
  if (now("moved frame", calls)) packet->pts += 1000;  // no frame has that time
  return now("lost frame", calls) ? next(context, packet) : code;
}

// Makes a decoder drop a picture silently.
int avcodec_receive_frame(AVCodecContext* context, AVFrame* frame) {
  static auto* const next = real<int(AVCodecContext*, AVFrame*)>("avcodec_receive_frame");
  static std::atomic<int> calls = 0;
  const int code = next(context, frame);
  return code >= 0 && now("silent decoder", calls) ? next(context, frame) : code;
}

// Reports a version of FFmpeg that is not known yet.
unsigned avformat_version() {
  static auto* const next = real<unsigned()>("avformat_version");
  static const char* const fault = std::getenv("VIDCONV_FAULT");
  return fault && std::string_view(fault) == "newer FFmpeg" ? 99u << 16 : next();
}

// This is the program's first call.
void av_log_set_callback(void (*callback)(void*, int, const char*, va_list)) {
  at_work = true;
  real<void(void (*)(void*, int, const char*, va_list))>("av_log_set_callback")(callback);
}

#define FAILING(result, failure, name, parameters, arguments)      \
  result name parameters {                                         \
    static auto* const next = real<result parameters>(#name);      \
    static std::atomic<int> calls = 0;                             \
    return out_of_memory(#name, calls) ? failure : next arguments; \
  }

FAILING(void*, nullptr, aligned_alloc, (std::size_t alignment, std::size_t size), (alignment, size))
FAILING(AVPacket*, nullptr, av_packet_alloc, (), ())
FAILING(int, -ENOMEM, av_packet_ref, (AVPacket * to, const AVPacket* from), (to, from))
FAILING(AVFrame*, nullptr, av_frame_alloc, (), ())
FAILING(AVFrame*, nullptr, av_frame_clone, (const AVFrame* from), (from))
FAILING(int, -ENOMEM, av_frame_copy_props, (AVFrame * to, const AVFrame* from), (to, from))
FAILING(void*, nullptr, av_buffer_pool_init2,
        (std::size_t size, void* self, void* (*allocate)(void*, std::size_t), void (*end)(void*)),
        (size, self, allocate, end))
FAILING(void*, nullptr, avcodec_alloc_context3, (const void* codec), (codec))
FAILING(int, -ENOMEM, avcodec_open2, (AVCodecContext * context, const void* codec, void** options),
        (context, codec, options))
// Also stands for an encoder's library that prints by itself, and fails or goes on.
int avcodec_send_frame(AVCodecContext* context, const AVFrame* frame) {
  static auto* const next = real<int(AVCodecContext*, const AVFrame*)>("avcodec_send_frame");
  static std::atomic<int> calls = 0, complaints = 0, failures = 0;
  if (out_of_memory("avcodec_send_frame", calls)) return -ENOMEM;
  const bool fails = now("encoder fails", failures);
  if (fails || now("encoder complains", complaints))
    std::fputs("x265 [info]: all is well\nx265 [error]: the `crf` is\x1b[2J ill\n", stderr);
  return fails ? -EINVAL : next(context, frame);
}
FAILING(int, -ENOMEM, avcodec_parameters_copy, (void* to, const void* from), (to, from))
FAILING(int, -ENOMEM, avcodec_parameters_from_context, (void* to, const AVCodecContext* from),
        (to, from))
FAILING(void*, nullptr, avformat_alloc_context, (), ())
FAILING(void*, nullptr, avformat_new_stream, (void* container, const void* codec),
        (container, codec))
FAILING(int, -ENOMEM, avformat_write_header, (void* container, void** options),
        (container, options))
FAILING(int, -ENOMEM, av_interleaved_write_frame, (void* container, AVPacket* packet),
        (container, packet))
FAILING(int, EAGAIN, pthread_create,
        (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with),
        (thread, attributes, run, with))

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  const std::size_t fits = size > 0 && disk().has(fd) ? disk().take(size) : size;
  if (fits > 0 || size == 0) return next(fd, bytes, fits);
  errno = disk().error;
  return -1;
}

ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* const next = real<ssize_t(int, const iovec*, int)>("writev");
  if (count == 0 || !disk().has(fd)) return next(fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);  // a short write, as it may be
}

#define REFUSED(name, parameters, arguments)               \
  int name parameters {                                    \
    static auto* const next = real<int parameters>(#name); \
    static std::atomic<int> calls = 0;                     \
    return refused(#name, calls) ? -1 : next arguments;    \
  }

REFUSED(link, (const char* from, const char* to), (from, to))
REFUSED(linkat, (int from_fd, const char* from, int to_fd, const char* to, int flags),
        (from_fd, from, to_fd, to, flags))
REFUSED(rename, (const char* from, const char* to), (from, to))
REFUSED(renameat2, (int from_fd, const char* from, int to_fd, const char* to, unsigned flags),
        (from_fd, from, to_fd, to, flags))
REFUSED(inotify_init1, (int flags), (flags))
REFUSED(fstatfs, (int fd, struct statfs* to), (fd, to))

int open(const char* path, int flags, ...) {
  static auto* const next = real<int(const char*, int, ...)>("open");
  static std::atomic<int> calls = 0;
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (nameless && refused("O_TMPFILE", calls)) return -1;
  return next(path, flags, mode);
}

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  static auto* const next = real<ssize_t(void*, std::size_t, unsigned)>("getrandom");
  static std::atomic<int> calls = 0;
  if (!refused("random", calls)) return next(to, size, flags);
  std::memset(to, 0, size);
  return static_cast<ssize_t>(size);
}

int fsync(int fd) {
  static auto* const next = real<int(int)>("fsync");
  static std::atomic<int> calls = 0;
  struct stat status;
  const bool folder = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  if (refused(folder ? "fsync folder" : "fsync", calls)) return -1;
  if (!disk().late || !disk().full || !disk().has(fd)) {
    const int code = next(fd);
    if (code == 0) make_durable(fd);
    return code;
  }
  errno = disk().error;
  return -1;
}

int close(int fd) {
  static auto* const next = real<int(int)>("close");
  const bool fails = disk().late && disk().full && disk().has(fd);
  const int code = next(fd);
  if (!fails) return code;
  errno = disk().error;
  return -1;
}
}

// AddressSanitizer replaces these itself, and expects memory to be freed by its own functions.
#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
  static std::atomic<int> calls = 0;
  void* memory = out_of_memory("new", calls) ? nullptr : std::malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
