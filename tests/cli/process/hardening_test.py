#!/usr/bin/env python3
"""Reads from a program and its libraries that what cmake/VidconvHardening.cmake asks for is in them;
and from a program that is built without, that it would be missed.

    hardening_test.py COMPILER PROGRAM LIBRARY... [--without=NAME]
"""

import re
import subprocess
import sys
import tempfile

# Every object carries these marks if the processor can check jumps and returns; the option leaves them out. They are
# not checked in the program, which has them only if all objects of the C library have them too.
BRANCHES = {"X86-64": ("IBT, SHSTK", "-fcf-protection=none"),
            "AArch64": ("BTI, PAC", "-mbranch-protection=none")}

BARE = """#include <cstdio>
#include <vector>
int main(int n, char** words) {
  char text[9];
  std::snprintf(text, static_cast<unsigned>(n), "%s", words[0]);
  return std::vector<int>(9)[static_cast<unsigned>(text[0])];
}"""
BARE_FLAGS = ["-O2", "-U_FORTIFY_SOURCE", "-U_GLIBCXX_ASSERTIONS", "-fno-stack-protector", "-fno-pie"]
BARE_LINK = ["-no-pie", "-Wl,-z,lazy", "-Wl,-z,norelro", "-Wl,-z,execstack"]


def readelf(what, path):
    return subprocess.run(["readelf", "--wide", what, path], capture_output=True, text=True,
                          check=True).stdout


def machine(path):
    return re.search(r"Machine: .*?([\w-]+)$", readelf("--file-header", path), re.M)[1]


def missing_in_program(path):
    headers, dynamic = readelf("--program-headers", path), readelf("--dynamic", path)
    there = {"pie": " DYN " in readelf("--file-header", path),
             "now": "BIND_NOW" in dynamic,
             "relro": "GNU_RELRO" in headers,
             "stack": re.search(r"GNU_STACK .* RW +0x", headers)}
    return {name for name in there if not there[name]}


def missing_in_objects(path):
    """Returns what is missing in a library or in an object."""
    symbols = readelf("--symbols", path)
    there = {"protector": "__stack_chk_fail" in symbols,
             "fortify": re.search(r" UND __(?!stack_)\w+_chk$", symbols, re.M),
             "assertions": "glibcxx_assert_fail" in symbols}
    if machine(path) in BRANCHES:
        notes = re.split(r"^File: .*$", readelf("--notes", path), flags=re.M)
        there["branches"] = all(BRANCHES[machine(path)][0] in one for one in notes[1:] or notes)
    return {name for name in there if not there[name]}


def build_bare(compiler, folder):
    run = lambda *words: subprocess.run([compiler, *words], check=True)
    with open(f"{folder}/bare.cpp", "w") as file:
        file.write(BARE)
    run(*BARE_FLAGS, "-c", f"{folder}/bare.cpp", "-o", f"{folder}/bare.o")
    if machine(f"{folder}/bare.o") in BRANCHES:
        off = BRANCHES[machine(f"{folder}/bare.o")][1]
        run(*BARE_FLAGS, off, "-c", f"{folder}/bare.cpp", "-o", f"{folder}/bare.o")
    run(*BARE_FLAGS, *BARE_LINK, f"{folder}/bare.o", "-o", f"{folder}/bare")


def main():
    without = {word.split("=")[1] for word in sys.argv if word.startswith("--without=")}
    compiler, program, *libraries = [word for word in sys.argv[1:] if not word.startswith("--")]
    wrong = []
    for path, missing in [(program, missing_in_program(program))] + [
            (library, missing_in_objects(library)) for library in libraries]:
        if missing - without:
            wrong.append(f"{path} lacks {', '.join(sorted(missing - without))}")
    with tempfile.TemporaryDirectory() as folder:
        build_bare(compiler, folder)
        seen = missing_in_program(f"{folder}/bare") | missing_in_objects(f"{folder}/bare.o")
        all_names = {"pie", "now", "relro", "stack", "protector", "fortify", "assertions"}
        if machine(f"{folder}/bare.o") in BRANCHES:
            all_names.add("branches")
        if seen != all_names:
            wrong.append(f"not missed in a bare program: {', '.join(sorted(all_names - seen))}")
    print("\n".join(wrong) or "all there")
    return 1 if wrong else 0


sys.exit(main())
