"""What numpy_peers.py and gpu_peers.py share: the formulas in Python, the clock, and JSON in the schema of harness.cpp.

A figure is what harness.cpp measures: microseconds a call, the median of nine rounds, a round being many calls back to
back and one synchronisation, after two calls to warm up. Rows have the names harness.cpp gives them, so that plot.py
can set ours beside.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import time

import numpy as np


# ---- the formulas: `m` is numpy, cupy, torch or jax.numpy, with erf ------------------------------------------------


def hypot(m, x, y):
    return m.sqrt(x * x + y * y)


def twelve_operators(m, x, y):
    return m.sqrt(m.exp(-x * x) + m.sin(y) * m.sin(y)) * (x + 2.0 * y - 1.0) / (1.0 + x * x)


def normal_cdf(m, d):
    return 0.5 * (1 + m.erf(d * 0.7071067811865476))


def black_scholes_5(m, k, s, v, r, t):
    vst = v * m.sqrt(t)
    d1 = (m.log(s / k) + (r + 0.5 * v * v) * t) / vst
    d2 = d1 - vst
    return s * normal_cdf(m, d1) - k * m.exp(-r * t) * normal_cdf(m, d2)


def black_scholes_3(m, s, k, t):
    return black_scholes_5(m, k, s, 0.2, 0.05, t)


def equation_of_state():
    """The function of samples/equation_of_state.hpp, line by line: its statements are Python but for `auto`."""
    header = pathlib.Path(__file__).resolve().parent.parent / "samples" / "equation_of_state.hpp"
    text = header.read_text().split("auto dynamic_enthalpy_derivative", 1)[1]
    body = re.sub(r"//[^\n]*", "", text[text.index("{") + 1 : text.rindex("}")])
    lines = ["def dynamic_enthalpy_derivative(m, sa, ct, p):", "  sqrt, log, square = m.sqrt, m.log, m.square"]
    for statement in (" ".join(s.split()) for s in body.split(";")):
        if statement.startswith("constexpr double "):
            lines += ["  " + one.strip() for one in statement[len("constexpr double ") :].split(",")]
        elif statement.startswith(("auto ", "return ")):
            lines.append("  " + statement.removeprefix("auto "))
    scope = {}
    exec("\n".join(lines), scope)
    return scope["dynamic_enthalpy_derivative"]


ELEMENTWISE = {  # name: (formula, the ranges of its inputs, and their dtype if it is not float32)
    "hypot": (hypot, [(0, 1), (0, 1)]),
    "12 operators": (twelve_operators, [(0, 1), (0, 1)]),
    "Black-Scholes, 3 inputs": (black_scholes_3, [(50, 100), (50, 100), (0.5, 1.5)]),
    "Black-Scholes, 5 inputs": (black_scholes_5, [(50, 100), (50, 100), (0.1, 0.5), (0.01, 0.1), (0.5, 1.5)]),
    "pow(x, 2)": (lambda m, x: x**2, [(0.5, 2)]),
    "pow(x, 3)": (lambda m, x: x**3, [(0.5, 2)]),
    "pow(x, 0.5)": (lambda m, x: x**0.5, [(0.5, 2)]),
    "pow(x, -1)": (lambda m, x: x**-1.0, [(0.5, 2)]),
    "pow(x, 2.5)": (lambda m, x: x**2.5, [(0.5, 2)]),
    "remainder by 7, int32": (lambda m, k: k % 7, [(-2e9, 2e9)], np.int32),
    "floor_divide by 7, uint8": (lambda m, k: k // 7, [(0, 255)], np.uint8),
    "floor_divide by 7, uint32": (lambda m, k: k // 7, [(0, 4e9)], np.uint32),
    "floor_divide by 7, int64": (lambda m, k: k // 7, [(-2e9, 2e9)], np.int64),
    "floor_divide by 7, uint64": (lambda m, k: k // 7, [(0, 4e9)], np.uint64),
}
EOS_SHAPES = [(32, 4), (81, 11), (204, 26), (323, 41)]  # across, deep: pyhpc-benchmarks'


def uniform(shape, low, high, seed, dtype=np.float32):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def elementwise_inputs(name, n):
    _, ranges, *dtype = ELEMENTWISE[name]
    return [uniform(n, low, high, seed, *dtype) for seed, (low, high) in enumerate(ranges)]


def eos_inputs(across, deep):
    box = (across, across, deep)
    ranges = [(box, 0.01, 10), (box, -12, 20), ((1, 1, deep), 0, 1000)]
    return [uniform(shape, low, high, seed, np.float64) for seed, (shape, low, high) in enumerate(ranges)]


# ---- the clock and the file ----------------------------------------------------------------------------------------


class session:
    def __init__(self, title, extra=None):
        parser = argparse.ArgumentParser(description=title)
        parser.add_argument("--json", help="write the rows to a file")
        parser.add_argument("--filter", default="", help="only rows whose name has this text in it")
        parser.add_argument("--quick", action="store_true", help="few rounds and small sizes")
        parser.add_argument("--count", action="store_true", help="how many rows there are, and nothing else")
        if extra:
            extra(parser)
        self.options = parser.parse_args()
        self.title, self.rows, self.device, self.versions, self.counted = title, [], "", [], 0

    def wants(self, name):
        """Is there a row of this name to measure? Asked once for each; where rows are only counted there is none."""
        fits = self.options.filter in name
        self.counted += fits
        return fits and not self.options.count

    def time(self, call, n, synchronize=lambda: None):
        """Microseconds a call, and the distance of the quartiles as a share of it."""

        def one_round(calls):
            start = time.perf_counter()
            for _ in range(calls):
                call()
            synchronize()
            return (time.perf_counter() - start) / calls

        quick = self.options.quick
        one_round(1)
        one = max(min(one_round(1), one_round(1)), 1e-9)
        peers = 2000 if n <= 10_000 else 300 if n <= 1_000_000 else 40 if n <= 10_000_000 else 10
        shortest, longest = (1e-4 / one, 5e-3 / one) if quick else (5e-3 / one, 0.3 / one)
        calls = int(max(1, min(max(1 if quick else peers, shortest), longest)))
        rounds = sorted(one_round(calls) * 1e6 for _ in range(3 if quick else 9))
        median = statistics.median(rounds)
        return median, (rounds[len(rounds) * 3 // 4] - rounds[len(rounds) // 4]) / median

    def measure(self, case, n, by, call, synchronize=lambda: None):
        """A row; what cannot be done is said, and the others go on."""
        try:
            us, noise = self.time(call, n, synchronize)
        except Exception as problem:  # a peer that fails is a result too
            print(f"{case:34s} {n:11d}  {by:16s} failed: {str(problem)[:90]!r}", flush=True)
            return
        self.add(case, n, by, us, noise)

    def add(self, case, n, by, us, noise=0.0):
        print(f"{case:34s} {n:11d}  {by:16s} {us:12.2f} us {100 * noise:5.0f}%", flush=True)
        self.rows.append({"case": case, "n": n, "by": by, "us": us, "unfused_us": None, "floor_us": None, "floor": "",
                          "ratio": None, "noise": noise})

    def finish(self):
        if self.options.count:
            print(self.counted)
            return 0
        if self.options.json and self.rows:
            pathlib.Path(self.options.json).write_text(json.dumps({
                "title": self.title, "machine": machine(), "device": self.device,
                "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "compiler": ", ".join(["Python " + platform.python_version(), *self.versions]),
                "command": "python3 " + " ".join(sys.argv), "library": ", ".join(self.versions),
                "rows": self.rows}, indent=1) + "\n")
        return 0 if self.rows else 1


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) / 1048576
    return f"{model[1] if model else platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GiB"
