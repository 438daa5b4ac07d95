#!/usr/bin/env python3
"""Several outputs of one input on a CUDA device: each has the bytes of a run of its own, and each frame is copied to
the device once for all of them.

  outputs.py VIDCONV
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FRAMES = 60
OUTPUTS = [
    ["--kernel", "sobel"],
    ["--kernel", "gaussian:sigma=3", "--kernel", "unsharp"],
    ["--kernel", "box:region=10,20,50%,90"],
    ["--kernel", "time-box:size=3"],
]


def main():
    vidconv, folder = sys.argv[1], pathlib.Path(tempfile.mkdtemp())

    def run(*arguments):
        subprocess.run([vidconv, f"pattern:640x360#{FRAMES}", "--device", "cuda:0", "-q", "-y", *arguments], check=True)

    together, separate = [], []
    for i, options in enumerate(OUTPUTS):
        together += ["-o", folder / f"together{i}.y4m", *options]
        run("-o", folder / f"alone{i}.y4m", *options)
        separate.append((folder / f"alone{i}.y4m").read_bytes())
    run("--stats", folder / "stats.json", *together)
    for i, wanted in enumerate(separate):
        assert (folder / f"together{i}.y4m").read_bytes() == wanted, f"other bytes with {OUTPUTS[i]}"
    reports = json.loads((folder / "stats.json").read_text())["outputs"]
    uploads = [use["uploads"] for report in reports for use in report["devices"]]
    assert sum(uploads) == FRAMES, f"{FRAMES} frames were copied so often: {uploads}"
    print(f"{len(OUTPUTS)} outputs, {FRAMES} frames, copied by each: {uploads}")


if __name__ == "__main__":
    main()
