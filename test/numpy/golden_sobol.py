"""Writes test/numpy/golden/sobol.txt: points of SciPy's Sobol sequences, as multiples of 2^-30.

    python test/numpy/golden_sobol.py     needs scipy >= 1.14

A line is a number of dimensions, how many points were left out, how many there are, and the points.
"""

from pathlib import Path

from scipy.stats import qmc

out = []
for d, skipped, n in ((1, 0, 9), (3, 0, 33), (3, 1000, 5), (10, 65530, 12), (40, 123456, 4), (256, 0, 8), (256, 2**29 + 77, 3)):
    points = qmc.Sobol(d, scramble=False)
    if skipped:  # of none SciPy takes one too few
        points.fast_forward(skipped)
    numbers = (points.random(n) * 2**30).astype("int64").reshape(-1)
    out.append(f"{d} {skipped} {n} " + " ".join(map(str, numbers)))
(Path(__file__).parent / "golden" / "sobol.txt").write_text("\n".join(out) + "\n")
