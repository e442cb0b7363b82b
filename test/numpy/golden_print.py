#!/usr/bin/env python3
"""Writes golden/print.txt, print_repr.txt and print_string.txt: arrays and what NumPy's str, array_repr and array2string (with a
separator, a prefix and a suffix) make of them, for test/include/print.cpp. Needs NumPy 2.4 or later.

A case is a line `# dtype | extents | precision threshold edgeitems linewidth suppress | elements`, then the text. The
elements are hexadecimal bit patterns, most significant digit first, or `ramp a b`: element i is i * a / b, for arrays
too large to list.
"""
import pathlib

import numpy as np

DEFAULTS = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
OUT = {
    "print.txt": (str, []),
    "print_repr.txt": (np.array_repr, []),
    "print_string.txt": (lambda a: np.array2string(a, separator=" ;", prefix="prefix", suffix="!!"), []),
}


def elements(a):
    part = a.real.dtype.itemsize  # a complex number is two
    words = np.atleast_1d(a).view(f"u{part}").ravel()
    return " ".join(f"{w:x}" for w in words)


def case(a, listed=None, **options):
    a = np.ascontiguousarray(a).reshape(np.shape(a))
    o = DEFAULTS | options
    head = [a.dtype.name, " ".join(map(str, a.shape)), " ".join(str(int(v)) for v in o.values()), listed or elements(a)]
    for make, out in OUT.values():
        with np.printoptions(**o):
            out.append("# " + " | ".join(head) + "\n" + make(a) + "\n")


def ramp(shape, a, b, dtype, **options):
    i = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    case((i * a / b).astype(dtype), f"ramp {a} {b}", **options)


ALONE = [0, -0.0, 1, 0.1, -2.5, 123456.7, 999999.9, 1e6, 1e15, 1e16, 1.5e16, 1e-4, 1.2e-4, 1e-5, 1 / 3]
NOT_FINITE = [np.inf, -np.inf, np.nan]
ROWS = [
    [0.1, 0.25, 3], [1 / 3, 2 / 3, -1], [0, -0.0], [0.1 + 0.2, 0.3], [1.49999999999, 2], [123456789.125, -1.5],
    [1e-5, 1], [1e-4, 1], [1e8, 1], [1e6, 1], [999999, 1], [1e-3, 1], [1e-3, 1.001], [1000000.5],  # about the limits
    [1e100, 1], [1e-30, 1e30, 3], [2.0**40, 3.0**-9, 7],
    [np.nan, np.inf, -np.inf], [np.nan, 1], [np.inf, 1.25], [-np.inf, 1e10], [np.nan], [np.inf, 2],
]
ROUNDED = [
    (3, [0.0006, 0.5]), (3, [0.0005, 0.4]), (3, [9999.9996, 100]), (2, [99.999, 1]), (2, [9.999e9, 1]),
    (0, [1.5, 2.5, -0.4]), (0, [1e10, 1.5e10, 2.51e10]), (17, [0.1, 1 / 3]),
]


def numbers():
    for dtype in ("float32", "float64"):
        f = np.dtype(dtype).type
        for x in ALONE + NOT_FINITE:
            case(np.array(x, f))
        for row in ROWS:
            with np.errstate(over="ignore"):
                case(np.array(row, f))
    f = np.float32
    case(np.array([2.0**-44, 2.0**33]), precision=15)  # below a power of two the neighbours are nearer
    case(np.array([2.74877907e11, 4.656613e-10, 1], f))  # columns filled up with the value's own digits, not with zeros
    for x in ([6e-9, 1], [5e-9, 1], [4e-9, -1], [1e-300, 1e7]):
        case(np.array(x), suppress=True)
    for p, row in ROUNDED:
        case(np.array(row), precision=p)
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        i = np.iinfo(name)
        case(np.array([i.min, 0, 1, i.max], name))
        case(np.array(i.max, name))
    case(np.array([[True, False], [False, True]]))
    case(np.array([True, True]))
    case(np.array(True))
    case(np.array(False))


def layouts():
    for shape in ((0,), (0, 3), (2, 0, 2), (1,), (1, 1, 1), (2, 3), (2, 2, 3), (2, 1, 2, 2), (1, 2, 1, 2, 1, 2, 1, 2)):
        ramp(shape, 1, 1, "int64")
        ramp(shape, 5, 4, "float32")
    ramp((30,), 1, 1, "int64")
    ramp((3, 30), 1, 7, "float64")
    ramp((40,), 1, 4, "float32")
    ramp((26,), 11, 1, "int32")  # the last word of a line just fits, or just does not
    for width in (1, 10, 27, 28, 29, 40):
        ramp((2, 12), 1, 2, "float64", linewidth=width)
    for n in (1000, 1001):
        ramp((n,), 1, 1, "int64", linewidth=200)
    ramp((2000,), 1, 3, "float64")
    ramp((200, 6), 1, 1, "int32")
    ramp((200, 7), 1, 8, "float32")
    ramp((6, 200), 1, 1, "int64")
    ramp((11, 12, 13), 1, 1, "int64")
    ramp((7, 2, 9, 10), 1, 1, "uint16")
    ramp((1, 1, 2000), 1, 1, "float64")
    ramp((40, 50), 10007, 3, "float64", threshold=10, edgeitems=2)
    ramp((40, 3), 1, 1, "int8", threshold=10, edgeitems=1)
    ramp((9,), 1, 1, "int64", threshold=0, edgeitems=4)
    ramp((8,), 1, 1, "int64", threshold=0, edgeitems=4)


def random_arrays():
    rng = np.random.default_rng(2026)
    for k in range(40):
        shape = tuple(rng.integers(1, 4, rng.integers(1, 4)))
        a = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9)
        if k % 4 == 0:
            a = a * 10.0 ** rng.integers(-6, 6, shape)
        if k % 4 == 1:
            a = np.round(a, 2)
        if k % 5 == 0:
            a[rng.random(shape) < 0.4] = rng.choice([np.nan, np.inf, -np.inf])
        case(a.astype(("float32", "float64")[k % 2]))


def short_and_complex():
    with np.errstate(over="ignore"):
        for x in ALONE + NOT_FINITE:
            case(np.array(x, "float16"))
        for row in ROWS:
            case(np.array(row, "float16"))
    case(np.array([65504, 2.0**-24, 2.0**-14, 1 / 3], "float16"))
    parts = [0.0, -0.0, 1, -2.5, 1 / 3, 1e6, 1e-5, 1e16, np.inf, -np.inf, np.nan]
    for dtype in ("complex64", "complex128"):
        def made(pairs):
            z = np.empty(len(pairs), dtype)
            z.real, z.imag = np.array(pairs).T
            return z
        for x in parts:
            case(made([(x, 1)])[0])
            case(made([(1, x)])[0])
            case(made([(x, 0.5), (3, x)]))
            case(made([(x, x), (-1.25, 1e3)]))
        case(made([(1, 2), (3, -4), (0.1, 0.25)]))
        case(made([(1e-3, 1), (1, 1e8)]))
        case(made([(1.5, np.nan), (np.nan, -1), (np.inf, -np.inf)]))
        case(made([(k / 7, -k / 3) for k in range(24)]).reshape(2, 3, 4))
        case(np.zeros((0, 2), dtype))
        case(made([(k, k / 8) for k in range(12)]), threshold=5)
        case(made([(1 / 3, 2 / 3), (1e-9, 1)]), precision=3)
        case(made([(1e-9, 1)]), suppress=True)
        case(np.array(2, dtype))


numbers()
layouts()
random_arrays()
short_and_complex()
for name, (_, out) in OUT.items():
    target = pathlib.Path(__file__).parent / "golden" / name
    target.write_text("".join(out))
    print(f"{target}: {len(out)} cases, {target.stat().st_size} bytes")
