#!/usr/bin/env python3
"""Measures what --resume costs beside --shards: pairs of runs of the same video, one after the other, the first of a pair in turns.

    resume.py VIDCONV [PAIRS]    prints processor time and time of both, and the mean of their ratios

Processor time says it where the machine has other work too.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run(words, folder):
    """Returns the processor time and the time of a run, in seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended - began


def main():
    vidconv, pairs = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(prefix="vidconv-resume-cost-") as name:
        folder = Path(name)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=30", "-f", "lavfi", "-i", "sine=d=30",
                        "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "50", "in.mkv"], cwd=folder, check=True)
        words = [vidconv, "in.mkv", "-y", "-o", "out.mkv", "--kernel", "gaussian:sigma=2", "--shards", "8", "--jobs", "2"]
        shards, resume = [], []
        for pair in range(pairs):
            for kind in ((shards, resume), (resume, shards))[pair % 2]:
                kind.append(run(words + (["--resume"] if kind is resume else []), folder))
        for at, what in enumerate(("processor time", "time")):
            ratios = [b[at] / a[at] for a, b in zip(shards, resume)]
            spread = statistics.stdev(ratios) / len(ratios) ** 0.5 if pairs > 1 else 0
            print(f"{what}: {statistics.mean(a[at] for a in shards):.2f} s with --shards, {statistics.mean(b[at] for b in resume):.2f} s with --resume, "
                  f"ratio {statistics.mean(ratios):.4f} ± {spread:.4f} of {pairs} pairs")


if __name__ == "__main__":
    main()
