"""Writes test/numpy/golden/sparse.txt: what SciPy gives for sparse arrays of several shapes and every dtype that it has.

    python test/numpy/golden_sparse.py     needs numpy >= 2.2, scipy >= 1.15

A line is a name, a dtype, a matrix, a shape and the elements in C order, of complex numbers both parts.
test/include/sparse.cpp has the same names, and makes the same operands.
"""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64",
          "complex128"]
SHAPES = {"general": (5, 7), "tall": (9, 4), "square": (6, 6), "no rows": (0, 4), "no columns": (3, 0), "zero": (3, 4),
          "one": (1, 1)}


def typed(k, imaginary, dtype):
    """Numbers k, quarters and halves where the dtype has them."""
    if dtype == "bool":
        return k > 0
    if np.issubdtype(dtype, np.unsignedinteger):
        return np.abs(k).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return k.astype(dtype)
    x = k * 0.5
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * imaginary * 0.25
    return x.astype(dtype)


def matrix(name, dtype):
    i, j = np.indices(SHAPES[name])
    stored = ((i * 5 + j * 3) % 4 == 0) & (i != 2) & (name != "zero")
    return np.where(stored, typed((i * 7 + j * 11) % 13 - 6, (i + 2 * j) % 5 - 2, dtype), np.zeros((), dtype))


def dense(shape, dtype):
    n = np.arange(int(np.prod(shape))).reshape(shape)
    return typed(n * 3 % 7 - 3, n % 3 - 1, dtype)


def triples(dtype):
    """Entries in no order, some at one place."""
    n = np.arange(23)
    return typed(n * 5 % 9 - 4, n % 4 - 1, dtype), (n * 7 % 5, n * 11 % 4)


FUNCTIONS = ["abs", "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "conj", "deg2rad", "expm1", "floor", "imag", "log1p", "rad2deg",
             "real", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"]
REAL_ONLY = {"ceil", "deg2rad", "floor", "rad2deg", "rint", "trunc", "sign"}


def function_of(a, name):
    if name == "abs":
        return abs(a)
    if name in ("real", "imag", "conj"):
        x = getattr(a, name)
        return x() if callable(x) else x
    return getattr(a, name)()


def cases(name, dtype):
    m = matrix(name, dtype)
    a = sp.csr_array(m)
    rows, columns = m.shape
    yield "toarray", a.toarray()
    for f in ("csr", "csc"):
        b = a.asformat(f)
        b.sort_indices()
        yield f + " data", b.data
        yield f + " indices", b.indices
        yield f + " indptr", b.indptr
    c = a.tocoo()
    yield "coo row", c.row
    yield "coo col", c.col
    yield "matvec", a @ dense((columns,), dtype)
    yield "matmat", a @ dense((columns, 3), dtype)
    yield "wide", a @ dense((columns, 37), dtype)
    yield "vecmat", dense((rows,), dtype) @ a
    yield "left", dense((2, rows), dtype) @ a
    yield "transposed", a.T @ dense((rows,), dtype)
    if dtype in ("uint16", "uint32", "uint8", "int16", "int8"):
        return
    yield "mixed", a @ dense((columns,), "float64")
    yield "sum", a.sum()
    yield "sum 0", a.sum(axis=0)
    yield "sum 1", a.sum(axis=1)
    if rows * columns > 0:
        yield "mean", a.mean()
        yield "mean 0", a.mean(axis=0)
        yield "mean 1", a.mean(axis=-1)
    yield "count", a.count_nonzero()
    for k in (0, 1, -2, 9):
        yield f"diagonal {k}", a.diagonal(k)
    yield "multiply", a.multiply(dense((rows, columns), dtype)).toarray()
    yield "multiply row", a.multiply(dense((1, columns), dtype)).toarray()
    if dtype != "bool":
        yield "scaled", (a * 3).toarray()
        yield "negative", (-a).toarray()
        yield "power", a.power(2).toarray()
    if dtype.startswith(("float", "complex")):
        for f in FUNCTIONS:
            if f in REAL_ONLY and dtype.startswith("complex"):
                continue
            yield f, function_of(a, f).toarray()
        if a.nnz > 2:
            b = a.copy()
            b.data[1], b.data[2] = np.nan, np.inf
            if dtype.startswith("float"):
                yield "nan matvec", b @ dense((columns,), dtype)
                yield "nan sum 0", b.sum(axis=0)


def cases_of_triples(dtype):
    data, (row, col) = triples(dtype)
    c = sp.coo_array((data, (row, col)), shape=(6, 5))
    yield "triples", c.toarray()
    yield "triples matvec", c @ dense((5,), dtype)
    for f in ("csr", "csc"):
        b = c.asformat(f)
        b.sum_duplicates()
        yield f"triples {f} data", b.data
        yield f"triples {f} indices", b.indices
        yield f"triples {f} indptr", b.indptr
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], np.arange(7))
    r = sp.csr_array((data[order], col[order], starts), shape=(6, 5))
    yield "unsorted", r.toarray()
    yield "unsorted matvec", r @ dense((5,), dtype)
    yield "unsorted vecmat", dense((6,), dtype) @ r
    yield "unsorted sum 1", r.sum(axis=1)
    yield "unsorted diagonal", r.diagonal(1)
    s = r.copy()
    s.sort_indices()
    yield "sorted indices", s.indices
    s.sum_duplicates()
    yield "merged data", s.data
    yield "merged indices", s.indices
    yield "merged indptr", s.indptr
    s.eliminate_zeros()
    yield "without zeros data", s.data
    yield "without zeros indices", s.indices
    yield "without zeros indptr", s.indptr
    c = sp.coo_array((data, (row, col)), shape=(6, 5))
    c.eliminate_zeros()
    yield "without zeros row", c.row


def text(x):
    x = np.asarray(x)
    if np.iscomplexobj(x):
        x = np.stack([x.real, x.imag], axis=-1).ravel()
    if x.dtype == bool:
        x = x.astype(int)
    return ",".join(repr(float(v)) if x.dtype.kind == "f" else str(int(v)) for v in x.ravel())


def main():
    lines = []

    def write(case, dtype, name, value):
        value = np.asarray(value)
        lines.append("|".join([case, dtype, name, ",".join(map(str, value.shape)), text(value)]))

    with np.errstate(all="ignore"):
        for dtype in DTYPES:
            for name in SHAPES:
                for case, value in cases(name, dtype):
                    write(case, dtype, name, value)
            for case, value in cases_of_triples(dtype):
                write(case, dtype, "triples", value)
    Path(__file__).parent.joinpath("golden", "sparse.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
