#!/usr/bin/env python3
"""Is vidconv's choice for a GPU ever slower than a published system, in a run of vidconv-bench study?

    bench/scripts/study_check.py STUDY.json [--tolerance 1.05]

Reads what `vidconv-bench study --json STUDY.json` wrote. Prints every row where a system that runs
on the GPU took less time than vidconv's choice, by more than times of one run scatter; exit code 1
where there is one, or where a table has nothing to compare.
"""
import argparse
import json
import sys

CHOICE = "vidconv's choice, GPU"
# Tables whose rows are pictures or kernels: the columns of systems on the GPU. Where figures are
# speed-ups, more is better.
BY_COLUMN = {
    "A-radius": (["texture, dense", "separable", "separable-flat"], False),
    "C-grid": (["study-cuda-separable", "study-cuda-padded", "study-cuda-separable-flat"], False),
    "D": (["global", "constant", "shared", "read-only", "texture", "flat tile"], True),
    "E-openmp": (["study-cuda-shape-32x16"], True),
}
# Tables whose rows are systems: the columns of times, and which rows compute the same.
BY_ROW = {
    "A": (["400x400", "2000x2000"], lambda row: True),
    "B": (["8-bit", "fp32"], lambda row: row["system"].startswith("2D")),
}


def number(value):
    """Returns a figure; None where nothing was measured."""
    if isinstance(value, (int, float)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def comparisons(table):
    """Yields (what, system, its time, the choice's time); speed-ups as times too."""
    rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
    if table["id"] in BY_COLUMN:
        systems, speed_up = BY_COLUMN[table["id"]]
        for row in rows:
            ours = number(row.get(CHOICE))
            what = ", ".join(str(row[name]) for name in table["columns"][:2 if "kernel" in row else 1])
            for system in systems:
                theirs = number(row.get(system))
                if ours and theirs:
                    yield what, system, *((1 / theirs, 1 / ours) if speed_up else (theirs, ours))
    elif table["id"] in BY_ROW:
        columns, same = BY_ROW[table["id"]]
        rows = [row for row in rows if same(row)]
        for column in columns:
            ours = [number(row[column]) for row in rows if row["variant"] == "best-cuda"]
            for row in rows:
                theirs = number(row[column])
                if row["variant"].startswith("study-cuda") and ours and ours[0] and theirs:
                    yield column, row["variant"], theirs, ours[0]


def faults(report, tolerance):
    for table in report["tables"]:
        if table["id"] not in BY_COLUMN and table["id"] not in BY_ROW:
            continue
        compared = list(comparisons(table))
        if not compared:
            yield f"{table['id']}: nothing to compare; was there a GPU?"
        for what, system, theirs, ours in compared:
            if ours > theirs * tolerance:
                yield f"{table['id']}, {what}: {ours / theirs:.2f} times as long as {system}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report")
    parser.add_argument("--tolerance", type=float, default=1.05,
                        help="by how much two times of one run may differ (default: %(default)s)")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        found = list(faults(json.load(file), options.tolerance))
    if found:
        sys.exit("\n".join(found))
    print("vidconv's choice is nowhere slower")


if __name__ == "__main__":
    main()
