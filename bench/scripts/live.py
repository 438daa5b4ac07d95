#!/usr/bin/env python3
"""How old a picture is when it comes out: from the moment at which a frame is handed over to the one
at which it is there again, filtered. Each frame has the time in its pixels, as blocks of black and
white, which survive a filter and an encoder.

    bench/scripts/live.py --vidconv build/release/vidconv --seconds 10

Through pipes, and through an encoder, UDP on the loopback and a decoder, with --latency and without,
and by ffmpeg for comparison where it is installed. Prints a table of Markdown."""
import argparse
import os
import shutil
import socket
import statistics
import subprocess
import threading
import time

BLOCK, BITS = 16, 40
WARM_UP = 1.0  # seconds that are not counted


def luma_with_stamp(width, height, number, microseconds):
    """Returns a grey picture that changes with `number`, with the time in its top left corner."""
    rows = [bytes((x + y + 3 * number) % 160 + 40 for x in range(256)) for y in range(256)]
    wide = [(row * (width // 256 + 1))[:width] for row in rows]
    luma = bytearray(b"".join(wide[y % 256] for y in range(height)))
    per_row = width // BLOCK
    for bit in range(BITS):
        value = bytes([235 if microseconds >> bit & 1 else 16]) * BLOCK
        left, top = bit % per_row * BLOCK, bit // per_row * BLOCK
        for y in range(top, top + BLOCK):
            luma[y * width + left:y * width + left + BLOCK] = value
    return bytes(luma)


def stamp_of(luma, width):
    per_row = width // BLOCK
    stamp = 0
    for bit in range(BITS):
        left, top = bit % per_row * BLOCK, bit // per_row * BLOCK
        stamp |= (luma[(top + BLOCK // 2) * width + left + BLOCK // 2] > 125) << bit
    return stamp


def now():
    return time.monotonic_ns() // 1000


class Sender(threading.Thread):
    """Writes frames at their rate, each when its time has come."""

    def __init__(self, to, options):
        super().__init__(daemon=True)
        self.to, self.options, self.sent = to, options, 0

    def run(self):
        o = self.options
        chroma = bytes([128]) * (o.width * o.height // 2)
        pictures = [luma_with_stamp(o.width, o.height, n, 0) for n in range(8)]
        try:
            self.to.write(f"YUV4MPEG2 W{o.width} H{o.height} F{o.fps}:1 Ip A1:1 C420jpeg\n".encode())
            begin = time.monotonic()
            for number in range(o.fps * o.seconds):
                time.sleep(max(0.0, begin + number / o.fps - time.monotonic()))
                stamped = bytearray(pictures[number % 8])
                rows = (BITS * BLOCK + o.width - 1) // o.width * BLOCK
                stamped[:rows * o.width] = luma_with_stamp(o.width, rows, number, now())
                self.to.write(b"FRAME\n" + stamped + chroma)
                self.to.flush()
                self.sent += 1
        except BrokenPipeError:
            pass
        finally:
            self.to.close()


def receive(stream, options):
    """Returns the ages of frames after the first second, in microseconds, and the number of all."""
    stream.readline()
    size = options.width * options.height * 3 // 2
    ages, first = [], None
    while stream.readline():
        picture = stream.read(size)
        if len(picture) < size:
            break
        at = now()
        first = first or at
        age = at - stamp_of(picture, options.width)
        ages.append((at - first, age))
    return [age for since, age in ages if since > WARM_UP * 1e6], len(ages)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until_bound(port):
    while f":{port:04X} " not in open("/proc/net/udp").read():
        time.sleep(0.01)




def measure(first, second, port, options):
    """Runs `first`, which reads frames from a pipe; it, or `second`, writes them to another."""
    receiver = None
    if second:
        receiver = subprocess.Popen(second, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL)
        wait_until_bound(port)
    sender = subprocess.Popen(first, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL if second else subprocess.PIPE)
    thread = Sender(sender.stdin, options)
    thread.start()
    if receiver:  # a stream by UDP has no end
        threading.Timer(options.seconds + 3, receiver.kill).start()
    ages, frames = receive((receiver or sender).stdout, options)
    for process in (sender, receiver):
        if process:
            process.wait()
    return ages, frames, thread.sent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--vidconv", default="build/release/vidconv")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--fps", type=int, default=25)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=360)
    parser.add_argument("--latency", default="100", help="milliseconds")
    options = parser.parse_args()
    port = free_port()
    address = f"udp://127.0.0.1:{port}"
    quiet = ["--kernel", "box", "--device", "cpu", "-q"]
    bounded = ["--latency", options.latency]
    encoded = ["--format", "mpegts", "--codec", "libx264", "--preset", "veryfast"]
    pass_on = ["--kernel", "identity", "--device", "cpu", "-q", "-o", "-"]
    v = options.vidconv
    runs = [
        ("y4m pipe, cat: what this script takes", ["cat"], None),
        ("y4m pipe, vidconv", [v, "-", "-o", "-", *quiet], None),
        ("y4m pipe, vidconv --latency", [v, "-", "-o", "-", *quiet, *bounded], None),
        ("x264, UDP, vidconv at both ends", [v, "-", "-o", address, *encoded, *quiet], [v, address, *pass_on]),
        ("x264, UDP, vidconv --latency at both ends", [v, "-", "-o", address, *encoded, *quiet, *bounded],
         [v, address, *pass_on, *bounded]),
    ]
    if shutil.which("ffmpeg"):
        ffmpeg = ["ffmpeg", "-v", "error", "-nostdin"]
        box = ["-vf", "avgblur=1"]
        out = ["-f", "yuv4mpegpipe", "-"]
        runs += [
            ("y4m pipe, ffmpeg", ["ffmpeg", "-v", "error", "-i", "-", *box, *out], None),
            ("x264, UDP, ffmpeg tuned at both ends",
             ["ffmpeg", "-v", "error", "-i", "-", *box, "-c:v", "libx264", "-preset", "veryfast", "-tune",
              "zerolatency", "-g", "50", "-flush_packets", "1", "-f", "mpegts", address + "?pkt_size=1316"],
             [*ffmpeg, "-fflags", "nobuffer", "-flags", "low_delay", "-probesize", "100k", "-i", address, *out]),
        ]
    print(f"{options.width}x{options.height}, {options.fps} frames/s, {options.seconds} s; "
          f"--latency {options.latency}; milliseconds\n")
    print("| path | frames sent | came | median | 95% | worst |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, first, second in runs:
        ages, frames, sent = measure(first, second, port, options)
        if not ages:
            print(f"| {name} | {sent} | {frames} | | | |", flush=True)
            continue
        ages = sorted(age / 1000 for age in ages)
        print(f"| {name} | {sent} | {frames} | {statistics.median(ages):.1f} | "
              f"{ages[int(0.95 * (len(ages) - 1))]:.1f} | {ages[-1]:.1f} |", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("AV_LOG_FORCE_NOCOLOR", "1")
    main()
