"""The rows of the grid in NumPy and numexpr, for python.cpp, which says what to do line by line and waits for an answer:

    (nothing)                      the peers there are
    take ROWS COLUMNS              reads the inputs from the folder that was given
    result PEER ROW                computes the row into the file `result`, as doubles: written, or none
    time PEER TIMES ROW            the seconds of so many calls
"""

import os
import pathlib
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["NUMEXPR_NUM_THREADS"] = "1"  # read where they are imported

try:
    import numpy as np
except ImportError:
    np = None
try:
    import numexpr as ne

    ne.set_num_threads(1)
except ImportError:
    ne = None
try:
    from scipy.special import erf
except ImportError:
    erf = None


def cdf(d):
    return 0.5 * (1 + erf(d * 0.70710678118654752))


def black_scholes(d):
    s, k, t, v, r = d["price"], d["strike"], d["time"], 0.2, 0.05
    vst = v * np.sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / vst
    return s * cdf(d1) - k * np.exp(-r * t) * cdf(d1 - vst)


def softmax(d):
    e = np.exp(d["a"] - d["a"].max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def stencil(d):
    a = d["a"]
    return 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])


def twelve(d):
    x, y = d["x"], d["y"]
    return np.sqrt(np.exp(-x * x) + np.sin(y) * np.sin(y)) * (x + 2 * y - 1) / (1 + x * x)


NUMPY = {
    "sum of x": lambda d: np.sum(d["x"]),
    "max of x": lambda d: np.max(d["x"]),
    "min and max of x": lambda d: (np.min(d["x"]), np.max(d["x"])),
    "mean and var of x": lambda d: (np.mean(d["x"]), np.var(d["x"])),
    "sum of (x - y)^2": lambda d: np.sum(np.square(d["x"] - d["y"])),
    "sum of int8": lambda d: np.sum(d["bytes"]),
    "sums of rows": lambda d: np.sum(d["a"], 1),
    "maxima of rows": lambda d: np.max(d["a"], 1),
    "sums of columns": lambda d: np.sum(d["a"], 0),
    "maxima of columns": lambda d: np.max(d["a"], 0),
    "sums of rows of 3": lambda d: np.sum(d["a"], 1),
    "sums of 3 columns": lambda d: np.sum(d["a"], 0),
    "softmax of rows": softmax,
    "layer norm of rows": lambda d: (d["a"] - d["a"].mean(1, keepdims=True)) / np.sqrt(d["a"].var(1, keepdims=True) + 1e-5),
    "standardised columns": lambda d: (d["a"] - d["a"].mean(0)) / d["a"].std(0),
    "rows of 3 over their norms": lambda d: d["a"] / np.sqrt(np.sum(d["a"] * d["a"], 1, keepdims=True)),
    "rows of 3 times a row, plus 1": lambda d: d["a"] * d["row"] + 1,
    "a plus its transpose": lambda d: d["a"] + d["a"].T,
    "stencil of 5 points": stencil,
    "both axes reversed, times 2": lambda d: d["a"][::-1, ::-1] * 2,
    "matrix times row plus column": lambda d: d["a"] * d["row"] + d["column"],
    "every other element, times 2": lambda d: d["x"][::2] * 2,
    "sqrt(x*x + y*y)": lambda d: np.sqrt(d["x"] * d["x"] + d["y"] * d["y"]),
    "12 operators on x and y": twelve,
    "Black-Scholes of 3 arrays": black_scholes if erf else None,
    "where(x > 0.5, x, 0)": lambda d: np.where(d["x"] > np.float32(0.5), d["x"], np.float32(0)),
    "int32 divided by 7, down": lambda d: np.floor_divide(d["k"], 7),
}

# A number in a formula would make doubles of it: these are float32, too.
FORMULAS = {
    "sum of x": "sum(x)",
    "max of x": "max(x)",
    "sum of (x - y)^2": "sum((x - y) * (x - y))",
    "sums of rows": "sum(a, 1)",
    "sums of columns": "sum(a, 0)",
    "rows of 3 times a row, plus 1": "a * row + one",
    "a plus its transpose": "a + turned",
    "stencil of 5 points": "quarter * (below + above + right + left)",
    "both axes reversed, times 2": "reversed * two",
    "matrix times row plus column": "a * row + column",
    "every other element, times 2": "other * two",
    "sqrt(x*x + y*y)": "sqrt(x * x + y * y)",
    "12 operators on x and y": "sqrt(exp(-x * x) + sin(y) * sin(y)) * (x + two * y - one) / (one + x * x)",
    "where(x > 0.5, x, 0)": "where(x > half, x, zero)",
}


def taken(folder, rows, columns):
    read = lambda name, dtype: np.fromfile(folder / name, dtype)
    d = {name: read(name, np.float32) for name in ("x", "y", "price", "strike", "time")}
    a = d["x"].reshape(rows, columns)
    d |= {"k": read("k", np.int32), "bytes": read("bytes", np.int8), "a": a}
    d |= {"row": d["y"][None, :columns], "column": d["time"][:rows, None], "turned": a.T, "reversed": a[::-1, ::-1]}
    d |= {"below": a[2:, 1:-1], "above": a[:-2, 1:-1], "right": a[1:-1, 2:], "left": a[1:-1, :-2], "other": d["x"][::2]}
    return d | {name: np.float32(v) for name, v in dict(zero=0, quarter=0.25, half=0.5, one=1, two=2).items()}


def call_of(peer, row, d):
    if peer == "numpy":
        return NUMPY[row] and (lambda: NUMPY[row](d))
    if row not in FORMULAS:
        return None
    formula = FORMULAS[row]
    ne.evaluate(formula, d)
    return lambda: ne.evaluate(formula, d)


def main():
    folder, d, live = pathlib.Path(sys.argv[1]), None, {}
    for line in sys.stdin:
        what, *words = line.split() or [""]
        answer = ""
        if what == "":
            answer = " ".join(["numpy"] * (np is not None) + ["numexpr"] * (np is not None and ne is not None))
        elif what == "take":
            d, live, answer = taken(folder, *map(int, words)), {}, "taken"
        elif what == "result":
            peer, row = words[0], " ".join(words[1:])
            call = live[peer, row] = call_of(peer, row, d)
            if call:
                values = call()
                parts = values if isinstance(values, tuple) else (values,)
                np.concatenate([np.ravel(part).astype(np.float64) for part in parts]).tofile(folder / "result")
            answer = "written" if call else "none"
        elif what == "time":
            call = live[words[0], " ".join(words[2:])]
            start = time.perf_counter()
            for _ in range(int(words[1])):
                call()
            answer = repr(time.perf_counter() - start)
        print(answer, flush=True)


if __name__ == "__main__":
    main()
