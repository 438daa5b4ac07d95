#!/usr/bin/env python3
"""Measures what hides, maps, alpha, linear light and long blurs beside a plain filter of the same picture, on one CPU core.

    bench/scripts/costs.py build/release/vidconv > docs/measurements/data/costs-cpu.json

A figure is the best of three measurements of `vidconv --benchmark`, a row's two kinds in turns, and all is done twice. Where
chrt is allowed (root), nothing else runs on that core meanwhile.
"""
import datetime
import json
import subprocess
import sys
import tempfile

SIZE = "1920x1080"
PLAIN = "gaussian:sigma=2"
TENTH = ":region=400,300,607,342"
# The filter that is measured, its picture, its options; what it stands beside, with its options.
ROWS = [
    ("fill:black", "", [], PLAIN, []),
    ("mosaic:size=24", "", [], PLAIN, []),
    ("mosaic:size=24" + TENTH, "", [], PLAIN, []),
    ("gaussian:sigma=map:RAMP*12", "", [], "gaussian:sigma=12", []),
    ("gaussian:sigma=map:HALF*12", "", [], "gaussian:sigma=12", []),
    ("gaussian:sigma=map:NOISE*12", "", [], "gaussian:sigma=12", []),
    ("tilt-shift:y=40%,height=20%,blur=12", "", [], "gaussian:sigma=12", []),
    (PLAIN, ":yuva420p", ["--alpha", "weighted"], PLAIN, ["--alpha", "separate"]),
    ("gaussian:sigma=12", ":yuva420p", ["--alpha", "weighted"], "gaussian:sigma=12", ["--alpha", "separate"]),
    (PLAIN + TENTH, "", ["--linear"], PLAIN + TENTH, []),
    (PLAIN + TENTH, "", ["--linear"], PLAIN, ["--linear"]),
    ("gaussian:sigma=100", "", [], "gaussian:sigma=12", []),
    ("gaussian:sigma=300", "", [], "gaussian:sigma=12", []),
    ("gaussian:sigma=1000", "", [], "gaussian:sigma=12", []),
]
# Grey from black to white, black beside white, and noise that differs from pixel to pixel.
MAPS = {"RAMP": "lum='X*255/1919'", "HALF": "lum='255*gt(X,959)'", "NOISE": "lum='random(1)*255'"}


def main():
    vidconv = sys.argv[1]
    alone = ["chrt", "-f", "1"] if subprocess.run(["chrt", "-f", "1", "true"], capture_output=True, check=False).returncode == 0 else []

    with tempfile.TemporaryDirectory() as folder:
        for name, words in MAPS.items():
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color=s={SIZE},format=gray,geq={words}", "-frames:v", "1",
                            f"{folder}/{name}.png"], check=True)

        def milliseconds(kernel, picture, options):
            for name in MAPS:
                kernel = kernel.replace(f"map:{name}", f"map:{folder}/{name}.png")
            command = alone + ["taskset", "-c", "1", vidconv, "--threads", "1", "--device", "cpu", "--benchmark=0.15",
                               f"pattern:{SIZE}{picture}", "--kernel", kernel] + options
            subprocess.run(command + ["--stats", f"{folder}/stats.json", "-y"], check=True, capture_output=True)
            with open(f"{folder}/stats.json", encoding="utf-8") as stats:
                return 1000 / next(stage["fps"] for stage in json.load(stats)["benchmark"]["alone"] if stage["name"] == "convolve")

        def both(row):
            name, picture, options, plain, its_options = row
            best = [float("inf")] * 2
            for _ in range(3):
                best[0] = min(best[0], milliseconds(name, picture, options))
                best[1] = min(best[1], milliseconds(plain, picture, its_options))
            return best

        rounds = [[both(row) for row in ROWS] for _ in range(2)]

    rows = []
    for row, first, again in zip(ROWS, *rounds):
        name, picture, options, plain, its_options = row
        words = [f"`{' '.join([kernel] + more)}`" for kernel, more in ((name, options), (plain, its_options))]
        ratios = [ours / theirs for ours, theirs in (first, again)]
        rows.append([words[0] + (" (4:2:0 with alpha)" if picture else ""), f"{first[0]:.{0 if first[0] >= 100 else 2}f} ms", words[1]]
                    + [f"{ratio:.{0 if ratio >= 20 else 2}f}" for ratio in ratios])
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "")
    print(json.dumps({
        "schema": 1,
        "command": "bench/scripts/costs.py vidconv",
        "date": datetime.date.today().isoformat(),
        "machine": [f"One core of {processor}"],
        "tables": [{
            "id": "costs",
            "title": "one HD frame of 8 bits, 4:2:0, on one core, convolving alone",
            "columns": ["filter", "a frame", "beside", "times as long", "once more"],
            "rows": rows,
            "notes": ["RAMP is a map that goes evenly from black to white, HALF is black beside white, NOISE differs from pixel to pixel. "
                      "A region is a tenth of the picture."],
        }],
    }, indent=1))


if __name__ == "__main__":
    main()
