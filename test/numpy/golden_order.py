"""Writes test/numpy/golden/order.txt: what NumPy gives, or refuses, for sorts, of arrays of every layout and of every dtype, with
NaN, infinities, zeros of both signs and equal elements among them.

    python test/numpy/golden_order.py     needs numpy >= 2.2

A line is a name, a dtype, a layout, a shape and the elements in C order, of complex numbers both parts; or `refused`.
test/include/order.cpp has the same names, and test/support/order_cases.hpp the same operands.
"""

import warnings
from pathlib import Path

import numpy as np

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
    "argpartition": (lambda x: np.take_along_axis(x, np.argpartition(x, 3), -1)[..., 3], ALL),
}

# NumPy takes a number for an array of one element there, and numbers as keys.
NOT_COMPARED = {
    ("lexsort rows", "vector"), ("lexsort rows", "strided vector"), ("sort flat", "0-d"), ("argsort flat", "0-d"), ("argsort", "0-d"), ("argsort 0", "0-d"),
    ("lexsort", "0-d"), ("lexsort 0", "0-d"), ("argsort descending", "0-d"),
}


def text(value):
    value = np.asarray(value)
    if value.dtype.kind == "c":
        value = np.stack([value.real, value.imag], -1)
    return ",".join(repr(float(e)) for e in value.ravel())


def line(name, dtype, layout, function, x):
    try:
        value = np.asarray(function(x))
    except (ValueError, IndexError, TypeError):
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
