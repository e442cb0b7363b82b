#!/usr/bin/env python3
"""Writes eos_expected.npy, what samples/equation_of_state.cpp has to give: the derivative by temperature of the dynamic
enthalpy of sea water, found another way. Here the enthalpy itself is computed, in 80-bit floating point with numbers
that carry their derivative with them, so that no derivative was worked out by hand. Needs NumPy on a machine whose long
double is x86's.
"""
import pathlib
import re

import numpy as np

wide = np.longdouble
here = pathlib.Path(__file__).parent


class Dual:
    """A value and its derivative."""

    def __init__(self, value, slope=0):
        self.value, self.slope = np.asarray(value, wide), np.asarray(slope, wide)

    def __add__(self, other):
        other = dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other):
        other = dual(other)
        ratio = self.value / other.value
        return Dual(ratio, (self.slope - ratio * other.slope) / other.value)

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __sub__(self, other):
        return self + -dual(other)

    __radd__, __rmul__ = __add__, __mul__


def dual(x):
    return x if isinstance(x, Dual) else Dual(x)


def sqrt(x):
    root = np.sqrt(x.value)
    return Dual(root, x.slope / (2 * root))


def log(x):
    return Dual(np.log(x.value), x.slope / x.value)


def polynomial(x, *coefficients):
    """coefficients[0] + coefficients[1] x + ..."""
    total = dual(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = c + x * total
    return total


def dynamic_enthalpy(sa, ct, p, v):
    rs = sqrt(sa)
    d0 = polynomial(ct, *v[1:5]) + sa * (polynomial(ct, *v[5:8]) + rs * polynomial(ct, *v[8:12]))
    d1 = 0.5 * (polynomial(ct, *v[12:15]) + sa * polynomial(ct, *v[15:17]))
    d2 = polynomial(ct, *v[17:20]) + v[20] * sa
    n0 = polynomial(ct, *v[21:26]) + sa * (polynomial(ct, *v[26:31]) + v[36] * sa + rs * polynomial(ct, *v[31:36]))
    n1 = polynomial(ct, *v[37:41]) + sa * polynomial(ct, *v[41:43])
    n2 = polynomial(ct, *v[43:46]) + v[46] * sa * ct
    n3 = polynomial(ct, *v[47:49])

    root = sqrt(d1 * d1 - d0 * d2)
    rest0 = n0 + (2 * n3 * d0 * d1 / d2 - n2 * d0) / d2
    rest1 = n1 + (4 * n3 * d1 * d1 / d2 - n3 * d0 - 2 * n2 * d1) / d2
    low, high = d1 - root, d1 + root
    weight = (rest0 * d2 - rest1 * d1) / (2 * d2 * root)
    return 1e4 * (
        p * (n2 - 2 * n3 * d1 / d2 + 0.5 * n3 * p) / d2
        + rest1 / (2 * d2) * log(1 + p * (2 * d1 + d2 * p) / d0)
        + weight * log(1 + 2 * d2 * p * root / (low * (high + d2 * p)))
    )


def constants():
    """v[1] to v[48], from the only place that has them, as the doubles they are there."""
    text = (here.parent / "equation_of_state.hpp").read_text()
    found = {int(k): float(c) for k, c in re.findall(r"\bv(\d\d) = (-?[\d.]+(?:e[-+]\d+)?)", text)}
    assert sorted(found) == list(range(1, 49)), sorted(found)
    return [wide(0)] + [wide(found[k]) for k in range(1, 49)]


across, deep = 32, 4
i = np.arange(across * across * deep).reshape(across, across, deep)
sa = ((i * 7919) % 10230 + 11) / 1024
ct = (i * 6007) % 32769 / 1024 - 12
p = np.arange(1.0, deep + 1) * 250
result = dynamic_enthalpy(Dual(sa), Dual(ct, 1), Dual(p), constants()).slope.astype(np.float64)
np.save(here / "eos_expected.npy", result)
print(f"{here / 'eos_expected.npy'}: {result.shape}, {result.min()} to {result.max()}")
