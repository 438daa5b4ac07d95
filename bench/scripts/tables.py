#!/usr/bin/env python3
"""Writes the tables of docs/performance.md, docs/study.md and docs/time.md from docs/measurements/data.

    bench/scripts/tables.py             writes the tables
    bench/scripts/tables.py --check     writes nothing; exit code 1 where they are not what the data say
    bench/scripts/tables.py --runs STATS.json...
                                prints a data file of what `vidconv --benchmark --stats` wrote

A data file is what `vidconv-bench ... --json FILE` writes; docs/measurements/README.md says more.
On a page a table stands between `<!-- table FILE ID -->` and `<!-- end -->`. Files of bench/scripts/cpu_table.py have two more:
ID `peers-8` is the fastest peer of each filter at 8 bits, and `cpu-peers-*.json means` one line for each file.
"""

import datetime
import json
import math
import pathlib
import re
import sys

import cpu_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/performance.md", ROOT / "docs/study.md", ROOT / "docs/time.md"
DATA = ROOT / "docs/measurements/data"
COUNTED = "A peer whose result is off by more than a code does not count."
MARK = re.compile(r"(<!-- table (\S+) (\S+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def number(value):
    """Formats a number as bench/report.cpp does: with three or four significant digits."""
    size = abs(value)
    if value == math.floor(value) and size < 1e6:
        return f"{value:.0f}"
    if 0 < size < 0.001:
        return f"{value:.2e}"
    return f"{value:.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"


def cell(value):
    if value is None:
        return "–"
    if isinstance(value, (int, float)):
        return number(value)
    return value.replace("|", "\\|")


def origin(report):
    """Returns where the figures are from: command, day, machine."""
    command = f"`{report['command']}`, " if report["command"] else ""
    return f"{command}{report['date']}. " + "; ".join(report["machine"]) + "."


def markdown(report, table):
    columns = table["columns"]
    rows = [[cell(value) for value in row] + ["–"] * (len(columns) - len(row))
            for row in table["rows"]]
    title = table["title"][:1].upper() + table["title"][1:]
    lines = [f"**{title}**", ""]
    lines += ["| " + " | ".join(line) + " |" for line in [columns, ["---"] * len(columns)] + rows]
    notes = [" ".join(table["notes"]), ""] if table["notes"] else []
    return "\n".join(lines + [""] + notes + ([origin(report), ""] if report else []))


def filters(report, bits):
    """Returns a row for each filter that some peer has, too, but for plain copies."""
    times = cpu_table.Times()
    times.read(report)
    rows = [cpu_table.Row(times, key) for key in times.ours if key[1] == bits and not key[0].startswith("copy ")]
    return [row for row in rows if row.best is not None]


def peers(report, bits):
    rows = filters(report, bits)
    return {"title": f"one {rows[0].frame} frame of {cpu_table.bits_name(bits)} on one core, milliseconds",
            "columns": ["filter", "variant", "vidconv", "fastest peer", "its time", "times as fast"],
            "rows": [[row.filter, row.variant, cpu_table.figure(row.ours), row.library,
                      cpu_table.figure(row.best), f"{row.ratio:.2f}"] for row in rows],
            "notes": [f"Geometric mean: {cpu_table.mean([row.ratio for row in rows]):.2f}. {COUNTED}"]}


def means(paths):
    """Returns a table with the geometric mean of the fastest peer's time by vidconv's, of each file and kind of sample."""
    def ahead(report, bits):
        ratios = [row.ratio for row in filters(report, bits)]
        return f"{cpu_table.mean(ratios):.2f} ({sum(ratio >= 1 for ratio in ratios)} of {len(ratios)})"

    reports = [(path, json.loads(path.read_text())) for path in paths]
    kinds = ["8", "10", "16", "32"]
    return {"title": "how many times as fast as the fastest peer, and in how many filters ahead of it",
            "columns": ["data file", "date"] + [cpu_table.bits_name(bits) for bits in kinds],
            "rows": [[path.stem, report["date"]] + [ahead(report, bits) for bits in kinds] for path, report in reports],
            "notes": [f"Geometric means over all filters but plain copies. {COUNTED}"]}


def filled(path, page):
    def table(mark):
        if mark[3] == "means":
            lines = markdown(None, means(sorted(DATA.glob(mark[2]))))
        else:
            report = json.loads((DATA / mark[2]).read_text())
            if mark[3].startswith("peers-"):
                found = [peers(report, mark[3].removeprefix("peers-"))]
            else:
                found = [t for t in report["tables"] if t["id"] == mark[3]]
            if len(found) != 1:
                sys.exit(f"{DATA / mark[2]}: {len(found)} tables are called {mark[3]}, wanted: one")
            lines = markdown(report, found[0])
        return mark[1] + lines + mark[4]

    result = MARK.sub(table, page)
    marks = page.count("<!-- table ")
    if marks != len(MARK.findall(page)) or not marks:
        sys.exit(f"{path}: a mark of a table is not '<!-- table FILE ID -->' up to '<!-- end -->'")
    return result


def runs(paths):
    stats = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    rows = []
    for path, run in zip(paths, stats):
        alone = {stage["name"]: stage["fps"] for stage in run["benchmark"]["alone"]}
        share = run["benchmark"]["of_bus"]
        rows.append([pathlib.Path(path).stem]
                    + [alone.get(stage) for stage in ("upload", "convolve", "download")]
                    + [run["benchmark"]["overlapped_fps"], run["benchmark"]["bus"],
                       share and f"{100 * share:.1f}%"])
    report = {
        "schema": 1,
        "command": "vidconv pattern:SIZE:FORMAT --kernel SPEC --benchmark --stats STATS.json",
        "date": datetime.date.today().isoformat(),
        "machine": sorted({f"{run['device']}; vidconv {run['version']}" for run in stats}),
        "tables": [{"id": "memory-to-memory",
                    "title": "from memory to memory, frames a second",
                    "columns": ["run", "upload alone", "convolve alone",
                                "download alone", "all at once", "bus", "of the bus"],
                    "rows": rows, "notes": []}],
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))


def main(arguments):
    if arguments[:1] == ["--runs"] and len(arguments) > 1:
        return runs(arguments[1:])
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    for path in PAGES:
        page = path.read_text()
        wanted = filled(path, page)
        if not arguments:
            path.write_text(wanted)
        elif page != wanted:
            sys.exit(f"{path}: tables are not those of {DATA}: run bench/scripts/tables.py")


main(sys.argv[1:])
