"""Writes test/numpy/golden/products.txt: what NumPy gives for products of every kind, dtype and layout.

    python test/numpy/golden_products.py     needs numpy >= 2.2

test/include/products_numpy.cpp has the same names and operands. Lines are those of golden_linalg.py; half and single precision are
compared with those of double.
"""

from pathlib import Path

import numpy as np

from golden_linalg import line, numbers

INTEGERS = [np.dtype(t) for t in "int8 uint8 int16 int32 uint32 int64 uint64".split()]


def operand(shape, dtype, seed):
    """Eighths; of integers eight times as much, their sizes where there is no sign; of bool what is above 0."""
    if dtype == np.bool_:
        return numbers(shape, np.float64, seed) > 0
    if dtype.kind in "iu":
        whole = (numbers(shape, np.float64, seed) * 8).astype(np.int64)
        return (abs(whole) if dtype.kind == "u" else whole).astype(dtype)
    return numbers(shape, dtype, seed)


def operands(dtype):
    def n(*shape, seed=1):
        return operand(shape, dtype, seed)

    return {
        "1": n(1, 1),
        "3x4": n(3, 4),
        "4x3": n(4, 3, seed=2),
        "4x4": n(4, 4, seed=3),
        "17x33": n(17, 33),
        "33x9": n(33, 9, seed=2),
        "4": n(4, seed=5),
        "3": n(3, seed=6),
        "batch 2x3x4": n(2, 3, 4),
        "batch 2x4x3": n(2, 4, 3, seed=2),
        "batches 2x1x3x4": n(2, 1, 3, 4),
        "batches 3x4x2": n(3, 4, 2, seed=2),
        "strided 3x4": n(6, 8)[::2, ::-2],
        "transposed 4x3": n(3, 4, seed=2).T,
        "broadcast 3x4": np.broadcast_to(n(4), (3, 4)),
        "column 3x1": n(3, 1),
        "row 1x4": n(1, 4, seed=2),
        "empty 3x0": n(3, 0),
        "empty 0x4": n(0, 4),
    }


MATRICES = ["1 1", "3x4 4x3", "4x3 3x4", "17x33 33x9", "3x4 4", "3 3x4", "4 4", "3x4 transposed 4x3", "strided 3x4 4x3",
            "strided 3x4 4", "broadcast 3x4 transposed 4x3", "column 3x1 row 1x4", "row 1x4 4x3", "empty 3x0 empty 0x4",
            "empty 0x4 4x3", "batch 2x3x4 batch 2x4x3", "batch 2x3x4 4x3", "3x4 batch 2x4x3", "batch 2x3x4 4",
            "batches 2x1x3x4 batches 3x4x2", "3 batch 2x3x4"]
EINSUM = {
    "ij,jk": "3x4 4x3", "ij,kj->ik": "3x4 strided 3x4", "ij,jk->ki": "strided 3x4 transposed 4x3", "ij->ji": "3x4", "ij->": "3x4",
    "ii": "4x4", "ii->i": "4x4", "ij->j": "strided 3x4", "i,i": "4 4", "i,j": "3 4", "ij,ij->i": "3x4 strided 3x4",
    "bij,bjk->bik": "batch 2x3x4 batch 2x4x3", "bij,bjk->ik": "batch 2x3x4 batch 2x4x3", "bij,jk->bik": "batch 2x3x4 4x3",
    "...ij,...jk": "batches 2x1x3x4 batches 3x4x2", "i...,i...": "4x3 4x4[:,:3]", "ij,jk,kl->il": "3x4 4x3 3x4", "ij,i,j": "3x4 3 4",
    "abc,ca->b": "batch 2x3x4 4x4[:,:2]", "ij,jk->": "17x33 33x9",
}
PAIRS = {
    "inner": (np.inner, ["4 4", "3x4 4", "3x4 strided 3x4", "batch 2x3x4 3x4"]),
    "outer": (np.outer, ["3 4", "3x4 4"]),
    "dot": (np.dot, ["4 4", "3x4 4x3", "batch 2x3x4 batch 2x4x3", "3x4 4"]),
    "vdot": (np.vdot, ["4 4", "3x4 strided 3x4"]),
    "vecdot": (np.vecdot, ["4 4", "batch 2x3x4 3x4", "3x4 4"]),
    "matvec": (np.matvec, ["3x4 4", "batch 2x3x4 4"]),
    "vecmat": (np.vecmat, ["3 3x4", "3 batch 2x3x4"]),
    "kron": (np.kron, ["3 4", "3x4 4x3", "4 3x4"]),
    "tensordot 1": (lambda a, b: np.tensordot(a, b, 1), ["3x4 4x3", "batch 2x3x4 4x3"]),
    "tensordot 0": (lambda a, b: np.tensordot(a, b, 0), ["3 4", "3 4x3"]),
    "tensordot lists": (lambda a, b: np.tensordot(a, b, ([0, 2], [0, 1])), ["batch 2x3x4 batch 2x4x3"]),
    "multi_dot": (lambda a, b: np.linalg.multi_dot([a, b, a, b]), ["3x4 4x3"]),
}


def named(all_operands, names):
    """The operands in a text of their names, which have spaces in them; `name[:,:n]` has fewer columns."""
    found = []
    while names:
        name = max((n for n in all_operands if names == n or names.startswith((n + " ", n + "["))), key=len)
        a, names = all_operands[name], names[len(name):]
        if names.startswith("["):
            columns, names = names[len("[:,:"):].split("]", 1)
            a = a[:, :int(columns)]
        found.append(a)
        names = names.strip()
    return found


def cases():
    for kind in [np.dtype(np.bool_), *INTEGERS, np.dtype(np.float64), np.dtype(np.complex128)]:
        name_of = {"float64": "real", "complex128": "complex"}.get(kind.name, kind.name)
        given = operands(kind)
        for pair in MATRICES:
            yield line("matmul", name_of, pair, np.matmul(*named(given, pair)))
        for name, (function, pairs) in PAIRS.items():
            if kind == np.bool_ and name in ("multi_dot", "kron"):
                continue
            for pair in pairs:
                yield line(name, name_of, pair, function(*named(given, pair)))
        for text, names in EINSUM.items():
            yield line(f"einsum {text}", name_of, names, np.einsum(text, *named(given, names)))
        for power in (0, 1, 2, 5):
            if kind != np.bool_:
                yield line(f"matrix_power {power}", name_of, "4x4", np.linalg.matrix_power(given["4x4"], power))


if __name__ == "__main__":
    to = Path(__file__).resolve().parent / "golden" / "products.txt"
    to.write_text("\n".join(cases()) + "\n")
