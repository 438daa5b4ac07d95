#include "src/process/system_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace vidconv {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64, first_foreign_call = 0x40000000;  // x32
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64, first_foreign_call = ~0U;
#else
constexpr std::uint32_t architecture = 0, first_foreign_call = ~0U;
#endif

// Some systems' headers lack these calls; their numbers are the same on all processors.
constexpr int io_uring_setup = 425, io_uring_enter = 426, io_uring_register = 427, open_tree = 428,
              move_mount = 429, fsopen = 430, fsconfig = 431, fsmount = 432, fspick = 433,
              clone3 = 435, pidfd_getfd = 438, mount_setattr = 442, quotactl_fd = 443,
              fchmodat2 = 452, setxattrat = 463, removexattrat = 466, open_tree_attr = 467,
              file_setattr = 469;

constexpr int always_refused[] = {
    // These execute programs.
    SYS_execve, SYS_execveat,
    // These act on files by name: modes, owners, attributes, times, devices. Or they tell what
    // others
    // do with them.
    SYS_fchmodat, fchmodat2, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, setxattrat, removexattrat, file_setattr, SYS_utimensat,
    SYS_mknodat, SYS_inotify_init1, SYS_fanotify_init,
#ifdef SYS_chmod  // not on arm64
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_mknod,
    SYS_inotify_init, SYS_iopl, SYS_ioperm,
#endif
    // These act on other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, pidfd_getfd, SYS_kcmp,
    // A ring's calls would bypass this filter.
    io_uring_setup, io_uring_enter, io_uring_register,
    // These act on file systems and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, open_tree,
    open_tree_attr, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr,
    SYS_open_by_handle_at, SYS_quotactl, quotactl_fd, SYS_swapon, SYS_swapoff,
    // These act on the whole machine.
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
    SYS_reboot, SYS_vhangup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key,
    SYS_request_key, SYS_keyctl, SYS_acct, SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
    SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_syslog,
    // These change who the process is.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
    SYS_setfsuid, SYS_setfsgid, SYS_capset};

// These act on existing sockets, such as those that a run was started with.
constexpr int for_sockets[] = {SYS_connect, SYS_bind,   SYS_listen,  SYS_accept,
                               SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg};

// These reach memory, queues and locks that other programs have made.
constexpr int for_other_programs[] = {SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open};

// The first two insert words into the terminal as if they were typed; the others set attributes of
// an open file.
constexpr std::uint32_t refused_ioctls[] = {TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR,
                                            FS_IOC_ENABLE_VERITY};

constexpr std::uint32_t new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr std::uint32_t refuse_call = SECCOMP_RET_ERRNO | EPERM;

class Program {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  // Loads the low half: the arguments to check are ints. It comes first on all supported
  // processors.
  void load_argument(std::size_t index) {
    load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }
  void end(std::uint32_t with) { add(BPF_RET | BPF_K, with); }
  // Skips the next `skip` instructions unless the loaded value equals `value`.
  void unless_equal(std::uint32_t value, std::uint8_t skip) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
  }
  void skip_if_equal(std::uint32_t value, std::uint8_t skip) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, skip, 0);
  }
  void unless_any_bit(std::uint32_t bits, std::uint8_t skip) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip);
  }
  void unless_from(std::uint32_t value, std::uint8_t skip) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, skip);
  }
  void refuse_value(std::uint32_t value) {
    unless_equal(value, 1);
    end(refuse_call);
  }
  void refuse_all(std::span<const int> calls) {
    for (const int call : calls) refuse_value(static_cast<std::uint32_t>(call));
  }
  // Refuses a call whose argument has any of these bits.
  void refuse_bits(int call, std::size_t argument, std::uint32_t bits) {
    unless_equal(static_cast<std::uint32_t>(call), 4);
    load_argument(argument);
    unless_any_bit(bits, 1);
    end(refuse_call);
    load_call();
  }

  bool install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int operation, std::uint32_t value, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(operation), if_true, if_false, value});
  }

  std::vector<sock_filter> code_;
};

// Limits socket() to the families that a run needs, for the internet those of resolving and
// streaming.
void judge_sockets(Program& program, const SystemCalls& needed) {
  std::vector<std::uint32_t> families;
  if (needed.network) families = {AF_INET, AF_INET6, AF_NETLINK, AF_UNIX};
  if (needed.local) families.insert(families.end(), {AF_UNIX, AF_NETLINK});
  program.unless_equal(SYS_socket, static_cast<std::uint8_t>(2 * families.size() + 2));
  program.load_argument(0);
  for (const std::uint32_t family : families) {
    program.unless_equal(family, 1);
    program.end(SECCOMP_RET_ALLOW);
  }
  program.end(refuse_call);
}

}  // namespace

bool refuse_system_calls(const SystemCalls& needed) {
  if (architecture == 0) {
    errno = ENOSYS;
    return false;
  }
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.skip_if_equal(architecture, 1);
  program.end(refuse_call);
  program.load_call();
  program.unless_from(first_foreign_call, 1);
  program.end(refuse_call);
  program.refuse_all(always_refused);
  if (!needed.network && !needed.local) program.refuse_all(for_sockets);
  if (!needed.local) program.refuse_all(for_other_programs);
  if (!needed.attributes) program.refuse_value(SYS_fsetxattr);
  if (!needed.modes) program.refuse_all(std::array{SYS_fchmod, SYS_fchown});
  program.unless_equal(SYS_ioctl, static_cast<std::uint8_t>(2 * std::size(refused_ioctls) + 2));
  program.load_argument(1);
  for (const std::uint32_t request : refused_ioctls) program.refuse_value(request);
  program.load_call();
  // These bits would give away the rights of another user or group.
  program.refuse_bits(SYS_fchmod, 1, S_ISUID | S_ISGID);
  program.refuse_bits(SYS_clone, 0, new_namespaces);
  // The flags of this call lie in memory. The C library uses the older one where it is missing.
  program.unless_equal(clone3, 1);
  program.end(SECCOMP_RET_ERRNO | ENOSYS);
  program.refuse_bits(SYS_prlimit64, 0, ~0U);  // limits of another process
  judge_sockets(program, needed);
  program.end(SECCOMP_RET_ALLOW);
  return program.install();
}

}  // namespace vidconv
