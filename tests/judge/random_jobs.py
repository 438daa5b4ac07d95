#!/usr/bin/env python3
"""Whole jobs through the command, drawn at random: the definition, what the CPU chooses, one variant of
the CPU and every CUDA device must give the same bytes, or refuse the job alike.

    random_jobs.py VIDCONV [--seed S] [--seconds N | --jobs N | --grid] [--first K] [--parallel P] [--work W]

Job K of seed S is always the same with one version of the program; --first K --jobs 1 runs it again. A
failure prints the commands that show it, of the simplest job that still fails so. The last line counts;
the exit code is 1 where a job failed, 2 where none ran, 3 where a signal ended it before its time. Jobs that are
under way at either end are stopped and not counted.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import drawn_job

LONGEST_RUN = 300  # seconds, beyond which a run hangs
MOST_FAILURES = 5  # further failures would add nothing
GRACE = 20  # seconds for running jobs when the time is over


class Stopped(Exception):
    """The run ends before this job does."""


class Way:
    """A way to compute a job, by options of the command."""

    def __init__(self, name, *options, may_refuse=False):
        self.name, self.options, self.may_refuse = name, options, may_refuse


class Files:
    """The files that a job reads, in a folder of its own."""

    def __init__(self, tables, vidconv, job, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.input = [job.pattern()]
        if job.noise:
            path = folder / "noise.raw"
            bits = next(f["bits"] for f in tables.formats if f["name"] == job.format)
            drawn_job.write_noise(vidconv, job, path, bits)
            self.input = [str(path), "--raw", f"{job.width}x{job.height}:{job.format}@25"]
        self.mask = folder / ("mask.y4m" if job.mask_frames else "mask.pgm")
        if job.mask:
            drawn_job.write_mask(job, self.mask)
        self.boxes = folder / "boxes.jsonl"
        if job.boxes:
            self.boxes.write_text("".join(json.dumps(b) + "\n" for b in job.boxes))

    def command(self, vidconv, job, way):
        words = [vidconv, *self.input, "-o", "md5:", "-q", "--progress", "none"]
        for kernel in job.kernels:
            words += ["--kernel", kernel.spec().replace("=MASK", f"={self.mask}").replace(":MASK*", f":{self.mask}*")]
        if job.boxes:
            words += ["--regions", ":".join([str(self.boxes), *job.box_options])]
        return words + [w for option in job.options for w in option] + list(way.options)


class Judge:
    def __init__(self, vidconv, devices, work, folder, threads):
        self.vidconv, self.work, self.folder = vidconv, work, Path(folder)
        self.tables = drawn_job.Tables(vidconv)
        if devices is not None:
            self.tables.cuda_devices = devices
        self.definition = Way("the definition", "--device", "cpu", "--variant", "reference", "--threads", str(threads))
        self.choice = Way("the CPU's choice", "--device", "cpu", "--threads", str(threads))
        self.grid = None  # fixed jobs, not random ones
        self.runs, self.refused, self.lock = 0, 0, threading.Lock()
        self.processes, self.stopped = set(), False

    def stop(self):
        """Ends all running jobs; no further one starts."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()

    def oracle(self, job):
        """Returns the way that others are compared with: the reference, or the CPU's choice for a job of the grid for
        which the reference would take minutes."""
        return self.definition if self.grid is None or job.work() <= self.work else self.choice

    def ways(self, seed, job):
        """Yields the ways that are compared with the oracle."""
        r = random.Random(seed + " ways")
        yield Way("the CPU's choice", "--device", "cpu", "--threads", str(r.choice([1, 2, 3, 8])))
        if self.grid is None:
            variant = r.choice([v for v in self.tables.cpu_variants if v != "reference"])
            yield Way(variant, "--device", "cpu", "--variant", variant, may_refuse=True)
        for device in () if job.on_cpu() else self.tables.cuda_devices:
            yield Way(device, "--device", device)
        if len(self.tables.cuda_devices) > 1 and not job.on_cpu():
            yield Way("cuda:all", "--device", "cuda:all")

    def run(self, command):
        """Runs a command, and returns its exit code, its output and its last message."""
        with self.lock:
            if self.stopped:
                raise Stopped
            self.runs += 1
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.processes.add(process)
        try:
            out, said = process.communicate(timeout=LONGEST_RUN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return -1, b"", f"it did not end within {LONGEST_RUN} s"
        finally:
            with self.lock:
                self.processes.discard(process)
        if self.stopped:
            raise Stopped
        lines = said.decode(errors="replace").strip().splitlines()
        return process.returncode, out, lines[-1] if lines else ""

    def difference(self, job, way, folder):
        """Returns a text on how a way differs from the reference, and the two commands; None if it does not."""
        files = Files(self.tables, self.vidconv, job, folder)
        wanted_command = files.command(self.vidconv, job, self.oracle(job))
        wanted_code, wanted, said = self.run(wanted_command)
        return self._compare(files, job, way, wanted_command, wanted_code, wanted, said)

    def _compare(self, files, job, way, wanted_command, wanted_code, wanted, wanted_said):
        command = files.command(self.vidconv, job, way)
        if wanted_code not in (0, 2):
            return f"the definition ended with {wanted_code}: {wanted_said}", command, wanted_command
        code, got, said = self.run(command)
        if way.may_refuse and code == 2:
            return None
        if code != wanted_code:
            return f"{way.name} ended with {code}: {said}", command, wanted_command
        if got != wanted:
            return f"{way.name}: other bytes", command, wanted_command
        return None

    def job(self, seed, number):
        if self.grid is not None:
            return self.grid[number]
        return drawn_job.draw(self.tables, seed, self.work)

    def try_job(self, seed, number):
        """Runs one job, and returns None or (job, way, words)."""
        job = self.job(seed, number)
        folder = self.folder / seed.replace(":", "-")
        files = Files(self.tables, self.vidconv, job, folder)
        wanted_command = files.command(self.vidconv, job, self.oracle(job))
        code, wanted, said = self.run(wanted_command)
        if code == 2:
            with self.lock:
                self.refused += 1
        for way in self.ways(seed, job):
            found = self._compare(files, job, way, wanted_command, code, wanted, said)
            if found:
                return job, way, found[0]
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        return None

    def shrink(self, job, way, folder, seconds=60):
        """Returns the simplest job found that still differs, and how."""
        until = time.monotonic() + seconds
        best = job
        found = self.difference(job, way, folder / "0")
        trial = itertools.count(1)
        again = found is not None
        while again and time.monotonic() < until:
            again = False
            for other in drawn_job.simpler(best, self.tables):
                if time.monotonic() > until:
                    break
                now = self.difference(other, way, folder / str(next(trial)))
                if now and ("ended with" in now[0]) == ("ended with" in found[0]):
                    best, found, again = other, now, True
                    break
        return best, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vidconv")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--parallel", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--work", type=float, default=3e8, help="multiplications of a definition, at most")
    parser.add_argument("--device", action="append", help="instead of every CUDA device; may be repeated")
    parser.add_argument("--grid", action="store_true",
                        help="instead of random ones: each blur in each format and size, and some filters over time")
    parser.add_argument("--until-failure", action="store_true", help="end with the first, and do not look for a simpler job")
    parser.add_argument("--require-cuda", action="store_true", help="fail where there is no CUDA device")
    o = parser.parse_args()
    if o.grid:
        o.seed, o.jobs, o.seconds = "grid", len(drawn_job.grid()) - o.first, None
    elif o.seconds is None and o.jobs is None:
        o.seconds = 60
    vidconv = str(Path(o.vidconv).resolve()) if "/" in o.vidconv else o.vidconv
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")

    folder = tempfile.mkdtemp(prefix="random-jobs-")
    # A reference on all cores would crowd out other jobs.
    threads = max(1, len(os.sched_getaffinity(0)) // o.parallel)
    judge = Judge(vidconv, o.device, o.work, folder, threads)
    if o.grid:
        judge.grid = drawn_job.grid()
    if o.require_cuda and not judge.tables.cuda_devices:
        print("random jobs: there is no CUDA device")
        return 2
    begun = time.monotonic()
    numbers = itertools.count(o.first)
    failures, tried, unfinished, lock = [], 0, 0, threading.Lock()
    ended_by = []

    def end(number, _):
        # The interrupted code may hold the lock.
        ended_by.append(signal.Signals(number).name)
        threading.Thread(target=judge.stop).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    if o.seconds is not None:
        timer = threading.Timer(o.seconds + GRACE, judge.stop)
        timer.daemon = True
        timer.start()

    def work():
        nonlocal tried, unfinished
        while True:
            with lock:
                number = next(numbers)
                over = (o.jobs is not None and number >= o.first + o.jobs) or \
                       (o.seconds is not None and time.monotonic() - begun > o.seconds)
                if over or judge.stopped or len(failures) >= (1 if o.until_failure else MOST_FAILURES):
                    return
            try:
                failure = judge.try_job(f"{o.seed}:{number}", number)
            except Stopped:
                with lock:
                    unfinished += 1
                return
            with lock:
                tried += 1
                if failure:
                    failures.append((number, *failure))
                    print(f"job {number} of seed {o.seed}, {time.monotonic() - begun:.0f} s: {failure[2]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(o.parallel) as pool:
        for result in [pool.submit(work) for _ in range(o.parallel)]:
            result.result()

    if o.seconds is not None:
        timer.cancel()
    if not ended_by:
        judge.stopped = False  # the failures may still be shrunk
    for number, job, way, words in [] if o.until_failure or ended_by else failures:
        best, found = judge.shrink(job, way, Path(folder) / f"shrunk-{number}")
        print(f"\njob {number} of seed {o.seed}: {words}")
        if not found:
            print("  not again: it depends on chance")
            continue
        print(f"  the simplest that fails: {found[0]}\n    {shlex.join(found[1])}\n  beside\n    {shlex.join(found[2])}")
    seconds = time.monotonic() - begun
    ways = ["the CPU", *judge.tables.cuda_devices]
    print(f"random jobs: seed {o.seed}, {tried} jobs in {judge.runs} runs on {' and '.join(ways)}, {judge.refused} "
          f"refused alike, {unfinished} stopped unfinished, {seconds:.0f} s")
    if ended_by:
        print(f"ended by {ended_by[0]}")
    print(f"{tried - len(failures)} passed, {len(failures)} failed")
    if not failures:
        shutil.rmtree(folder)
    return 1 if failures else 3 if ended_by else 2 if tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
