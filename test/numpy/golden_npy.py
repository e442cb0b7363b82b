#!/usr/bin/env python3
"""Writes golden/npy/*.npy: small files as NumPy writes them, for test/include/io.cpp. Any NumPy 2."""
import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent / "golden" / "npy"
folder.mkdir(parents=True, exist_ok=True)


def write(name, a, version=None):
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, a, version=version, allow_pickle=True)


numbers = np.array([[0, 1, 2], [3, 4, 100]])
write("b1", numbers % 2 == 1)
for code in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
    write(code, numbers.astype(code))
for code in "i2 u4 i8 f2 f4 f8".split():
    write(f"{code}_big", numbers.astype(f">{code}"))
write("f8_fortran", np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
write("i2_fortran_vector", np.asfortranarray(np.arange(4, dtype="i2")))
write("i4_version2", numbers.astype("i4"), (2, 0))
write("i4_version3", numbers.astype("i4"), (3, 0))
write("f8_no_axes", np.array(2.5))
write("f4_empty", np.zeros((2, 0, 3), "f4"))
write("u1_eight_axes", np.arange(4, dtype="u1").reshape(1, 2, 1, 1, 2, 1, 1, 1))
special = [0, -0.0, 1.5, -2, 65504, 2.0**-14, 2.0**-24, 1023 * 2.0**-24, np.inf, -np.inf, np.nan]
write("f2_special", np.array(special, "f2"))
write("f8_wide", np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 255.9, -0.9, 0.5, 2.0**63]))
parts = np.array([[0, -0.0, 1.5], [np.inf, np.nan, -2]])
for code in ("c8", "c16"):
    write(code, (numbers + 1j * numbers[::-1]).astype(code))
    write(f"{code}_big", (numbers + 1j * numbers[::-1]).astype(f">{code}"))
    special_parts = np.empty((2, 3), code)
    special_parts.real, special_parts.imag = parts, parts[::-1]
    write(f"{code}_special", special_parts)
write("c16_no_axes", np.array(2.5 - 1j))
write("c8_empty", np.zeros((2, 0), "c8"))
write("fields", np.zeros(2, [("a", "i4"), ("b", "f8")]))
write("object", np.array([None, 1], object))
write("text", np.array(["abc"]))
np.savez(folder / "two.npz", x=numbers.astype("f4"), y=np.arange(4) > 1)
np.savez_compressed(folder / "compressed.npz", x=numbers)
print(f"{folder}: {len(list(folder.glob('*.npy')))} files")
