"""Writes test/numpy/golden/linalg.txt: what NumPy and SciPy give for systems of equations, factorisations, eigenvalues and norms.

    python test/numpy/golden_linalg.py     needs numpy >= 2.2 and scipy

Where signs or phases are free, what does not depend on them is written; test/include/linalg_numpy.cpp, which has the same names and
operands, looks at the rest. A line is a name, real or complex, an operand, a shape and the elements in C order, of complex numbers both parts.
"""

import warnings
from pathlib import Path

import numpy as np
import scipy.linalg as sl

DTYPES = {"real": np.float64, "complex": np.complex128}  # operands have few digits: they are the same in half the precision


def numbers(shape, dtype, seed):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    x = ((i * i * 13 + i * 29 + seed * 17) % 37 - 18) / 8
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * (((i * i * 7 + i * 11 + seed * 3) % 23 - 11) / 8)
    return x.astype(dtype).reshape(shape)


def squares(dtype):
    def n(*shape, seed=1):
        return numbers(shape, dtype, seed)

    return {
        "1": n(1, 1),
        "2": n(2, 2),
        "3": n(3, 3),
        "5": n(5, 5),
        "8": n(8, 8),
        "17": n(17, 17, seed=4),
        "batch": n(3, 4, 4),
        "batches": n(2, 1, 3, 3),
        "strided": n(6, 9)[::2, ::-3],
        "transposed": n(4, 4).T,
        "batch transposed": n(3, 3, 2).transpose(2, 1, 0),
        "broadcast": np.broadcast_to(n(3, 3), (2, 3, 3)),
        "empty": n(0, 0),
        "empty batch": n(0, 3, 3),
    }


def any_shape(dtype):
    def n(*shape, seed=2):
        return numbers(shape, dtype, seed)

    return {
        "5x3": n(5, 3),
        "3x5": n(3, 5),
        "7x1": n(7, 1),
        "1x4": n(1, 4),
        "batch 4x3": n(2, 4, 3),
        "strided 4x3": n(8, 6)[::2, ::-2],
        "transposed 5x2": n(2, 5).T,
    }


def singular(dtype):
    a = numbers((4, 4), dtype, 1)
    a = np.concatenate([a[:3], a[:1]])  # the same row twice
    return {"singular": a, "zero": np.zeros((3, 3), dtype)}


def hermitian(a):
    return a + np.conj(np.swapaxes(a, -1, -2))


def positive(a):
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(a.shape[-1], dtype=a.dtype)


def right(a, columns=0):
    n = a.shape[-1]
    return numbers((n,) if columns == 0 else (n, columns), a.dtype, 5)


def in_order(x):
    flat = x.reshape(-1, x.shape[-1]) if x.size else x
    for row in flat:
        # Conjugates are equal but for the sign of the imaginary part.
        row[:] = sorted(row, key=lambda z: (round(z.real, 4), z.imag))
    return x


def each(f, a):  # SciPy's functions take one matrix
    if a.ndim == 2:
        return f(a)
    flat = a.reshape((-1,) + a.shape[-2:])
    done = [f(m) for m in flat]
    return np.array(done).reshape(a.shape[:-2] + done[0].shape) if done else None


def banded(a):  # the tridiagonal part, as diagonals
    n = a.shape[-1]
    ab = np.zeros((3, n), a.dtype)
    ab[0, 1:], ab[1], ab[2, :-1] = np.diagonal(a, 1), np.diagonal(a) + 9, np.diagonal(a, -1)
    return ab


SQUARE = {
    "det": np.linalg.det,
    "slogdet sign": lambda a: np.linalg.slogdet(a)[0],
    "slogdet size": lambda a: np.linalg.slogdet(a)[1],
    "inv": np.linalg.inv,
    "solve vector": lambda a: np.linalg.solve(a, right(a)),
    "solve": lambda a: np.linalg.solve(a, right(a, 3)),
    "cholesky": lambda a: np.linalg.cholesky(positive(a)),
    "cholesky upper": lambda a: np.linalg.cholesky(positive(a), upper=True),
    "eigvalsh": lambda a: np.linalg.eigvalsh(hermitian(a)),
    "eigvalsh upper": lambda a: np.linalg.eigvalsh(a, UPLO="U"),
    "eigvals": lambda a: in_order(np.linalg.eigvals(a).astype(np.complex128)),
    "cond 1": lambda a: np.linalg.cond(a, 1) if a.size else None,
    "cond -1": lambda a: np.linalg.cond(a, -1) if a.size else None,
    "cond inf": lambda a: np.linalg.cond(a, np.inf) if a.size else None,
    "cond -inf": lambda a: np.linalg.cond(a, -np.inf) if a.size else None,
    "cond fro": lambda a: np.linalg.cond(a, "fro") if a.size else None,
    "cond nuc": lambda a: np.linalg.cond(a, "nuc") if a.size else None,
    "lu_solve": lambda a: each(lambda m: sl.lu_solve(sl.lu_factor(m), right(a, 2)), a) if a.size else None,
    "lu_solve transposed": lambda a: each(lambda m: sl.lu_solve(sl.lu_factor(m), right(a), 1), a) if a.size else None,
    "lu_solve adjoint": lambda a: each(lambda m: sl.lu_solve(sl.lu_factor(m), right(a), 2), a) if a.size else None,
    "cho_solve": lambda a: each(lambda m: sl.cho_solve(sl.cho_factor(m), right(a)), positive(a)) if a.size else None,
    "triangular": lambda a: each(lambda m: sl.solve_triangular(m, right(a, 2)), positive(a)) if a.size else None,
    "triangular lower adjoint": lambda a: each(
        lambda m: sl.solve_triangular(m, right(a), trans=2, lower=True), positive(a)) if a.size else None,
    "triangular unit": lambda a: each(
        lambda m: sl.solve_triangular(m, right(a), unit_diagonal=True), a / 64) if a.size else None,
    "banded": lambda a: sl.solve_banded((1, 1), banded(a), right(a, 2)) if a.ndim == 2 and a.shape[0] > 1 else None,
    "expm": lambda a: sl.expm(a / 2) if a.size else None,
    "expm small": lambda a: sl.expm(a / 64) if a.size else None,
    "matrix_power -2": lambda a: np.linalg.matrix_power(a, -2),
}
ANY = {
    "pinv": np.linalg.pinv,
    "pinv rtol": lambda a: np.linalg.pinv(a, 1e-4),
    "qr r": lambda a: np.abs(np.linalg.qr(a).R),
    "qr complete r": lambda a: np.abs(np.linalg.qr(a, "complete").R),
    "svdvals": np.linalg.svdvals,
    "matrix_rank": np.linalg.matrix_rank,
    "cond": lambda a: np.linalg.cond(a) if a.size else None,
    "cond -2": lambda a: np.linalg.cond(a, -2) if a.size else None,
    "norm 2": lambda a: np.linalg.norm(a, 2, axis=(-2, -1)) if a.size else None,
    "norm -2": lambda a: np.linalg.norm(a, -2, axis=(-2, -1), keepdims=True) if a.size else None,
    "norm nuc": lambda a: np.linalg.norm(a, "nuc", axis=(-1, -2)),
    "lu p": lambda a: np.real(sl.lu(a)[0]) if a.size else None,
    "lu l": lambda a: sl.lu(a)[1] if a.size else None,
    "lu u": lambda a: sl.lu(a)[2] if a.size else None,
    "lu_factor": lambda a: each(lambda m: sl.lu_factor(m)[0], a) if a.size else None,
    "lu_factor piv": lambda a: each(lambda m: sl.lu_factor(m)[1], a) if a.size else None,
    "lstsq x": lambda a: least(a)[0],
    "lstsq vector": lambda a: least(a, 0)[0],
    "lstsq residuals": lambda a: least(a)[1],
    "lstsq rank": lambda a: least(a)[2],
    "lstsq s": lambda a: least(a)[3],
}
# Others are of a rounding error here.
SINGULAR = ["det", "pinv rtol", "svdvals", "matrix_rank", "eigvalsh", "lu p", "lu l", "lu u", "lu_factor piv"]


def least(a, columns=2):
    if a.ndim != 2 or not a.size:
        return [None] * 4
    return np.linalg.lstsq(a, numbers((a.shape[0], columns) if columns else (a.shape[0],), a.dtype, 5), rcond=None)


def tensors(dtype):
    a, b = numbers((2, 3, 6), dtype, 3), numbers((2, 3), dtype, 5)
    c = numbers((4, 6, 8, 3), dtype, 7)
    return {
        "tensorsolve": np.linalg.tensorsolve(a, b),
        "tensorsolve axes": np.linalg.tensorsolve(np.moveaxis(a, 2, 0), b, axes=(0,)),
        "tensorinv": np.linalg.tensorinv(c, 2),
        "tensorinv 1": np.linalg.tensorinv(a.reshape(6, 2, 3), 1),
    }


def fits():
    x, y, ys = (np.arange(12) - 5) / 4, numbers((12,), np.float64, 1), numbers((12, 2), np.float64, 1)
    w = 1 / (1 + np.arange(12) % 3)
    for degree in (0, 1, 3, 5):
        yield f"polyfit {degree}", np.polyfit(x, y, degree)
        yield f"polyfit columns {degree}", np.polyfit(x, ys, degree)
        yield f"polyfit weighted {degree}", np.polyfit(x, ys, degree, w=w)
    for name, value in zip(("coefficients", "residuals", "rank", "singular values", "rcond"), np.polyfit(x, ys, 3, full=True, w=w)):
        yield f"polyfit full {name}", value
    yield "polyfit rcond", np.polyfit(x, y, 5, rcond=0.3)
    yield "polyfit covariance", np.polyfit(x, y, 2, cov=True)[1]
    yield "polyfit covariance columns", np.polyfit(x, ys, 2, cov=True, w=w)[1]
    yield "polyfit covariance unscaled", np.polyfit(x, ys, 2, cov="unscaled", w=w)[1]
    for name, p in {"none": [0, 0], "constant": [3], "line": [2, -3], "zeros": [0, 0, 1, -3, 2, 0, 0], "complex": [1, 0, 0, 8],
                    "quintic": [2, -1, 3, 0.5, -4, 1]}.items():
        yield f"roots {name}", in_order(np.roots(p).astype(np.complex128)) if len(np.roots(p)) else np.roots(p)


def line(name, dtype, operand, value):
    value = np.asarray(value)
    flat = value.ravel()
    if np.iscomplexobj(flat):
        flat = np.stack([flat.real, flat.imag], axis=-1).ravel()
    elements = ",".join(f"{float(x):.14g}" for x in flat)
    return f"{name}|{dtype}|{operand}|{','.join(map(str, value.shape))}|{elements}"


def cases():
    for dtype, kind in DTYPES.items():
        given = {"square": squares(kind), "any": squares(kind) | any_shape(kind), "singular": singular(kind)}
        for group, functions in (("square", SQUARE), ("any", ANY)):
            for operand, a in given[group].items():
                if operand in given["square"] and a.size:
                    assert np.linalg.cond(a).max() < 400, (dtype, operand, np.linalg.cond(a))
                for name, f in functions.items():
                    value = f(a)
                    if value is not None:
                        yield line(name, dtype, operand, value)
        for operand, a in given["singular"].items():
            for name in SINGULAR:
                yield line(name, dtype, operand, (SQUARE | ANY)[name](a))
        for name, value in tensors(kind).items():
            yield line(name, dtype, "tensor", value)
    for name, value in fits():
        yield line(name, "real", "points", value)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    lines = list(cases())
    Path(__file__).parent.joinpath("golden/linalg.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "cases")
