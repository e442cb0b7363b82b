"""Draws the results of the benchmarks in a folder: one picture for each file, one line for each case and size.

    python3 plot.py out/bench        writes <name>.png beside every <name>.json

A bar is Sinter's time; marks show the floor of the machine, the same work one operation at a time, and whatever other file in
the folder has to say about the same case and size ("by" names who it was).
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # there may be no display
import matplotlib.pyplot as plt

OURS = "sinter"


def marks_of(rows, everything):
    """Name -> [(line, microseconds)] for everything that is not our own bar."""
    marks = {}
    for line, row in enumerate(rows):
        others = [(other["by"], other["us"]) for other in everything
                  if other["by"] != OURS and (other["case"], other["n"]) == (row["case"], row["n"])]
        for name, us in [("floor", row.get("floor_us")), ("unfused", row.get("unfused_us")), *others]:
            if us is not None:
                marks.setdefault(name, []).append((line, us))
    return marks


def draw(target, title, rows, everything):
    figure, axes = plt.subplots(figsize=(10, 1.5 + 0.3 * len(rows)), layout="constrained")
    lines = range(len(rows))
    axes.barh(lines, [row["us"] for row in rows], height=0.6, color="tab:blue", alpha=0.5, label=OURS)
    shapes = iter("|oxs^vD*<>")
    for name, points in marks_of(rows, everything).items():
        at, us = zip(*points)
        axes.scatter(us, at, marker=next(shapes, "."), s=60 if name == "floor" else 25, zorder=3, label=name,
                     color="black" if name == "floor" else None)
    axes.set_yticks(lines, [f"{row['case']}, n = {row['n']:,}" for row in rows], fontsize="small")
    axes.set(xscale="log", xlabel="microseconds per call", title=title)
    axes.invert_yaxis()
    axes.grid(True, axis="x", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(target, dpi=120)
    plt.close(figure)
    print(target)


if __name__ == "__main__":
    results = {path: json.loads(path.read_text()) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json"))}
    everything = [row for result in results.values() for row in result["rows"] if row.get("us") is not None]
    for path, result in results.items():
        rows = [row for row in result["rows"] if row.get("by") == OURS and row.get("us") is not None]
        if rows:
            draw(path.with_suffix(".png"), f"{result['title']}\n{result['device']}", rows, everything)
