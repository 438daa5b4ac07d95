#!/usr/bin/env python3
"""Compares the C header, as far as compiled programs depend on it, with the last approved version.

    abi.py INCLUDE_FOLDER COMPILER            prints what has changed; exits with 1 where something has
    abi.py INCLUDE_FOLDER COMPILER --write    agrees to it: writes tests/api/vidconv.abi

The library is made without debug information, so a library of empty functions is made from the header for
abidiff (abigail-tools) to read; that the real one defines them all so is the compiler's and library_test.py's.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

AGREED = Path(__file__).parent / "vidconv.abi"
DECLARATION = re.compile(r"^VIDCONV_API\s+([^;]*?\b(vidconv_\w+)\(([^;]*)\));", re.MULTILINE)


def functions(header):
    """Returns declarations by name, without the semicolon."""
    return {match[2]: match[1] for match in DECLARATION.finditer(header.read_text(encoding="utf-8"))}


def tools():
    return shutil.which("abidw") and shutil.which("abidiff")


def make_library(include, compiler, folder):
    source, library = folder / "empty.c", folder / "libempty.so"
    lines = ["#include <vidconv/vidconv.h>"]
    for declaration in functions(include / "vidconv" / "vidconv.h").values():
        lines.append(declaration + (" {}" if declaration.startswith("void ") else " { return 0; }"))
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run([compiler, "-std=c99", "-g", "-shared", "-fPIC", "-w", f"-I{include}", source, "-o", library],
                   check=True)
    return library


def write(include, compiler, to):
    with tempfile.TemporaryDirectory() as folder:
        library = make_library(Path(include), compiler, Path(folder))
        subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
                        "--out-file", to, library], check=True)


def same_tools(include, compiler):
    """Returns whether this abidw writes the format of vidconv.abi."""
    def version(file):
        return re.search(r"<abi-corpus [^>]*?version='([^']*)'", file.read_text(encoding="utf-8"))[1]

    with tempfile.TemporaryDirectory() as folder:
        write(include, compiler, Path(folder) / "now.abi")
        return version(Path(folder) / "now.abi") == version(AGREED)


def changes(include, compiler, agreed=AGREED):
    """Returns abidiff's report; empty if nothing has changed."""
    with tempfile.TemporaryDirectory() as folder:
        now = Path(folder) / "now.abi"
        write(include, compiler, now)
        result = subprocess.run(["abidiff", agreed, now], capture_output=True, text=True, check=False)
        return "" if result.returncode == 0 else result.stdout + result.stderr


if __name__ == "__main__":
    if not tools():
        print("SKIPPED: abidw and abidiff are not installed (abigail-tools)")
    elif sys.argv[3:] == ["--write"]:
        write(*sys.argv[1:3], AGREED)
    elif found := changes(*sys.argv[1:3]):
        print(found + "\nWhere this is meant, see 'The C library' in CONTRIBUTING.md.")
        sys.exit(1)
