"""Writes test/numpy/golden/transforms.txt: what NumPy gives for Fourier transforms of every kind, along one axis and several.

    python test/numpy/golden_transforms.py     needs numpy >= 2

test/include/fft_numpy.cpp has the same names and operands. Lines are those of golden_linalg.py.
"""

from pathlib import Path

import numpy as np

from golden_linalg import DTYPES, line, numbers

LENGTHS = (1, 2, 3, 4, 7, 16, 30, 97)


def operands(dtype):
    def n(*shape, seed=1):
        return numbers(shape, dtype, seed)

    return {str(length): n(length) for length in LENGTHS} | {
        "matrix": n(6, 10),
        "batch": n(2, 3, 7),
        "strided": n(12, 9)[::2, ::-2],
        "transposed": n(9, 4).T,
        "broadcast": np.broadcast_to(n(8), (3, 8)),
        "empty batch": n(0, 5),
    }


f = np.fft
ANY = {
    "fft": f.fft,
    "ifft": f.ifft,
    "fft ortho": lambda a: f.fft(a, norm="ortho"),
    "ifft forward": lambda a: f.ifft(a, norm="forward"),
    "fft 5": lambda a: f.fft(a, 5),
    "ifft 12": lambda a: f.ifft(a, 12),
    "fft first": lambda a: f.fft(a, axis=0) if a.shape[0] else None,
    "hfft": lambda a: f.hfft(a) if a.shape[-1] > 1 else None,
    "hfft 9 ortho": lambda a: f.hfft(a, 9, norm="ortho"),
    "irfft": lambda a: f.irfft(a) if a.shape[-1] > 1 else None,
    "irfft 7": lambda a: f.irfft(a, 7),
    "fftn": lambda a: f.fftn(a) if a.size else None,
    "ifftn": lambda a: f.ifftn(a) if a.size else None,
    "irfftn": lambda a: f.irfftn(a) if a.size and a.shape[-1] > 1 else None,
    "fftshift": f.fftshift,
    "ifftshift": f.ifftshift,
    "fftshift last": lambda a: f.fftshift(a, -1),
}
REAL = {
    "rfft": f.rfft,
    "rfft 6 forward": lambda a: f.rfft(a, 6, norm="forward"),
    "ihfft": f.ihfft,
    "ihfft ortho": lambda a: f.ihfft(a, norm="ortho"),
    "rfftn": lambda a: f.rfftn(a) if a.size else None,
}
MATRICES = {
    "fft2": f.fft2,
    "ifft2 ortho": lambda a: f.ifft2(a, norm="ortho"),
    "irfft2": f.irfft2,
    "fftn lengths": lambda a: f.fftn(a, (4, 5), (-1, -2)),
    "ifftn first": lambda a: f.ifftn(a, axes=(0,)),
}
REAL_MATRICES = {
    "rfft2": f.rfft2,
    "rfftn lengths": lambda a: f.rfftn(a, (3, 8), (-1, -2)),
}


def cases():
    for dtype, kind in DTYPES.items():
        for operand, a in operands(kind).items():
            functions = ANY | (REAL if dtype == "real" else {})
            if a.ndim > 1 and a.size:
                functions |= MATRICES | (REAL_MATRICES if dtype == "real" else {})
            for name, function in functions.items():
                value = function(a)
                if value is not None:
                    yield line(name, dtype, operand, value)
    for n in (1, 2, 7, 10):
        yield line("fftfreq", "real", str(n), f.fftfreq(n, 0.5))
        yield line("rfftfreq", "real", str(n), f.rfftfreq(n, 0.5))


if __name__ == "__main__":
    to = Path(__file__).resolve().parent / "golden" / "transforms.txt"
    to.write_text("\n".join(cases()) + "\n")
