"""Writes test/numpy/golden/signal.txt: what SciPy gives for windows, spectra, short-time and cosine transforms, filters and peaks.

    python test/numpy/golden_signal.py     needs scipy >= 1.14

A line is a name, a dtype, a shape and the elements in C order, of complex numbers both parts. test/include/signal_scipy.cpp has the same
names.
"""

import warnings
from pathlib import Path

import numpy as np
from scipy import fft, signal

DTYPES = {"int32": np.int32, "float32": np.float32, "float64": np.float64, "complex128": np.complex128}
ALL, REAL, FLOATING = set(DTYPES), set(DTYPES) - {"complex128"}, {"float32", "float64"}


def numbers(shape, dtype, seed=0):
    """Noise that C++ makes in the same words."""
    i = np.arange(int(np.prod(shape)), dtype=np.int64) + seed
    k = i * i * 31 + i * 7919 + 13
    real = (k % 1009).astype(np.float64) / 504.5 - 1
    if dtype == np.int32:
        return (k % 19 - 9).astype(np.int32).reshape(shape)
    if dtype == np.complex128:
        return (real + 1j * ((k * 3 + i) % 499 / 249.5 - 1)).reshape(shape)
    return real.astype(dtype).reshape(shape)


b3, a3 = np.array([0.2, 0.3, 0.1]), np.array([2.0, -1.2, 0.6])
sos = np.array([[0.1, 0.2, 0.1, 1, -1.1, 0.4], [1, -1, 0.25, 1, 0.2, 0.3], [0.5, 0.5, 0, 1, -0.5, 0]])
long_b, long_a = np.arange(1, 9) / 20, np.concatenate([[1.0], 0.8 ** np.arange(1, 7) * -0.2])
wide = 0.5 + np.arange(32) / 64
butterworth = signal.butter(5, 0.3, output="sos")


def wide_enough(x):
    """SciPy extends a signal in its own dtype before it filters in double."""
    return x.astype(np.result_type(x, np.float64))


def times(x, fs):
    """SciPy's istft counts as many times as there are rows."""
    return np.arange(x.shape[-1]) / fs, x


WINDOWS = ["barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "flattop", "hamming", "hann", "lanczos",
           "nuttall", "parzen", "triang", "tukey", ("exponential", None, 3.0), ("gaussian", 4.5), ("general_gaussian", 1.5, 3.0),
           ("general_hamming", 0.7), ("kaiser", 8.6), ("tukey", 0.3), ("tukey", 1.2), ("tukey", 0.0)]


def window_name(w):
    return w if isinstance(w, str) else " ".join(str(p) for p in w if p is not None)


CASES = [
    # name, dtypes, shape, function; several results get numbers behind the name
    ("detrend linear", ALL, (37,), lambda x: signal.detrend(x)),
    ("detrend constant", ALL, (4, 6), lambda x: signal.detrend(x, 0, "constant")),
    ("periodogram", ALL, (50,), lambda x: signal.periodogram(x, 10.0)),
    ("periodogram long", REAL, (3, 31), lambda x: signal.periodogram(x, nfft=64, scaling="spectrum", window="hann")),
    ("periodogram short", REAL, (31,), lambda x: signal.periodogram(x, nfft=16, detrend=False)),
    ("welch", ALL, (600,), lambda x: signal.welch(x, 100.0, return_onesided=not np.iscomplexobj(x))),
    ("welch few", ALL, (40,), lambda x: signal.welch(x, return_onesided=not np.iscomplexobj(x))),
    ("welch options", REAL, (200, 3), lambda x: signal.welch(x, 2.0, ("kaiser", 5.0), nperseg=32, noverlap=20, nfft=45,
                                                             detrend="linear", scaling="spectrum", axis=0)),
    ("welch samples", FLOATING, (2, 100), lambda x: signal.welch(x, window=wide)),
    ("welch two sides", REAL, (100,), lambda x: signal.welch(x, nperseg=25, return_onesided=False)),
    ("csd", ALL, (300,), lambda x: signal.csd(x, x[::-1] * 2, nperseg=64, return_onesided=not np.iscomplexobj(x))),
    ("coherence", REAL, (300,), lambda x: signal.coherence(x, np.roll(x, 3) + 0.5 * x[::-1], nperseg=32)),
    ("spectrogram", REAL, (2, 400), lambda x: signal.spectrogram(x, 8.0, nperseg=64)),
    ("spectrogram axis", REAL, (90, 2), lambda x: signal.spectrogram(x, window="hamming", nperseg=20, noverlap=7, axis=0)),
    ("stft", ALL, (150,), lambda x: signal.stft(x, 4.0, nperseg=32, return_onesided=not np.iscomplexobj(x))),
    ("stft plain", REAL, (2, 100), lambda x: signal.stft(x, nperseg=21, noverlap=5, nfft=30, boundary=None, padded=False, scaling="psd")),
    ("stft even", REAL, (70,), lambda x: signal.stft(x, nperseg=16, boundary="even", detrend="constant")),
    ("stft odd", FLOATING, (70, 2), lambda x: signal.stft(x, nperseg=16, boundary="odd", axis=0)),
    ("stft edge", FLOATING, (70,), lambda x: signal.stft(x, nperseg=15, noverlap=9, boundary="constant")),
    ("istft", FLOATING, (2, 150), lambda x: times(signal.istft(signal.stft(x, nperseg=32)[2], 2.0)[1], 2.0)),
    ("istft part", FLOATING, (100,), lambda x: signal.istft(signal.stft(x, nperseg=20, noverlap=15)[2] * 0.5, nperseg=20, noverlap=15)),
    ("istft plain", FLOATING, (100,), lambda x: signal.istft(
        signal.stft(x, nperseg=20, boundary=None, padded=False, window="hamming", scaling="psd")[2], window="hamming", boundary=False,
        scaling="psd")),
    ("hilbert", REAL, (3, 20), lambda x: signal.hilbert(x)),
    ("hilbert odd", REAL, (21, 2), lambda x: signal.hilbert(x, 27, axis=0)),
    ("fftconvolve", ALL, (40,), lambda x: signal.fftconvolve(x, x[:7])),
    ("fftconvolve same", ALL, (9, 12), lambda x: signal.fftconvolve(x, x[:4, 2:5], "same")),
    ("fftconvolve valid", REAL, (9, 12), lambda x: signal.fftconvolve(x[:4, 2:5], x, "valid")),
    ("fftconvolve axis", REAL, (4, 12), lambda x: signal.fftconvolve(x, x[:, :3], axes=1)),
    ("oaconvolve", ALL, (3000,), lambda x: signal.oaconvolve(x, x[:11])[::7]),
    ("oaconvolve same", FLOATING, (3, 2000), lambda x: signal.oaconvolve(x[:2, :9], x, "same")),
    ("oaconvolve valid", FLOATING, (2000, 3), lambda x: signal.oaconvolve(x, x[:30, :2], "valid")[::9]),
    ("resample down", ALL, (40, 2), lambda x: signal.resample(x, 16)),
    ("resample up", ALL, (16,), lambda x: signal.resample(x, 41)),
    ("resample even", ALL, (15,), lambda x: signal.resample(x, 28)),
    ("resample to even", ALL, (21,), lambda x: signal.resample(x, 14)),
    ("resample window", REAL, (2, 20), lambda x: signal.resample(x, 30, axis=1, window="hamming")),
    *[(f"{of.__name__} {t} {norm} {n}", ALL if norm == "backward" else {"float64"}, (2, n), lambda x, of=of, t=t, norm=norm: of(x, t, norm=norm))
      for of in (fft.dct, fft.idct, fft.dst, fft.idst) for t in (1, 2, 3, 4) for norm in ("backward", "ortho", "forward") for n in (9, 12)],
    *[(f"{of.__name__} 2 one", FLOATING, (2, 1), of) for of in (fft.dct, fft.idct, fft.dst, fft.idst)],
    ("dct longer", REAL, (5, 3), lambda x: fft.dct(x, 3, 8, 0)),
    ("dct shorter", REAL, (3, 11), lambda x: fft.dct(x, 4, 6)),
    ("dctn", REAL, (4, 6, 5), lambda x: fft.dctn(x, norm="ortho")),
    ("idctn axes", REAL, (4, 6, 5), lambda x: fft.idctn(x, 3, s=(5, 3), axes=(0, 2))),
    ("dstn", REAL, (4, 6), lambda x: fft.dstn(x, 1)),
    ("idstn", ALL, (4, 6), lambda x: fft.idstn(x, 4, norm="forward")),
    ("firwin", {"float64"}, (1,), lambda x: signal.firwin(21, 0.3)),
    ("firwin high", {"float64"}, (1,), lambda x: signal.firwin(21, 0.3, pass_zero=False, window=("kaiser", 4.0))),
    ("firwin band", {"float64"}, (1,), lambda x: signal.firwin(20, [30.0, 60.0], pass_zero=False, fs=200)),
    ("firwin stop", {"float64"}, (1,), lambda x: signal.firwin(31, [0.2, 0.6], pass_zero="bandstop", scale=False)),
    ("lfilter", ALL, (60,), lambda x: signal.lfilter(b3.astype(np.float32) if x.dtype == np.float32 else b3,
                                                     a3.astype(np.float32) if x.dtype == np.float32 else a3, x)),
    ("lfilter rows", ALL, (3, 200), lambda x: signal.lfilter(long_b, long_a, x)),
    ("lfilter columns", REAL, (70, 2), lambda x: signal.lfilter([1.0], [1.0, -0.5], x, axis=0)),
    ("lfilter fir", ALL, (2, 30), lambda x: signal.lfilter(b3, [2.0], x)),
    ("lfilter state", ALL, (2, 30), lambda x: signal.lfilter(b3, a3, x, zi=np.array([[0.5, -1.0], [2.0, 0.25]]))),
    ("lfilter long", {"float64"}, (5000,), lambda x: signal.lfilter(b3, a3, x)[::11]),
    ("sosfilt", ALL, (2, 60), lambda x: signal.sosfilt(sos, x)),
    ("sosfilt state", REAL, (40, 2), lambda x: signal.sosfilt(sos, x, axis=0, zi=np.arange(12).reshape(3, 2, 2) / 4)),
    ("filtfilt", ALL, (80,), lambda x: signal.filtfilt(b3, a3, wide_enough(x))),
    ("filtfilt rows", ALL, (3, 60), lambda x: signal.filtfilt(long_b, long_a, x, padtype="even", padlen=11)),
    ("filtfilt columns", REAL, (50, 2), lambda x: signal.filtfilt(b3, a3, x, axis=0, padtype="constant")),
    ("filtfilt bare", REAL, (30,), lambda x: signal.filtfilt(b3, a3, x, padtype=None)),
    ("sosfiltfilt", ALL, (2, 60), lambda x: signal.sosfiltfilt(butterworth, wide_enough(x))),
    ("sosfiltfilt columns", REAL, (70, 2), lambda x: signal.sosfiltfilt(butterworth, x, axis=0, padlen=20, padtype="even")),
    ("lfilter_zi", {"float64"}, (1,), lambda x: signal.lfilter_zi(long_b, long_a)),
    ("sosfilt_zi", {"float64"}, (1,), lambda x: signal.sosfilt_zi(butterworth)),
    ("savgol", REAL, (40,), lambda x: signal.savgol_filter(x, 7, 3)),
    ("savgol rows", REAL, (3, 30), lambda x: signal.savgol_filter(x, 5, 2, deriv=1, delta=0.5)),
    ("savgol columns", REAL, (30, 2), lambda x: signal.savgol_filter(x, 9, 4, deriv=2, axis=0)),
    ("savgol mirror", REAL, (2, 20), lambda x: signal.savgol_filter(x, 7, 2, mode="mirror")),
    ("savgol nearest", REAL, (20,), lambda x: signal.savgol_filter(x, 7, 2, mode="nearest")),
    ("savgol wrap", REAL, (20,), lambda x: signal.savgol_filter(x, 7, 2, mode="wrap")),
    ("savgol constant", REAL, (20,), lambda x: signal.savgol_filter(x, 7, 2, mode="constant", cval=1.5)),
    ("savgol_coeffs", {"float64"}, (1,), lambda x: signal.savgol_coeffs(11, 4, deriv=1, delta=0.1)),
    ("medfilt", REAL, (30,), lambda x: signal.medfilt(x, 5)),
    ("medfilt image", REAL, (9, 12), lambda x: signal.medfilt(x, (3, 5))),
]

DESIGNS = [
    # name, arguments as SciPy has them
    ("butter", signal.butter, (4, 0.2), {}),
    ("butter high", signal.butter, (3, 100.0), {"btype": "high", "fs": 1000}),
    ("butter band", signal.butter, (3, [0.2, 0.45]), {"btype": "bandpass"}),
    ("butter stop", signal.butter, (2, [0.3, 0.6]), {"btype": "bandstop"}),
    ("cheby1", signal.cheby1, (5, 1.0, 0.3), {}),
    ("cheby1 even", signal.cheby1, (4, 0.5, [0.1, 0.25]), {"btype": "bandpass"}),
    ("cheby2", signal.cheby2, (5, 40.0, 0.3), {"btype": "high"}),
    ("cheby2 even", signal.cheby2, (4, 30.0, [0.3, 0.65]), {"btype": "bandstop"}),
    ("order 0", signal.cheby1, (0, 2.0, 0.5), {}),
]


def designs():
    for name, of, args, options in DESIGNS:
        b, a = of(*args, **options)
        sections = of(*args, output="sos", **options)
        yield f"{name} b", b
        yield f"{name} a", a
        yield f"{name} sos", sections
        yield f"{name} h", signal.freqz_sos(sections, worN=40)[1]
    for name, (b, a) in {"iirnotch": signal.iirnotch(60.0, 30.0, 1000), "iirpeak": signal.iirpeak(0.3, 5.0)}.items():
        yield f"{name} b", b
        yield f"{name} a", a
    for name, (w, h) in {"freqz": signal.freqz(b3, a3, 64, fs=100.0), "freqz whole": signal.freqz(long_b, worN=30, whole=True)}.items():
        yield f"{name} w", w
        yield f"{name} h", h


def peaks():
    x = np.round(numbers((200,), np.float64) * 4) + np.sin(np.arange(200) * 0.1) * 3
    tops = np.array([0, 1, 1, 1, 0, 2, 2, 0, 3, 0, 0, 1, 5, 5, 5, 5, 1, 0, 4, 0.0])
    asked = {
        "peaks": (x, {}),
        "peaks height": (x, {"height": 1.5}),
        "peaks heights": (x, {"height": (0.5, 2.5)}),
        "peaks threshold": (x, {"threshold": (0.5, 4)}),
        "peaks distance": (x, {"distance": 7.5}),
        "peaks prominence": (x, {"prominence": 3, "wlen": 21}),
        "peaks width": (x, {"width": (1, 6), "rel_height": 0.7}),
        "peaks plateau": (tops, {"plateau_size": (2, 4)}),
        "peaks all": (x, {"height": 0, "threshold": 0.1, "distance": 3, "prominence": 1, "width": 1}),
        "peaks none": (np.arange(5.0), {"height": 0}),
    }
    for name, (of, how) in asked.items():
        at, found = signal.find_peaks(of, **how)
        yield name, at
        for key in sorted(found):
            yield f"{name} {key}", found[key]


def line(name, dtype, values):
    values = np.asarray(values)
    flat = values.reshape(-1)
    if np.iscomplexobj(flat):
        flat = np.stack([flat.real, flat.imag], 1).reshape(-1)
    return f"{name}|{dtype}|{','.join(map(str, values.shape))}|{','.join('%.12g' % v for v in flat.astype(np.float64))}"


def main():
    warnings.simplefilter("ignore")
    out = []
    for w in WINDOWS:
        for points, bins in ((1, True), (2, False), (16, True), (17, True), (16, False), (17, False)):
            out.append(line(f"window {window_name(w)} {points} {int(bins)}", "float64", signal.get_window(w, points, fftbins=bins)))
    for name, dtypes, shape, of in CASES:
        for d in sorted(dtypes):
            made = of(numbers(shape, DTYPES[d]))
            for k, values in enumerate(made if isinstance(made, tuple) else (made,)):
                out.append(line(f"{name} {k}" if isinstance(made, tuple) else name, d, values))
    out += [line(name, "float64", values) for name, values in peaks()]
    out += [line(name, "float64", np.atleast_1d(values)) for name, values in designs()]
    (Path(__file__).parent / "golden" / "signal.txt").write_text("\n".join(out) + "\n")
    print(len(out), "cases")


if __name__ == "__main__":
    main()
