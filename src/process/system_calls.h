// With seccomp, part of the Linux kernel, a process gives up system calls for good.
#pragma once

namespace vidconv {

// System calls that a run needs; they are refused otherwise.
struct SystemCalls {
  bool network = false;     // internet sockets, and those that resolve names
  bool local = false;       // local sockets, to drivers and to device servers
  bool modes = false;       // mode and owner of an open file, but not set-user-ID or set-group-ID
  bool attributes = false;  // extended attributes of an open file
};

// From now on this thread, and those that it starts, cannot execute programs, open other sockets,
// change modes, owners, attributes or times of files, reach what other programs share, or make
// calls meant for administrators and debuggers: each such call fails with EPERM. Returns false,
// with errno, if the kernel has no seccomp.
bool refuse_system_calls(const SystemCalls& needed);

}  // namespace vidconv
