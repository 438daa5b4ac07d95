#!/usr/bin/env python3
"""What compiling takes: processor time and memory of each file.

As a compiler's launcher it runs the compiler and adds a line to LOG:

    CMAKE_CXX_COMPILER_LAUNCHER='cmake/compile_cost.py;LOG' cmake --preset release

compile_cost.py --check LOG SECONDS MEGABYTES TOTAL   prints the dearest files, and fails where a file or all take more
"""
import os
import sys


def launch(log, command):
    child = os.fork()
    if child == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    _, status, used = os.wait4(child, 0)
    target = next((after for option, after in zip(command, command[1:]) if option == "-o"), command[-1])
    with open(log, "a") as lines:  # one write, so that lines of concurrent compilers do not mix
        lines.write(f"{used.ru_utime + used.ru_stime:.1f} {used.ru_maxrss // 1024} {target}\n")
    return os.waitstatus_to_exitcode(status)


def check(log, seconds, megabytes, total):
    with open(log) as lines:
        files = [(float(s), int(m), name) for s, m, name in (line.split(maxsplit=2) for line in lines)]
    too_much = [f for f in files if f[0] > seconds or f[1] > megabytes]
    for took, held, name in sorted({*sorted(files)[-5:], *too_much}, reverse=True):
        print(f"{took:6.1f} s {held:5d} MB  {name.strip()}")
    whole = sum(took for took, _, _ in files)
    print(f"{whole:.0f} s for {len(files)} files, at most {max(m for _, m, _ in files)} MB at once each")
    for took, held, name in too_much:
        print(f"{name.strip()} takes {took:.0f} s and {held} MB: at most {seconds:.0f} s and {megabytes:.0f} MB are "
              "allowed; split it, or its part of a unity build", file=sys.stderr)
    if whole > total:
        print(f"all files take {whole:.0f} s: at most {total:.0f} s are allowed", file=sys.stderr)
    return bool(too_much) or whole > total


if len(sys.argv) == 6 and sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2], *map(float, sys.argv[3:])))
if len(sys.argv) < 3:
    sys.exit(__doc__)
sys.exit(launch(sys.argv[1], sys.argv[2:]))
