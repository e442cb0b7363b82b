"""Does with NumPy what programs did with Sinter, for test/fuzz/numpy.cpp.

    python batch.py --available      is this NumPy one to compare with?
    python batch.py FOLDER           reads programs.py and values there, writes replies

A record is the dtype's number, the number of axes, the extents and the elements. `values` has one for each step of each
program, which is Sinter's; `replies` has those that NumPy makes, each behind the number of its record. A step takes
Sinter's values as its operands, so that roundings do not add up and each step is compared for itself.
"""

import struct
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "numpy"))

import numpy as np

import like_sinter as sn
import like_calls as fz

RAISED = 255
NAMES = ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 "
         "float16 bfloat16 float32 float64 complex64 complex128").split()
CODES = {name: code for code, name in enumerate(NAMES)}


def read_values(path):
    data, at, values = path.read_bytes(), 0, []
    while at < len(data):
        code, rank = struct.unpack_from("<BB", data, at)
        extents = struct.unpack_from(f"<{rank}q", data, at + 2)
        dtype = np.dtype(NAMES[code])
        at += 2 + 8 * rank
        count = int(np.prod(extents, dtype=np.int64))
        values.append(np.frombuffer(data, dtype, count, at).reshape(extents))
        at += count * dtype.itemsize
    return values


class Batch:
    def __init__(self, folder):
        self.values = read_values(folder / "values")
        self.replies = []
        self.expected = 0
        names = {"np": np, "sn": sn, "fz": fz, "nan": np.nan, "inf": np.inf, "given": self.given, "checked": self.checked}
        exec(compile((folder / "programs.py").read_text(), "programs.py", "exec"), names)
        for name in [n for n in names if n.startswith("program_")]:
            self.run(names[name])
        (folder / "replies").write_bytes(b"".join(self.replies))

    def run(self, program):
        try:
            program()
        except Exception as error:
            text = f"{type(error).__name__}: {error}".encode()
            self.replies.append(struct.pack("<qBq", self.expected, RAISED, len(text)) + text)

    def given(self, record):
        self.expected = record + 1
        return self.values[record].copy()

    def checked(self, value, record):
        """Notes NumPy's value and gives Sinter's."""
        value = np.asarray(value)
        head = struct.pack(f"<qBB{value.ndim}q", record, CODES[value.dtype.name], value.ndim, *value.shape)
        self.replies.append(head + value.tobytes())
        return self.given(record)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if sys.argv[1] == "--available":
        sys.exit(tuple(int(n) for n in np.__version__.split(".")[:2]) < (2, 1))
    Batch(Path(sys.argv[1]))
