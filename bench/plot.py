"""Draws and tabulates what the benches and the peers measured: JSON files in the schema of harness.cpp, of one machine.

    python3 plot.py out/bench/cpu                                            elementwise.png, ..., beside.png, table.md with the files
    python3 plot.py out/bench/cpu --fresh DIR [--keep-others]                takes in new files first, and draws only those
    python3 plot.py out/bench/cpu --beside picture.png                       how many times as fast as the best peer each row is
    python3 plot.py out/bench/cpu/grid.json --grid picture.png               the same, a panel for each size, and GB/s
    python3 plot.py out/bench/cpu --markdown docs/benchmarks.md --section cpu    the table between that section's marks
"""

import argparse
import collections
import json
import math
import pathlib
import re

OURS = "sinter"


def read(paths):
    """Files -> (file, its content) for each, and rows: (case, n) -> who -> row."""
    files = []
    for path in map(pathlib.Path, paths):
        files += sorted(path.glob("*.json")) if path.is_dir() else [path]
    results = [(file, json.loads(file.read_text())) for file in files]
    rows = collections.defaultdict(dict)
    for _, result in results:
        for row in result["rows"]:
            rows[row["case"], row["n"]][row["by"]] = row
    return results, rows


# ---- new rows among old ones ---------------------------------------------------------------------------------------


def write(file, result):
    """As harness.cpp writes: a line for each row, so that files can be compared."""
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in result.items() if key != "rows")
    lines = ",\n".join("  " + json.dumps(row) for row in result["rows"])
    file.write_text("{\n" + head + ' "rows": [\n' + lines + "\n ]\n}\n")


def merged(old, new):
    """The old file's content with the rows that were measured again in their places, and further ones behind them."""
    again = {(row["case"], row["n"], row["by"]): row for row in new["rows"]}
    rows = [again.pop((row["case"], row["n"], row["by"]), row) for row in old["rows"]]
    return {**old, "rows": rows + list(again.values())}


def take_in(folder, fresh, keep_others):
    """Moves the files of `fresh` to `folder`. With keep_others the rows they lack stay. Gives the files that changed."""
    changed = []
    for file in sorted(fresh.glob("*.json")):
        target, result = folder / file.name, json.loads(file.read_text())
        if keep_others and target.exists():
            old = json.loads(target.read_text())
            if all(old.get(key) == result.get(key) for key in ("machine", "device")):
                result = merged(old, result)
            else:
                print(f"{target}: its rows were of {old.get('device')}; they are dropped")
        write(target, result)
        file.unlink()
        changed.append(target)
    return changed


# ---- pictures ------------------------------------------------------------------------------------------------------


def lines_of(case, rows):
    """Label -> [(n, microseconds)] of a case: our three, then the peers."""
    lines = collections.defaultdict(list)
    for (name, n), by in sorted(rows.items()):
        if name != case:
            continue
        if OURS in by:
            for label, key in (("fused", "us"), ("unfused", "unfused_us"), ("floor", "floor_us")):
                if by[OURS][key]:
                    lines[label].append((n, by[OURS][key]))
        for who, row in by.items():
            if who != OURS:
                lines[who].append((n, row["us"]))
    return lines


STYLES = {
    "fused": dict(color="#c1272d", linewidth=2.2, marker="o"),
    "unfused": dict(color="#e8956d", linewidth=1.6, marker="o"),
    "floor": dict(color="black", linewidth=1, linestyle="--"),
}


def draw_lines(plt, cases, rows, title, target):
    columns = min(2, len(cases))
    height = (len(cases) + columns - 1) // columns
    inches = (6.2 * columns, 4.2 * height)
    figure, axes = plt.subplots(height, columns, figsize=inches, layout="constrained", squeeze=False)
    for axis in axes.flat[len(cases) :]:
        axis.set_visible(False)
    for axis, case in zip(axes.flat, cases):
        for label, points in lines_of(case, rows).items():
            axis.plot(*zip(*points), label=label, markersize=4, **STYLES.get(label, dict(linewidth=1.2, marker=".")))
        axis.set(xscale="log", yscale="log", xlabel="elements", ylabel="microseconds per call", title=case)
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize="small")
    save(plt, figure, title, target)


def draw_bars(plt, cases, rows, title, target):
    """Cases of one size each, as bars: shorter is better."""
    table = [(case, lines_of(case, rows)) for case in cases]
    labels = list(dict.fromkeys(label for _, lines in table for label in lines))
    figure, axis = plt.subplots(figsize=(9, 1 + 0.22 * len(labels) * len(table)), layout="constrained")
    for i, label in enumerate(labels):
        at = [(y + 0.8 * i / len(labels), lines[label][0][1]) for y, (_, lines) in enumerate(table) if label in lines]
        colour = STYLES.get(label, {}).get("color")
        bars = axis.barh([y for y, _ in at], [us for _, us in at], height=0.75 / len(labels), label=label, color=colour)
        axis.bar_label(bars, [figure_text(us) for _, us in at], padding=3, fontsize="x-small")
    middles = [y + 0.4 - 0.4 / len(labels) for y in range(len(table))]
    axis.set_yticks(middles, [case for case, _ in table], fontsize="small")
    axis.invert_yaxis()
    axis.set(xscale="log", xlabel="microseconds per call")
    axis.margins(x=0.1)
    axis.grid(True, axis="x", alpha=0.3)
    axis.legend(fontsize="small")
    save(plt, figure, title, target)


def beside_peers(rows):
    """(label, who -> its speed, where the best peer's is 1, figures as text) of each row that has a peer, in the files' order."""
    sizes = collections.Counter(case for case, _ in rows)
    for (case, n), by in rows.items():
        peers = {who: row["us"] for who, row in by.items() if who != OURS}
        if OURS not in by or not peers:
            continue
        best, mine = min(peers, key=peers.get), by[OURS]
        speeds = {who: peers[best] / us for who, us in peers.items()} | {OURS: peers[best] / mine["us"]}
        if mine["unfused_us"]:
            speeds["unfused"] = peers[best] / mine["unfused_us"]
        label = case if sizes[case] == 1 else f"{case}, {size(n)}"
        yield label, speeds, f"{speeds[OURS]:.2f} x   {figure_text(mine['us'])} us, {NAMES.get(best, best)} {figure_text(peers[best])}"


# A library that is named here has one colour in all pictures; others take what is left.
RED, ORANGE, GREY = "#c1272d", "#e8956d", "#9a9a9a"
COLOURS = {"eigen": "#1f6f8b", "xtensor": "#3f9142", "numpy": GREY, "numexpr": "#8a6fb0", "cupy": "#3f9142",
           "cupy.fuse": "#8cc08e", "torch": "#8a6fb0", "torch.compile": "#b9a6d6", "jax.jit": "#1f6f8b"}
NAMES = {OURS: "Sinter", "unfused": "Sinter, an array for every operation", "eigen": "Eigen", "numpy": "NumPy",
         "cupy": "CuPy", "torch": "PyTorch", "jax.jit": "JAX"}


def speed_axis(axis, least, most):
    """Speeds: the origin is 1, where a library is as fast as the best peer, and each line on to the right is twice as fast."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator([2.0**k for k in range(-6, 8)]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}" if x >= 1 else f"1/{1 / x:g}"))
    axis.axvline(1, color="black", linewidth=1)
    axis.set_xlim(least, most)
    axis.grid(True, axis="x", alpha=0.25)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(axis="y", length=0)


def draw_speeds(axis, lines, least):
    """Every line's dots, and a bar from the best peer to ours. What is slower than the axis goes stands at its edge, as an arrow."""
    for y, speeds in lines:
        if OURS not in speeds:
            continue
        axis.plot([1, speeds[OURS]], [y, y], color=RED if speeds[OURS] >= 1 else "#555555", linewidth=2.4, alpha=0.55)
        for who, speed in sorted(speeds.items(), key=lambda item: item[0] == OURS):
            style = dict(color=COLOURS.get(who, "#555555"), markersize=4.5, marker="o")
            if who == OURS:
                style = dict(color=RED, markersize=7.5, marker="o", zorder=4)
            elif who == "unfused":
                style = dict(markeredgecolor=RED, color="white", markersize=6, marker="o", zorder=3)
            if speed < least * 1.1:
                style |= dict(marker="<", markersize=3.5)
            axis.plot([max(speed, least * 1.1)], [y], linestyle="none", clip_on=False, **style)


def legend(figure, all_speeds):
    from matplotlib.lines import Line2D

    there = [who for who in [OURS, "unfused", *COLOURS] if any(who in speeds for speeds in all_speeds)]
    marks = [Line2D([], [], linestyle="none", marker="o", markersize=7 if who == OURS else 5.5,
                    color="white" if who == "unfused" else COLOURS.get(who, RED),
                    markeredgecolor=RED if who in (OURS, "unfused") else COLOURS[who]) for who in there]
    below = 0.32 / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, below, 1, 1 - below))
    marks.append(Line2D([], [], linestyle="none", marker="<", markersize=4, color=GREY))
    names = [NAMES.get(who, who) for who in there] + ["slower than that"]
    figure.legend(marks, names, loc="lower center", ncols=len(names), frameon=False, fontsize="small")


def draw_beside(plt, rows, title, target):
    """A line for each row: the speeds of all that have it, and the figures of ours and of the best peer."""
    lines = list(beside_peers(rows))
    figure, axis = plt.subplots(figsize=(9.5, 1.7 + 0.25 * len(lines)), layout="constrained")
    least, most = 1 / 8, max(speeds[OURS] for _, speeds, _ in lines)
    for y, (_, speeds, text) in enumerate(lines):
        axis.annotate(text, (max(speeds[OURS], 1), y), xytext=(9, 0), textcoords="offset points", va="center", fontsize="x-small")
    draw_speeds(axis, [(y, speeds) for y, (_, speeds, _) in enumerate(lines)], least)
    axis.set_yticks(range(len(lines)), [label for label, _, _ in lines], fontsize="small")
    axis.set_ylim(len(lines) - 0.3, -0.7)
    speed_axis(axis, least, most * 6)
    axis.set_xlabel("times as fast as the best of the others (more is better)")
    legend(figure, [speeds for _, speeds, _ in lines])
    save(plt, figure, title, target)


def draw_grid(plt, rows, title, target):
    """A panel of speeds for each size, all with the same rows; and what part of its memory's speed each row of the largest has."""
    speeds = {}
    for case, n in rows:
        for _, of, _ in beside_peers({(case, n): rows[case, n]}):
            speeds[case, n] = of
    cases = list(dict.fromkeys(case for case, _ in speeds))
    magnitudes = sorted({round(math.log10(n)) for _, n in speeds})
    at = {case: y for y, case in enumerate(cases)}
    figure, axes = plt.subplots(1, len(magnitudes) + 1, figsize=(4 + 3.1 * (len(magnitudes) + 1), 1.9 + 0.27 * len(cases)),
                                sharey=True, layout="constrained", squeeze=False)
    least, most = 1 / 8, max(of[OURS] for of in speeds.values())
    for axis, magnitude in zip(axes.flat, magnitudes):
        draw_speeds(axis, [(at[case], of) for (case, n), of in speeds.items() if round(math.log10(n)) == magnitude], least)
        speed_axis(axis, least, max(most * 1.3, 4))
        axis.set_title(f"$10^{magnitude}$ elements", fontsize="medium")
        axis.set_xlabel("times as fast as the best of the others", fontsize="small")
    for case, y in at.items():
        n = max(n for of, n in speeds if of == case)
        mine = rows[case, n][OURS]
        speed = mine["bytes"] / mine["us"] / 1e3
        axes.flat[-1].plot([0, speed], [y, y], color=RED, linewidth=2.4, alpha=0.55)
        axes.flat[-1].plot([speed], [y], color=RED, marker="o", markersize=6)
        if mine["floor_us"]:
            axes.flat[-1].plot([mine["bytes"] / mine["floor_us"] / 1e3], [y], color="black", marker="|", markersize=9)
    axes.flat[-1].set_xlim(0, None)
    axes.flat[-1].set_title(f"GB/s of $10^{magnitudes[-1]}$ (bar: memcpy)", fontsize="medium")
    axes.flat[-1].set_xlabel("read and written, GB/s", fontsize="small")
    axes.flat[-1].grid(True, axis="x", alpha=0.25)
    for side in ("top", "right"):
        axes.flat[-1].spines[side].set_visible(False)
    axes.flat[0].set_yticks(range(len(cases)), cases, fontsize="small")
    axes.flat[0].set_ylim(len(cases) - 0.4, -0.6)
    legend(figure, speeds.values())
    save(plt, figure, title, target)


def save(plt, figure, title, target):
    figure.suptitle(title, fontsize="medium")
    figure.savefig(target, dpi=120)
    plt.close(figure)
    print(target)


def pyplot():
    import matplotlib

    matplotlib.use("Agg")  # there may be no display
    import matplotlib.pyplot as plt

    return plt


def draw(results, rows, out, only):
    """`only`: the files to draw; None: all. What has peers is in one more picture, each row beside its best peer; and all rows are in
    a table, as Markdown."""
    plt = pyplot()
    if any(beside_peers(rows)):
        folder = out or results[0][0].parent
        draw_beside(plt, rows, results[0][1]["device"], folder / "beside.png")
    sizes = collections.defaultdict(set)
    for case, n in rows:
        sizes[case].add(n)
    for file, result in results:
        if only is not None and file not in only:
            continue
        cases = list(dict.fromkeys(row["case"] for row in result["rows"] if row["by"] == OURS))
        title = f"{result['title']}, {result['device']}"
        stem = (out or file.parent) / file.stem
        if any(row["by"] != OURS for row in result["rows"]) and cases:  # peers took turns with ours in one program
            draw_grid(plt, {key: by for key, by in rows.items() if key[0] in cases}, title, f"{stem}.png")
            continue
        over_sizes = [case for case in cases if len(sizes[case]) > 1]
        single = [case for case in cases if len(sizes[case]) == 1]
        if over_sizes:
            draw_lines(plt, over_sizes, rows, title, f"{stem}.png")
        if single:
            draw_bars(plt, single, rows, title, f"{stem}{'_single' if over_sizes else ''}.png")
    write_markdown((out or results[0][0].parent) / "table.md", "rows", results, rows)


# ---- the table -----------------------------------------------------------------------------------------------------


def figure_text(us):
    if us is None:
        return "-"
    digits = 3 if us < 0.1 else 2 if us < 10 else 1 if us < 100 else 0
    return f"{us:,.{digits}f}"


def size(n):
    return f"{n:,}" if n < 1_000_000 else f"{n / 1e6:.4g} M"


def table(rows, notes):
    """Markdown lines. `notes`: (case, n) as written -> what stood in the last column before."""
    mine = [by[OURS] for by in rows.values() if OURS in by]
    on_cpu = any(row["floor"] == "memcpy" and row.get("cores") for row in mine)
    titles = ["case", "n", "ours", *(["cores"] if on_cpu else []), "unfused", "floor", "ours / floor", "best peer",
              "ours / best peer", "other peers", "what moved it"]
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|--:" * (len(titles) - 3) + "|---|---|"]
    cases = list(dict.fromkeys(case for case, _ in rows))
    for case, n in sorted(rows, key=lambda key: cases.index(key[0])):
        by = rows[case, n]
        if OURS not in by:
            continue
        mine = by[OURS]
        others = sorted((row["us"], who) for who, row in by.items() if who != OURS)
        best = f"{others[0][1]} {figure_text(others[0][0])}" if others else "-"
        ratio = f"{mine['us'] / others[0][0]:.2f}" if others else "-"
        rest = ", ".join(f"{who} {figure_text(us)}" for us, who in others[1:])
        above = f"{mine['ratio']:.2f}" if mine["ratio"] else "-"
        floor = f"{figure_text(mine['floor_us'])} {mine['floor']}" if mine["floor_us"] else "-"
        name, elements = case.replace("|", "\\|"), size(n)
        cores = [f"{mine['cores']:.1f}" if mine.get("cores") else "-"] if on_cpu else []
        cells = [name, elements, figure_text(mine["us"]), *cores, figure_text(mine["unfused_us"]), floor, above, best,
                 ratio, rest, notes.get((name, elements), "")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def summary(results):
    """The machine, and the commands that the figures come from."""
    first = next((r for _, r in results if any(row["by"] == OURS for row in r["rows"])), results[0][1])
    noise = sorted(row["noise"] for _, r in results for row in r["rows"] if row["by"] == OURS)
    lines = [f"{first['device']}; {first['machine']}; {first['date'][:10]}; {first['library']}, {first['compiler']}."]
    if "launch_us" in first:
        copied = f"{first['copy_gb_per_s']:.0f} GB/s, read and written"
        lines.append(f"A launch takes {first['launch_us']:.3g} us; a large copy moves {copied}.")
    if noise:
        lines.append(f"The quartiles of the rounds lie {100 * noise[len(noise) // 2]:.0f}% apart in the median row, "
                     f"{100 * noise[len(noise) * 9 // 10]:.0f}% in the worst tenth.")
    versions = sorted({r["compiler"] for _, r in results if not any(row["by"] == OURS for row in r["rows"])})
    if versions:
        lines.append("Peers: " + "; ".join(versions) + ".")
    return lines + ["", "```", *(r["command"] for _, r in results), "```", ""]


def write_markdown(file, section, results, rows):
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    text = file.read_text() if file.exists() else f"{begin}\n{end}\n"
    if begin not in text or end not in text:
        raise SystemExit(f"{file} has no '{begin}' and '{end}'")
    before, rest = text.split(begin, 1)
    old, after = rest.split(end, 1)
    notes = {}
    for line in old.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) >= 10:
            notes[cells[0], cells[1]] = cells[-1]
    lines = ["", *summary(results), *table(rows, notes), ""]
    file.write_text(before + begin + "\n".join(lines) + end + after)
    print(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="JSON files, or folders of them")
    parser.add_argument("--out", type=pathlib.Path, help="where the pictures go; beside the files if not given")
    parser.add_argument("--fresh", type=pathlib.Path, help="a folder of new files to move into the first path")
    parser.add_argument("--keep-others", action="store_true", help="rows that the new files lack stay as they are")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table into this file instead of drawing")
    parser.add_argument("--beside", type=pathlib.Path, help="draw every row beside its best peer into this file instead")
    parser.add_argument("--grid", type=pathlib.Path, help="draw a panel of speeds for each size into this file instead")
    parser.add_argument("--title", help="of that picture; the device if not given")
    parser.add_argument("--section", default="cpu", help="between <!-- cpu: begin --> and <!-- cpu: end -->")
    options = parser.parse_args()
    changed = None
    if options.fresh:
        changed = take_in(pathlib.Path(options.paths[0]), options.fresh, options.keep_others)
    results, rows = read(options.paths)
    if not results:
        raise SystemExit("no JSON files in " + " ".join(options.paths))
    if options.markdown:
        write_markdown(options.markdown, options.section, results, rows)
    elif options.grid:
        draw_grid(pyplot(), rows, options.title or results[0][1]["title"], options.grid)
    elif options.beside:
        draw_beside(pyplot(), rows, options.title or results[0][1]["device"], options.beside)
    else:
        draw(results, rows, options.out, changed)


if __name__ == "__main__":
    main()
