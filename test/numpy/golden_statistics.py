"""Writes test/numpy/golden/statistics.txt: what NumPy gives, or refuses, for reductions, differences, products, searches,
convolutions and polynomials, of arrays of every layout and several dtypes.

    python test/numpy/golden_statistics.py     needs numpy >= 2.2

What SciPy has is written out here in the words of its manual. A line is a name, a dtype, a layout, a shape and the elements in C order, of complex numbers both parts; or `refused`.
test/include/statistics_numpy.cpp and differences_numpy.cpp have the same names.
"""

import warnings
from pathlib import Path

import numpy as np

DTYPES = {"int32": np.int32, "float16": np.float16, "float32": np.float32, "float64": np.float64, "complex128": np.complex128}


def numbers(shape, dtype, with_nan):
    i = np.arange(int(np.prod(shape)))
    k = i * 7 % 19 - 9
    if np.issubdtype(dtype, np.integer):
        return k.astype(dtype).reshape(shape)
    x = k * 0.5
    if with_nan:
        x = np.where(i % 5 == 3, np.nan, x)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * (i * 5 % 7 - 3) * 0.25
    return x.astype(dtype).reshape(shape)


def layouts(dtype, with_nan):
    def n(*shape):
        return numbers(shape, dtype, with_nan)

    return {
        "contiguous": n(4, 6),
        "strided": n(8, 12)[::2, ::-2],
        "transposed": n(6, 4).T,
        "broadcast": np.broadcast_to(n(6), (4, 6)),
        "empty": n(0, 6),
        "0-d": n(1).reshape(()),
        "one": n(1, 1),
        "vector": n(7),
        "strided vector": n(14)[::-2],
    }


def mask(x):
    return (np.arange(x.size).reshape(x.shape) % 3) != 1


ALL = set(DTYPES)
REAL = ALL - {"complex128"}
FLOATING = ALL - {"int32"}
inf = np.inf
kernel = np.array([1, -2, 3])
long_kernel = np.arange(40) % 5 - 2
small = np.array([[1, 2], [0, -1], [3, 1]])
edges = np.array([-4.0, -1.5, -1.5, 0.0, 2.0, 3.5])
xp = np.array([-4.0, -2.5, 0.0, 1.0, 4.0])
fp = np.array([1.0, 3.0, -2.0, 0.5, 2.0])


def ones_like_dtype(x, values):
    return np.asarray(values).astype(x.dtype)


def logsumexp(x, axis, b=1):
    return np.log(np.sum(b * np.exp(x), axis=axis)).astype(x.dtype if x.dtype.kind == "f" else float)


def softmax(x, axis):
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


def convolve(x, v, mode):
    """convolve of method direct, of two axes."""
    if x.ndim != v.ndim:
        raise ValueError
    if x.size == 0:
        raise ValueError
    n, m = np.array(x.shape), np.array(v.shape)
    full = np.zeros(n + m - 1, x.dtype)
    for at in np.ndindex(*v.shape):
        full[tuple(slice(k, k + e) for k, e in zip(at, n))] += x * v[at]
    if mode == "full":
        return full
    if mode == "valid" and not ((n >= m).all() or (m >= n).all()):
        raise ValueError
    length = n if mode == "same" else np.abs(n - m) + 1
    start = (n + m - 1 - length) // 2
    return full[tuple(slice(b, b + e) for b, e in zip(start, length))]


# Names, the dtypes they are of, and whether some elements are NaN.
CASES = {
    # options
    "sum where": (lambda x: np.sum(x, axis=-1, where=mask(x)), ALL, False),
    "sum initial": (lambda x: np.sum(x, axis=0, initial=3), ALL, False),
    "prod where": (lambda x: np.prod(x[..., :3], axis=-1, where=mask(x[..., :3])), ALL, False),
    "max where": (lambda x: np.max(x, axis=-1, initial=-2, where=mask(x)), REAL, False),
    "min initial": (lambda x: np.min(x, axis=0, initial=2, keepdims=True), REAL, False),
    "any where": (lambda x: np.any(x, axis=-1, where=mask(x)), ALL, False),
    "all where": (lambda x: np.all(x, axis=-1, where=mask(x)), ALL, False),
    "mean where": (lambda x: np.mean(x, axis=-1, where=mask(x)), ALL, False),
    "var where": (lambda x: np.var(x, axis=-1, where=mask(x), ddof=1), ALL, False),
    "std where": (lambda x: np.std(x, where=mask(x)), ALL, False),
    # of what is not NaN
    "nansum": (lambda x: np.nansum(x, axis=-1), ALL, True),
    "nansum all": (lambda x: np.nansum(x), ALL, True),
    "nanprod": (lambda x: np.nanprod(x[..., :4], axis=-1), ALL, True),
    "nanmax": (lambda x: np.nanmax(x, axis=-1), REAL, True),
    "nanmax all": (lambda x: np.nanmax(x), REAL, True),
    "nanmin": (lambda x: np.nanmin(x, axis=0, keepdims=True), REAL, True),
    "nanmean": (lambda x: np.nanmean(x, axis=0), ALL, True),
    "nanmean all": (lambda x: np.nanmean(x), ALL, True),
    "nanvar": (lambda x: np.nanvar(x, axis=-1), ALL, True),
    "nanvar ddof": (lambda x: np.nanvar(x, axis=0, ddof=3), ALL, True),
    "nanstd": (lambda x: np.nanstd(x), ALL, True),
    "nanargmax": (lambda x: np.nanargmax(x, axis=-1), REAL, True),
    "nanargmin": (lambda x: np.nanargmin(x), REAL, True),
    "nancumsum": (lambda x: np.nancumsum(x, axis=-1), ALL, True),
    "nancumsum all": (lambda x: np.nancumsum(x), ALL, True),
    "nancumprod": (lambda x: np.nancumprod(x[..., :4], axis=-1), ALL, True),
    # statistics
    "average": (lambda x: np.average(x, axis=-1, weights=ones_like_dtype(x, np.arange(x.shape[-1]) % 3 + 1)), ALL, False),
    "average all": (lambda x: np.average(x, weights=x * x + 1), REAL, False),
    "cov": (lambda x: np.cov(x), {"int32", "float32", "float64", "complex128"}, False),
    "cov columns": (lambda x: np.cov(x, rowvar=False, ddof=0), {"int32", "float32", "float64", "complex128"}, False),
    "cov of two": (lambda x: np.cov(x, x[..., ::-1]), {"float64", "complex128"}, False),
    "corrcoef": (lambda x: np.corrcoef(x), {"float64", "complex128"}, False),
    "zscore": (lambda x: (x - x.mean(0, keepdims=True)) / x.std(0, ddof=1, keepdims=True), {"float32", "float64"}, False),
    # products and norms
    "vecdot": (lambda x: np.vecdot(x, x[..., ::-1]), ALL, False),
    "vecdot 0": (lambda x: np.vecdot(x, x + 1, axis=0), ALL, False),
    "vdot": (lambda x: np.vdot(x, x[..., ::-1]), ALL, False),
    "inner": (lambda x: np.inner(x, x[..., ::-1]), ALL, False),
    "cross": (lambda x: np.cross(x[..., :3], x[..., -3:]), ALL, False),
    "cross axes": (lambda x: np.cross(x[:3], x[..., :3, :1], axisa=0, axisb=-2, axisc=0), ALL, False),
    "cross broadcast": (lambda x: np.cross(x[..., :3], ones_like_dtype(x, [1, 2, 3])), ALL, False),
    "linalg cross": (lambda x: np.linalg.cross(x[:3], x[-3:], axis=0), ALL, False),
    "kron": (lambda x: np.kron(x, x[..., :2]), ALL, False),
    "kron more axes": (lambda x: np.kron(ones_like_dtype(x, [[[1, 2]], [[3, 4]]]), x), ALL, False),
    "outer": (lambda x: np.outer(x, x[..., :2]), ALL, False),
    "norm": (lambda x: np.linalg.norm(x), ALL, False),
    "norm rows": (lambda x: np.linalg.norm(x, axis=-1, keepdims=True), ALL, False),
    "norm 1": (lambda x: np.linalg.norm(x, 1, axis=-1), ALL, False),
    "norm inf": (lambda x: np.linalg.norm(x, inf, axis=-1), ALL, False),
    "norm -inf": (lambda x: np.linalg.norm(x, -inf, axis=-1), ALL, False),
    "norm 0": (lambda x: np.linalg.norm(x, 0, axis=-1), ALL, False),
    "norm 3": (lambda x: np.linalg.norm(x, 3, axis=-1), FLOATING - {"float16"}, False),
    "norm matrix 1": (lambda x: np.linalg.norm(x, 1), ALL, False),
    "norm matrix inf": (lambda x: np.linalg.norm(x, inf, axis=(0, 1)), ALL, False),
    "norm matrix -1": (lambda x: np.linalg.norm(x, -1, axis=(1, 0), keepdims=True), ALL, False),
    "norm fro": (lambda x: np.linalg.norm(x, "fro"), ALL, False),
    "vector_norm": (lambda x: np.linalg.vector_norm(x), ALL, False),
    "matrix_norm": (lambda x: np.linalg.matrix_norm(x), ALL, False),
    "linalg trace": (lambda x: np.linalg.trace(x), ALL, False),
    # exponentials
    "logsumexp": (lambda x: logsumexp(x, axis=-1), {"int32", "float32", "float64"}, False),
    "logsumexp weights": (
        lambda x: logsumexp(x, axis=0, b=np.abs(x) % 3), {"float32", "float64"}, False),
    "softmax": (lambda x: softmax(x, axis=-1), {"float32", "float64"}, False),
    "log_softmax": (lambda x: np.log(softmax(x, axis=0)), {"float32", "float64"}, False),
    # differences
    "diff": (lambda x: np.diff(x), ALL, False),
    "diff 2": (lambda x: np.diff(x, n=2, axis=0), ALL, False),
    "diff many": (lambda x: np.diff(x, n=9), ALL, False),
    "diff ends": (lambda x: np.diff(x, axis=0, prepend=2, append=x[:1]), ALL, False),
    "ediff1d": (lambda x: np.ediff1d(x), ALL, False),
    "ediff1d ends": (lambda x: np.ediff1d(x, to_end=ones_like_dtype(x, [3, 4]), to_begin=ones_like_dtype(x, -2)), ALL, False),
    "gradient": (lambda x: np.gradient(x, axis=-1), ALL, False),
    "gradient 2": (lambda x: np.gradient(x, 0.5, axis=0, edge_order=2), ALL, False),
    "gradient places": (
        lambda x: np.gradient(x, np.cumsum(np.arange(x.shape[-1]) % 3 + 1.0), axis=-1), {"float64", "complex128"}, False),
    "gradient places 2": (
        lambda x: np.gradient(x, np.cumsum(np.arange(x.shape[0]) % 3 + 1.0), axis=0, edge_order=2), {"float64"}, False),
    "trapezoid": (lambda x: np.trapezoid(x), ALL - {"float16"}, False),
    "trapezoid dx": (lambda x: np.trapezoid(x, dx=0.25, axis=0), ALL - {"float16"}, False),
    "trapezoid places": (
        lambda x: np.trapezoid(x, np.cumsum(np.arange(x.shape[-1]) % 3 + 1.0)), {"float64", "int32", "complex128"}, False),
    "unwrap": (lambda x: np.unwrap(x * 3), {"int32", "float32", "float64"}, False),
    "unwrap period": (lambda x: np.unwrap(x, discont=3, period=4, axis=0), {"float32", "float64"}, False),
    "cumulative_sum": (lambda x: np.cumulative_sum(x, axis=0), ALL, False),
    "cumulative_sum initial": (lambda x: np.cumulative_sum(x, axis=-1, include_initial=True), ALL, False),
    "cumulative_prod initial": (
        lambda x: np.cumulative_prod(x[..., :4], axis=-1, include_initial=True), ALL, False),
    # searches
    "searchsorted": (lambda x: np.searchsorted(edges, x), REAL, True),
    "searchsorted right": (lambda x: np.searchsorted(edges, x, side="right"), REAL, True),
    "searchsorted in": (lambda x: np.searchsorted(np.sort(x.ravel()), [-3.0, 0.0, 0.25, 4.5]), REAL, True),
    "digitize": (lambda x: np.digitize(x, edges), REAL, True),
    "digitize right": (lambda x: np.digitize(x, edges, right=True), REAL, False),
    "digitize falling": (lambda x: np.digitize(x, edges[::-1]), REAL, False),
    "digitize falling right": (lambda x: np.digitize(x, edges[::-1], right=True), REAL, False),
    "interp": (lambda x: np.interp(x, xp, fp), REAL, True),
    "interp ends": (lambda x: np.interp(x, xp, fp, left=-7, right=9), REAL, False),
    "interp one": (lambda x: np.interp(x, xp[:1], fp[:1]), REAL, False),
    # convolutions
    "convolve": (lambda x: np.convolve(x, ones_like_dtype(x, kernel)), ALL, False),
    "convolve same": (lambda x: np.convolve(x, ones_like_dtype(x, kernel), "same"), ALL, False),
    "convolve valid": (lambda x: np.convolve(ones_like_dtype(x, kernel), x, "valid"), ALL, False),
    "convolve long": (lambda x: np.convolve(x, ones_like_dtype(x, long_kernel), "same"), ALL - {"float16"}, False),
    "convolve folded": (
        lambda x: np.convolve(np.tile(x, 6), ones_like_dtype(x, long_kernel)), ALL - {"float16"}, False),
    "correlate": (lambda x: np.correlate(x, ones_like_dtype(x, kernel)), ALL, False),
    "correlate same": (lambda x: np.correlate(x, ones_like_dtype(x, kernel[:2]), "same"), ALL, False),
    "correlate same turned": (lambda x: np.correlate(ones_like_dtype(x, kernel[:2]), x, "same"), ALL, False),
    "correlate full": (lambda x: np.correlate(x[:2], x, "full"), ALL, False),
    "signal convolve": (lambda x: convolve(x, ones_like_dtype(x, small), "full"), {"int32", "float32", "float64", "complex128"}, False),
    "signal convolve same": (
        lambda x: convolve(x, ones_like_dtype(x, small), "same"), {"int32", "float64"}, False),
    "signal convolve valid": (
        lambda x: convolve(x, ones_like_dtype(x, small), "valid"), {"int32", "float64"}, False),
    "signal convolve folded": (
        lambda x: convolve(np.tile(x, (2, 2)), np.tile(ones_like_dtype(x, small), (2, 3)), "same"),
        {"int32", "float64"}, False),
    "signal correlate": (
        lambda x: convolve(x, ones_like_dtype(x, small)[::-1, ::-1].conj(), "same"), {"int32", "complex128"}, False),
    # polynomials
    "polyval": (lambda x: np.polyval(ones_like_dtype(x, [2, -1, 3]), x), ALL, False),
    "polyadd": (lambda x: np.polyadd(x, ones_like_dtype(x, [2, -1, 3])), ALL, False),
    "polysub": (lambda x: np.polysub(ones_like_dtype(x, [2, -1, 3]), x), ALL, False),
    "polymul": (lambda x: np.polymul(x, ones_like_dtype(x, [2, -1, 3])), ALL, False),
    "polyder": (lambda x: np.polyder(x, 2), ALL, False),
    "polydiv quotient": (lambda x: np.polydiv(x, ones_like_dtype(x, [2, -1, 3]))[0], ALL - {"float16"}, False),
    "polydiv rest": (lambda x: np.polydiv(x, ones_like_dtype(x, [2, -1, 3]))[1], ALL - {"float16"}, False),
    "polydiv exact": (lambda x: np.polydiv(np.polymul(x, ones_like_dtype(x, [1, 2])), ones_like_dtype(x, [1, 2]))[1],
                      {"float64", "complex128"}, False),
    "polydiv by longer": (lambda x: np.polydiv(ones_like_dtype(x, [1, 2]), x)[1], {"float64", "complex128"}, False),
    "polyint": (lambda x: np.polyint(x, 2, [3, 1]), ALL - {"float16"}, False),
    # the order of frequencies
    "fftshift": (lambda x: np.fft.fftshift(x), ALL, False),
    "ifftshift": (lambda x: np.fft.ifftshift(x, -1), ALL, False),
}

CREATED = {
    "fftfreq": np.fft.fftfreq(7, 0.1),
    "fftfreq even": np.fft.fftfreq(8),
    "rfftfreq": np.fft.rfftfreq(7, 0.1),
    "rfftfreq even": np.fft.rfftfreq(8),
}

# Where Sinter is stricter or laxer than NumPy; docs/numpy.md says so.
NOT_COMPARED = {
    ("average all", "empty"),
    ("polyder", "one"), ("fftshift", "0-d"), ("logsumexp weights", "empty"), ("log_softmax", "empty"),
    ("average", "0-d"), ("polyadd", "0-d"), ("polyder", "0-d"), ("polyint", "0-d"), ("polymul", "0-d"),
    ("polysub", "0-d"),
    *((name, "one") for name in ("polydiv quotient", "polydiv rest", "polydiv exact", "polydiv by longer")),
    *(("polydiv by longer", layout) for layout in ("contiguous", "strided", "transposed", "broadcast")),
}


def text(value):
    value = np.asarray(value)
    if value.dtype.kind == "c":
        value = np.stack([value.real, value.imag], -1)
    return ",".join(repr(float(e)) for e in value.ravel())


def line(name, dtype, layout, function, x):
    try:
        value = np.asarray(function(x))
    except ZeroDivisionError:  # of weights that come to 0: NaN
        value = np.full(x.shape[:-1], np.nan)
    except (ValueError, IndexError, TypeError, AttributeError, np.linalg.LinAlgError):
        return f"{name}|{dtype}|{layout}|refused"
    return f"{name}|{dtype}|{layout}|{','.join(map(str, value.shape))}|{text(value)}"


def main():
    warnings.simplefilter("ignore")
    lines = []
    with np.errstate(all="ignore"):
        for name, (function, dtypes, with_nan) in CASES.items():
            for dtype in sorted(dtypes):
                for layout, x in layouts(DTYPES[dtype], with_nan).items():
                    if (name, layout) not in NOT_COMPARED:
                        lines.append(line(name, dtype, layout, function, x))
    lines += [line(name, "float64", "created", lambda v: v, value) for name, value in CREATED.items()]
    (Path(__file__).resolve().parent / "golden" / "statistics.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "cases")


main()
