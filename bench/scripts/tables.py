#!/usr/bin/env python3
"""Writes the tables of docs/performance.md from docs/measurements/data.

    bench/scripts/tables.py             writes the tables
    bench/scripts/tables.py --check     writes nothing; exit code 1 where they are not what the data say
    bench/scripts/tables.py --runs STATS.json...
                                prints a data file of what `vidconv --benchmark --stats` wrote

A data file is what `vidconv-bench ... --json FILE` writes; docs/measurements/README.md says more.
On the page a table stands between `<!-- table FILE ID -->` and `<!-- end -->`.
"""

import datetime
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/performance.md"
DATA = ROOT / "docs/measurements/data"
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
    return "\n".join(lines + [""] + notes + [origin(report), ""])


def filled(page):
    def table(mark):
        path = DATA / mark[2]
        report = json.loads(path.read_text())
        found = [t for t in report["tables"] if t["id"] == mark[3]]
        if len(found) != 1:
            sys.exit(f"{path}: {len(found)} tables are called {mark[3]}, wanted: one")
        return mark[1] + markdown(report, found[0]) + mark[4]

    result = MARK.sub(table, page)
    marks = page.count("<!-- table ")
    if marks != len(MARK.findall(page)) or not marks:
        sys.exit(f"{PAGE}: a mark of a table is not '<!-- table FILE ID -->' up to '<!-- end -->'")
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
    page = PAGE.read_text()
    wanted = filled(page)
    if not arguments:
        PAGE.write_text(wanted)
        return
    if page != wanted:
        sys.exit(f"{PAGE}: tables are not those of {DATA}: run bench/scripts/tables.py")


main(sys.argv[1:])
