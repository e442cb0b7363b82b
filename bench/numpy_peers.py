"""NumPy on the CPU: the rows of bench_elementwise, bench_equation_of_state and bench_reductions.

    python3 numpy_peers.py --json out/bench/numpy.json

erf is SciPy's. NumPy runs on one thread, and every operation makes an array; that is what a user of it pays.
"""

import sys
import types

import numpy as np

import peers

try:
    import scipy
    from scipy.special import erf
except ImportError:
    scipy, erf = None, None


def elementwise(s, m, sizes):
    for n in sizes:
        for name, (formula, *_) in peers.ELEMENTWISE.items():
            if not s.wants(name) or (erf is None and "Scholes" in name):
                continue
            inputs = peers.elementwise_inputs(name, n)
            s.measure(name, n, "numpy", lambda: formula(m, *inputs))


def equation_of_state(s, m):
    name, formula = "equation_of_state, float64", peers.equation_of_state()
    for across, deep in peers.EOS_SHAPES[: 1 if s.options.quick else 3]:
        if s.wants(name):
            inputs = peers.eos_inputs(across, deep)
            s.measure(name, across * across * deep, "numpy", lambda: formula(m, *inputs))


def reductions(s, sizes, side):
    for n in sizes:
        x, y = peers.uniform(n, 0, 1, 1), peers.uniform(n, 0, 1, 2)
        if s.wants("sum(x)"):
            s.measure("sum(x)", n, "numpy", lambda: np.sum(x))
        if s.wants("max(x)"):
            s.measure("max(x)", n, "numpy", lambda: np.max(x))
        if s.wants("sum((x-y)^2)"):
            s.measure("sum((x-y)^2)", n, "numpy", lambda: np.sum(np.square(x - y)))
    a = peers.uniform((side, side, side), 0, 1, 3)
    for axis in (None, 0, 1, 2):
        name = f"sum {side}^3, " + ("all" if axis is None else f"axis {axis}")
        if s.wants(name):
            s.measure(name, a.size, "numpy", lambda: np.sum(a, axis))
    b = peers.uniform((256, 1024), 0, 1, 4)
    if s.wants("sqrt(sum(a*a, -1)) 256x1024"):
        s.measure("sqrt(sum(a*a, -1)) 256x1024", b.size, "numpy", lambda: np.sqrt(np.sum(b * b, -1)))
    for columns in (3, 30, 1000):
        c = peers.uniform((sizes[-1] // 10 // columns, columns), 0, 1, 4)
        for what, fold in (("sum", np.sum), ("max", np.max)):
            for axis in (0, 1):
                name = f"{what} {c.shape[0]}x{columns}, axis {axis}"
                if s.wants(name):
                    s.measure(name, c.size, "numpy", lambda: fold(c, axis))
    for n in sizes:
        v = peers.uniform(n, 0, 1, 5)
        if s.wants("mean and var, one eval"):
            s.measure("mean and var, one eval", n, "numpy", lambda: (np.mean(v), np.var(v)))
        if s.wants("min and max, one eval"):
            s.measure("min and max, one eval", n, "numpy", lambda: (np.min(v), np.max(v)))


def two_dimensional(s, rows, columns):
    a = peers.uniform((rows, columns), 0, 1, 6)
    square = peers.uniform((rows, rows), 0, 1, 6)

    def softmax():
        e = np.exp(a - a.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def statements():
        x = peers.uniform((100, 100), 0, 1, 7)
        for _ in range(100 if s.options.quick else 10_000):
            x = x * 2.5 + 1

    side = 40 if s.options.quick else 400
    b = peers.uniform((side, side), 0, 1, 6).astype(np.float64)
    definite = b @ b.T + side * np.eye(side)

    def cholesky():
        l = np.zeros((side, side))
        for i in range(side):
            for j in range(i):
                l[i, j] = (definite[i, j] - np.sum(l[i, :j] * l[j, :j])) / l[j, j]
            l[i, i] = np.sqrt(definite[i, i] - np.sum(np.square(l[i, :i])))

    for name, n, call in [
        (f"layer norm {rows}x{columns}", a.size,
         lambda: (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)),
        (f"softmax {rows}x{columns}", a.size, softmax),
        (f"5-point stencil {rows}x{columns}", a.size,
         lambda: 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])),
        (f"a + a.T {rows}x{rows}", square.size, lambda: square + square.T),
        ("10,000 x = x*2.5+1 on 100x100", 10_000, statements),
        (f"Cholesky {side}x{side}, row by row", side * side, cholesky),
    ]:
        if s.wants(name):
            s.measure(name, n, "numpy", call)


def main():
    s = peers.session("NumPy on the CPU")
    s.versions = ["NumPy " + np.__version__] + (["SciPy " + scipy.__version__] if scipy else [])
    s.device = "one thread"
    m = types.SimpleNamespace(sqrt=np.sqrt, exp=np.exp, log=np.log, sin=np.sin, square=np.square, erf=erf)
    quick = s.options.quick
    with np.errstate(over="ignore"):  # the loop of statements soon reaches infinity
        elementwise(s, m, [100, 1000, 10_000] if quick else [100, 1000, 10_000, 1_000_000, 10_000_000])
        equation_of_state(s, m)
        reductions(s, [10_000] if quick else [10_000, 1_000_000, 10_000_000], 20 if quick else 200)
        two_dimensional(s, *((64, 64) if quick else (2048, 4096)))
    return s.finish()


if __name__ == "__main__":
    sys.exit(main())
