"""What calls.hpp's rows are compared with where NumPy has another spelling, or nothing: programs know it as `fz`."""

import numpy as np

import like_sinter as sn


def finite(x):
    return np.where(np.isfinite(x), x, x.dtype.type(0))


def tamed(x, dtype):
    """Between -1 and 1; 0 for what is not finite, or so large that its size may not be."""
    x = sn.astype(x, dtype)
    x = np.where(np.isfinite(x + x), x, x.dtype.type(0))
    return x / (1 + np.abs(x))


def well_behaved(x, dtype):
    n = x.shape[-1]
    return (tamed(x, dtype) / n + 2 * np.eye(n)).astype(dtype)


def symmetric(x, dtype):
    x = well_behaved(x, dtype)
    return (x + np.conj(turned(x))) / 2


def turned(x):
    return np.swapaxes(x, -1, -2)


def product(a, b):
    return (a * b).astype(a.dtype)


def einsum(labels, *operands):
    """Of one operand NumPy gives a view, or an array that is not contiguous."""
    return np.array(np.einsum(labels, *operands))


def transform(function, x, points, axis, norm, dtype):
    wide = x.astype("complex128") if np.iscomplexobj(x) else x.astype("float64")
    if isinstance(axis, tuple):
        return function(wide, None, axis, norm).astype(dtype)
    n = 2 * (x.shape[axis] - 1) if function is np.fft.irfft else x.shape[axis]
    n = n + 3 if points == 1 else max(n // 2, 1) if points == 2 else n
    return function(wide, n, axis, norm).astype(dtype)


def lfilter(b, a, x, axis, dtype):
    x = np.moveaxis(x.astype("complex128" if np.iscomplexobj(x) else "float64"), axis, 0)
    y = np.zeros_like(x)
    for n in range(len(x)):
        y[n] = sum(b[k] * x[n - k] for k in range(len(b)) if n >= k) - sum(a[k] * y[n - k] for k in range(1, len(a)) if n >= k)
    return np.moveaxis(y, 0, axis).astype(dtype)


def sosfilt(sections, x, axis, dtype):
    x = x.astype("complex128" if np.iscomplexobj(x) else "float64")
    for section in sections:
        x = lfilter(section[:3], section[3:], x, axis, x.dtype)
    return x.astype(dtype)


def lexsort(minor, major, axis):
    dtype = np.result_type(minor, major)
    return np.lexsort((minor.astype(dtype), major.astype(dtype)), axis)


def top_k(x, k, axis, largest):
    """Of equal ones those that come first."""
    n = x.shape[axis]
    k = min(k, n)
    if largest:
        places = n - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    else:
        places = np.argsort(x, axis=axis, kind="stable")
    places = np.take(places, range(k), axis)
    return np.take_along_axis(x, places, axis), places


def quantile(x, q, axis, method, dtype):
    return np.quantile(x.astype(float), q, axis=axis, method=method).astype(dtype)


def nanmedian(x, axis, dtype):
    return np.nanmedian(x, axis=axis).astype(dtype)


def unique(x):
    return np.concatenate([np.unique(x), x.ravel()])[:x.size]


def counts_of_unique(x):
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return counts[inverse].reshape(x.shape)


def isin(x, of, invert):
    dtype = np.result_type(x, of)
    return np.isin(x.astype(dtype), of.astype(dtype), invert=invert)


def histogram(x, bins, between):
    return np.histogram(x.astype("float64"), bins, between)[0]


def interp(x, values):
    n = values.size
    # Of one point NumPy gives its value for NaN, too.
    return np.where(np.isnan(x), np.nan, np.interp(x, np.arange(n) - n // 2, values))
