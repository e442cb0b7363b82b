"""Writes test/numpy/golden/: what NumPy 2 and SciPy give for every row of ops.def, every dtype it takes, every cast.

    python test/numpy/golden.py            needs numpy >= 2, scipy, mpmath; x86-64 for its 80-bit long double

operations.golden holds inputs and results (golden.hpp says how), dtypes.txt the result dtypes of every pair of dtypes,
of every dtype with a Python scalar, and of every operation. Functions with an ulp bound are evaluated in more digits
than the dtype has and rounded, so that a test measures Sinter's error and not the sum of two. Where Sinter differs from
NumPy on purpose, the golden value is Sinter's, and the place is marked with `deliberate`.
"""

import math
import struct
import warnings
from pathlib import Path

import mpmath
import numpy as np
import scipy.special

import scipy_values

from like_sinter import (BOOL, FLOAT32, INTEGER, REAL, accepts, astype, compute_dtype, is_real, result_dtype,
                         rows)

warnings.simplefilter("ignore")
np.seterr(all="ignore")
HERE = Path(__file__).resolve().parent

# Codes are those of enum dtype in include/sinter/dtype.hpp.
CODES = {name: code for code, name in enumerate(
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 "
    "float16 bfloat16 float32 float64 complex64 complex128".split())}
ELEMENTS = [np.dtype(t) for t in
            "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()]


def operations():
    """(name, arity, rule, ulp, function) of each row of ops.def."""
    for name, arity, rule, ulp, numpy_name in rows():
        function = None
        if numpy_name and name not in scipy_values.SPECIAL:
            *modules, last = numpy_name.split(".")
            function = getattr({"numpy": np, "scipy.special": scipy.special}[".".join(modules)], last)
        yield name, arity, rule, ulp, function


# Inputs

def special_reals(t):
    info = np.finfo(t)
    half = 2.0 ** (info.nmant - 1)
    positive = [0, info.smallest_subnormal, info.tiny / 2, info.tiny, info.eps, info.eps / 2, 1e-5, 0.1, 0.25, 0.5,
                np.nextafter(t.type(0.5), t.type(0)), 0.75, 1, 1 + info.eps, 1 - info.epsneg, 1.25, 1.5, np.pi / 2, 2,
                2.5, 3, np.pi, 3.5, 4, 10, 12.5, 33.5, 88.7, 88.8, 100, 127, 103.9, 171.5, 255.5, 709.7, 745.2, 1e4,
                half + 0.5, 2 * half + 1,
                2.0**31, 2.0**31 - 1, 2.0**32, 2.0**63, 2.0**64, 1e10, 1e15, 1e30, info.max / 4, info.max]
    return np.array(sorted({float(t.type(x)) for x in positive}) + [np.inf], t)


def signed(values):
    return np.concatenate([values, -values])


def unary_reals(t, random):
    sizes = ((30, 1), (20, 0.1), (20, 10), (12, 1e-4), (12, 100), (12, 1e5),
             (6, 1e-20), (6, 1e15), (6, 1e-35), (6, 1e35))
    rows = [random.standard_normal(n) * scale for n, scale in sizes]
    near = [random.uniform(-1, 1, 40), random.uniform(0.9, 1.1, 20), random.uniform(-30, 30, 40)]
    return np.concatenate([signed(special_reals(t)), [np.nan], *rows, *near]).astype(t)


def few_reals(t):
    info = np.finfo(t)
    positive = [0, info.smallest_subnormal, info.tiny, 0.5, 1, 1.5, 2, 3, 7.25, 100, 1e10, info.max, np.inf]
    return np.append(signed(np.array(positive, t)), t.type(np.nan))


def some_integers(t):
    info = np.iinfo(t)
    bits = 8 * t.itemsize
    wanted = [0, 1, 2, 3, 5, 7, 10, bits - 1, bits, bits + 1, 64, 100, -1, -2, -3, -7, -bits,
              info.min, info.min + 1, info.max // 2 + 1, info.max - 1, info.max]
    return np.array(sorted({x for x in wanted if info.min <= x <= info.max}), t)


def random_integers(t, random, count):
    info = np.iinfo(t)
    return random.integers(info.min, info.max, count, t, endpoint=True)


def crossed(values, arity):
    return [m.ravel() for m in np.meshgrid(*[values] * arity, indexing="ij")]


def inputs_for(arity, t, random):
    """Arrays of dtype t: special values, crossed where there are several operands, and random ones."""
    if t == BOOL:
        return crossed(np.array([False, True]), arity)
    if arity == 1:
        return [unary_reals(t, random) if is_real(t) else np.append(some_integers(t), random_integers(t, random, 12))]
    if arity == 2:
        special = crossed(few_reals(t) if is_real(t) else some_integers(t), 2)
        more = [[random.standard_normal(100) * random.choice([1e-3, 1, 100, 1e6], 100) for _ in range(2)]
                if is_real(t) else [random_integers(t, random, 40) for _ in range(2)]][0]
    else:
        ends = [0.0, -0.0, 1, -2.5, np.finfo(t).max, np.inf, -np.inf, np.nan] if is_real(t) else some_integers(t)[::4]
        special = crossed(np.array(ends, t), 3)
        more = [random.standard_normal(100) * 10 if is_real(t) else random_integers(t, random, 40) for _ in range(3)]
    return [np.concatenate([s, m.astype(t)]) for s, m in zip(special, more)]


# References

def with_digits(function):
    """A function of one mpmath number as one of an array."""
    def apply(a):
        with mpmath.workdps(50):
            return np.array([function(float(x)) for x in a.astype(float)])
    return apply


def sinc(x):
    if not math.isfinite(x):
        return math.nan
    return float(mpmath.sincpi(x))  # deliberate: 0 at whole numbers, where NumPy has what rounding pi leaves


def gamma(x):
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, x)
    return math.inf if x > 200 else 0.0 if x < -200 else float(mpmath.gamma(x))


def gammaln(x):
    if math.isnan(x):
        return math.nan
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf  # deliberate: of minus infinity too, as C and CUDA have it; SciPy has -inf there
    return float(mpmath.log(abs(mpmath.gamma(x)))) if abs(x) < 1e4 else float(mpmath.re(mpmath.loggamma(x)))


def erf(x):
    return x if math.isnan(x) else math.copysign(1.0, x) if abs(x) > 30 else float(mpmath.erf(x))


def erfc(x):
    return x if math.isnan(x) else (0.0 if x > 0 else 2.0) if abs(x) > 30 else float(mpmath.erfc(x))


CANCELLING = ("logaddexp", "logaddexp2", "gammaln")
WITH_DIGITS = {name: with_digits(f) for name, f in
               {"sinc": sinc, "gamma": gamma, "gammaln": gammaln, "erf": erf, "erfc": erfc}.items()}


def wide(name, function, args):
    """The operation in more digits than args have."""
    if name in scipy_values.SPECIAL:
        return scipy_values.evaluate(name, args)
    if name == "exp10":
        return np.power(np.longdouble(10), args[0].astype("longdouble"))
    if name in WITH_DIGITS:
        return WITH_DIGITS[name](*args)
    more = np.dtype("float64") if args[0].dtype == FLOAT32 else np.dtype("longdouble")
    args = [a.astype(more) for a in args]
    if name == "rsqrt":
        return 1 / np.sqrt(args[0])
    if name in ("degrees", "radians"):
        pi = np.longdouble("3.14159265358979323846264338327950288")
        return args[0].astype("longdouble") * (180 / pi if name == "degrees" else pi / 180)
    return function(*args)


def reference(name, ulp, function, args):
    computed = args[-1].dtype
    if not is_real(computed):
        return INTEGER.get(name, function)(*args)
    if ulp == 0 and name not in scipy_values.SPECIAL:
        return REAL.get(name, function)(*args)
    result = wide(name, function, args).astype(computed)
    if function and name not in ("sinc", "exp10"):  # the golden values are NumPy's and SciPy's but for the last digits
        theirs = function(*args)
        loose = 2e-6 if computed == FLOAT32 else 1e-13
        absolute = loose if name in CANCELLING else np.finfo(computed).tiny
        same = np.isclose(theirs, result, rtol=loose, atol=absolute, equal_nan=True)
        if name == "gammaln":  # SciPy: minus infinity as above, and infinity already next to the pole at 0
            same |= (args[0] == -np.inf) | (np.abs(args[0]) < np.finfo(computed).tiny)
        assert np.all(same), (name, computed, args[0][~same], theirs[~same], result[~same])
    return result


# The file

class Golden:
    def __init__(self):
        self.arrays, self.numbers, self.records = [], {}, []

    def number(self, array):
        array = np.ascontiguousarray(array)
        assert array.ndim == 1
        data = struct.pack("<BI", CODES[array.dtype.name], array.size) + array.tobytes()
        if data not in self.numbers:
            self.numbers[data] = len(self.arrays)
            self.arrays.append(data)
        return self.numbers[data]

    def add(self, name, inputs, result):
        numbers = [self.number(a) for a in (*inputs, result)]
        text = name.encode()
        self.records.append(struct.pack(f"<B{len(text)}sB{len(numbers)}I", len(text), text, len(inputs), *numbers))

    def write(self, path):
        head = b"sinter golden 1\n" + struct.pack("<II", len(self.arrays), len(self.records))
        path.write_bytes(head + b"".join(self.arrays) + b"".join(self.records))


def write_values(path):
    golden = Golden()
    inputs = {}
    for name, arity, rule, ulp, function in operations():
        for t in ELEMENTS:
            if not accepts(rule, t):
                continue
            computed = compute_dtype(rule, t)
            if (arity, t) not in inputs:
                inputs[arity, t] = inputs_for(arity, t, np.random.default_rng([arity, CODES[t.name]]))
            given = list(inputs[arity, t])
            if name in scipy_values.SPECIAL and t != BOOL:
                given = scipy_values.points(name, t, np.random.default_rng([len(name), *name.encode()]), 60)
            if rule == "choice":
                given[0] = np.arange(given[0].size) % 3 == 0
            args = [a if a.dtype == BOOL and rule == "choice" else a.astype(computed) for a in given]
            if rule == "choice":
                args[1:] = [a.astype(computed) for a in given[1:]]
            result = reference(name, ulp, function, args)
            assert result.dtype == result_dtype(rule, computed), (name, t, result.dtype)
            golden.add(name, given, result)
    for a in ELEMENTS:
        values = inputs_for(1, a, np.random.default_rng([1, CODES[a.name]]))[0]
        for to in ELEMENTS:
            golden.add("cast", [values], astype(values, to))
    golden.write(path)


def numpy_gives(function, rule, arity, t):
    """The dtype NumPy's function gives for operands of dtype t, or `refused`."""
    args = [np.ones(1, t) for _ in range(arity)]
    if rule == "choice":
        args[0] = np.ones(1, bool)
    try:
        return function(*args).dtype.name
    except TypeError:
        return "refused"


def write_dtypes(path):
    lines = []
    named = [np.dtype(name) for name in CODES if name != "bfloat16"]
    for a in named:
        for b in named:
            lines.append(f"promote {a.name} {b.name} {np.result_type(a, b).name}")
    for a in named:
        for kind, scalar in (("boolean", True), ("integer", 1), ("floating", 1.0), ("complex", 1j)):
            lines.append(f"weak {a.name} {kind} {np.result_type(np.zeros(1, a), scalar).name}")
    for name, arity, rule, _, function in operations():
        if function:
            for t in named:
                lines.append(f"operation {name} {t.name} {numpy_gives(function, rule, arity, t)}")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    (HERE / "golden").mkdir(exist_ok=True)
    write_values(HERE / "golden" / "operations.golden")
    write_dtypes(HERE / "golden" / "dtypes.txt")
