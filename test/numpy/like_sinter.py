"""NumPy under Sinter's names: `like_sinter.power(a, b)` is what sinter::power(a, b) should be.

Every row of ops.def is a function here, with the row's rule for dtypes. Most are NumPy's own. Where Sinter differs on
purpose the place is marked with `deliberate`, and docs/numpy.md says so; what NumPy lacks is made of what Python has.
golden.py takes its reference from here, and so does the comparison of random programs (test/fuzz).
"""

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
FLOAT32, FLOAT64, BOOL = np.dtype("float32"), np.dtype("float64"), np.dtype("bool")


def rows():
    """(name, arity, rule, ulp, NumPy's name) of each row of ops.def."""
    row = re.compile(r"^SINTER_(?:OP|PART|SPECIAL_OP)\((\w+), (\d), (\w+), (.*?)\)$", re.MULTILINE | re.DOTALL)
    for name, arity, rule, rest in row.findall((ROOT / "include/sinter/ops.def").read_text()):
        ulp, numpy_name = re.search(r"\.ulp = ([\d.]+)", rest), re.search(r'\.numpy = "([\w.]*)"', rest)
        yield name, int(arity), rule, float(ulp[1]) if ulp else 0.0, numpy_name[1] if numpy_name else ""


# The rules of include/sinter/detail/rules.hpp. A test compares, so that these cannot drift apart unseen.

def is_real(t):
    return t.kind == "f"


def is_complex(t):
    return t.kind == "c"


def part_of(t):
    """The dtype of a complex number's parts."""
    return np.empty(0, t).real.dtype


NO_COMPLEX = ("real_number", "integral_step", "real", "pair", "real_test", "bits", "integers", "bit_count")
FLOATING = ("real", "analytic", "angle", "pair")


def accepts(rule, t):
    if rule == "number_not_bool":
        return t != BOOL
    if rule in NO_COMPLEX and is_complex(t):
        return False
    return rule not in ("bits", "integers", "bit_count") or not is_real(t)


def compute_dtype(rule, t):
    if is_real(t) or is_complex(t):
        return BOOL if rule == "logic" else t
    if rule == "quotient":
        return FLOAT64
    if rule in FLOATING:
        return FLOAT32 if t.itemsize <= 2 else FLOAT64  # deliberate: 8 bits give float32
    if rule == "logic":
        return BOOL
    if rule in ("step", "integral_step", "integers", "bit_count"):
        return np.dtype("int8") if t == BOOL else t
    return t


def result_dtype(rule, t):
    if rule in ("part", "angle"):
        return part_of(t)
    if rule == "pair":
        return np.dtype("complex128" if t == FLOAT64 else "complex64")
    if rule == "bit_count":
        return np.dtype("uint8")
    return BOOL if rule in ("comparison", "logic", "test", "real_test") else t


# Functions of operands of one dtype, where NumPy has none or another one.

def round_to(x, t):
    """A Fraction to the nearest value of t, halves to even."""
    info = np.finfo(t)
    if x == 0:
        return 0.0
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** ((exponent if exponent > info.minexp else info.minexp) - info.nmant)
    nearest = round(size / unit) * unit
    value = math.inf if abs(nearest) > Fraction(float(info.max)) else abs(float(nearest))
    return -value if x < 0 else value


def fma(a, b, c):
    # Right where a factor is not finite, and for the sign of an exact zero.
    result = np.array(np.where(np.isfinite(a) & np.isfinite(b) & np.isinf(c), c, a * b + c))
    for n in np.ndindex(result.shape):
        if np.isfinite(a[n]) and np.isfinite(b[n]) and np.isfinite(c[n]):
            exact = Fraction(float(a[n])) * Fraction(float(b[n])) + Fraction(float(c[n]))
            if exact != 0:
                result[n] = round_to(exact, a.dtype)
    return result


def second_of_zeros(function):
    """Of two zeros the second, as NumPy's vector loops on x86 have it; its scalar loops and other machines may not."""
    def apply(a, b):
        return np.where((a == 0) & (b == 0), b, function(a, b)).astype(a.dtype)
    return apply


def make_complex_of(a, b, dtype):
    made = np.empty(a.shape, dtype)
    made.real, made.imag = a, b
    return made


def rsqrt(a):
    return (1 / np.sqrt(a.astype("longdouble"))).astype(a.dtype)


def spacing(a):
    """deliberate: in float16, too, with the sign of the number and away from zero."""
    if a.dtype != np.float16:
        return np.spacing(a)
    size = np.spacing(np.abs(a))
    return np.where(a < 0, -size, size)


def sinc(a):
    """deliberate: 0 at whole numbers, where NumPy has what rounding pi leaves."""
    pi = np.longdouble("3.14159265358979323846264338327950288")
    wide = a.astype("longdouble")
    whole = np.round(wide)
    turned = np.sin(pi * (wide - whole)) * np.where(whole % 2 == 0, 1, -1)
    value = np.where(a == whole, np.where(a == 0, 1, 0), turned / np.where(a == 0, 1, pi * wide))
    return np.where(np.isinf(a), np.nan, value).astype(a.dtype)


def by_element(function):
    """A function of one Python float as one of an array."""
    def apply(a):
        return np.array([function(float(x)) for x in a.ravel()], float).astype(a.dtype).reshape(a.shape)
    return apply


def gamma(x):
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if abs(x) < 5e-309 or x > 171.7:  # where Python's raises
        return math.copysign(math.inf, x)
    if x < -200:
        return 0.0
    try:
        return math.gamma(x)
    except OverflowError:  # between a pole's neighbours
        return math.copysign(math.inf, x)


def gammaln(x):
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf  # deliberate: of minus infinity too, as C and CUDA have it; SciPy has -inf there
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def real_power(a, b):
    """deliberate: C's pow, where NumPy takes the square root if all exponents are one 0.5: not of -inf and -0.0."""
    root = np.where(a == -np.inf, np.inf, np.where(a == 0, 0.0, np.sqrt(a)))
    return np.where(b == 0.5, root, np.power(a, b)).astype(a.dtype)


def integer_power(a, b):
    result = np.power(a, np.where(b < 0, 0, b).astype(b.dtype))
    of_one = np.where(b % 2 != 0, a, 1)
    negative = np.where(np.abs(a.astype(object)) == 1, of_one, 0)  # deliberate: NumPy refuses negative powers
    return np.where(b < 0, negative, result).astype(a.dtype)


def integer_reciprocal(a):
    # deliberate: 0 for 0 in every width, where NumPy has the lowest number in some
    return np.where(a == 0, 0, np.reciprocal(np.where(a == 0, 1, a))).astype(a.dtype)


def ldexp(a, b):
    whole = np.clip(np.where(np.isnan(b), 0, b), -5000, 5000).astype("int32")
    return np.where(np.isnan(b), b, np.ldexp(a, whole)).astype(a.dtype)


# Of real operands: rounded correctly, and with an error bound; then of integers.
REAL = {
    "fma": fma, "ldexp": ldexp,
    "frexp_mantissa": lambda a: np.frexp(a)[0], "frexp_exponent": lambda a: np.frexp(a)[1].astype(a.dtype),
    "make_complex": lambda a, b: make_complex_of(a, b, "complex128" if a.dtype == FLOAT64 else "complex64"),
    "fdim": lambda a, b: np.where(a <= b, 0, a - b).astype(a.dtype), "spacing": spacing,
    "maximum": second_of_zeros(np.maximum), "minimum": second_of_zeros(np.minimum),
    "fmax": second_of_zeros(np.fmax), "fmin": second_of_zeros(np.fmin),
    "clip": lambda a, b, c: second_of_zeros(np.minimum)(second_of_zeros(np.maximum)(a, b), c),
}
BOUNDED = {
    "power": real_power, "exp10": lambda a: np.power(10.0, a.astype("longdouble")).astype(a.dtype), "rsqrt": rsqrt, "sinc": sinc, "erf": by_element(math.erf), "erfc": by_element(math.erfc),
    "gamma": by_element(gamma), "gammaln": by_element(gammaln),
}
INTEGER = {"power": integer_power, "reciprocal": integer_reciprocal}


# Of complex operands.

def product(a, b):
    """Four multiplications; NumPy's vector loops round two of them together with the sums."""
    return make_complex_of(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real, a.dtype)


def widely(function):
    """A function computed in long double: where NumPy's formula loses what the true value has."""
    def apply(a):
        return function(a.astype("clongdouble")).astype(a.dtype)
    return apply


def complex_sinc(a):
    """deliberate: as sinc."""
    turns = np.round(a.real)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    held = make_complex_of(a.real - turns, np.where(np.isfinite(a.imag), np.clip(a.imag, -3000, 3000), a.imag), a.dtype)
    sine = np.sin(pi * held) * np.where(turns % 2 == 0, 1, -1)  # infinite in double all the same
    return np.where(a == 0, 1, sine / np.where(a == 0, 1, pi * a))


def complex_log1p(a):
    near = (np.abs(a.real) < 0.5) & (np.abs(a.imag) < 0.5)
    size = np.where(near, 0.5 * np.log1p(a.real * (2 + a.real) + a.imag * a.imag), np.log(1 + a).real)
    return make_complex_of(size, np.arctan2(a.imag, 1 + a.real), a.dtype)


def complex_expm1(a):
    """deliberate: as exp far from 0, where NumPy multiplies infinities by 0."""
    half, far = np.sin(a.imag / 2), np.exp(a)
    near = np.expm1(a.real) * np.cos(a.imag) - 2 * half * half
    return make_complex_of(np.where(np.abs(a.real) > 40, far.real - 1, near), np.where(a.imag == 0, a.imag, far.imag), a.dtype)


def complex_exp2(a):
    return np.exp(make_complex_of(a.real * np.log(np.longdouble(2)), a.imag * np.log(np.longdouble(2)), a.dtype))


def complex_sign(a):
    """deliberate: of very large and very small numbers too a size of 1; none of what has a NaN, beside infinity too."""
    wide = a.astype("clongdouble")
    size = np.abs(wide)
    usual = np.isfinite(a) & (a != 0)
    by = np.where(usual, size, 1)
    others = np.where(np.isnan(a), complex(np.nan, np.nan), np.sign(a))
    return np.where(usual, make_complex_of(wide.real / by, wide.imag / by, wide.dtype), others).astype(a.dtype)


COMPLEX = {
    "sign": complex_sign,
    "multiply": product, "square": lambda a: product(a, a),
    "sinc": widely(complex_sinc), "log1p": widely(complex_log1p), "expm1": widely(complex_expm1),
    "exp2": widely(complex_exp2),
    "clip": lambda a, b, c: np.minimum(np.maximum(a, b), c),  # deliberate: a bound that is NaN wins
}


# Functions of any operands, numbers among them.

def elementwise(name, rule, numpy_name):
    """The function of a row."""
    theirs = getattr(np, numpy_name.removeprefix("numpy."), None) if numpy_name.startswith("numpy.") else None

    def apply(*args):
        chooses = args[:1] if rule == "choice" else ()
        promoted = np.result_type(*args[len(chooses):])
        assert accepts(rule, promoted), (name, promoted)
        computed = compute_dtype(rule, promoted)
        own = (({**REAL, **BOUNDED} if is_real(computed) else COMPLEX if is_complex(computed) else INTEGER).get(name))
        if own or (is_real(computed) and not is_real(promoted) and rule != "quotient"):  # the latter for 8 bits
            same = [np.asarray(a).astype(computed) for a in args]
            return (own or theirs)(*np.broadcast_arrays(*same))
        if ((rule == "integers" and promoted == BOOL)  # deliberate: NumPy has no gcd and lcm of two bools
                or (rule == "comparison" and is_real(promoted))  # deliberate: int64 beside uint64 goes through double
                or (name == "clip" and not hasattr(args[0], "dtype"))):  # deliberate: this number is weak as well
            args = [np.asarray(a).astype(computed) for a in args]
        return theirs(*args)
    return apply


# From here on `gamma` and its like are the rows' functions, no longer what those are made of.
globals().update({name: elementwise(name, rule, numpy_name) for name, _, rule, _, numpy_name in rows()})


def astype(a, to):
    """deliberate: real to integer drops the fraction and is held between the ends; C and NumPy leave it open."""
    a, to = np.asarray(a), np.dtype(to)
    if is_complex(a.dtype) and to != BOOL and not is_complex(to):
        a = a.real
    if not is_real(a.dtype) or to.kind not in "iu":
        return a.astype(to)
    info = np.iinfo(to)
    low, high = a.dtype.type(info.min), a.dtype.type(float(info.max // 2 + 1) * 2)
    inside = (a > low) & (a < high)
    ends = np.where(a >= high, to.type(info.max), np.where(a <= low, to.type(info.min), to.type(0)))
    return np.where(inside, np.where(inside, a, 0).astype(to), ends).astype(to)


def sum(a, dtype, **how):
    return np.sum(astype(a, dtype), dtype=dtype, **how)


def prod(a, dtype, **how):
    return np.prod(astype(a, dtype), dtype=dtype, **how)


def mean(a, dtype, **how):
    return np.mean(a, dtype=dtype, **how)


def var(a, dtype, **how):
    """deliberate: in double, whatever the elements are."""
    return np.var(a.astype(complex if is_complex(a.dtype) else float), **how).astype(dtype)


def std(a, dtype, **how):
    """deliberate: as var."""
    return np.std(a.astype(complex if is_complex(a.dtype) else float), **how).astype(dtype)


def _without_nan(function, neutral=None):
    """One of NumPy's that leaves NaN out; as sum and prod of what is cast first."""
    def apply(a, dtype, **how):
        if neutral is None:
            return function(a, dtype=dtype, **how)
        return function(astype(np.where(np.isnan(a), a.dtype.type(neutral), a), dtype), dtype=dtype, **how)
    return apply


nansum, nanprod, nanmean = _without_nan(np.sum, 0), _without_nan(np.prod, 1), _without_nan(np.nanmean)
nanmin, nanmax = np.nanmin, np.nanmax


def nanvar(a, dtype, **how):
    """deliberate: as var."""
    return np.nanvar(a.astype(complex if is_complex(a.dtype) else float), **how).astype(dtype)


def nanstd(a, dtype, **how):
    """deliberate: as var."""
    return np.nanstd(a.astype(complex if is_complex(a.dtype) else float), **how).astype(dtype)


min, max, any, all, argmin, argmax = np.min, np.max, np.any, np.all, np.argmin, np.argmax


def searchsorted(a, v, side):
    """In the running maxima of a. deliberate: complex numbers with NaN in them are all one, where NumPy tells which part it is."""
    t = np.result_type(a, v)
    wide = [np.where(np.isnan(x), t.type(complex(np.nan, np.nan)), x) if is_complex(t) else x for x in (a.astype(t), v.astype(t))]
    return np.searchsorted(np.maximum.accumulate(wide[0].ravel()), wide[1], side)


def sort(a, axis, descending):
    """Stable also where the largest come first."""
    if not descending:
        return np.sort(a, axis=axis, kind="stable")
    places = a.shape[axis] - 1 - np.flip(np.argsort(np.flip(a, axis), axis=axis, kind="stable"), axis)
    return np.take_along_axis(a, places, axis)


def scatter(function, a, index, value):
    """function.at, with the value spread out: NumPy 2.4 reads past one that broadcasts to an index of several axes."""
    function.at(a, index, np.broadcast_to(value, a[index].shape).copy())
