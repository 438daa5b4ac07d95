#include "src/process/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vidconv {
namespace {

// These are copied from linux/landlock.h, which is incomplete or missing on older systems. The
// numbers are the same on all processors.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned version_flag = 1;
constexpr int path_beneath = 1;

struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t folder;
};

using Rights = std::uint64_t;
constexpr Rights execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_folder = 1 << 3,
                 remove_folder = 1 << 4, remove_file = 1 << 5, make_folder = 1 << 7,
                 make_file = 1 << 8, all_of_version_1 = (1 << 13) - 1;
constexpr Rights refer = 1 << 13;     // rename a file into another folder; since version 2
constexpr Rights truncate = 1 << 14;  // since version 3
// Version 5 can refuse ioctl() on devices: it is allowed on all devices that may be opened.

constexpr Rights reading = read_file | read_folder;
constexpr Rights writing =
    reading | write_file | truncate | make_file | make_folder | remove_file | remove_folder | refer;
constexpr Rights of_a_file = execute | read_file | write_file | truncate;

constexpr std::uint64_t bind_and_connect = 3;            // since version 4
constexpr std::uint64_t other_sockets = 1, signals = 2;  // since version 6

}  // namespace

int landlock_abi() {
  const long version = syscall(create_ruleset, nullptr, 0, version_flag);
  return version > 0 ? static_cast<int>(version) : 0;
}

Landlock::Landlock(const Refusals& refusals) {
  const int abi = landlock_abi();
  handled_ = all_of_version_1 | (abi >= 2 ? refer : 0) | (abi >= 3 ? truncate : 0);
  const RulesetAttributes attributes{
      .files = handled_,
      .network = refusals.network && abi >= 4 ? bind_and_connect : 0,
      .scopes =
          abi < 6 ? 0 : (refusals.sockets ? other_sockets : 0) | (refusals.signals ? signals : 0),
  };
  fd_ = static_cast<int>(syscall(create_ruleset, &attributes, sizeof attributes, 0));
}

Landlock::~Landlock() {
  if (fd_ >= 0) close(fd_);
}

void Landlock::allow_reading(const std::string& path) const { allow(path, reading); }
void Landlock::allow_writing(const std::string& path) const { allow(path, writing); }

void Landlock::allow(const std::string& path, std::uint64_t rights) const {
  const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat status;
  if (fstat(place, &status) == 0) {
    rights &= S_ISDIR(status.st_mode) ? handled_ : handled_ & of_a_file;
    const PathBeneath rule{.allowed = rights, .folder = place};
    syscall(add_rule, fd_, path_beneath, &rule, 0);
  }
  close(place);
}

bool Landlock::enforce() const {
  return fd_ >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(restrict_self, fd_, 0) == 0;
}

}  // namespace vidconv
