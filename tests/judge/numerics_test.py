#!/usr/bin/env python3
"""The bytes of filters are those of the version of the numeric promise: digests are kept in numerics_N.txt.

    numerics_test.py VIDCONV           compares
    numerics_test.py VIDCONV --write   adds what the table lacks; what it has is never changed

A new filter or format is added to the table. A digest that changes makes a new version (kernels/plan/numerics.h), and a
table of its own.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

FORMATS = ["gray", "gray10le", "gray16le", "grayf32le", "yuv420p", "yuv422p10le", "p010le", "rgb24", "gbrpf32le"]
FILTERS = [
    "identity", "box", "box:size=11", "box:w=2:h=5", "gaussian:sigma=0.7", "gaussian:sigma=1.5", "gaussian:sigma=5.5",
    "gaussian:sigma=24", "gaussian:sigmax=1:sigmay=9", "binomial:size=7", "motion:length=9:angle=30", "disk:radius=4",
    "comet:sigma=3", "sharpen", "unsharp:sigma=2:amount=1.5", "unsharp:sigma=2:threshold=0.03", "emboss",
    "high-pass:sigma=3", "sobel", "sobel:norm=l1", "sobel:norm=max", "sobel:size=5", "scharr", "prewitt", "frei-chen",
    "roberts", "kirsch", "robinson", "laplacian", "log:sigma=1.4", "dog", "row:1 2 3 2 1:scale=auto",
    "separable:1 2 1;1 0 -1:abs=1", "matrix:0 -1 0; -1 5 -1; 0 -1 0", "matrix:1/3 0.123 -0.7; 0 0.25 1e-3",
    "matrix:" + ";".join(" ".join(f"{((x * 7 + y * 3) % 11 - 4) / 97:.4f}" for x in range(22)) for y in range(22)),
    "mosaic:size=2", "mosaic:size=7", "mosaic:size=16", "fill:black", "fill:#1e90ff",
]
BORDERS = ["reflect101", "reflect", "replicate", "wrap", "zero", "constant:0.3"]


def jobs():
    """Yields (format, filter, options); borders and options alternate."""
    more = [[], [], ["--linear"], ["--range", "clamp"], ["--scan", "interlaced"]]
    number = 0
    for filter_ in FILTERS:
        for format_ in FORMATS:
            options = ["--border", BORDERS[number % len(BORDERS)], *more[number % len(more)]]
            number += 1
            yield format_, filter_, [o for o in options if not ("f32" in format_ and o == "--linear")]
    for place in ("region=10,8,20,16:feather=5", "mask=edges:sobel", "region=5%,5%,50%,50%:invert=1"):
        for format_ in FORMATS:
            yield format_, f"gaussian:sigma=3:{place}", []


def digest(vidconv, job):
    format_, filter_, options = job
    command = [vidconv, f"pattern:67x45:{format_}@25#2", "-o", "md5:", "-q", "--progress", "none", "--device", "cpu",
               "--variant", "reference", "--kernel", filter_, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout.split()[-1]


def version(vidconv):
    command = [vidconv, "pattern:8x8#1", "-o", "null:", "--kernel", "identity", "-q", "--device", "cpu", "--stats", "-"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["numerics"]


def main(vidconv, *options):
    path = pathlib.Path(__file__).with_name(f"numerics_{version(vidconv)}.txt")
    table = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            job, _, kept = line.rpartition(" | ")
            table[job] = kept
    now = {}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        drawn = list(jobs())
        for (format_, filter_, more), found in zip(drawn, pool.map(lambda j: digest(vidconv, j), drawn)):
            now[" | ".join([format_, filter_, " ".join(more)])] = found
    changed = [job for job in table if job in now and now[job] != table[job]]
    missing = [job for job in now if job not in table]
    gone = [job for job in table if job not in now]
    for job in changed:
        print(f"other bytes: {job}")
    if options == ("--write",) and not changed:
        path.write_text("".join(f"{job} | {table.get(job, found)}\n" for job, found in now.items()), encoding="utf-8")
        return 0
    for word, found in (("not in the table", missing), ("no longer tried", gone)):
        for job in found:
            print(f"{word}: {job}")
    print(f"{len(now)} digests, {len(changed)} changed, {len(missing)} not in {path.name}, {len(gone)} no longer tried")
    return 1 if changed or missing or gone or not now else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
