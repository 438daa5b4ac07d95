// Seccomp, the kernel's own: a process gives up system calls, for good.
#pragma once

namespace vidconv {

// A run needs these system calls, which are refused otherwise.
struct SystemCalls {
  bool network = false;  // sockets of the internet, and what resolving names asks
  bool local = false;    // sockets of this machine: of drivers, of the servers of devices
  bool modes = false;    // mode and owner of a file that is open, but no bit that gives rights away
  bool attributes = false;  // extended attributes of a file that is open
};

// From now on this thread, and those that it starts, execute no program, open no other socket,
// change no mode, owner or attribute, and do nothing that is for administrators and debuggers: each
// such call fails with EPERM. False, with errno, where the kernel has no such thing.
bool refuse_system_calls(const SystemCalls& needed);

}  // namespace vidconv
