"""What the functions of scipy.special are, in as many digits as are wanted: the references of golden.py.

SPECIAL[name] is a function of mpmath numbers and the ranges that points are taken from. SciPy decides what is not finite and
what is not there; where Sinter differs on purpose the place is marked with `deliberate`.
"""

import math

import mpmath
import numpy as np
import scipy.special
from mpmath import mpf

EDGES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 20.0, 30.0]


def erfcx(x):
    if x > 1e4:
        return (1 - 1 / (2 * x * x)) / (x * mpmath.sqrt(mpmath.pi))
    return mpmath.exp(x * x) * mpmath.erfc(x)


def erfcinv(x):
    if x > 1:
        return -erfcinv(2 - x)
    y = mpf(scipy.special.erfcinv(float(x))) if x > 1e-300 else mpmath.sqrt(-mpmath.log(x))
    for _ in range(9):
        value = mpmath.erfc(y)
        y += (mpmath.log(value) - mpmath.log(x)) * value * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
    return y


def erfinv(x):
    return mpmath.sign(x) * erfcinv(1 - abs(x)) if abs(x) > 0.3 else mpmath.erfinv(x)


def log_ndtr(x):
    tail = mpmath.erfc(abs(x) / mpmath.sqrt(2)) / 2
    return mpmath.log(tail) if x < 0 else mpmath.log1p(-tail)


def rel_entr(a, b):
    return a * mpmath.log(a / b) if a > 0 else mpf(0)


def kl_div(a, b):
    return a * mpmath.log(a / b) - a + b if a > 0 else b


def huber(d, r):
    return r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2)


def pseudo_huber(d, r):
    return d * d * (mpmath.sqrt(1 + (r / d) ** 2) - 1) if d != 0 else mpf(0)


def part_of_gamma(lower):
    def apply(a, x):
        if a == 0 or x == 0:
            return mpf(1) if (a == 0) == lower else mpf(0)
        return mpmath.gammainc(a, 0, x, regularized=True) if lower else mpmath.gammainc(a, x, regularized=True)
    return apply


def part_of_beta(a, b, x):
    if x in (0, 1) or a == 0 or b == 0:
        return x if x in (0, 1) else mpf(a == 0)
    return mpmath.betainc(a, b, 0, x, regularized=True)


def scaled(function, order, sign):
    return lambda x: function(order, x) * mpmath.exp(sign * abs(x))


def logistic(x):
    return 1 / (1 + mpmath.exp(-x))


I, J, K, Y = mpmath.besseli, mpmath.besselj, mpmath.besselk, mpmath.bessely
# Of every operand its ranges; those beginning with 0 are taken by the size of numbers.
SPECIAL = {
    "xlogy": (lambda a, b: a * mpmath.log(b) if a else mpf(0), [(-10, 10), (0, 1e5)]),
    "xlog1py": (lambda a, b: a * mpmath.log1p(b) if a else mpf(0), [(-10, 10), (-1, 100)]),
    "entr": (lambda a: -a * mpmath.log(a) if a else mpf(0), [(0, 1e5)]),
    "rel_entr": (rel_entr, [(0, 100), (0, 100)]),
    "kl_div": (kl_div, [(0, 100), (0, 100)]),
    "huber": (huber, [(0, 10), (-50, 50)]),
    "pseudo_huber": (pseudo_huber, [(0, 10), (-50, 50)]),
    "expit": (logistic, [(-80, 80)]),
    "logit": (lambda x: mpmath.log(x / (1 - x)), [(0, 1)]),
    "log_expit": (lambda x: mpmath.log(logistic(x)) if x < 30 else -mpmath.log1p(mpmath.exp(-x)), [(-100, 80)]),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), [(-80, 100)]),
    "erfinv": (erfinv, [(-1, 1)]),
    "erfcinv": (erfcinv, [(0, 2)]),
    "erfcx": (erfcx, [(-9, 100)]),
    "ndtr": (lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2, [(-13, 9)]),
    "log_ndtr": (log_ndtr, [(-100, 9)]),
    "ndtri": (lambda p: mpmath.sqrt(2) * erfinv(2 * p - 1) if p > 0.25 else -mpmath.sqrt(2) * erfcinv(2 * p), [(0, 1)]),
    "digamma": (mpmath.digamma, [(-20, 100)]),
    "polygamma": (lambda n, x: mpmath.psi(int(n), x), [range(8), (0, 100)]),
    "beta": (mpmath.beta, [(0, 60), (0, 60)]),
    "betaln": (lambda a, b: mpmath.log(abs(mpmath.beta(a, b))), [(0, 1000), (0, 1000)]),
    "binom": (mpmath.binomial, [range(60), range(60)]),
    "comb": (lambda n, k: mpmath.binomial(n, k) if 0 <= k <= n else mpf(0), [(0, 60), (0, 60)]),
    "factorial": (lambda x: mpmath.gamma(x + 1) if x >= 0 else mpf(0), [(-3, 33)]),
    "zeta": (lambda s, q: mpmath.zeta(s, q), [(1, 20), (0, 100)]),
    "betainc": (part_of_beta, [(0, 60), (0, 60), (0, 1)]),
    "gammainc": (part_of_gamma(True), [(0, 400), (0, 400)]),
    "gammaincc": (part_of_gamma(False), [(0, 400), (0, 400)]),
    "exp1": (mpmath.e1, [(0, 80)]),
    "expi": (mpmath.ei, [(-80, 80)]),
    "ellipk": (mpmath.ellipk, [(-10, 1)]),
    "ellipe": (mpmath.ellipe, [(-10, 1)]),
    "j0": (lambda x: J(0, x), [(-100, 100)]), "j1": (lambda x: J(1, x), [(-100, 100)]),
    "jn": (lambda n, x: J(int(n), x), [range(-5, 20), (-50, 50)]),
    "y0": (lambda x: Y(0, x), [(0, 100)]), "y1": (lambda x: Y(1, x), [(0, 100)]),
    "yn": (lambda n, x: Y(int(n), x), [range(-5, 20), (0, 50)]),
    "i0": (lambda x: I(0, x), [(-80, 80)]), "i0e": (scaled(I, 0, -1), [(-500, 500)]),
    "i1": (lambda x: I(1, x), [(-80, 80)]), "i1e": (scaled(I, 1, -1), [(-500, 500)]),
    "k0": (lambda x: K(0, x), [(0, 80)]), "k0e": (scaled(K, 0, 1), [(0, 500)]),
    "k1": (lambda x: K(1, x), [(0, 80)]), "k1e": (scaled(K, 1, 1), [(0, 500)]),
}
# deliberate: the values at infinity, where SciPy has NaN, and of NaN, which is not 0.
AT_INFINITY = {"j0": 0.0, "j1": 0.0, "y0": 0.0, "y1": 0.0, "i0": math.inf, "i1": math.inf}


def points(name, t, random, count):
    """Operands of a dtype: edges, those beside NaN and infinity, and random ones."""
    if t.kind != "f":
        limits = np.iinfo(t)
        several = points(name, np.dtype(float), random, count)
        return [np.clip(np.rint(np.where(np.abs(a) < 1e4, a, 0)), limits.min, limits.max).astype(t) for a in several]
    ranges = SPECIAL[name][1]
    columns = []
    for r in ranges:
        if isinstance(r, range):
            columns.append(random.integers(r.start, r.stop, count).astype(t))
        elif r[0] == 0:
            sizes = np.exp(random.uniform(math.log(1e-6), math.log(r[1]), count // 2))
            columns.append(random.permutation(np.concatenate([sizes, random.uniform(0, r[1], count - count // 2)])).astype(t))
        else:
            columns.append(random.uniform(*r, count).astype(t))
    signs = (0,) if name in ("polygamma", "beta", "betainc", "betaln", "binom", "zeta", "gammainc", "gammaincc") else (0, 1)
    edges = np.array([(-1) ** s * e for s in signs for e in (EDGES if len(ranges) < 3 else EDGES[:3] + EDGES[5:7])], t)
    edges = np.concatenate([edges, np.array([math.nan, -1.0], t), [] if len(ranges) > 1 else
                            np.array([math.inf, -math.inf, 1e-30, 1e30], t)]).astype(t)
    crossed = [m.ravel() for m in np.meshgrid(*[edges] * len(ranges), indexing="ij")]
    if isinstance(ranges[0], range):  # whole orders
        keep = ((crossed[0] == np.floor(crossed[0])) & (crossed[0] < ranges[0].stop)) | np.isnan(crossed[0])
        crossed = [c[keep] for c in crossed]
    return [np.concatenate([c, r]) for c, r in zip(crossed, columns)]


def theirs(name, args):
    """SciPy's values in double."""
    wide = [a.astype(float) for a in args]
    if name in ("polygamma", "yn"):
        order = np.where(np.isfinite(wide[0]), wide[0], 0).astype(int)
        found = getattr(scipy.special, name)(order, wide[1])
        refused = np.isnan(wide[0]) | ((name == "polygamma") & (wide[0] < 0))
        return np.where(refused, np.nan, found)
    return getattr(scipy.special, "jv" if name == "jn" else name)(*wide)


def value(name, x, known):
    """Of Python floats, and SciPy's value: as an mpmath number, or a float that is not finite."""
    if any(math.isnan(a) for a in x):
        return math.nan
    if len(x) == 1 and math.isinf(x[0]) and name in AT_INFINITY and (x[0] > 0 or name in ("j0", "j1", "i0", "i1")):
        of = AT_INFINITY[name]
        return -of if name == "i1" and x[0] < 0 else of
    if name == "beta" and math.isinf(known):
        return math.inf  # deliberate: at a pole without a sign
    if math.isinf(x[-1]) or not math.isfinite(known):
        return float(known)
    if known == 0 and (x[-1] == 0 or abs(x[-1]) > 700):
        return float(known)
    return mpmath.re(SPECIAL[name][0](*[mpf(a) for a in x]))


def evaluate(name, args):
    """Values in the dtype of args, rounded once."""
    t = args[0].dtype
    known = theirs(name, args)
    made = []
    with mpmath.workdps(60):
        for n, x in enumerate(zip(*[a.tolist() for a in args])):
            v = value(name, x, known[n])
            close = isinstance(v, float) or mpmath.isinf(v) or abs(v - mpf(float(known[n]))) <= 2e-6 * max(abs(v), mpf(1e-3))
            assert close, (name, x, known[n], v)
            made.append(rounded(v, t))
    return np.array(made, t)


def rounded(v, t):
    if isinstance(v, float) or mpmath.isinf(v):
        return float(v)
    if t == np.float64:
        return float(v)
    with mpmath.workprec(24):  # once; below the smallest normal number the double in between does no harm
        return float(+v)
