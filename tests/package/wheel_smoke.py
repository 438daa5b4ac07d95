"""Tries an installed wheel: filters an array, encodes a film, reads it, and writes y4m. wheel_smoke.py [FILE.Y4M]"""
import sys
import tempfile

import numpy
import vidconv

with tempfile.TemporaryDirectory() as folder:
    grey = vidconv.filter(numpy.full((9, 9), 7, numpy.uint8), "gaussian:sigma=2")
    assert grey.tolist() == [[7] * 9] * 9, grey
    encoded = vidconv.run("pattern:64x48#5", f"{folder}/film.mp4", kernel="sobel")
    assert encoded.written == 5 and "264" in encoded.encoder, encoded
    frames = [numpy.asarray(frame).shape for frame in vidconv.open(f"{folder}/film.mp4", kernel="box", format="rgb24")]
    assert frames == [(48, 64, 3)] * 5, frames
    plain = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/film.y4m"
    assert vidconv.run("pattern:64x48#5", plain, kernel="sobel").written == 5
print("vidconv", vidconv.__version__, "with", encoded.encoder, "on Python", sys.version.split()[0])
