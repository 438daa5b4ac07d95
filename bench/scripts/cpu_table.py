#!/usr/bin/env python3
"""One core beside its peers: prints tables of what `vidconv-bench kernels --json` and bench/scripts/python_peers.py wrote.

    bench/scripts/cpu_table.py [--frame SIZE] [--json MERGED.json] [--behind] FILE.json...

Of each filter and each peer the fastest time of all files counts, so that several runs in turns can be given. With
--frame how far a result is off may still come from files of other frame sizes. --json writes everything merged into one file, which can be
given again; --behind prints the rows that are behind alone.

A peer whose result is off by more than a code is shown as ~time and does not count, because vidconv's results never are;
of floats one that is off by 1e-4 of white, or by more than five times as much as vidconv's. Of sobel-x, of which vidconv gives the absolute value, peers that give 0 for what is negative
count all the same.
"""
import argparse
import json
import math
import sys

LIBRARIES = ["IPP", "OpenCV", "OpenCV-Python", "FFmpeg", "VapourSynth", "vszip", "zsmooth"]
NEAR = 1.4  # times memcpy: there a peer is as fast as the memory
WANTED = 1.3
COARSE = 5  # times what vidconv's floats are off by
COLUMNS = ["filter", "bits", "frame", "variant", "vidconv us", "peer", "peer us", "peer off by", "vidconv off by"]


class Times:
    """Fastest times by (filter, bits, frame), and how far results are off by (filter, bits)."""

    def __init__(self):
        self.ours, self.peers, self.off, self.ours_off, self.machine = {}, {}, {}, {}, []

    def read(self, report, frame=None):
        rows = [dict(zip(table["columns"], cells)) for table in report["tables"] if table["id"] == "kernels-cpu"
                for cells in table["rows"]]
        for row in rows:
            self.add(row, frame)
        if any(frame in (None, row["frame"]) for row in rows):  # else the file only says how far results are off
            self.machine += [line for line in report["machine"] if line not in self.machine]

    def add(self, row, frame):
        key, what = (row["filter"], row["bits"], row["frame"]), (row["filter"], row["bits"])
        timed = frame in (None, row["frame"])
        if timed and row["vidconv us"] is not None:
            best = self.ours.get(key)
            if best is None or row["vidconv us"] < best[0]:
                self.ours[key] = row["vidconv us"], row["variant"]
        if row.get("vidconv off by") is not None:
            self.ours_off[what] = max(row["vidconv off by"], self.ours_off.get(what, 0))
        if isinstance(row.get("peer us"), (int, float)):
            if timed:
                peers = self.peers.setdefault(key, {})
                peers[row["peer"]] = min(row["peer us"], peers.get(row["peer"], math.inf))
            if row.get("peer off by") is not None:
                peer = what + (row["peer"],)
                self.off[peer] = max(row["peer off by"], self.off.get(peer, 0))

    def memcpy(self, bits, frame):
        return self.peers.get(("copy 1", bits, frame), {}).get("memcpy")

    def counts(self, filter_, bits, peer):
        off, ours = self.off.get((filter_, bits, peer)), self.ours_off.get((filter_, bits))
        if off is None or filter_ == "sobel-x 3":
            return True
        if bits != "32":
            return off <= 1.001
        return off <= 1e-4 and (not ours or off <= COARSE * ours)


class Row:
    def __init__(self, times, key):
        self.filter, self.bits, self.frame = key
        self.ours, self.variant = times.ours[key]
        self.memcpy = times.memcpy(self.bits, self.frame)
        self.cells = {}  # library: time, and whether it counts
        for peer, time in times.peers.get(key, {}).items():
            counts, library = times.counts(self.filter, self.bits, peer), peer.split()[0]
            old = self.cells.get(library)
            if old is None or (not counts, time) < (not old[1], old[0]):
                self.cells[library] = time, counts
        # Coarse results count here as well, whatever library makes them.
        self.any = min(times.peers.get(key, {}).values(), default=None)
        self.best = min((time for time, counts in self.cells.values() if counts), default=None)
        self.library = next((name for name, cell in self.cells.items() if cell == (self.best, True)), None)

    ratio = property(lambda self: self.best and self.best / self.ours)
    near = property(lambda self: self.best is not None and self.memcpy is not None and self.best <= NEAR * self.memcpy)


def figure(microseconds):
    value = microseconds / 1000
    return f"{value:.{1 if value >= 100 else 2 if value >= 1 else 3}f}"


def cell(row, library):
    if library not in row.cells:
        return ""
    time, counts = row.cells[library]
    text = ("" if counts else "~") + figure(time)
    return f"**{text}**" if counts and time < row.ours else text


def table(rows):
    libraries = [name for name in LIBRARIES if any(name in row.cells for row in rows)]
    head = ["filter", "variant", "vidconv"] + libraries + ["best / vidconv", "vidconv / memcpy"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        ratio = "–" if row.ratio is None else f"{row.ratio:.2f}" + (" m" if row.near else "")
        if row.ratio is not None and row.ratio < 1:
            ratio = f"**{ratio}**"
        lines.append([row.filter, row.variant, figure(row.ours)] + [cell(row, name) for name in libraries]
                     + [ratio, f"{row.ours / row.memcpy:.2f}" if row.memcpy else "–"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def summary(rows):
    with_peer = [row for row in rows if row.best is not None]
    behind = [row for row in with_peer if row.ratio < 1]
    coarse = [row for row in rows if row.any is not None and row.any < row.ours and row not in behind]
    return (f"{len(with_peer)} rows with a peer, of which vidconv is behind in {len(behind)} "
            f"({sum(row.near for row in behind)} of them with a peer within {NEAR} times memcpy), at least {WANTED} times as fast in "
            f"{sum(row.ratio >= WANTED for row in with_peer)}; of the others the peer is within {NEAR} times memcpy in "
            f"{sum(row.near and row.ratio < WANTED for row in with_peer)}. Geometric mean of best / vidconv: "
            f"{mean([row.ratio for row in with_peer]):.2f}. Behind peers whose results are off by more (~), too: {len(coarse)}.")


def bits_name(bits):
    return "floats" if bits == "32" else f"{bits} bits"


def order(key):
    """Returns the key that sorts rows by frame and bits; equal keys keep the order of the files."""
    return key[2], int(key[1])


def printed(times):
    rows = [Row(times, key) for key in sorted(times.ours, key=order) if not key[0].startswith("copy ")]
    parts = [f"{'; '.join(times.machine)}. Milliseconds; ~: off by more than a code (floats: by more than {COARSE} times as much as vidconv); **bold**: ahead of vidconv; "
             f"m: the best peer is within {NEAR} times memcpy."]
    for frame, bits in dict.fromkeys((row.frame, row.bits) for row in rows):
        of_it = [row for row in rows if (row.frame, row.bits) == (frame, bits)]
        memcpy = times.memcpy(bits, frame)
        parts += [f"### {frame}, {bits_name(bits)}" + (f" (memcpy {figure(memcpy)})" if memcpy else ""), table(of_it), summary(of_it)]
    parts += ["### All", summary(rows)]
    return "\n\n".join(parts) + "\n"


def behind(times):
    rows = [Row(times, key) for key in sorted(times.ours, key=order) if not key[0].startswith("copy ")]
    late = sorted((row for row in rows if row.ratio is not None and row.ratio < 1), key=lambda row: row.ratio)
    return "".join(f"{row.ratio:.2f} {row.frame} {bits_name(row.bits)} {row.filter}: {row.variant} {figure(row.ours)}, "
                   f"{row.library} {figure(row.best)}{' (near memcpy)' if row.near else ''}\n" for row in late)


def short(value):
    return value and float(f"{value:.3g}")


def merged(times, reports):
    rows = []
    for key, (microseconds, variant) in times.ours.items():
        what = key[:2]
        for peer, time in times.peers.get(key, {}).items() or [(None, None)]:
            rows.append([*key, variant, round(microseconds, 1), peer, time and round(time, 1),
                         short(times.off.get((*what, peer))), short(times.ours_off.get(what))])
    return {"schema": 1, "command": "", "date": max(report["date"] for report in reports), "machine": times.machine,
            "tables": [{"id": "kernels-cpu", "title": "one frame on one core of the CPU, microseconds", "columns": COLUMNS,
                        "rows": rows, "notes": ["The fastest of several runs, merged by bench/scripts/cpu_table.py."]}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--frame", help="only this size of frames")
    parser.add_argument("--json", metavar="MERGED.json")
    parser.add_argument("--behind", action="store_true")
    options = parser.parse_args()
    times, reports = Times(), []
    for name in options.files:
        with open(name, encoding="utf-8") as file:
            reports.append(json.load(file))
        times.read(reports[-1], options.frame)
    if not times.ours:
        sys.exit("none of these files has a time of vidconv: `vidconv-bench kernels --json` writes them")
    sys.stdout.write(behind(times) if options.behind else printed(times))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(compact(merged(times, reports)) + "\n")


def compact(data):
    """Returns JSON with each row of the table on one line."""
    rows, data["tables"][0]["rows"] = data["tables"][0]["rows"], ["@"]
    lines = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return json.dumps(data, indent=1, ensure_ascii=False).replace('"@"', lines)


if __name__ == "__main__":
    main()
