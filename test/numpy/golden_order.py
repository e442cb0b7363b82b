"""Writes test/numpy/golden/order.txt: what NumPy and SciPy give, or refuse, for sorts, sets and quantiles, of arrays of every layout
and of every dtype, with NaN, infinities, zeros of both signs and equal elements among them.

    python test/numpy/golden_order.py     needs numpy >= 2.4 and scipy >= 1.13

A line is a name, a dtype, a layout, a shape and the elements in C order, of complex numbers both parts; or `refused`.
test/include/order.cpp, sets.cpp and quantiles.cpp have the same names, and test/support/order_cases.hpp the same operands.
"""

import warnings
from pathlib import Path

import numpy as np
from scipy import stats

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATING = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool", *INTEGERS, *FLOATING, *COMPLEX]

nan, inf = np.nan, np.inf
SIGNED = [3, -1, 0, 7, 7, -128, 127, 3, 2, -5, 1, 0, -1, 64, -64, 5]
UNSIGNED = [3, 1, 0, 7, 7, 255, 128, 3, 2, 250, 1, 0, 127, 64, 192, 5]
REAL = [1.5, -0.0, 0.0, nan, inf, -2.5, -inf, 1.5, 0.0, 3.25, -0.0, 0.0625, nan, -2.5, 100.0, -1.0]
IMAGINARY = [0.0, 2.0, -1.0, 1.0, nan, 0.5, 2.0, -3.0, 2.0, -0.0, nan, 0.5]


def numbers(shape, dtype):
    i = np.arange(int(np.prod(shape)))
    k = i * 7 % 23 % 16
    if dtype == "bool":
        x = k % 3 == 0
    elif dtype in COMPLEX:
        x = np.array(REAL)[k] + 0j
        x.imag = np.array(IMAGINARY)[i * 5 % 12]
    elif dtype in FLOATING:
        x = np.array(REAL)[k]
    else:
        x = np.array(UNSIGNED if dtype.startswith("u") else SIGNED)[k]
    return x.astype(dtype).reshape(shape)


def layouts(dtype):
    def n(*shape):
        return numbers(shape, dtype)

    return {
        "contiguous": n(4, 6),
        "strided": n(8, 12)[::2, ::-2],
        "transposed": n(6, 4).T,
        "broadcast": np.broadcast_to(n(6), (4, 6)),
        "three axes": n(2, 17, 3),
        "empty": n(0, 6),
        "no columns": n(6, 0),
        "0-d": n(1).reshape(()),
        "one": n(1, 1),
        "vector": n(40),
        "strided vector": n(14)[::-2],
    }


def falling(x, axis=-1):
    """The places that sort to the largest first, equal ones as they come."""
    last = x.shape[axis] - 1
    return last - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def major(x):
    return (np.arange(x.size) % 2).reshape(x.shape).astype(x.dtype)


def known(x):
    """Complex numbers without NaN: of several, NumPy's unique keeps any."""
    return np.where(np.isnan(x), x.dtype.type(7), x) if x.dtype.kind == "c" else x


def other(x):
    return numbers((9,), str(x.dtype))[2:]


def top_k(x, largest):
    if x.shape[-1] < 3:
        raise ValueError
    return falling(x)[..., :3] if largest else np.argsort(x, axis=-1, kind="stable")[..., :3]


def finite(x):
    """Without infinities, between which NumPy finds no way."""
    return np.where(np.isinf(x), x.dtype.type(9), x) if x.dtype.kind in "fc" else x


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
           "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
FRACTIONS = [0, 0.1, 0.25, 0.5, 0.83, 1]
WIDE = ["int32", "float32", "float64"]
MIDDLE = ["uint8", "int32", "int64", "float16", "float32", "float64"]

CASES = {
    "sort": (lambda x: np.sort(x), ALL),
    "sort 0": (lambda x: np.sort(x, axis=0), ALL),
    "sort flat": (lambda x: np.sort(x, axis=None), ALL),
    "sort stable": (lambda x: np.sort(x, axis=0, kind="stable"), ALL),
    "sort descending": (lambda x: np.flip(np.sort(x), -1), ALL),
    "argsort": (lambda x: np.argsort(x, kind="stable"), ALL),
    "argsort 0": (lambda x: np.argsort(x, axis=0, kind="stable"), ALL),
    "argsort flat": (lambda x: np.argsort(x, axis=None, kind="stable"), ALL),
    "argsort descending": (lambda x: falling(x), ALL),
    "lexsort": (lambda x: np.lexsort((x, major(x))), ALL),
    "lexsort 0": (lambda x: np.lexsort((major(x), x), axis=0), ALL),
    "lexsort rows": (lambda x: np.lexsort(x), ALL),
    "partition": (lambda x: np.partition(x, 2)[..., 2], ALL),
    "partition 0": (lambda x: np.partition(x, (0, -1), axis=0)[-1], ALL),
    "top_k": (lambda x: np.take_along_axis(x, top_k(x, True), -1), ALL),
    "top_k indices": (lambda x: top_k(x, True), ALL),
    "top_k smallest": (lambda x: top_k(x, False), ALL),
    # sets
    "unique": (lambda x: np.unique(x, return_counts=True)[0], ALL),
    "unique nan": (lambda x: np.unique(x, equal_nan=False), ALL),
    "unique indices": (lambda x: np.unique(x, return_index=True)[1], ALL),
    "unique inverse": (lambda x: np.unique(x, return_inverse=True)[1], ALL),
    "unique counts": (lambda x: np.unique(x, return_counts=True)[1], ALL),
    "unique counts nan": (lambda x: np.unique(x, return_counts=True, equal_nan=False)[1], ALL),
    "isin": (lambda x: np.isin(x, other(x)), ALL),
    "isin invert": (lambda x: np.isin(x, other(x)[:1], invert=True), ALL),
    "intersect1d": (lambda x: np.intersect1d(known(x), known(other(x))), ALL),
    "union1d": (lambda x: np.union1d(known(x), known(other(x))), ALL),
    "setdiff1d": (lambda x: np.setdiff1d(known(x), known(other(x))), ALL),
    "setxor1d": (lambda x: np.setxor1d(known(x), known(other(x))), ALL),
    # quantiles
    "median": (lambda x: np.median(finite(x), axis=-1), [*MIDDLE, "bool", "complex128"]),
    "median all": (lambda x: np.median(finite(x)), MIDDLE),
    "median keepdims": (lambda x: np.median(finite(x), axis=(0, -1), keepdims=True), MIDDLE),
    "nanmedian": (lambda x: np.nanmedian(finite(x), axis=0), [*MIDDLE, "complex128"]),
    "nanmedian all": (lambda x: np.nanmedian(finite(x)), MIDDLE),
    "percentile": (lambda x: np.percentile(finite(x), 30), MIDDLE),
    "percentile keepdims": (lambda x: np.percentile(finite(x), [25, 75], axis=0, keepdims=True), WIDE),
    "nanpercentile": (lambda x: np.nanpercentile(finite(x), 70, axis=-1), MIDDLE),
    **{f"quantile {m}": (lambda x, m=m: np.quantile(finite(x), FRACTIONS, axis=-1, method=m), WIDE) for m in METHODS},
    **{f"nanquantile {m}": (lambda x, m=m: np.nanquantile(finite(x), FRACTIONS, axis=0, method=m), WIDE) for m in METHODS},
    "mode": (lambda x: stats.mode(x)[0], MIDDLE),
    "mode count": (lambda x: stats.mode(x)[1], MIDDLE),
    "mode rows": (lambda x: stats.mode(x, axis=-1, keepdims=True)[0], MIDDLE),
    "argpartition": (lambda x: np.take_along_axis(x, np.argpartition(x, 3), -1)[..., 3], ALL),
}

# NumPy takes a number for an array of one element there, and numbers as keys.
NOT_COMPARED = {
    ("lexsort rows", "vector"), ("lexsort rows", "strided vector"),
    *((name, "0-d") for name in ("sort flat", "argsort flat", "argsort", "argsort 0", "lexsort", "lexsort 0", "argsort descending",
                                 "nanmedian", "nanpercentile", "mode", "mode count", "mode rows")),
    *((name, layout) for name in ("mode", "mode count", "mode rows", *(f"nanquantile {m}" for m in METHODS))
      for layout in ("empty", "no columns")),  # NumPy forgets the axis of the fractions
}


def text(value):
    value = np.asarray(value)
    if value.dtype.kind == "c":
        value = np.stack([value.real, value.imag], -1)
    return ",".join(repr(float(e)) for e in value.ravel())


def line(name, dtype, layout, function, x):
    try:
        value = np.asarray(function(x))
    except (ValueError, IndexError, TypeError, AttributeError):
        return f"{name}|{dtype}|{layout}|refused"
    return f"{name}|{dtype}|{layout}|{','.join(map(str, value.shape))}|{text(value)}"


def main():
    warnings.simplefilter("ignore")
    lines = []
    with np.errstate(all="ignore"):
        for name, (function, dtypes) in CASES.items():
            for dtype in dtypes:
                for layout, x in layouts(dtype).items():
                    if (name, layout) not in NOT_COMPARED:
                        lines.append(line(name, dtype, layout, function, x))
    (Path(__file__).resolve().parent / "golden" / "order.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "cases")


main()
