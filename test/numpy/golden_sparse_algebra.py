"""Writes test/numpy/golden/sparse_algebra.txt: what SciPy gives of two sparse arrays, and of sparse arrays that are taken apart and
put together.

    python test/numpy/golden_sparse_algebra.py     needs numpy >= 2.2, scipy >= 1.15

A line is as in golden_sparse.py. Of each result there are all elements, and, of entries that are not zero, values and places.
test/include/sparse_algebra.cpp has the same names, and makes the same operands.
"""

from pathlib import Path

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la
from golden_sparse import SHAPES, dense, matrix, text, triples, typed

DTYPES = ["bool", "int32", "uint64", "float32", "float64", "complex64", "complex128"]


def other(shape, dtype):
    """A matrix of entries at other places."""
    i, j = np.indices(shape)
    stored = ((i * 3 + j * 5) % 3 == 0) & (j != 1)
    return np.where(stored, typed((i * 5 + j * 3) % 7 - 3, (2 * i + j) % 3 - 1, dtype), np.zeros((), dtype))


def results_of(a, b, c, dtype):
    """Of two of one shape, and a third one that a can be multiplied by."""
    rows, columns = a.shape
    yield "sum", a + b
    yield "csc sum", a.tocsc() + b
    yield "hadamard", a * b
    if dtype != "bool":
        yield "difference", a - b
    if not dtype.startswith("complex"):
        yield "maximum", a.maximum(b)
        yield "minimum", a.minimum(b)
    yield "product", a @ c
    yield "csc product", a.tocsc() @ c
    yield "square", a @ a.T
    yield "rows", a[1:4]
    yield "columns", a[:, ::-2]
    yield "both", a.tocsc()[::-1, 1:]
    if rows > 2:
        yield "some rows", a[[2, 0, -1, 2]]
        yield "row", a[1:2]
        if columns > 1:
            yield "some of both", a[np.ix_([2, 0], [1, 0, 1])]
    for k in (0, 1, -2):
        yield f"tril {k}", sp.tril(a, k)
        yield f"csc triu {k}", sp.triu(a.tocsc(), k).tocsc()
    for k in (0, 2, -1):
        if -rows < k < columns:
            d = a.copy()
            d.setdiag(dense((3,), dtype), k)
            yield f"setdiag {k}", d
            d = a.tocsc()
            d.setdiag(dense((4,), dtype)[3], k)
            yield f"csc setdiag {k}", d
    yield "kron", sp.kron(a, b)
    yield "hstack", sp.hstack([a, b, a])
    yield "csc vstack", sp.vstack([a.tocsc(), b.tocsc()]).tocsc()
    yield "block_diag", sp.block_diag([a, b])
    yield "blocks", sp.block_array([[a, b], [b, a]])


def solutions(dtype):
    """Of a system of equations that wants its rows exchanged, and of triangles of another one."""
    i, j = np.indices((7, 7))
    a = np.where((i * 2 + j * 3) % 7 < 3, typed((i * 5 + j * 3) % 7 - 3, (i + j) % 3 - 1, dtype), np.zeros((), dtype))
    a = sp.csc_array(a + np.where(j == (i + 2) % 7, np.full((), 9, dtype), np.zeros((), dtype)))
    b, c = dense((7,), dtype), dense((7, 3), dtype)
    wide = a.astype(np.result_type(a.dtype, np.float32 if dtype == "float32" else np.complex64 if dtype == "complex64" else np.float64))
    lu = la.splu(wide)
    yield "solution", la.spsolve(wide, b)
    yield "solutions", lu.solve(c.astype(wide.dtype))
    yield "transposed solution", lu.solve(b.astype(wide.dtype), "T")
    yield "conjugated solution", lu.solve(b.astype(wide.dtype), "H")
    t = wide.tocsr() + 5 * sp.eye_array(7, dtype=wide.dtype)
    yield "lower", la.spsolve_triangular(sp.tril(t).tocsr(), b.astype(wide.dtype))
    yield "upper", la.spsolve_triangular(sp.triu(t).tocsr(), c.astype(wide.dtype), lower=False)
    yield "unit", la.spsolve_triangular((sp.tril(t, -1) + sp.eye_array(7)).tocsr().astype(wide.dtype), b.astype(wide.dtype), unit_diagonal=True)


def main():
    lines = []

    def write(case, dtype, name, result):
        f = "csc" if case.startswith("csc") else "csr"
        # Without entries some of SciPy's results are of float64.
        r = (sp.csc_array(result) if f == "csc" else sp.csr_array(result)).astype(dtype)
        dense_result = r.toarray()
        r.sum_duplicates()
        r.eliminate_zeros()
        for what, value in (("", dense_result), (" data", r.data), (" indices", r.indices), (" indptr", r.indptr)):
            value = np.asarray(value)
            lines.append("|".join([case + what, dtype, name, ",".join(map(str, value.shape)), text(value)]))

    with np.errstate(all="ignore"):
        for dtype in DTYPES:
            for name, shape in SHAPES.items():
                a = sp.csr_array(matrix(name, dtype))
                b, c = sp.csr_array(other(shape, dtype)), sp.csr_array(other((shape[1], 4), dtype))
                for case, result in results_of(a, b, c, dtype):
                    write(case, dtype, name, result)
                for what, value in zip(("row", "col", "data"), sp.find(a)):
                    lines.append("|".join([f"find {what}", dtype, name, str(len(value)), text(value)]))
            data, (row, col) = triples(dtype)
            a = sp.coo_array((data, (row, col)), shape=(6, 5))
            b = sp.csr_array(other((6, 5), dtype))
            for case, result in (("sum", a + b), ("hadamard", a.tocsr() * b), ("product", a @ b.T), ("square", a @ a.T),
                                 ("tril 0", sp.tril(a)), ("kron", sp.kron(a, b)), ("hstack", sp.hstack([a, b]))):
                write(case, dtype, "triples", result)
        for dtype in ("int32", "float32", "float64", "complex64", "complex128"):
            for case, value in solutions(dtype):
                lines.append("|".join([case, dtype, "system", ",".join(map(str, value.shape)), text(value)]))
        d = np.array([1.0, 2, 3])
        write("diags", "float64", "square", sp.diags_array([d, 2 * d], offsets=[0, -1], shape=(4, 3)))
        write("laplace", "float64", "square", sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(5, 5)))
        write("alone", "float64", "square", sp.diags_array([d], offsets=[2]))
        write("eye", "float64", "square", sp.eye_array(3, 5, k=1))
    Path(__file__).parent.joinpath("golden", "sparse_algebra.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
