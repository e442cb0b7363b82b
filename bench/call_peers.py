"""The rows of bench_products, bench_linalg, bench_order, bench_sparse, bench_signals and bench_transforms in NumPy and SciPy, or in CuPy and its twin of SciPy.

    python3 call_peers.py --json out/bench/calls.json [--on numpy|cupy]
"""

import sys

import numpy as np

import peers


class Numpy:
    name = "numpy"

    def __init__(self):
        import scipy
        import scipy.fft
        import scipy.signal
        import scipy.sparse.linalg

        self.xp, self.scipy, self.sparse = np, scipy, scipy.sparse.csr_array
        self.versions, self.device = ["NumPy " + np.__version__, "SciPy " + scipy.__version__], "one thread"
        self.synchronize = lambda: None


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy
        import cupyx.scipy.fft
        import cupyx.scipy.signal
        import cupyx.scipy.sparse.linalg

        self.xp, self.scipy, self.sparse = cupy, cupyx.scipy, cupyx.scipy.sparse.csr_matrix
        self.versions = ["CuPy " + cupy.__version__]
        self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.synchronize = cupy.cuda.Device().synchronize


def products(peer, side, terms):
    xp = peer.xp
    a = xp.asarray(peers.uniform((side, side), 0, 1, 6))
    yield f"matmul float32 {side}x{side}x{side}", side * side, lambda: a @ a
    u, v = xp.asarray(peers.uniform(terms, 0, 1, 7)), xp.asarray(peers.uniform(terms, 0, 1, 8))
    yield f"dot float32 {terms}", terms, lambda: xp.dot(u, v)


def linalg(peer, scale, some):
    xp = peer.xp

    def matrices(n, dtype, count=1):
        x = xp.asarray(peers.uniform((count, n, n), -0.5, 0.5, 7, np.float64))
        all = (x + x.swapaxes(1, 2) + n * xp.eye(n)).astype(dtype)
        return all[0] if count == 1 else all

    for dtype in ("float32", "float64"):
        for n, columns in ((some, 1), (4096 // scale, 1), (some, 1024), (4096 // scale, 1024)):
            a, b = matrices(n, dtype), xp.asarray(peers.uniform((n, columns), 0, 1, 8, dtype))
            name = f"solve {dtype} {n}x{n}, {columns} column" + ("s" if columns > 1 else "")
            yield name, a.size, lambda a=a, b=b: xp.linalg.solve(a, b)
        a, b = matrices(32, dtype, some), xp.asarray(peers.uniform((some, 32, 1), 0, 1, 8, dtype))
        yield f"solve {dtype} {some} of 32x32, 1 column", a.size, lambda a=a, b=b: xp.linalg.solve(a, b)
        for name, n in (("cholesky", 4096), ("inv", 2048), ("qr", 2048), ("eigh", 1024)):
            a = matrices(n // scale, dtype)
            yield f"{name} {dtype} {len(a)}x{len(a)}", a.size, lambda a=a, of=getattr(xp.linalg, name): of(a)
        a = matrices(1024 // scale, dtype)
        yield f"svd {dtype} {len(a)}x{len(a)}", a.size, lambda a=a: xp.linalg.svd(a, full_matrices=False)
        yield f"svdvals {dtype} {len(a)}x{len(a)}", a.size, lambda a=a: xp.linalg.svd(a, compute_uv=False)
        a = matrices(3, dtype, 100 * some)
        yield f"det {dtype} {100 * some} of 3x3", a.size, lambda a=a: xp.linalg.det(a)


def ten_largest(xp, a):
    """With their places, the largest first."""
    places = xp.argpartition(a, a.size - 10)[-10:]
    places = places[xp.argsort(-a[places])]
    return a[places], places


def order(peer, n):
    xp = peer.xp
    for dtype in ("float32", "float64", "int32"):
        a = xp.asarray(peers.uniform(n, 0, 1e9 if dtype == "int32" else 1, 1, dtype))
        yield f"sort {dtype}", n, lambda a=a: xp.sort(a)
        yield f"argsort {dtype}", n, lambda a=a: xp.argsort(a)
        yield f"partition {dtype}", n, lambda a=a: xp.partition(a, n // 2)
        yield f"ten largest {dtype}", n, lambda a=a: ten_largest(xp, a)
        if dtype != "int32":
            yield f"median {dtype}", n, lambda a=a: xp.median(a)
    for columns in (25, 64, 1000):
        rows = xp.asarray(peers.uniform((n // columns, columns), 0, 1, 2))
        size = f"{n // columns}x{columns}"
        yield f"sort float32, {size}", rows.size, lambda rows=rows: xp.sort(rows)
        yield f"rows in order by argsort, {size}", rows.size, lambda rows=rows: xp.take_along_axis(
            rows, xp.argsort(rows), 1
        )
    v = xp.asarray(peers.uniform(n, 0, 1, 3))
    yield "v(v > 0.5)", n, lambda: v[v > 0.5]
    yield "histogram, 256 bins", n, lambda: xp.histogram(v, 256, (0, 1))
    k = xp.asarray(peers.uniform(n, 0, 1000, 4, np.int32))
    yield "bincount, 1000 values", n, lambda: xp.bincount(k, minlength=1000)
    yield "unique, 1000 values", n, lambda: xp.unique(k)


def laplacian(side, dtype):
    import scipy.sparse

    line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], (side, side))
    one = scipy.sparse.identity(side)
    return (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)).tocsr().astype(dtype)


def sparse(peer, side, squared):
    xp = peer.xp
    for dtype in ("float32", "float64"):
        a = peer.sparse(laplacian(side, dtype))
        x = xp.asarray(peers.uniform(side * side, 0, 1, 1, dtype))
        block = xp.asarray(peers.uniform((side * side, 16), 0, 1, 2, dtype))
        of = f" {dtype}, grid of {side}x{side}"
        yield "sparse @ vector" + of, a.nnz, lambda a=a, x=x: a @ x
        yield "sparse @ vector, residual" + of, a.nnz, lambda a=a, x=x: ((x - a @ x) ** 2).sum()
        yield "sparse @ 16 columns" + of, a.nnz, lambda a=a, block=block: a @ block
    b = peer.sparse(laplacian(squared, "float64"))
    of = f" float64, grid of {squared}x{squared}"
    yield "sparse @ sparse" + of, b.nnz, lambda: b @ b
    splu, c = peer.scipy.sparse.linalg.splu, b.tocsc()
    right = xp.asarray(peers.uniform(squared * squared, 0, 1, 1, "float64"))
    lu = splu(c)
    yield "splu" + of, b.nnz, lambda: splu(c)
    yield "splu of other values" + of, b.nnz, lambda: splu(c * 2)
    yield "solve by factors" + of, b.nnz, lambda: lu.solve(right)


def signals(peer, n):
    xp, signal = peer.xp, peer.scipy.signal
    b, a = xp.asarray([0.0976, 0.1953, 0.0976]), xp.asarray([1, -0.9428, 0.3333])
    sos = xp.tile(xp.concatenate((b, a)), (2, 1))
    for rows in (1, 64):
        x = xp.asarray(peers.uniform((rows, n // rows), -1, 1, 1, np.float64))
        of = f", {rows}x{n // rows}"
        yield "lfilter, order 2" + of, x.size, lambda x=x: signal.lfilter(b, a, x)
        yield "sosfilt, 2 sections" + of, x.size, lambda x=x: signal.sosfilt(sos, x)
    x = xp.asarray(peers.uniform(n, -1, 1, 2))
    yield "welch float32, segments of 1024", n, lambda: signal.welch(x, nperseg=1024)
    m = x.reshape(-1, 1000)
    yield "dct float32, rows of 1000", n, lambda: peer.scipy.fft.dct(m)
    taps = xp.asarray(peers.uniform(1001, -1, 1, 3))
    yield "fftconvolve float32, 1001 taps", n, lambda: signal.fftconvolve(x, taps)
    yield "convolve float32, 101 taps", n, lambda: xp.convolve(x, taps[:101])
    some = x[:20000]
    yield "correlate float32, 20000 with itself", 20000, lambda: xp.correlate(some, some, "full")
    windows = xp.lib.stride_tricks.sliding_window_view(x, 101)
    yield "mean of windows float32, 101 elements", n, lambda: windows.mean(1)


def transforms(peer, scale):
    fft, xp = peer.scipy.fft, peer.xp
    for dtype, rows, n in (("float32", 8192 // scale, 1024), ("float64", 8192 // scale, 1024),
                           ("float32", 1, 10_000_000 // scale), ("float32", 1, 4096)):
        of = ("" if rows == 1 else f"{rows}x") + f"{n} {dtype}"
        x = xp.asarray(peers.uniform((rows, n), -1, 1, 1, dtype))
        z = x.astype("complex64" if dtype == "float32" else "complex128")
        w = xp.hanning(n).astype(dtype)
        yield "fft " + of, rows * n, lambda z=z: fft.fft(z)
        yield "rfft " + of, rows * n, lambda x=x: fft.rfft(x)
        yield "abs(fft(x * w))^2 " + of, rows * n, lambda z=z, w=w: xp.square(xp.abs(fft.fft(z * w)))


def main():
    s = peers.session("Library calls", lambda p: p.add_argument("--on", default="numpy", choices=["numpy", "cupy"]))
    on_cpu, quick = s.options.on == "numpy", s.options.quick
    peer = Numpy() if on_cpu else Cupy()
    s.versions, s.device = peer.versions, peer.device
    n = 10_000 if quick else 10_000_000 if on_cpu else 100_000_000
    for rows in (products(peer, 64 if quick else 1024 if on_cpu else 4096, 1000 if quick else 1_000_000),
                 linalg(peer, 32 if quick else 2 if on_cpu else 1, 40 if quick else 1000),
                 order(peer, n // 10), sparse(peer, 32 if quick else 300 if on_cpu else 1000, 32 if quick else 300),
                 signals(peer, 64_000 if quick else n // 100 * 4), transforms(peer, 1024 if quick else 16 if on_cpu else 1)):
        for name, elements, call in rows:
            if s.wants(name):
                s.measure(name, elements, peer.name, call, peer.synchronize)
    return s.finish()


if __name__ == "__main__":
    sys.exit(main())
