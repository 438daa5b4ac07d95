#!/usr/bin/env python3
"""Runs a recipe of docs/recipes.md, and compares with what the command makes. Ends with 77 where it cannot be run.

    recipe.py NAME PAGE VIDCONV
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NAME, PAGE, VIDCONV = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
TEXT = re.search(rf"^```(?:python|sh) {NAME}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, **more).stdout


def command(source, to, *options):
    run(VIDCONV, source, "-o", to, "-q", "-y", *options)


def want(*modules):
    for module in modules:
        if not importlib.util.find_spec(module):
            print(f"SKIPPED: this Python has no {module}")
            sys.exit(77)


def python(*arguments):
    return run(sys.executable, "-c", TEXT, *arguments)


def shell(source, to):
    run("bash", "-euo", "pipefail", "-c", TEXT,
        env=dict(os.environ, PATH=f"{VIDCONV.parent}:{os.environ['PATH']}", IN=str(source), OUT=str(to)))


def digests(file):
    """Returns the digest of every frame."""
    return run(VIDCONV, file, "-o", "md5:", "-q", "--kernel", "identity").decode().splitlines()


def opencv():
    want("cv2", "vidconv")
    command("pattern:64x48:rgb24#1", "in.png", "--kernel", "identity")
    command("in.png", "wanted.png", "--kernel", "gaussian:sigma=1", "--kernel", "sobel")
    python("in.png", "out.png")
    assert digests("out.png") == digests("wanted.png") != digests("in.png")


def batches():
    want("numpy", "vidconv")
    import numpy as np
    import vidconv
    command("pattern:64x48@25#10", "in.mp4", "--kernel", "identity", "--codec", "libx264", "--encoder-opt", "g=4", "--encoder-opt", "bf=2")
    means = [np.asarray(frame).mean().round(6) for frame in vidconv.open("in.mp4", kernel="gaussian:sigma=1", format="rgb24")]
    order = np.random.default_rng(1).permutation(10)
    lines = python("in.mp4").decode().splitlines()
    assert [line.partition(") ")[0] for line in lines] == ["(4, 48, 64, 3", "(4, 48, 64, 3", "(2, 48, 64, 3"]
    said = [float(mean) for line in lines for mean in line.partition(") ")[2].strip("[]").split(",")]
    assert said == [means[n] for n in order] and len(set(said)) == 10


def torch():
    want("torch", "vidconv")
    import torch as module
    import vidconv
    if not module.cuda.is_available() or vidconv.cuda_devices() == 0:
        print("SKIPPED: there is no CUDA device, or vidconv was built without CUDA")
        sys.exit(77)
    command("pattern:64x48#5", "in.y4m", "--kernel", "identity")
    raw = run(VIDCONV, "in.y4m", "-o", "-", "--format", "raw", "-q", "--kernel", "gaussian:sigma=1", "--kernel", "sobel:planes=y")
    size = 64 * 48
    means = [f"{sum(raw[at:at + size]) / size:.3f}" for at in range(0, len(raw), size * 3 // 2)]
    assert python("in.y4m").decode().split() == means


def device():
    want("torch", "numpy", "vidconv")
    import torch as module
    import vidconv
    if not module.cuda.is_available() or vidconv.cuda_devices() == 0:
        print("SKIPPED: there is no CUDA device, or vidconv was built without CUDA")
        sys.exit(77)
    command("pattern:64x48#5", "in.y4m", "--kernel", "identity")
    means = [frame.planes[0].mean() for frame in vidconv.open("in.y4m", kernel="sobel", device="cpu")]
    said = [float(mean) for mean in python("in.y4m").decode().strip("[]\n").split(",")]
    assert len(said) == 5 and all(abs(a - b) < 1e-4 for a, b in zip(said, means))


def pipe():
    command("pattern:64x48#9", "in.y4m", "--kernel", "identity")
    command("in.y4m", "wanted.mkv", "--kernel", "unsharp", "--codec", "libx264", "--preset", "ultrafast", "--encoder-opt",
            "tune=zerolatency")
    shell("in.y4m", "out.ts")
    assert digests("out.ts") == digests("wanted.mkv")


def batch():
    Path("in/deep").mkdir(parents=True)
    for name in ("a.mkv", "deep/b.mkv"):
        command("pattern:64x48#3", f"in/{name}", "--kernel", "identity", "--codec", "ffv1")
        command(f"in/{name}", f"wanted-{Path(name).stem}.mkv", "--kernel", "unsharp")
    Path("out").mkdir()
    shell("in", "out")
    for name in ("a", "deep/b"):
        assert digests(f"out/{name}.mkv") == digests(f"wanted-{Path(name).stem}.mkv")
    before = [os.stat(f"out/{name}.mkv").st_ino for name in ("a", "deep/b")]
    shell("in", "out")
    assert before == [os.stat(f"out/{name}.mkv").st_ino for name in ("a", "deep/b")]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    {"opencv": opencv, "batches": batches, "torch": torch, "device": device, "pipe": pipe, "batch": batch}[NAME]()
