"""Writes test/numpy/golden/shapes.txt: what NumPy gives, or refuses, for functions that move elements, of arrays of every layout.

    python test/numpy/golden_shapes.py     needs numpy >= 2.2

A line is a name, a layout, a shape and the elements in C order, or `refused`. test/include/shapes_numpy.cpp has the same
names, and compares for several dtypes: what is moved is small integers, which every dtype has.
"""

from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

box = np.arange(24, dtype=np.int32).reshape(2, 3, 4) * 5 % 19
large = np.arange(4 * 3 * 9, dtype=np.int32).reshape(4, 3, 9) * 7 % 23
LAYOUTS = {
    "contiguous": box,
    "strided": large[::2, ::-1, 1::2],
    "transposed": box.T,
    "broadcast": np.broadcast_to(np.array([7, 0, 3, 1], np.int32), (2, 3, 4)),
    "empty": box[:, :0],
    "0-d": np.array(6, np.int32),
    "one": np.array([[[9]]], np.int32),
    "vector": np.array([0, 3, 0, 5, 2, 0], np.int32),
    "matrix": np.array([[0, 0, 0, 0], [0, 4, 0, 2], [0, 0, 1, 0]], np.int32),
}
row = np.array([10, 11, 12, 13], np.int32)

CASES = {
    # views
    "squeeze": lambda x: np.squeeze(x),
    "squeeze 0": lambda x: np.squeeze(x, 0),
    "squeeze several": lambda x: np.squeeze(x, (0, -1)),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "expand_dims several": lambda x: np.expand_dims(x, (1, -1)),
    "swapaxes": lambda x: np.swapaxes(x, 0, -1),
    "swapaxes same": lambda x: np.swapaxes(x, 0, 0),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "moveaxis several": lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
    "moveaxis twice": lambda x: np.moveaxis(x, (0, 0), (0, 1)),
    "rollaxis": lambda x: np.rollaxis(x, 2),
    "rollaxis to": lambda x: np.rollaxis(x, 0, 2),
    "rollaxis too far": lambda x: np.rollaxis(x, 0, 9),
    "matrix_transpose": lambda x: np.matrix_transpose(x),
    "atleast_1d": lambda x: np.atleast_1d(x),
    "atleast_2d": lambda x: np.atleast_2d(x),
    "atleast_3d": lambda x: np.atleast_3d(x),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, row[:, None, None, None])[0],
    "split": lambda x: np.split(x, 2, -1)[1],
    "split at": lambda x: np.split(x, [1, 3], -1)[1],
    "split beyond": lambda x: np.split(x, [1, 9], -1)[2],
    "split backwards": lambda x: np.split(x, [3, 1], -1)[1],
    "split negative": lambda x: np.split(x, [-2], -1)[1],
    "split none": lambda x: np.split(x, 0)[0],
    "array_split": lambda x: np.array_split(x, 3, -1)[0],
    "array_split last": lambda x: np.array_split(x, 3, -1)[2],
    "hsplit": lambda x: np.hsplit(x, 3)[1],
    "vsplit": lambda x: np.vsplit(x, [1])[1],
    "dsplit": lambda x: np.dsplit(x, 2)[1],
    "unstack": lambda x: np.unstack(x, axis=-1)[0],
    "sliding": lambda x: sliding_window_view(x, 2, -1),
    "sliding twice": lambda x: sliding_window_view(x, (2, 2), (-1, -1)),
    "sliding two axes": lambda x: sliding_window_view(x, (1, 3), (-2, -1)),
    "sliding all": lambda x: sliding_window_view(x, (1, 2, 3)),
    "sliding none": lambda x: sliding_window_view(x, 0, -1),
    "sliding summed": lambda x: sliding_window_view(x, 2, -1).max(-1),
    # joins
    "block": lambda x: np.block([[x, x], [x, x]]),
    "block row": lambda x: np.block([x, x]),
    "block parts": lambda x: np.block([[x, np.concatenate((x, x), -1)], [np.concatenate((x, x, x), -1)]]),
    "dstack": lambda x: np.dstack((x, x)),
    "concat": lambda x: np.concat((x, x), -1),
    # diagonals
    "diag": lambda x: np.diag(x),
    "diag 1": lambda x: np.diag(x, 1),
    "diag -2": lambda x: np.diag(x, -2),
    "diagflat": lambda x: np.diagflat(x[..., :2], 1),
    # padding
    "pad empty none": lambda x: np.pad(x, 0, mode="empty"),
    "pad constants": lambda x: np.pad(x, ((1, 2),), constant_values=((5, 6),)),
    "pad edge": lambda x: np.pad(x, 1, mode="edge"),
    "pad maximum": lambda x: np.pad(x, 2, mode="maximum"),
    "pad maximum 2": lambda x: np.pad(x, (1, 2), mode="maximum", stat_length=2),
    "pad minimum": lambda x: np.pad(x, (0, 1), mode="minimum", stat_length=((2, 1),)),
    "pad minimum 0": lambda x: np.pad(x, 1, mode="minimum", stat_length=0),
    "pad reflect": lambda x: np.pad(x, 3, mode="reflect"),
    "pad symmetric": lambda x: np.pad(x, (3, 2), mode="symmetric"),
    "pad wrap": lambda x: np.pad(x, (2, 3), mode="wrap"),
    # edits
    "delete": lambda x: np.delete(x, 1),
    "delete -1": lambda x: np.delete(x, -1, -1),
    "delete far": lambda x: np.delete(x, 9, -1),
    "delete several": lambda x: np.delete(x, [0, -1, 0], -1),
    "delete none": lambda x: np.delete(x, np.array([], int), -1),
    "delete slice": lambda x: np.delete(x, slice(1, 3), -1),
    "delete steps": lambda x: np.delete(x, slice(None, None, 2)),
    "delete backwards": lambda x: np.delete(x, slice(None, None, -2), -1),
    "insert": lambda x: np.insert(x, 1, 8),
    "insert -1": lambda x: np.insert(x, -1, 8, -1),
    "insert end": lambda x: np.insert(x, x.shape[-1], 8, -1),
    "insert far": lambda x: np.insert(x, 9, 8, -1),
    "insert values": lambda x: np.insert(x, 1, np.array([8, 9, 10]), 0),
    "insert listed": lambda x: np.insert(x, [1], np.array([8, 9, 10, 11]), 0),
    "insert several": lambda x: np.insert(x, [1, 0, 1], np.array([8, 9, 10]), -1),
    "insert several 8": lambda x: np.insert(x, [0, 0, -1], 8),
    "resize": lambda x: np.resize(x, (3, 5)),
    "resize less": lambda x: np.resize(x, 2),
    "resize none": lambda x: np.resize(x, (2, 0)),
    "trim_zeros": lambda x: np.trim_zeros(x),
    "trim_zeros f": lambda x: np.trim_zeros(x, "f"),
    "trim_zeros b": lambda x: np.trim_zeros(x, "B", axis=-1),
    "trim_zeros none": lambda x: np.trim_zeros(x * 0),
    "trim_zeros letters": lambda x: np.trim_zeros(x, "x"),
}



def stored(x, store):
    a = x.copy()
    store(a)
    return a


def assign(a, index, value):
    a[index] = value


def add(a, index, value):
    a[index] += value


i = np.array([1, 0, -1])
few = np.array([50, 60], np.int32)
CASES |= {
    # masks and places
    "mask": lambda x: x[x % 3 == 0],
    "mask plus": lambda x: x[x > 2] + 1,
    "mask of rows": lambda x: x[x[..., 0] % 2 == 1] if x.ndim > 1 else x[x % 2 == 1],
    "mask behind": lambda x: x[..., x[(0,) * (x.ndim - 1) + (slice(None),)] > 3],
    "mask before": lambda x: x[x[(slice(None),) + (0,) * (x.ndim - 1)] < 9, ...],
    "mask and integer": lambda x: x[:, 0, x[0, 0, :] < 9],
    "mask and slice": lambda x: x[x[:, 0, 0] < 9, ::-1, None],
    "mask and indices": lambda x: x[x[:, 0, 0] < 0, :, i[:0]],
    "mask twice": lambda x: x[x[:, 0, 0] >= 0, :, x[0, 0, :] >= 0],
    "mask too short": lambda x: x[np.array([True])],
    "mask of more axes": lambda x: x[np.ones((1, 1, 1, 1), bool)],
    "nonzero 0": lambda x: np.nonzero(x)[0],
    "nonzero -1": lambda x: np.nonzero(x)[-1],
    "where": lambda x: np.where(x > 4)[0],
    "flatnonzero": lambda x: np.flatnonzero(x),
    "argwhere": lambda x: np.argwhere(x),
    "nonzero as indices": lambda x: x[np.nonzero(x)],
    "extract": lambda x: np.extract(x % 2 == 1, x),
    "compress": lambda x: np.compress([False, True], x),
    "compress -1": lambda x: np.compress([True, False, True], x, -1),
    "compress far": lambda x: np.compress([False] * 30 + [True], x, 0),
    # choices
    "choose": lambda x: np.choose(x % 3, (x, x * 2, x + 1)),
    "choose rows": lambda x: np.choose(x % 2, (7, row)),
    "choose wrong": lambda x: np.choose(x, (x, x + 1)),
    "choose wrap": lambda x: np.choose(x - 2, (x, x + 1), mode="wrap"),
    "choose clip": lambda x: np.choose(x - 2, (x, x + 1), mode="clip"),
    "select": lambda x: np.select([x < 4, x > 9], [x, x + 1], 2),
    "select one": lambda x: np.select([x < 4], [x]),
    "select fewer": lambda x: np.select([x < 4, x > 9], [x]),
    "piecewise": lambda x: np.piecewise(x, [x < 9, x < 4], [lambda y: y + 1, 2]),
    "piecewise otherwise": lambda x: np.piecewise(x, [x < 9], [5, lambda y: y * 2]),
    # indices
    "unravel_index": lambda x: np.unravel_index(x, (4, 8))[1],
    "unravel_index far": lambda x: np.unravel_index(x, (2, 2))[0],
    "ravel_multi_index": lambda x: np.ravel_multi_index((x, x % 3), (23, 3)),
    "ravel_multi_index far": lambda x: np.ravel_multi_index((x, x), (23, 3)),
    "ravel_multi_index clip": lambda x: np.ravel_multi_index((x, x), (23, 3), mode="clip"),
    "ravel_multi_index wrap": lambda x: np.ravel_multi_index((x, x), (23, 3), mode="wrap"),
    "ix_": lambda x: x[np.ix_([1, 0], [True, False, True], [-1])],
    "tril_indices": lambda x: x[0][np.tril_indices(3)],
    "triu_indices": lambda x: x[0][np.triu_indices_from(x[0], 1)],
    "diag_indices": lambda x: x[0][np.diag_indices(2)],
    "mask_indices": lambda x: x[0][np.mask_indices(3, np.triu, 1)],
    # stores
    "store mask": lambda x: stored(x, lambda a: assign(a, a % 3 == 0, 8)),
    "store mask values": lambda x: stored(x, lambda a: assign(a, a % 2 == 1, a[a % 2 == 1] + 1)),
    "store mask wrong": lambda x: stored(x, lambda a: assign(a, a >= 0, np.arange(5))),
    "store mask add": lambda x: stored(x, lambda a: add(a, a % 2 == 1, a[a % 2 == 1])),
    "store mask rows": lambda x: stored(x, lambda a: assign(a, a[:, 0, 0] >= 0, row)),
    "store mask behind": lambda x: stored(x, lambda a: assign(a, (Ellipsis, a[0, 0, :] > 3), 9)),
    "store places": lambda x: stored(x, lambda a: assign(a, np.nonzero(a), 9)),
    "store ix_": lambda x: stored(x, lambda a: add(a, np.ix_([1, 0], [0, 2], [-1]), 9)),
    "put": lambda x: stored(x, lambda a: a.put([0, -1, 2], few)),
    "put far": lambda x: stored(x, lambda a: a.put([99], 5)),
    "put wrap": lambda x: stored(x, lambda a: a.put([99, -3], few, mode="wrap")),
    "put clip": lambda x: stored(x, lambda a: a.put([99, -3], few, mode="clip")),
    "put_along_axis": lambda x: stored(x, lambda a: np.put_along_axis(a, a[..., :1] % 2, 70, -1)),
    "put_along_axis wrong": lambda x: stored(x, lambda a: np.put_along_axis(a, np.array([[[[0]]]]), 70, -1)),
    "putmask": lambda x: stored(x, lambda a: np.putmask(a, a > 4, few)),
    "place": lambda x: stored(x, lambda a: np.place(a, a > 4, few)),
    "copyto": lambda x: stored(x, lambda a: np.copyto(a, row)),
    "copyto where": lambda x: stored(x, lambda a: np.copyto(a, row, where=a > 4)),
    "fill_diagonal": lambda x: stored(x, lambda a: np.fill_diagonal(a, 7)),
    "fill_diagonal values": lambda x: stored(x[..., :2], lambda a: np.fill_diagonal(a, few)),
}

# Of numbers that are computed: their dtypes differ.
NUMBERS = {
    "uint8": np.array([[3, 200, 7], [250, 0, 9]], np.uint8),
    "int16": np.array([[3, -200, 7], [250, 0, 9]], np.int16),
    "float32": np.array([[3, 0.1, 7.5], [-2.25, 0, 1e6]], np.float32),
    "float64": np.array([[3, 0.1, 7.5], [-2.25, 0, 1e6]]),
    "bool": np.array([[True, False, False], [False, True, False]]),
}
COMPUTED = {
    "pad mean": lambda x: np.pad(x, (1, 2), mode="mean"),
    "pad mean 2": lambda x: np.pad(x, 1, mode="mean", stat_length=2),
    "pad linear_ramp": lambda x: np.pad(x, (4, 3), mode="linear_ramp", end_values=((1, 7),)),
    "pad linear_ramp 0": lambda x: np.pad(x, 5, mode="linear_ramp"),
    "pad odd reflect": lambda x: np.pad(x, 1, mode="reflect", reflect_type="odd"),
    "pad odd reflect far": lambda x: np.pad(x, (7, 5), mode="reflect", reflect_type="odd"),
    "pad odd symmetric": lambda x: np.pad(x, (3, 8), mode="symmetric", reflect_type="odd"),
    "pad odd one": lambda x: np.pad(x[:1, :1], (3, 8), mode="symmetric", reflect_type="odd"),
}


x = np.array([1.5, -2, 0.25, 4], np.float32)
y = np.array([3, 5, 9])
CREATED = {
    "meshgrid x": np.meshgrid(x, y)[0],
    "meshgrid y": np.meshgrid(x, y)[1],
    "meshgrid ij": np.meshgrid(x, y, indexing="ij")[0],
    "meshgrid sparse": np.meshgrid(x, y, sparse=True)[1],
    "meshgrid three": np.meshgrid(x, y, np.array(7))[2],
    "meshgrid one": np.meshgrid(y)[0],
    "meshgrid flat": np.meshgrid(y.reshape(3, 1), y)[0],
    "meshgrid empty": np.meshgrid(y[:0], x)[1],
    "mgrid": np.mgrid[0:3, 5:0:-2],
    "mgrid points": np.mgrid[0:1:5j, 0:2],
    "ogrid": np.ogrid[0:3, 2:5][1],
    "indices": np.indices((2, 3)),
    "indices none": np.indices(()),
    "indices empty": np.indices((2, 0)),
    "fromfunction": np.fromfunction(lambda i, j: i * 10 + j / 2, (3, 4)),
    "tri": np.tri(3, 4, -1),
    "tri int": np.tri(3, dtype=int),
    "identity": np.identity(3),
    "full_like": np.full_like(x, 3),
    "vander": np.vander(y),
    "vander more": np.vander(x, 6, increasing=True),
    "vander none": np.vander(y, 0),
    "bartlett": np.bartlett(8),
    "blackman": np.blackman(9),
    "hamming": np.hamming(8),
    "hanning": np.hanning(7),
    "hanning 1": np.hanning(1),
    "hanning 0": np.hanning(0),
    "kaiser": np.kaiser(9, 8.6),
    "kaiser 1": np.kaiser(1, 14),
    "kaiser flat": np.kaiser(4, 0),
    "linspace": np.linspace(0.1, 3, 7),
    "linspace open": np.linspace(0.1, 3, 7, endpoint=False),
    "linspace one": np.linspace(2, 5, 1),
    "linspace one open": np.linspace(2, 5, 1, endpoint=False),
    "linspace none": np.linspace(2, 5, 0),
    "linspace tiny": np.linspace(0, 5e-324, 7),
    "linspace int": np.linspace(-3, 4, 6, dtype=int),
    "linspace arrays": np.linspace(x, x[::-1] * 3, 4),
    "linspace axis": np.linspace(y, 2, 3, axis=-1, endpoint=False),
    "linspace broadcast": np.linspace(y, x[:, None], 2, axis=1),
    "logspace": np.logspace(0, 3, 4),
    "logspace 2": np.logspace(0, 4, 5, base=2.0),
    "geomspace": np.geomspace(1, 1000, 4),
    "geomspace open": np.geomspace(-2, -64, 5, endpoint=False),
    "geomspace exact": np.geomspace(3, 7, 5)[[0, -1]],
}

# A mask without axes stores numbers alone.
REFUSED = {("store mask values", "0-d"), ("store mask add", "0-d")}


def line(name, layout, function, x):
    try:
        if (name, layout) in REFUSED:
            raise IndexError
        value = np.asarray(function(x))
    except (ValueError, IndexError, TypeError, ZeroDivisionError):
        return f"{name}|{layout}|refused"
    elements = ",".join(repr(e.item()) if value.dtype.kind == "f" else str(int(e)) for e in value.ravel())
    return f"{name}|{layout}|{','.join(map(str, value.shape))}|{elements}"


def main():
    lines = [line(name, layout, function, x) for name, function in CASES.items() for layout, x in LAYOUTS.items()]
    with np.errstate(all="ignore"):
        lines += [line(name, dtype, function, x) for name, function in COMPUTED.items() for dtype, x in NUMBERS.items()]
    lines += [line(name, "created", lambda v: v, value) for name, value in CREATED.items()]
    (Path(__file__).resolve().parent / "golden" / "shapes.txt").write_text("\n".join(lines) + "\n")


main()
