#!/usr/bin/env python3
"""Checks in the output which planes a filter changes, and how, against the manual, --help and --explain.

    planes.py VIDCONV    exits with 1 where it is otherwise
"""

import subprocess
import sys
import tempfile

SIZE = "66x50"


def run(words):
    return subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True).stdout


class Judge:
    def __init__(self, vidconv, folder):
        self.vidconv, self.folder, self.wrong = vidconv, folder, []

    def clip(self, name, picture):
        path = f"{self.folder}/{name}.nut"
        run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-frames:v", "2", "-c:v", "ffv1", path])
        return path

    def filtered(self, path, *options):
        out = f"{self.folder}/out.nut"
        run([self.vidconv, path, "-o", out, "-y", "-q", "--codec", "ffv1", *options])
        return out

    def plane(self, path, plane, after="null"):
        """Returns the plane's samples of all frames."""
        return run(["ffmpeg", "-v", "error", "-i", path, "-vf", f"extractplanes={plane},{after}", "-f", "rawvideo", "-"])

    def explained(self, path, *options):
        return run([self.vidconv, path, "-o", "null:", "--explain", *options]).decode()

    def expect(self, holds, what):
        if not holds:
            self.wrong.append(what)


def shifted(samples, width, height, right, down):
    """Returns two frames shifted by `right` and `down`, without their edges."""
    size = width * height
    return [samples[f * size + (y + down) * width + x + right]
            for f in (0, 1) for y in range(1, height - 1) for x in range(1, width - 1)]


def check(judge):
    clip = judge.clip("colours", f"testsrc2=s={SIZE},format=yuv420p")
    own = {p: judge.plane(clip, p) for p in "yuv"}

    out = judge.filtered(clip, "--kernel", "sharpen")
    judge.expect(judge.plane(out, "y") != own["y"], "sharpen leaves luma")
    judge.expect(all(judge.plane(out, p) == own[p] for p in "uv"), "sharpen changes chroma")

    out = judge.filtered(clip, "--kernel", "sobel")
    judge.expect(all(set(judge.plane(out, p)) == {128} for p in "uv"), "sobel's chroma is not neutral")
    judge.expect("U V: fill" in judge.explained(clip, "--kernel", "sobel"), "--explain does not say so")

    out = judge.filtered(clip, "--kernel", "gaussian:sigma=1")
    judge.expect(all(judge.plane(out, p) != own[p] for p in "yuv"), "a blur leaves a plane")

    # A matrix is a blur if its taps are not negative and their sum is 1.
    blur, sharpener = "1 1 1;1 1 1;1 1 1", "0 -1 0;-1 5 -1;0 -1 0"
    out = judge.filtered(clip, "--kernel", f"matrix:{blur}:scale=1/9")
    inside = "crop=iw-2:ih-2:1:1"
    other = judge.folder + "/convolution.nut"
    taps = blur.replace(";", " ")
    run(["ffmpeg", "-v", "error", "-i", clip, "-vf", f"convolution={':'.join([taps] * 3)}:0rdiv=1/9:1rdiv=1/9:2rdiv=1/9",
         "-c:v", "ffv1", other])
    for p in "yuv":
        far = max(abs(a - b) for a, b in zip(judge.plane(out, p, inside), judge.plane(other, p, inside)))
        judge.expect(far <= 1, f"{p} of a matrix that blurs is {far} codes from ffmpeg's convolution")
    out = judge.filtered(clip, "--kernel", f"matrix:{sharpener}")
    judge.expect(all(judge.plane(out, p) == own[p] for p in "uv"), "a matrix that sharpens changes chroma")

    # Outside the picture chroma is neutral, whatever the constant.
    grey = judge.clip("grey", f"color=gray:s={SIZE},format=yuv420p")
    out = judge.filtered(grey, "--kernel", "box:size=5", "--border", "constant:1")
    judge.expect(all(set(judge.plane(out, p)) == {128} for p in "uv"), "a constant border colours a grey picture")
    judge.expect(set(judge.plane(out, "y")) != set(judge.plane(grey, "y")), "a constant border does nothing to luma")

    # The anchor rotates with the kernel: the one tap stays under it, or moves around with it.
    corner = "1 0 0;0 0 0;0 0 0"
    for turn in (0, 90, 180, 270):
        out = judge.filtered(clip, "--kernel", f"matrix:{corner}:anchor=0,0:rotate={turn}")
        judge.expect(judge.plane(out, "y") == own["y"], f"the anchor does not turn by {turn}")
        out = judge.filtered(clip, "--kernel", f"matrix:{corner}:rotate={turn}")
        right, down = {0: (-1, -1), 90: (1, -1), 180: (1, 1), 270: (-1, 1)}[turn]
        width, height = map(int, SIZE.split("x"))
        found = judge.plane(out, "y")
        judge.expect(shifted(found, width, height, 0, 0) == shifted(own["y"], width, height, right, down),
                     f"rotate={turn} does not turn the kernel clockwise")


def main():
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(sys.argv[1], folder)
        check(judge)
    print(*judge.wrong, f"{len(judge.wrong)} wrong", sep="\n")
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
