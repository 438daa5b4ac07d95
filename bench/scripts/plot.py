#!/usr/bin/env python3
"""Draws the charts of `vidconv-bench study`: plot.py STUDY.json FOLDER. Needs python3-matplotlib."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Chart: table, column of the horizontal axis, columns of the curves, title, unit, logarithmic axes.
CHARTS = [
    ("A-radius", "radius", None, "Texture and separable passes, fp32, 2048x2048", "µs", True),
    ("C-grid", "radius", None, "Separable, fp32, 1024x1024", "ms", True),
    ("C-double", "radius", ["int32 sums", "double sums"], "Sums in double", "µs", True),
    ("E-openmp", "picture", None, "Speed-up over the serial program", "times", False),
]
# Bar charts: table, column of the groups, columns of the bars.
BARS = [
    ("A", "system", ["published 2000x2000", "2000x2000"], "fp32, 17x17, 2000x2000", "ms"),
    ("D", ["picture", "kernel"],
     ["published global", "global", "published constant", "constant", "published shared", "shared",
      "vidconv's choice, GPU"],
     "Gaussian: speed-up over the sequential program", "times"),
    ("D-layout", "picture", None, "RGB 3x3: planar and interleaved", "µs"),
    ("D-loading", "picture", None, "Picture in host memory", "ms"),
    ("E-shape", "shape", ["published", "5x5", "9x9", "15x15"], "Tile shapes, 2048x2048", "µs"),
    ("E-parts", ["picture", "variant"],
     ["speed-up: kernel", "and copies", "and allocation"], "What is timed", "times"),
]


def words(table, row, columns):
    columns = [columns] if isinstance(columns, str) else columns
    return "\n".join(str(row[table["columns"].index(c)]) for c in columns)


def curves(table, keys, wanted):
    """Yields the curves that have figures: the name, and values with None where there is none."""
    keys = [keys] if isinstance(keys, str) else keys
    for name in wanted or [c for c in table["columns"] if c not in keys]:
        values = [row[table["columns"].index(name)] for row in table["rows"]]
        values = [v if isinstance(v, (int, float)) else None for v in values]
        if any(v is not None for v in values):
            yield name, values


def finish(axes, figure, table, title, unit, path):
    axes.set_title(title)
    axes.set_ylabel(unit)
    axes.grid(True, which="both", axis="y", alpha=0.3)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    print(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    tables = {table["id"]: table for table in report["tables"]}

    for name, key, wanted, title, unit, logarithmic in CHARTS:
        if name not in tables:
            continue
        table = tables[name]
        figure, axes = plt.subplots(figsize=(8, 5))
        labels = [words(table, row, key) for row in table["rows"]]
        at = [float(label) for label in labels] if logarithmic else range(len(labels))
        for curve, values in curves(table, key, wanted):
            axes.plot(at, [float("nan") if v is None else v for v in values], label=curve,
                      marker="o", linestyle="--" if curve.startswith("published") else "-")
        if logarithmic:
            axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(list(at), labels)
        axes.set_xlabel(key)
        finish(axes, figure, table, title, unit, folder / f"{name}.svg")

    for name, key, wanted, title, unit in BARS:
        if name not in tables:
            continue
        table = tables[name]
        found = list(curves(table, key, wanted))
        figure, axes = plt.subplots(figsize=(max(8, 1.1 * len(table["rows"])), 5))
        width = 0.8 / max(1, len(found))
        for i, (curve, values) in enumerate(found):
            axes.bar([g + i * width for g in range(len(values))], [v or 0 for v in values], width,
                     label=curve, hatch="//" if curve.startswith("published") else None)
        axes.set_yscale("log")
        labels = [words(table, row, key).replace(" ", "\n", 1) for row in table["rows"]]
        axes.set_xticks([g + 0.4 - width / 2 for g in range(len(labels))], labels, fontsize=8)
        finish(axes, figure, table, title, unit, folder / f"{name}.svg")


main()
