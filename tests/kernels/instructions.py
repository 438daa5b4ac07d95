#!/usr/bin/env python3
"""Counts the instructions a sample of some filters, and fails where one takes more than the table says.

    instructions.py PROGRAM [--write]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.txt")
SAMPLES = 512 * 64  # the size of the picture of instructions.cpp
TOLERANCE = 1.02  # another patch level of the compiler


def count(program, rows):
    """Instructions a sample of each row."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--quiet", "--zero-before=vidconv_count_begins",
             "--dump-after=vidconv_count_ends", f"--callgrind-out-file={folder}/out",
             program, *rows], check=True)
        files = sorted(pathlib.Path(folder).glob("out.*"), key=lambda p: int(p.suffix[1:]))
        totals = [re.search(r"^totals: (\d+)", file.read_text(), re.M) for file in files]
    return [int(total[1]) / SAMPLES for total in totals[:len(rows)]]


def main():
    program, write = sys.argv[1], "--write" in sys.argv
    if not shutil.which("valgrind"):
        print("SKIPPED: valgrind is not installed")
        return 77
    if os.environ.get("VIDCONV_SIMD") == "native":
        print("SKIPPED: valgrind may not know the instructions of a program for this processor alone")
        return 77
    lines = TABLE.read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    rows = [line.rsplit(" ", 1) for line in lines if line and not line.startswith("#")]
    counts = count(program, [row for row, _ in rows])
    if len(counts) != len(rows):
        print(f"callgrind counted {len(counts)} of {len(rows)} rows")
        return 1
    if write:
        TABLE.write_text("\n".join(comments + [f"{row} {now:.2f}" for (row, _), now in
                                               zip(rows, counts)]) + "\n")
        return 0
    failed = False
    for (row, before), now in zip(rows, counts):
        more = now > float(before) * TOLERANCE
        failed |= more
        print(f"{row}: {now:.2f} instructions a sample, {before} in the table"
              + (": MORE" if more else ""))
    if failed:
        print(f"Make them fewer; or, where the reason is a good one, write it into the commit that "
              f"raises {TABLE.name} (--write).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
