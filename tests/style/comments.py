#!/usr/bin/env python3
"""Comments are sentences that can be read by themselves: none opens with a word that stands for what is below it.

    comments.py [ROOT]    prints each such opening; exits with 1 where there is one
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

OPENINGS = re.compile(r"(of|that|those|what|which|who|whoever|the same)\b", re.IGNORECASE)
# How a comment begins, by the file's ending.
MARKS = {**dict.fromkeys((".h", ".cpp", ".cu", ".cuh", ".c"), "//"), **dict.fromkeys((".py", ".sh", ".txt", ".cmake"), "#")}


def openings(text, mark):
    """(line, words) of comments that open so: blocks by their first line, and what stands behind code."""
    behind = re.compile(r"\s" + re.escape(mark) + r"+\s+(.*)")
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(mark):
            words = stripped.lstrip(mark[0]).strip()
            # A block's first line is a sentence's beginning, and has a capital.
            if not in_block and OPENINGS.match(words) and words[0].isupper():
                yield number, words
            in_block = True
            continue
        in_block = False
        if (match := behind.search(line)) and OPENINGS.match(match[1]):
            yield number, match[1]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    files = []
    if shutil.which("git"):
        files = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False).stdout.splitlines()
    if not files:
        print("SKIPPED: these are not the sources as git has them")
        return 77
    faults = [f"{name}:{number}: {words}" for name in files if (mark := MARKS.get(Path(name).suffix)) and (root / name).is_file()
              for number, words in openings((root / name).read_text(encoding="utf-8", errors="replace"), mark)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
