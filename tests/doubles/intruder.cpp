// Loaded before the program's libraries (LD_PRELOAD), this stands for a stranger's code that has
// taken over a decoder: in the first thread besides the main one that decodes a frame, it tries
// what such code would do, and prints each outcome on stderr: "intruder: read: Permission denied",
// or "done".
//
// VIDCONV_TARGET is a folder to write in, VIDCONV_PORT a port on loopback where something listens,
// VIDCONV_SOCKET and VIDCONV_SENDER the descriptors of a TCP and a UDP socket that the run was
// started with, VIDCONV_INPUT its input.
// VIDCONV_LANDLOCK makes the kernel look older: it is the version of Landlock, 0 for none.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string word(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void say(const char* what, bool done) {
  const int error = errno;
  const std::string line =
      std::string("intruder: ") + what + ": " + (done ? "done" : std::strerror(error)) + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) std::abort();
}

bool opens(const std::string& path, int flags) { return open(path.c_str(), flags, 0666) >= 0; }

sockaddr_in the_port() {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(word("VIDCONV_PORT"))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return to;
}

bool connects() {
  const sockaddr_in to = the_port();
  return connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<const sockaddr*>(&to),
                 sizeof to) == 0;
}

int given(const char* name) { return std::getenv(name) ? std::stoi(word(name)) : -1; }

bool sends() {
  static const int fd = given("VIDCONV_SENDER");
  const sockaddr_in to = the_port();
  return sendto(fd, "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 1;
}

// Makes any system call, by its number.
bool calls(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  return syscall(number, a, b, c, d, e) >= 0;
}

bool makes_socket(int family, int type, int protocol) {
  return socket(family, type, protocol) >= 0;
}

bool listens() {
  static const int fd = given("VIDCONV_SOCKET");
  return listen(fd, 1) == 0;
}

bool executes_memory() {
  const int fd = memfd_create("program", 0);
  const int from = open("/usr/bin/true", O_RDONLY);
  char block[4096];
  for (ssize_t n; (n = read(from, block, sizeof block)) > 0;)
    if (write(fd, block, static_cast<std::size_t>(n)) != n) return false;
  char name[] = "true";
  char* argv[] = {name, nullptr};
  int ends[2];  // the child reports its failure through this pipe
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    fexecve(fd, argv, environ);
    const int error = errno;
    if (write(ends[1], &error, sizeof error) < 0) _exit(2);
    _exit(1);
  }
  close(ends[1]);
  int error = 0;
  const bool told = read(ends[0], &error, sizeof error) > 0;
  waitpid(child, nullptr, 0);
  errno = error;
  return !told;
}

bool changes_mode() {  // tries it on a file that it may read
  const int fd = open(word("VIDCONV_INPUT").c_str(), O_RDONLY);
  return fd >= 0 && fchmod(fd, 0600) == 0;
}

bool marks_by_descriptor() {
  const int fd = open(word("VIDCONV_INPUT").c_str(), O_RDONLY);
  return fd >= 0 && fsetxattr(fd, "user.intruder", "1", 1, 0) == 0;
}

bool sets_flags() {
  const int fd = open(word("VIDCONV_INPUT").c_str(), O_RDONLY);
  int flags = 0;
  if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return false;
  flags |= FS_NODUMP_FL;
  return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

bool clones_namespace() {
  struct {
    std::uint64_t flags, pidfd, child, parent, signal, stack, stack_size, tls;
  } args{.flags = CLONE_NEWUSER,
         .pidfd = 0,
         .child = 0,
         .parent = 0,
         .signal = SIGCHLD,
         .stack = 0,
         .stack_size = 0,
         .tls = 0};
  long child = syscall(435 /* clone3 */, &args, sizeof args);
  if (child < 0) child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child > 0 && waitpid(static_cast<pid_t>(child), nullptr, 0) == child;
}

bool limits_another() {
  rlimit limit{};
  return getrlimit(RLIMIT_CORE, &limit) == 0 &&
         prlimit(getppid(), RLIMIT_CORE, &limit, nullptr) == 0;
}

bool shares_memory() {
  const int id = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
  return id >= 0 && shmctl(id, IPC_RMID, nullptr) == 0;
}

bool watches(const std::string& folder) {
  return inotify_add_watch(inotify_init1(0), folder.c_str(), IN_ALL_EVENTS) >= 0;
}

bool reads_memory() {  // tries it as a debugger would
  char from = 1, to = 0;
  const iovec here{&to, 1}, there{&from, 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

bool executes() {
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  pid_t child = -1;
  errno = posix_spawn(&child, name, nullptr, nullptr, argv, nullptr);
  return errno == 0 && waitpid(child, nullptr, 0) == child;
}

void intrude() {
  const std::string target = word("VIDCONV_TARGET");
  say("read", opens("/etc/passwd", O_RDONLY));
  say("list", opens("/etc", O_RDONLY | O_DIRECTORY));
  say("write", opens(target + "/made", O_WRONLY | O_CREAT));
  say("empty", truncate((target + "/kept").c_str(), 0) == 0);
  say("execute", executes());
  say("execute from memory", executes_memory());
  say("connect", connects());
  say("mptcp", makes_socket(AF_INET, SOCK_STREAM, 262 /* IPPROTO_MPTCP */));
  say("udp", makes_socket(AF_INET, SOCK_DGRAM, 0));
  say("local socket", makes_socket(AF_UNIX, SOCK_STREAM, 0));
  say("raw socket", makes_socket(AF_PACKET, SOCK_RAW, 0));
  say("listen", listens());
  say("send", sends());
  say("mode by name", chmod((target + "/kept").c_str(), 0644) == 0);
  say("mode by descriptor", changes_mode());
  say("owner", chown((target + "/kept").c_str(), getuid(), getgid()) == 0);
  say("attribute by name", setxattr((target + "/kept").c_str(), "user.i", "1", 1, 0) == 0);
  say("attribute by descriptor", marks_by_descriptor());
  say("flags by descriptor", sets_flags());
  say("times", utimensat(AT_FDCWD, (target + "/kept").c_str(), nullptr, 0) == 0);
  struct stat status {};
  say("size", stat((target + "/kept").c_str(), &status) == 0);
  say("watch", watches(target));
  say("shared memory", shares_memory());
  say("limits", limits_another());
  say("other process", opens("/proc/" + std::to_string(getppid()) + "/cmdline", O_RDONLY));
  say("own process", opens("/proc/self/status", O_RDONLY));
  say("memory", reads_memory());
  say("ring", calls(425 /* io_uring_setup */, 1, reinterpret_cast<long>(new char[256]())));
  say("namespace", calls(SYS_unshare, 0));
  say("namespace by clone", clones_namespace());
  say("remove", unlink((target + "/kept").c_str()) == 0);
  say("signal", kill(getppid(), 0) == 0);
}

}  // namespace

struct AVCodecContext;
struct AVFrame;

extern "C" {

int avcodec_receive_frame(AVCodecContext* context, AVFrame* frame) {
  static auto* const next =
      reinterpret_cast<decltype(&avcodec_receive_frame)>(dlsym(RTLD_NEXT, "avcodec_receive_frame"));
  static std::atomic<bool> tried = word("VIDCONV_TARGET").empty();
  const int code = next(context, frame);
  if (code >= 0 && gettid() != getpid() && !tried.exchange(true)) intrude();
  return code;
}

long syscall(long number, ...) noexcept {
  static auto* const next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  static const std::string version = word("VIDCONV_LANDLOCK");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  constexpr long landlock_create_ruleset = 444, landlock_restrict_self = 446;
  const bool of_landlock = number >= landlock_create_ruleset && number <= landlock_restrict_self;
  if (of_landlock && version == "0") {
    errno = ENOSYS;
    return -1;
  }
  const bool asks_version = number == landlock_create_ruleset && a[0] == 0;
  if (asks_version && !version.empty()) return std::stol(version);
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
