#!/usr/bin/env python3
"""Measures a filter on a tenth of a 4K frame, beside all of it, on one CPU core or a CUDA device.

    bench/scripts/places.py [--device cuda] build/release/vidconv [FILTER...]

Each figure is the best of five measurements of `vidconv --benchmark`, the four kinds in turns.
Where chrt is allowed (root), nothing else runs on that core meanwhile.
"""
import subprocess
import sys

PLACES = {
    "all of it": "",
    "a tenth": ":region=1000,500,1214,683",
    "a tenth, feather": ":region=1000,500,1214,683:feather=8",
    "one pixel": ":region=0,0,1,1",
}
RUNS = 5


def milliseconds(command):
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate = next(line.split()[1] for line in printed.splitlines() if line.startswith("convolve"))
    return 1000 / float(rate)


def main():
    given = sys.argv[1:]
    cuda = given[:2] == ["--device", "cuda"]
    vidconv, *filters = given[2:] if cuda else given
    filters = filters or ["gaussian:sigma=2", "gaussian:sigma=8", "random:1,9", "sobel"]
    alone = ["chrt", "-f", "1"] if subprocess.run(["chrt", "-f", "1", "true"], capture_output=True, check=False).returncode == 0 else []
    print("| filter | " + " | ".join(PLACES) + " |")
    print("| --- |" + " --- |" * len(PLACES))
    for name in filters:
        best = dict.fromkeys(PLACES, float("inf"))
        for _ in range(RUNS):
            for place, words in PLACES.items():
                where = [vidconv, "--device", "cuda"] if cuda else \
                    alone + ["taskset", "-c", "1", vidconv, "--threads", "1", "--device", "cpu"]
                command = where + ["--benchmark=0.15", "pattern:3840x2160", "--kernel", name + words]
                best[place] = min(best[place], milliseconds(command))
        print(f"| `{name}` | " + " | ".join(f"{best[place]:.3f} ms" for place in PLACES) + " |")


if __name__ == "__main__":
    main()
