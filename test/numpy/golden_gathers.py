"""Writes test/numpy/golden/gathers.txt: what NumPy gives for gathers, rearrangements, reshapes and joins.

    python test/numpy/golden_gathers.py     needs numpy >= 2

A line is a name, a shape and the elements in C order; test/include/gathers_numpy.cpp has the same names.
"""

from pathlib import Path

import numpy as np

a = np.arange(24, dtype=np.int32).reshape(2, 3, 4) * 3 % 23
m = np.arange(12, dtype=np.int32).reshape(3, 4)
v = np.array([5, 1, 4, 2, 3], np.int32)
i = np.array([1, 0, -1])
j = np.array([[2, -3], [0, 1]])
one = np.array([1])
row = np.array([1, 2, 3, 4], np.int32)
column = np.array([[10], [20], [30]], np.int32)
six = np.arange(6, dtype=np.int32)

CASES = {
    # a(...) with arrays of integers
    "first": a[one],
    "last": a[..., i],
    "middle": a[:, j],
    "two, adjacent": a[:, i, i],
    "two, apart": a[i[:2], :, j],
    "with an integer before": a[0, :, i],
    "with an integer beside": a[:, 0, i],
    "with an integer in front": a[0, i],
    "with a slice": a[:, i, ::-2],
    "with new axes": a[None, i[:2], None, :, i[:2]],
    "with a new axis behind": a[:, j, None],
    "with an ellipsis apart": a[i[:2], ..., i[:2]],
    "with an ellipsis of no axes": a[:, i, ..., i],
    "all three": a[one, i, i],
    "broadcast": a[:, i[:, None], i[None]],
    "no indices": a[:, np.array([], np.int64)],
    "0-d": a[:, np.array(1)],
    "of an expression": (a * 2 + 1)[:, i],
    "of a gather": m[i][:, i],
    "of a view": m.T[i],
    "of a broadcast": np.broadcast_to(row, (3, 4))[i, i],
    "of positions": np.arange(12).reshape(3, 4)[i],
    "of a sum": a.sum(1)[:, i],
    "summed": m[i].sum(0),
    "summed along rows": m[i].sum(1),
    "beside a sum": m[i].sum(1) + v[i],
    "slice of a gather": m[i][1:, ::2],
    "transposed gather": m[i].T,
    "gather by an expression": m[(i + 1) % 3],
    "gather by a gather": v[v[v - 1] - 1],
    # functions
    "take": np.take(m, j + 3),
    "take 0": np.take(m, j, 0),
    "take -1": np.take(a, i, -1),
    "take_along_axis 1": np.take_along_axis(m, np.array([[3, 0], [1, 1], [-1, 2]]), 1),
    "take_along_axis 0": np.take_along_axis(m, np.array([[2, 0, 1, -1]]), 0),
    "take_along_axis broadcast": np.take_along_axis(a, np.array([[[1, 0]]]), 2),
    "roll": np.roll(m, 5),
    "roll 0": np.roll(m, 1, 0),
    "roll 1": np.roll(m, -7, 1),
    "roll of an expression": np.roll(m + row, 2, 1) * 2,
    "flip": np.flip(a),
    "flip 1": np.flip(a, 1),
    "flip several": np.flip(a, (0, 2)),
    "fliplr": np.fliplr(m),
    "flipud": np.flipud(m + 1),
    "rot90": np.rot90(m),
    "rot90 2": np.rot90(m, 2),
    "rot90 -1": np.rot90(m + 1, -1),
    "repeat": np.repeat(m, 2),
    "repeat 0": np.repeat(m, 3, 0),
    "repeat 1": np.repeat(m + 1, 2, 1),
    "repeat none": np.repeat(m, 0, 1),
    "repeat several": np.repeat(m, [2, 0, 1], 0),
    "repeat several 1": np.repeat(m + 1, [0, 3, 1, 2], 1),
    "repeat several flat": np.repeat(v, [1, 0, 0, 2, 1]),
    "repeat several none": np.repeat(m, [0, 0, 0], 0),
    "tile": np.tile(v, 3),
    "tile 2": np.tile(m, (2, 3)),
    "tile more": np.tile(v, (2, 1, 2)),
    "tile fewer": np.tile(a, (2,)),
    "pad": np.pad(m, 1),
    "pad value": np.pad(m, ((1, 0), (0, 2)), constant_values=7),
    "pad edge": np.pad(m, ((2, 1), (0, 3)), mode="edge"),
    "pad wrap": np.pad(v, (7, 8), mode="wrap"),
    "pad reflect": np.pad(v, (9, 10), mode="reflect"),
    "pad symmetric": np.pad(v, (11, 3), mode="symmetric"),
    "pad reflect 2": np.pad(m + 1, 2, mode="reflect"),
    "pad one": np.pad(one, 2, mode="reflect"),
    "pad nothing": np.pad(m, 0),
    "tril": np.tril(m),
    "tril 1": np.tril(a, 1),
    "triu": np.triu(m + 1),
    "triu -1": np.triu(a, -1),
    "diagonal": np.diagonal(m),
    "diagonal 1": np.diagonal(m, 1),
    "diagonal -1": np.diagonal(m + 1, -1),
    "diagonal beyond": np.diagonal(m, 9),
    "diagonal axes": np.diagonal(a, 1, 2, 0),
    "trace": np.trace(m),
    "trace of an expression": np.trace(a + 1, 0, 1, 2),
    "concatenate": np.concatenate((m, m + 1)),
    "concatenate 1": np.concatenate((m, column, m * 2), 1),
    "concatenate dtypes": np.concatenate((v, v > 2, v / 2)),
    "concatenate empty": np.concatenate((v[:0], v, v[:0])),
    "concatenate one": np.concatenate((v,)),
    "concatenate of gathers": np.concatenate((m[i], m[one]), 0),
    "concatenate of a concatenate": np.concatenate((np.concatenate((v, v + 1)), v)),
    "concatenate reshaped": np.concatenate((m.T + 1, m.T), 1).reshape(3, 8),
    "concatenate summed": np.concatenate((m, m + 1)).sum(1),
    "concatenate of sums": np.concatenate((m.sum(0), m.sum(1))),
    "stack": np.stack((v, v + 1)),
    "stack -1": np.stack((m, m + 1, m), -1),
    "hstack": np.hstack((m, column)),
    "hstack 1": np.hstack((v, v)),
    "vstack": np.vstack((row, m)),
    "vstack 1": np.vstack((v, v)),
    "column_stack": np.column_stack((v, v + 1)),
    "append": np.append(m, v),
    "append 0": np.append(m, m, 0),
    # reshapes of expressions
    "ravel": (m + 1).ravel(),
    "ravel of a broadcast": (column + row).ravel(),
    "ravel and more": (column + row).ravel() * np.arange(12),
    "split": (six + 1).reshape(2, 3) + column.reshape(3),
    "split and merge": (column + row).reshape(6, 2),
    "split and merge transposed": (column + row).T.reshape(2, 6),
    "no common parts": (column + row).T.reshape(3, 4),
    "no common parts 2": (np.arange(60).reshape(6, 10) + 1).reshape(4, 15),
    "reversed": (column + row).ravel()[::-1],
    "reversed and split": (column + row)[::-1, ::-1].reshape(2, 6),
    "sliced": (column + row).ravel()[1:11:3],
    "axes of one": (column + row).reshape(1, 3, 1, 4, 1).reshape(12, 1),
    "three dimensions": (a + row).reshape(6, 4).reshape(2, 12),
    "three to two": (a + row).reshape(4, 6),
    "reshaped twice": (a + row).reshape(4, 6).reshape(3, 8),
    "summed ravel": (column + row).ravel().sum(),
    "summed reshape": (a + row).reshape(4, 6).sum(0),
    "summed reshape 1": (a + row).reshape(4, 6).sum(1),
    "reshaped sum": (a + row).sum(1).reshape(4, 2),
    "sum of a split": (six + 1).reshape(2, 3).sum(1),
    "empty": (m[:0] + 1).reshape(4, 0),
    "empty summed": (m[:0] + 1).reshape(4, 0).sum(1),
    "scalar": (m[:1, :1] + 1).reshape(()),
    "a gather reshaped": m[i].reshape(2, 6),
    "a gather of a reshape": (m + 1).reshape(2, 6)[i[:2], i[:2]],
    "a roll reshaped": np.roll(m, 1, 1).reshape(2, 6),
    "a reshape rolled": np.roll((m + 1).reshape(2, 6), 1, 1),
}


def main():
    lines = []
    for name, value in CASES.items():
        value = np.asarray(value)
        shape = ",".join(map(str, value.shape))
        elements = ",".join(repr(x.item()) if value.dtype.kind == "f" else str(int(x)) for x in value.ravel())
        lines.append(f"{name}|{shape}|{elements}")
    (Path(__file__).resolve().parent / "golden" / "gathers.txt").write_text("\n".join(lines) + "\n")


main()
