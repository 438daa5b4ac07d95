#!/usr/bin/env python3
"""Breaks whole files of the corpus: where ffmpeg complains of the picture, vidconv does not say that
all is well. The same damage every time, from files and through pipes.

    damage.py VIDCONV DIR [PER_FILE]    exits with 1 where it does
"""

import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from recipes import RECIPES

LIMIT = 60  # seconds for one run, beyond which it hangs
# These messages do not concern the picture: they come after decoding, or from codecs of sound that ffmpeg opens to
# probe its streams.
ELSEWHERE = re.compile(r"\[null @|non monoton|^\[(aac|mp[23](float)?|e?ac3|opus|vorbis|wma\w*) @")


def broken(data, chance):
    """Returns the kind of damage and the damaged bytes."""
    kind = chance.choice(("bytes", "zeros", "noise", "lost", "added", "cut", "beheaded"))
    begin, end = chance.choice(((0.002, 0.1), (0.1, 0.5), (0.4, 0.8), (0.8, 0.99)))
    at = chance.randrange(int(len(data) * begin), int(len(data) * end) + 1)
    length = chance.choice((4, 16, 188, 1500, len(data) // 20))
    out = bytearray(data)
    if kind == "bytes":
        for _ in range(chance.randrange(1, 8)):
            out[min(len(out) - 1, at + chance.randrange(2000))] ^= chance.randrange(1, 256)
    elif kind == "zeros":
        out[at : at + length] = bytes(len(out[at : at + length]))
    elif kind == "noise":
        out[at : at + length] = chance.randbytes(len(out[at : at + length]))
    elif kind == "lost":
        del out[at : at + length]
    elif kind == "added":
        out[at:at] = chance.randbytes(length)
    elif kind == "cut":
        del out[max(at, len(out) // 10) :]
    else:
        del out[: min(at, len(out) // 3)]
    return kind, bytes(out)


def run(words, stdin):
    with open(stdin or "/dev/null", "rb") as source:
        done = subprocess.run(words, stdin=source, capture_output=True, timeout=LIMIT)
    return done.returncode, done.stderr.decode(errors="replace")


def check(vidconv, source, number):
    """Returns what is wrong; empty if nothing is."""
    chance = random.Random(f"{source.name} {number}")
    piped = chance.random() < 0.3
    kind, data = broken(source.read_bytes(), chance)
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / source.name
        file.write_bytes(data)
        name, stdin = ("pipe:0", file) if piped else (str(file), None)
        code, said = run(["ffmpeg", "-v", "error", "-i", name, "-map", "0:v", "-f", "null", "-"], stdin)
        complaints = [line for line in said.splitlines() if not ELSEWHERE.search(line)]
        found, words = run([vidconv, "-" if piped else name, "-o", "null:", "--kernel", "identity"], stdin)
    if found not in (0, 3, 7) or (found == 0 and (code != 0 or complaints)):
        return f"{source.name} {number} ({kind}, {'pipe' if piped else 'file'}): exit code {found}, " \
               f"and ffmpeg says {complaints[:2]}: {words.strip()}"
    return ""


def main():
    vidconv, folder, *per_file = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    # Numbered pictures are many files, and text files have no picture.
    names = [r.name for r in RECIPES if r.exit == 0 and not r.options and "%" not in r.name]
    sources = [folder / name for name in names if (folder / name).exists()]
    jobs = [(s, n) for s in sources for n in range(int(per_file[0]) if per_file else 1)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda job: check(vidconv, *job), jobs) if w]
    print(*wrong, f"{len(jobs)} broken files, {len(wrong)} of them wrong", sep="\n")
    return 1 if wrong else 0 if jobs else 77


if __name__ == "__main__":
    sys.exit(main())
