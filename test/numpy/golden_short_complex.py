"""Writes test/numpy/golden/short_complex.golden: what golden.py writes, of float16, bfloat16, complex64 and complex128;
and short_complex_folds.golden: reductions and scans of them.

    python test/numpy/golden_short_complex.py     needs what golden.py needs

A number of 16 bits is computed in float32 and rounded once; of float16 it is checked that this is NumPy's value, and NumPy has
no bfloat16. Complex functions are evaluated in as many digits as their arguments have in all (mpmath); which side of a cut they are
on, and the values of infinities and NaN, are NumPy's. Where NumPy's formula loses what the true value has, it is the true value,
marked `deliberate`.
"""

import sys
from fractions import Fraction

import mpmath
import numpy as np

import golden as reals
import scipy_values
from like_sinter import BOOL, FLOAT32, REAL, accepts, astype, compute_dtype, is_complex, is_real, part_of, result_dtype

mpmath.mp.prec = 2400  # the smallest double beside the largest one
SHORT = {"float16": (10, -14), "bfloat16": (7, -126)}  # bits of the fraction, the least exponent
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]


# Numbers of 16 bits, held as what they are in float32

def rounded(values, name):
    """Doubles, or floats, to the nearest number of 16 bits, halves to even: once."""
    fraction, least = SHORT[name]
    wide = np.asarray(values, "longdouble")
    _, exponent = np.frexp(wide)
    unit = np.ldexp(np.longdouble(1), np.maximum(exponent - 1, least) - fraction)
    whole = np.where(np.isfinite(wide), np.rint(wide / unit) * unit, wide)
    largest = (2 - 2.0**-fraction) * 2.0 ** (15 if name == "float16" else 127)
    held = np.where(np.abs(whole) > largest, np.copysign(np.inf, wide), whole)
    return held.astype(FLOAT32)


class Short:
    """An array of them."""

    def __init__(self, values, name):
        self.values, self.name, self.size = values, name, values.size

    def words(self):
        if self.name == "float16":
            return self.values.astype("float16").view("uint16")
        return (self.values.view("uint32") >> 16).astype("uint16")


class Golden(reals.Golden):
    def number(self, array):
        if not isinstance(array, Short):
            return super().number(array)
        key = (array.name, array.words().tobytes())
        if key not in self.numbers:
            self.numbers[key] = len(self.arrays)
            head = reals.struct.pack("<BI", reals.CODES[array.name], array.size)
            self.arrays.append(head + array.words().tobytes())
        return self.numbers[key]


def short_inputs(arity, name):
    random = np.random.default_rng([arity, reals.CODES[name]])
    given = reals.inputs_for(arity, np.dtype("float16") if name == "float16" else FLOAT32, random)
    return [rounded(a, name) for a in given]


def special_inputs(of, name):
    """Some of the points that golden.py looks at functions of SciPy's at, as far as these numbers go."""
    points = scipy_values.points(of, FLOAT32, np.random.default_rng([len(of), *of.encode()]), 12)
    given = [rounded(p, name) for p in points]
    return [g[np.all([np.isfinite(p) for p in given], axis=0)] for g in given]


def short_reference(row, name, given):
    of, _, rule, ulp, function = row
    args = [given[0] % 2 == 0, *given[1:]] if rule == "choice" else given
    if rule == "logic":
        args = [a != 0 for a in args]
        return args, function(*args)
    if rule == "choice" or (ulp == 0 and result_dtype(rule, FLOAT32) != FLOAT32):
        result = REAL.get(of, function)(*args)
    else:
        # What NumPy warns of, as floats have more range than these, is meant.
        result = reals.reference(of, ulp, function, args)
    if of == "spacing":  # deliberate: of negative numbers below 0, as NumPy's of float32
        away = np.where(args[0] < 0, -np.inf, np.inf).astype(FLOAT32)
        result = np.where(np.isinf(args[0]), np.nan, neighbour(args[0], away, name) - args[0]).astype(FLOAT32)
    if of == "nextafter":
        result = neighbour(*args, name)
    if result.dtype != FLOAT32:
        return args, result
    value = rounded(result, name)
    if name == "float16" and ulp == 0 and function and of not in (*REAL, "spacing"):
        theirs = function(*[a if a.dtype == BOOL else a.astype("float16") for a in args]).astype(FLOAT32)
        same = (theirs == value) | (np.isnan(theirs) & np.isnan(value))
        assert np.all(same), (of, [a[~same][:3] for a in args], theirs[~same][:3], value[~same][:3])
    return args, value


def neighbour(a, b, name):
    """The next number of 16 bits; of equal ones the first, as of NumPy's float16."""
    if name == "float16":
        return np.nextafter(a.astype("float16"), b.astype("float16")).astype(FLOAT32)
    bits = (a.view("uint32") >> 16).astype(int)
    moved = np.where((a < b) == (a > 0), bits + 1, bits - 1)
    moved = np.where(a == 0, np.where(np.signbit(b), 0x8001, 1), moved)
    value = np.where(a == b, bits, moved).astype("uint32") << 16
    return np.where(np.isnan(a) | np.isnan(b), np.float32(np.nan), value.view(FLOAT32))


def write_short(golden, name):
    for row in reals.operations():
        of, arity, rule, *_ = row
        if not accepts(rule, FLOAT32):
            continue
        given = special_inputs(of, name) if of in scipy_values.SPECIAL else short_inputs(arity, name)
        args, result = short_reference(row, name, given)
        if rule == "logic":
            args = given
        held = [a if a.dtype == BOOL else Short(a, name) for a in args]
        golden.add(of, held, Short(result, name) if result.dtype == FLOAT32 and rule != "pair" else result)


# Complex numbers

def complex_of(x, y, t):
    made = np.empty(np.broadcast(x, y).shape, t)
    made.real, made.imag = x, y
    return made.ravel()


def grid(t, count=None):
    """Numbers on both sides of every cut and on it, by the signs of zeros, and at the ends of the range."""
    info = np.finfo(t)
    one = part_of(t).type(1)
    positive = [0.0, info.smallest_subnormal, 0.5, np.nextafter(one, one * 0), 1, np.nextafter(one, one * 2), 2, info.max, np.inf]
    line = np.array([*positive, *(-x for x in positive), np.nan], part_of(t))
    if count:
        line = np.array(count, part_of(t))
    return complex_of(line[:, None], line[None, :], t)


def scattered(t, count, random, sizes=(1, 0.1, 10, 1e-3)):
    x, y = [random.standard_normal(count) * random.choice(sizes, count) for _ in range(2)]
    return complex_of(x, y, t)


def complex_inputs(of, arity, t):
    random = np.random.default_rng([arity, reals.CODES[t.name]])
    if arity == 1:
        turn, beside = random.uniform(-np.pi, np.pi, 30), 1 + random.standard_normal(30) * 10.0 ** random.uniform(-6, -1, 30)
        ring = complex_of(beside * np.cos(turn), beside * np.sin(turn), t)
        all_of = np.concatenate([grid(t), scattered(t, 80, random), ring])
        if of == "square":
            parts = np.abs([all_of.real, all_of.imag])  # a product that overflows is an infinity where it is rounded alone
            all_of = all_of[np.all((parts < np.sqrt(np.finfo(t).max)) | ~np.isfinite(parts), axis=0)]
        if of == "exp2":  # of larger angles a period is lost in rounding
            all_of = all_of[~(np.isfinite(all_of.imag) & (np.abs(all_of.imag) > 100))]
        if of == "sinc":  # NumPy has neither the infinities nor what is close to them
            all_of = all_of[np.isfinite(all_of) & (np.abs(all_of.imag) < 20)]
        return [all_of]
    if of == "power":
        bases, exponents = grid(t, [0.0, -0.0, 0.5, 1, -1, -2]), grid(t, [0.0, -0.0, 1, -1, 0.5, 3, -7])
        pairs = [m.ravel() for m in np.meshgrid(bases, exponents)]
        return [np.concatenate([p, scattered(t, 60, random, (1, 2, 0.5))]) for p in pairs]
    special = grid(t, [0.0, -0.0, 1, -2.5, np.inf, np.nan] if arity == 2 else [0.0, -1, np.nan])
    crossed = [m.ravel() for m in np.meshgrid(*[special] * arity)]
    if arity == 2:
        crossed = [c[::3] for c in crossed]
    return [np.concatenate([c, scattered(t, 60, random)]) for c in crossed]


def mp(z):
    return mpmath.mpc(float(z.real), float(z.imag))


def sinc(z):
    return mpmath.mpf(1) if z == 0 else mpmath.sinpi(z) / (mpmath.pi * z)


def power(a, b):
    return mpmath.mpf(1) if b == 0 else mpmath.mpf(0) if a == 0 else mpmath.power(a, b)


TRUE = {
    "exp": mpmath.exp, "exp2": lambda z: mpmath.exp(z * mpmath.ln2), "expm1": mpmath.expm1, "log": mpmath.log,
    "log2": lambda z: mpmath.log(z) / mpmath.ln2, "log10": lambda z: mpmath.log(z) / mpmath.ln10,
    "log1p": lambda z: mpmath.log(1 + z), "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan,
    "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "arcsin": mpmath.asin, "arccos": mpmath.acos,
    "arctan": mpmath.atan, "arcsinh": mpmath.asinh, "arccosh": mpmath.acosh, "arctanh": mpmath.atanh, "sinc": sinc,
    "power": power, "sign": lambda z: z / abs(z) if z != 0 else mpmath.mpf(0),
}
CUT = ("log", "log2", "log10", "log1p", "sqrt", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh")


def to_part(true, theirs, t, cut):
    """A part in digits, as one of a dtype; on a cut, and of a zero, with the sign of NumPy's."""
    value = part_of(t).type(mpmath.mpf(true) if abs(true) < mpmath.mpf(float(np.finfo(t).max)) else
                            (np.inf if true > 0 else -np.inf))
    turn = (cut or value == 0) and not np.isnan(theirs)
    return np.copysign(value, theirs) if turn else value


def true_values(of, function, args):
    t = args[0].dtype
    theirs = function(*args)
    result = theirs.copy()
    for n in range(result.size):
        given = [a[n] for a in args]
        if not all(np.isfinite(g) for g in given):
            if of == "expm1":  # deliberate: as exp, where NumPy multiplies infinities by 0
                far = np.exp(given[0])
                result[n] = complex_of(far.real - 1, far.imag, t)[0]
            if of == "sign" and np.isnan(given[0]):  # deliberate: no direction, as the array API has it, beside infinity too
                result[n] = complex_of(np.nan, np.nan, t)[0]
            continue
        if of in ("log", "log2", "log10") and given[0] == 0:
            continue
        if of == "power" and given[0] == 0 and not (given[1].real > 0 or given[1] == 0):
            continue
        try:
            true = mpmath.mpc(TRUE[of](*map(mp, given)))
            if of == "log1p" and np.signbit(given[0].imag) and given[0].imag == 0:
                true = mpmath.conj(true)
            if of == "power" and np.signbit(given[0].imag) and given[0].imag == 0:  # the lower side of the cut
                true = mpmath.conj(TRUE[of](*[mpmath.conj(mp(g)) for g in given]))
        except (ValueError, ZeroDivisionError):  # at a pole
            continue
        # deliberate: where NumPy overflows on the way, or subtracts what is almost equal, this is the value all the same
        cut = of in CUT and not (of == "log1p" and abs(true.real) < 1)
        re = to_part(true.real, theirs[n].real, t, cut and of != "log1p")
        result[n] = complex_of(re, to_part(true.imag, theirs[n].imag, t, cut), t)[0]
    check_close(of, args, theirs, result)
    return result


def check_close(of, args, theirs, result):
    """The values are NumPy's but for the last digits, where it has them."""
    info = np.finfo(result.dtype)
    loose = 1e-4 if info.nmant < 30 else 1e-11
    comparable = np.isfinite(theirs) & np.isfinite(result)
    if of == "sign":
        comparable &= (np.abs(args[0]) < np.inf) & (np.abs(args[0]) > info.tiny)
    if of in ("log1p", "expm1", "exp2", "sinc"):
        comparable &= np.abs(result) > 0.01
    distance = np.abs(theirs.astype("clongdouble") - result)
    bad = comparable & (distance > loose * np.abs(result.astype("clongdouble")) + info.tiny)
    assert not np.any(bad), (of, [a[bad][:4] for a in args], theirs[bad][:4], result[bad][:4])


def product(a, b):
    """Four multiplications; NumPy's vector loops round two of them together with the sums."""
    return complex_of(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real, a.dtype)


def complex_reference(row, args):
    of, _, rule, _, function = row
    if of in TRUE:
        return true_values(of, function, args)
    if of in ("multiply", "square"):
        result = product(args[0], args[-1])
        check_close(of, args, function(*args), result)
        return result
    if of == "clip":  # deliberate: a bound that is NaN wins, as among real numbers
        return np.minimum(np.maximum(args[0], args[1]), args[2])
    if of == "absolute":
        return np.hypot(*[p.astype("longdouble") for p in (args[0].real, args[0].imag)]).astype(part_of(args[0].dtype))
    return np.ascontiguousarray(function(*args))


def write_complex(golden, t):
    for row in reals.operations():
        of, arity, rule, *_ = row
        if not accepts(rule, t):
            continue
        given = complex_inputs(of, arity, t)
        if rule == "choice":
            given[0] = np.arange(given[0].size) % 3 == 0
        args = [a != 0 for a in given] if rule == "logic" else given
        result = complex_reference(row, args)
        assert result.dtype == result_dtype(rule, compute_dtype(rule, t)), (of, t, result.dtype)
        golden.add(of, given, result)


# Casts

def cast(values, to):
    """What a cast of NumPy's, or of like_sinter, gives: as float32 where that holds the 16 bits."""
    if is_complex(values.dtype):
        if to == "bool":
            return (values.real != 0) | (values.imag != 0)
        if not to.startswith("complex"):
            return cast(np.ascontiguousarray(values.real), to)
        return complex_of(values.real.astype(part_of(np.dtype(to))), values.imag.astype(part_of(np.dtype(to))), to)
    if to in SHORT:
        return Short(rounded(values, to), to)
    if to.startswith("complex"):
        return complex_of(values.astype(part_of(np.dtype(to))), 0, to)
    return astype(values, to)


def write_casts(golden):
    names = [name for name in reals.CODES]
    for a in names:
        if a in SHORT:
            values = short_inputs(1, a)[0]
        elif a.startswith("complex"):
            values = complex_inputs("cast", 1, np.dtype(a))[0][::3]
        else:
            t = np.dtype(a)
            values = reals.inputs_for(1, t, np.random.default_rng([1, reals.CODES[a]]))[0]
        for to in names:
            if {a, to} & {"float16", "bfloat16", "complex64", "complex128"}:
                result = Short(values, a) if to == a and a in SHORT else cast(values, to)
                golden.add("cast", [Short(values, a) if a in SHORT else values], result)


# Folds of arrays of shape (3, 4, 5) along an axis: `sum.1`; and along all: `sum.all`

FOLDS = "sum prod min max argmin argmax any all mean var std count_nonzero cumsum cumprod".split()


def fold_inputs(name):
    """Small whole numbers, of which sums and products are exact, and the same with what is not finite among them."""
    random = np.random.default_rng(reals.CODES[name])
    t = np.dtype(name) if name.startswith("complex") else FLOAT32
    whole = random.integers(-2, 3, 60).astype(t)
    if is_complex(t):
        whole = complex_of(whole.real, random.integers(-2, 3, 60), t)
    odd = whole.copy()
    odd[[3, 17, 31, 44]] = [np.nan, np.inf, -np.inf, np.nan]
    if is_complex(t):
        odd[44] = complex(1, np.nan)
    return whole, odd


def folded(fold, values, axis):
    wide = values.dtype if is_complex(values.dtype) else np.dtype(float)
    shaped = values.reshape(3, 4, 5)
    if fold in ("sum", "prod", "mean", "cumsum", "cumprod"):
        return np.ravel(getattr(np, fold)(shaped.astype(wide), axis=axis))
    if fold in ("var", "std"):
        return np.ravel(getattr(np, fold)(shaped.astype("complex128" if is_complex(wide) else float), axis=axis))
    return np.ravel(getattr(np, fold)(shaped, axis=axis))


def write_folds(golden, name):
    whole, odd = fold_inputs(name)
    for fold in FOLDS:
        looks = fold in ("min", "max", "argmin", "argmax", "any", "all", "count_nonzero")
        for values in (whole, odd) if looks else (whole,):
            for axis in (None, 0, 1, 2):
                if fold in ("prod", "cumprod") and axis is None and name in SHORT:
                    continue  # too large
                result = folded(fold, values, axis)
                if name in SHORT and result.dtype.kind == "f":
                    result = Short(rounded(result, name), name)
                elif result.dtype.kind == "f":
                    result = result.astype(part_of(values.dtype))
                held = Short(values, name) if name in SHORT else values
                golden.add(f"{fold}.{'all' if axis is None else axis}", [held], result)


if __name__ == "__main__":
    wanted = Golden()
    for short in SHORT:
        write_short(wanted, short)
    for t in COMPLEX:
        write_complex(wanted, t)
    write_casts(wanted)
    folds = Golden()
    for each in (*SHORT, "complex64", "complex128"):
        write_folds(folds, each)
    for what, named in ((wanted, "short_complex"), (folds, "short_complex_folds")):
        target = reals.HERE / "golden" / f"{named}.golden"
        what.write(target)
        print(f"{target}: {len(what.records)} records, {target.stat().st_size} bytes", file=sys.stderr)
