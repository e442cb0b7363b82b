#!/usr/bin/env python3
"""Compares what the examples of docs/reference print with what NumPy prints of the spelling beside them. Needs NumPy 2.4.

    python docs/generate/check_numpy.py
"""
import copy
import pathlib
import re
import sys

import numpy as np

from read_pages import read

OPERANDS = dict(
    a=np.array([[1.0, 2, 3], [4, 5, 6]]), b=np.array([[6.0, 5, 4], [3, 2, 1]]), x=np.array([0.5, 1, 2]),
    n=np.array([1, np.nan, 3]), f=np.array([1, 2, 3], np.float32), i=np.array([7, -7, 5]), k=np.array([1, 0, -1]),
    m=np.array([True, False, True]), z=np.array([3 + 4j, -1j]), v=np.array([1.0, 2, 3, 4]))
EXAMPLE = re.compile(r"(.*)\n// NumPy: (.*)\n")


def shown(value):
    if isinstance(value, (tuple, list)) and not all(isinstance(v, int) for v in value):
        return "\n".join(shown(v) for v in value)
    return str(value)


def result(numpy, sinter):
    names = {**copy.deepcopy(OPERANDS), "np": np}
    target = re.search(r"// then (\w+)$", sinter)
    if not target:
        return shown(eval(numpy, names))
    exec(numpy, names)
    return shown(names[target[1]])


def main():
    wrong = count = 0
    np.seterr(all="ignore")
    for page in sorted((pathlib.Path(__file__).resolve().parents[1] / "reference").glob("*.md")):
        blocks = read(page)[0]
        for code, printed in zip(blocks, (b.text for b in blocks[1:])):
            example = EXAMPLE.fullmatch(code.text)
            if not example:
                continue
            sinter, numpy = example.groups()
            if re.search(r"// then \W*\w+\W", sinter) or ".npy" in numpy or ".txt" in numpy or ".raw" in numpy:
                continue  # files
            count += 1
            expected = result(numpy, sinter)
            if expected != printed.rstrip("\n"):
                wrong += 1
                print(f"{page.name}: {sinter}\n{printed}but {numpy} prints\n{expected}\n")
    print(f"{count} examples, {wrong} of which print something else")
    sys.exit(wrong > 0)


main()
