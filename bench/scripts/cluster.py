#!/usr/bin/env python3
"""What the length of a part costs when many workers encode much video: a simulation.

    cluster.py [--hours H] [--workers N] [--films-hours F] ... [--json FILE]

Workers take parts in order from one queue. Each part costs its length at the worker's speed and a fixed time: the
scheduler's, the process's, and that of decoding from the key frame before it. A worker dies now and then, with what it
was doing; that is noticed after a while, and the worker is replaced. Some workers are slow. What cannot be known
here is an option; docs/cluster.md says which figures were measured.

Prints a row for each length: how long it all takes, the share of all workers' time that went into frames that are in
the output, what was lost where, and what the shared file system or object store has to bear.
"""
import argparse
import heapq
import json
import random


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    number = {"type": float}
    parser.add_argument("--lengths", default="10,30,60,180,600,1800,3600,10800", help="of parts, seconds of video")
    parser.add_argument("--hours", **number, default=100_000, help="of video")
    parser.add_argument("--workers", type=int, default=10_000)
    parser.add_argument("--film", **number, default=2, help="hours of each file")
    parser.add_argument("--speed", **number, default=1, help="seconds of video a worker makes in a second")
    parser.add_argument("--fixed", **number, default=3, help="seconds of each part that do not depend on its length")
    parser.add_argument("--failing", **number, default=0.01, help="share of the workers that die in an hour")
    parser.add_argument("--noticed", **number, default=60, help="seconds until a dead worker's part is queued again")
    parser.add_argument("--replaced", **number, default=600, help="seconds until there is another worker")
    parser.add_argument("--slow", **number, default=0.05, help="share of the workers that are slow")
    parser.add_argument("--slowness", **number, default=4, help="how many times slower these are")
    parser.add_argument("--copies", type=int, default=1,
                        help="how often a part of the end may be encoded at once, where workers have nothing else to do")
    parser.add_argument("--rate", **number, default=20, help="Mbit/s of the source and of the output")
    parser.add_argument("--join", **number, default=150, help="MB/s at which one process joins parts")
    parser.add_argument("--operations", **number, default=60, help="of a file system's metadata for each part")
    parser.add_argument("--most", type=int, default=3_000_000, help="parts that are simulated; of more, a share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="file for all figures")
    return parser.parse_args()


class Run:
    """A simulation of one length of parts. All times are seconds."""

    def __init__(self, options, length, parts, workers):
        self.o, self.length = options, length
        self.random = random.Random(options.seed)
        self.parts, self.workers = parts, workers
        self.speeds = [options.speed / (options.slowness if self.random.random() < options.slow else 1)
                       for _ in range(workers)]
        self.waiting = list(range(parts - 1, -1, -1))
        self.copies = {}  # for each part that is being encoded, how many workers do so
        self.done = bytearray(parts)
        self.left = parts
        self.lost = self.wasted = 0.0

    def next_part(self):
        while self.waiting:
            part = self.waiting.pop()
            if not self.done[part]:
                return part
        if self.o.copies > 1:  # the one with the fewest copies, the oldest of them
            part = min(self.copies, key=self.copies.get, default=None)
            if part is not None and self.copies[part] < self.o.copies:
                return part
        return None

    def run(self):
        """Simulates the run; returns how long it took."""
        mean_life = 3600 / self.o.failing if self.o.failing > 0 else float("inf")
        life = (lambda: self.random.expovariate(1 / mean_life)) if self.o.failing > 0 else (lambda: float("inf"))
        dies = [life() for _ in range(self.workers)]
        events = []  # time, kind, worker, part, when it was begun
        count = 0

        def push(time, *event):
            nonlocal count
            count += 1
            heapq.heappush(events, (time, count, *event))

        idle = []

        def begin(worker, now):
            part = self.next_part()
            if part is None:
                idle.append(worker)
                return
            self.copies[part] = self.copies.get(part, 0) + 1
            end = now + self.o.fixed + self.length / self.speeds[worker]
            push(*((dies[worker], "died") if dies[worker] < end else (end, "done")), worker, part, now)

        for worker in range(self.workers):
            begin(worker, 0.0)
        now = 0.0
        while self.left:
            now, _, kind, worker, part, begun = heapq.heappop(events)
            if kind == "queue":
                if not self.done[part]:
                    self.waiting.append(part)
                    if idle:
                        begin(idle.pop(), now)
                continue
            if kind == "new":
                dies[worker] = now + life()
                begin(worker, now)
                continue
            self.copies[part] -= 1
            if self.copies[part] == 0:
                del self.copies[part]
            if kind == "died":
                self.lost += now - begun
                push(now + self.o.noticed, "queue", worker, part, now)
                push(now + self.o.replaced, "new", worker, part, now)
                continue
            if self.done[part]:
                self.wasted += now - begun
            else:
                self.done[part] = 1
                self.left -= 1
            begin(worker, now)
        return now


def simulate(options, length):
    parts = int(options.hours * 3600 / length)
    share = min(1.0, options.most / parts)  # for workers and work alike
    workers = max(1, round(options.workers * share))
    run = Run(options, length, round(parts * share), workers)
    seconds = run.run()
    all_time = seconds * workers
    frames = run.parts * length  # seconds of video
    busy = frames / options.speed
    fixed = run.parts * options.fixed
    bytes_a_second = options.rate / 8 * 1e6 * options.hours * 3600 / seconds
    film_bytes = options.film * 3600 * options.rate / 8 * 1e6
    join = film_bytes / (options.join * 1e6)
    films = options.hours / options.film
    return {
        "length": length, "parts": parts, "hours": seconds / 3600, "useful": busy / all_time, "fixed": fixed / all_time,
        "lost": run.lost / all_time, "wasted": run.wasted / all_time,
        "parts_a_second": parts / seconds, "operations_a_second": parts * options.operations / seconds,
        "GB_a_second": bytes_a_second / 1e9, "join_seconds": join,
        "join_share": films * join / (all_time / share),
    }


def main():
    options = arguments()
    rows = [simulate(options, float(length)) for length in options.lengths.split(",")]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"options": vars(options), "rows": rows}, file, indent=1)
    best = min(row["hours"] for row in rows)
    print("| part, s | parts | hours | over the best | useful | fixed | lost by deaths | parts/s | metadata/s | read GB/s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for r in rows:
        print(f"| {r['length']:g} | {r['parts']:,} | {r['hours']:.2f} | {r['hours'] / best - 1:.1%} | {r['useful']:.1%} | "
              f"{r['fixed']:.1%} | {r['lost']:.2%} | {r['parts_a_second']:,.0f} | {r['operations_a_second']:,.0f} | "
              f"{r['GB_a_second']:.1f} |")
    print(f"\nJoining a file of {options.film:g} hours: {rows[0]['join_seconds']:.0f} s at {options.join:g} MB/s; "
          f"of all files {rows[0]['join_share']:.1%} of all workers' time.")


if __name__ == "__main__":
    main()
