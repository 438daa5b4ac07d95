#!/usr/bin/env python3
"""Runs clang-tidy 14 over every .cpp file of ours and the headers they include, with the checks of .clang-tidy.

    tests/style/tidy.py BUILD

BUILD is a tree whose targets are compiled as a whole (a unity build, as cmake/prepare.sh makes it): so headers are read
once for a target and not once for a file, which is the difference between one minute and twenty. Files that BUILD does
not compile (samples, fuzz targets, what another configuration has) are looked at with plain flags. What needs a header
of a library that is not installed is named and left out. CUDA code is nvcc's to judge: clang 14 knows no CUDA 12.

Where VIDCONV_TEST_THINNING is set, as in tests/run.sh, a quarter is looked at: another one each day.

Exits with 0 where nothing was found, 1 where something was, 77 (skipped) where it cannot look.
"""
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOPS = ("api", "bench", "kernels", "pipeline", "samples", "src", "tests")
# A thinned run takes one share of so many.
SHARES = 4
# Tests need not be fast, doubles of C functions are made by macros, and GoogleTest's macros make so much code that
# every check is slow: tests only get the checks that find mistakes which tests cannot.
LESS = {"tests": "-*,bugprone-dangling-handle,bugprone-sizeof-expression,bugprone-suspicious-*,"
                 "bugprone-unused-return-value,bugprone-use-after-move,misc-unused-*,modernize-use-nullptr,"
                 "modernize-use-override,performance-for-range-copy,-bugprone-suspicious-include"}
# Clang refuses what it does not know of GCC's passes (kernels/CMakeLists.txt).
PASSES = re.compile(r" -f(?:align|caller|expensive|gcse|inline|peel|peephole|predictive|rerun|schedule|split|store-merging|"
                    r"strict-aliasing|tree|unswitch)[\w-]*")
# The project can be built without these libraries.
OPTIONAL = re.compile(r"'((?:cuda|nanobind/|nvtx3/|ffnvcodec/|opencv2/|libavfilter/|npp)[\w/.]*)' file not found")


def clang_tidy():
    for name in ("clang-tidy-14", "clang-tidy"):
        program = shutil.which(name)
        if program and " version 14." in subprocess.run([program, "--version"], capture_output=True, text=True,
                                                        check=True).stdout:
            return program
    return None


def parses_chrono(program):
    """Returns whether clang 14 understands the system's C++ library: GCC 13's <chrono> is beyond it."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write("#include <chrono>\n")
        source.flush()
        return subprocess.run([program, "--checks=-*,bugprone-use-after-move", source.name, "--", "-std=c++20"],
                              capture_output=True, check=False).returncode == 0


def commands(build):
    """Yields the files that BUILD compiles, each with our files that it includes."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = Path(entry["directory"], entry["file"]).resolve()
        if file.suffix not in (".cpp", ".cxx"):
            continue
        parts = [file]
        if file.is_relative_to(build):
            parts = [Path(name) for name in re.findall(r'^#include "(.*\.cpp)"$', file.read_text(encoding="utf-8"), re.M)]
        yield file, parts


def one(program, root, build, database, file, top, plain):
    """Returns clang-tidy's findings in one compiled file, and why it could not check."""
    command = [program, "--quiet", f"--config-file={root / '.clang-tidy'}", "--extra-arg=-Wno-unknown-warning-option",
               "--extra-arg=-Wno-c99-extensions", "--extra-arg=-ferror-limit=0",  # AV_TIME_BASE_Q is C99; show all errors
               "--extra-arg=-Wno-unused-command-line-argument",  # some arguments are only GCC's
               "--extra-arg=-DHWY_COMPILE_ONLY_STATIC"]  # code for one SIMD level instead of all
    if top in LESS:
        command += [f"--checks={LESS[top]}", "--extra-arg=-Wno-sign-conversion"]
    if plain:
        flags = ["-std=c++20", "-O1", "-DVIDCONV_HAVE_CUDA", '-DVIDCONV_BENCH_PLOT=""']
        flags += [f"-I{folder}" for folder in (root, root / "api/include", build / "api/include")]
        command += [str(file), "--", *flags]
    else:
        command += ["-p", str(database), str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    missing = OPTIONAL.search(run.stdout)
    if plain and missing:
        return "", f"{file.relative_to(root)} needs {missing[1]}, which is not installed"
    said = run.stdout if re.search(r": (warning|error): ", run.stdout) else ""
    if run.returncode != 0 and not said:
        said = f"{shlex.join(command)}\n{run.stdout}{run.stderr}"
    return said, ""


def check(root, build):
    """Returns the findings, and the files that could not be checked."""
    program, root, build = clang_tidy(), root.resolve(), build.resolve()
    ours = {file for top in TOPS for file in (root / top).rglob("*.cpp")}
    work, seen = [], set()
    for file, parts in commands(build):
        parts = [part for part in parts if part in ours]
        if set(parts) <= seen:
            continue  # another target has the files
        seen.update(parts)
        work.append((sum(part.stat().st_size for part in parts), file, parts[0].relative_to(root).parts[0], False))
    work += [(file.stat().st_size, file, file.relative_to(root).parts[0], True) for file in ours - seen]
    work.sort(reverse=True)  # the largest files first
    if "VIDCONV_TEST_THINNING" in os.environ:
        work = work[datetime.date.today().toordinal() % SHARES::SHARES]
    with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(os.cpu_count()) as pool:
        name = "compile_commands.json"
        Path(database, name).write_text(PASSES.sub("", (build / name).read_text(encoding="utf-8")), encoding="utf-8")
        results = list(pool.map(lambda w: one(program, root, build, database, *w[1:]), work))
    return [said for said, _ in results if said], [why for _, why in results if why]


def main():
    root, build = Path(__file__).parents[2], Path(sys.argv[1])
    if not clang_tidy():
        print("SKIPPED: clang-tidy-14 is not installed")
        return 77
    if not parses_chrono(clang_tidy()):
        print("SKIPPED: clang-tidy 14 cannot read this system's <chrono>: it is GCC 13's or later")
        return 77
    found, left_out = check(root, build)
    for line in left_out:
        print(f"left out: {line}")
    print("\n".join(found) or "nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
