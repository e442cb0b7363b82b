"""Draws each Google Benchmark result in a folder: time against size, one line for each function.

    python3 plot.py out/bench        writes <name>.png beside every <name>.json
"""

import collections
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # there may be no display
import matplotlib.pyplot as plt

IN_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def lines_of(result):
    """Function -> [(size, seconds)]; a name is function/size/more. With repetitions, the medians alone."""
    rows = [row for row in result["benchmarks"] if "error_occurred" not in row]
    medians = [row for row in rows if row.get("aggregate_name") == "median"]
    lines = collections.defaultdict(list)
    for row in medians or [row for row in rows if row.get("run_type") != "aggregate"]:
        function, *arguments = row["run_name"].split("/")
        sizes = [argument for argument in arguments if argument.isdigit()]
        rest = [argument for argument in arguments if argument not in sizes[:1] and not argument.endswith("_time")]
        size = int(sizes[0]) if sizes else 1
        lines["/".join([function, *rest])].append((size, row["real_time"] * IN_SECONDS[row["time_unit"]]))
    return lines


def draw(source):
    result = json.loads(source.read_text())
    lines = lines_of(result)
    if not lines:
        return
    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    for name, points in lines.items():
        axes.plot(*zip(*sorted(points)), marker="o", markersize=4, label=name)
    axes.set(xscale="log", yscale="log", xlabel="size", ylabel="seconds per call", title=source.stem)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    target = source.with_suffix(".png")
    figure.savefig(target, dpi=120)
    plt.close(figure)
    print(target)


if __name__ == "__main__":
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        draw(path)
