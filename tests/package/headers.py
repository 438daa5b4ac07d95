#!/usr/bin/env python3
"""Compiles each installed header alone, without other folders of ours.

    headers.py COMPILER INCLUDE_FOLDER    prints what does not compile; exits with 1 where one does not
"""
import subprocess
import sys
from pathlib import Path


def broken(compiler, folder):
    headers = sorted(Path(folder).rglob("*.h"))
    if not headers:
        return [f"{folder} holds no header"]
    faults = []
    for header in headers:
        command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}",
                   "-include", str(header), "-x", "c++", "/dev/null"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            faults.append(f"{header.relative_to(folder)} does not compile alone:\n{result.stderr}")
    return faults


if __name__ == "__main__":
    found = broken(*sys.argv[1:])
    print("\n".join(found))
    sys.exit(1 if found else 0)
