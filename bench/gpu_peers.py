"""What a user would take instead on a GPU: CuPy, cupy.fuse, PyTorch, torch.compile and jax.jit, if installed.

    python3 gpu_peers.py --json out/bench/gpu_peers.json [--only cupy,torch,jax]

The rows are those of bench_elementwise, bench_equation_of_state, bench_reductions and bench_arrays, and of bench_maps, bench_rows,
bench_folds, bench_scans and bench_random what other layouts are asked about most, timed the same way.
"""

import sys
import time
import types
from unittest import mock

import numpy as np

import peers


class Cupy:
    name, fused_name = "cupy", "cupy.fuse"

    def __init__(self):
        import cupy
        from cupyx.scipy.special import erf

        self.cupy, self.version = cupy, "CuPy " + cupy.__version__
        self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.m = types.SimpleNamespace(sqrt=cupy.sqrt, exp=cupy.exp, log=cupy.log, sin=cupy.sin, erf=erf,
                                       square=cupy.square)
        self.synchronize = cupy.cuda.Device().synchronize

    def array(self, host):
        return self.cupy.asarray(host)

    def fuse(self, formula, count):
        """cupy.fuse reads the number of arguments and the name of the function, so it must be a plain `def`."""
        scope = {"formula": formula, "m": self.m}
        names = ", ".join("abcde"[:count])
        exec(f"def fused{count}({names}): return formula(m, {names})", scope)
        return self.cupy.fuse(scope[f"fused{count}"])

    compiled = None  # cupy.fuse takes elementwise functions only

    def reduce(self, a, what, axis=None, keepdims=False):
        return getattr(a, what)(axis=axis, keepdims=keepdims)

    def copy(self, a):
        return self.cupy.ascontiguousarray(a)

    def cumsum(self, a):
        return self.cupy.cumsum(a)

    def pi(self, n):
        x, y = self.cupy.random.random(n, dtype="float32"), self.cupy.random.random(n, dtype="float32")
        return (x * x + y * y < 1).mean() * 4

    def empty(self, n):
        return self.cupy.empty(n, dtype=self.cupy.float32)

    def release(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class Torch:
    name, fused_name = "torch", "torch.compile"

    def __init__(self):
        import torch

        self.torch, self.version = torch, "PyTorch " + torch.__version__
        self.on = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.cuda.get_device_name() if self.on == "cuda" else "cpu"
        self.m = types.SimpleNamespace(sqrt=torch.sqrt, exp=torch.exp, log=torch.log, sin=torch.sin, erf=torch.erf,
                                       square=torch.square)
        self.synchronize = torch.cuda.synchronize if self.on == "cuda" else lambda: None

    def array(self, host):
        return self.torch.as_tensor(host, device=self.on)

    def fuse(self, formula, count):
        return self.compiled(lambda *a: formula(self.m, *a))

    def compiled(self, function):
        self.torch._dynamo.reset()  # else it gives up after eight functions that look alike
        return self.torch.compile(function, dynamic=False)

    def reduce(self, a, what, axis=None, keepdims=False):
        if axis is None:
            return getattr(a, what)(correction=0) if what == "var" else getattr(a, what)()
        if what == "var":
            return a.var(axis, correction=0, keepdim=keepdims)
        return {"sum": a.sum, "mean": a.mean, "max": a.amax}[what](axis, keepdim=keepdims)

    def copy(self, a):
        return a.contiguous()

    def cumsum(self, a):
        return a.cumsum(0)

    def pi(self, n):
        x, y = self.torch.rand(n, device=self.on), self.torch.rand(n, device=self.on)
        return (x * x + y * y < 1).float().mean() * 4

    def empty(self, n):
        return self.torch.empty(n, device=self.on)

    def release(self):
        if self.on == "cuda":
            self.torch.cuda.empty_cache()


class Jax:
    name, fused_name = None, "jax.jit"  # JAX is not meant to be used without jit

    def __init__(self):
        import os

        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jax.numpy as jnp
        from jax.scipy.special import erf

        jax.config.update("jax_enable_x64", True)  # for the equation of state; float32 inputs stay float32
        self.jax, self.jnp, self.version, self.last = jax, jnp, "JAX " + jax.__version__, None
        self.device = jax.devices()[0].device_kind
        self.m = types.SimpleNamespace(sqrt=jnp.sqrt, exp=jnp.exp, log=jnp.log, sin=jnp.sin, erf=erf, square=jnp.square)

    def synchronize(self):
        if self.last is not None:
            self.jax.block_until_ready(self.last)

    def array(self, host):
        return self.jnp.asarray(host)

    def fuse(self, formula, count):
        return self.compiled(lambda *a: formula(self.m, *a))

    def compiled(self, function):
        jitted = self.jax.jit(function)

        def call(*a):
            self.last = jitted(*a)

        return call

    def reduce(self, a, what, axis=None, keepdims=False):
        return getattr(a, what)(axis=axis, keepdims=keepdims)

    def copy(self, a):
        return a + 0  # a jitted function of a transpose alone may give it as a layout

    def cumsum(self, a):
        return self.jnp.cumsum(a)

    def pi(self, n):
        one, other = self.jax.random.split(self.jax.random.key(0))
        x, y = self.jax.random.uniform(one, n, "float32"), self.jax.random.uniform(other, n, "float32")
        return (x * x + y * y < 1).mean() * 4

    empty = None

    def release(self):
        self.last = None


def both(s, peer, case, n, function, args):
    """The rows of a function as it is and compiled."""
    if not s.wants(case):
        return
    if peer.name:
        s.measure(case, n, peer.name, lambda: function(*args), peer.synchronize)
    if peer.compiled:
        f = peer.compiled(function)
        s.measure(case, n, peer.fused_name, lambda: f(*args), peer.synchronize)


def elementwise(s, peer, sizes):
    for n in sizes:
        for case, (formula, *_) in peers.ELEMENTWISE.items():
            if not s.wants(case):
                continue
            a = [peer.array(x) for x in peers.elementwise_inputs(case, n)]
            if peer.name:
                s.measure(case, n, peer.name, lambda: formula(peer.m, *a), peer.synchronize)
            f = peer.fuse(formula, len(a))
            start = time.perf_counter()
            try:
                f(*a)
                peer.synchronize()
            except Exception:  # measure() will say why
                pass
            cold = (time.perf_counter() - start) * 1e6
            s.measure(case, n, peer.fused_name, lambda: f(*a), peer.synchronize)
            if n == 10_000:
                s.add("first call: " + case, n, peer.fused_name, cold)
            del a
            peer.release()


def equation_of_state(s, peer, shapes):
    case, formula = "equation_of_state, float64", peers.equation_of_state()
    for across, deep in shapes:
        a = [peer.array(x) for x in peers.eos_inputs(across, deep)]
        both(s, peer, case, across * across * deep, lambda *i: formula(peer.m, *i), a)


def reductions(s, peer, sizes, side):
    for n in sizes:
        x, y = peer.array(peers.uniform(n, 0, 1, 1)), peer.array(peers.uniform(n, 0, 1, 2))
        both(s, peer, "sum(x)", n, lambda v: peer.reduce(v, "sum"), [x])
        both(s, peer, "sum((x-y)^2)", n, lambda v, w: peer.reduce((v - w) ** 2, "sum"), [x, y])
        if n == sizes[-1]:
            both(s, peer, "mean and var, one eval", n, lambda v: (peer.reduce(v, "mean"), peer.reduce(v, "var")), [x])
        del x, y
        peer.release()
    a = peer.array(peers.uniform((side, side, side), 0, 1, 3))
    for axis in (None, 0, 1, 2):
        case = f"sum {side}^3, " + ("all" if axis is None else f"axis {axis}")
        both(s, peer, case, side**3, lambda v, axis=axis: peer.reduce(v, "sum", axis), [a])
    b = peer.array(peers.uniform((256, 1024), 0, 1, 4))
    both(s, peer, "sqrt(sum(a*a, -1)) 256x1024", 256 * 1024, lambda v: peer.m.sqrt(peer.reduce(v * v, "sum", -1)), [b])


def two_dimensional(s, peer, rows, columns, side):
    m, reduce = peer.m, peer.reduce

    def layer_norm(v):
        return (v - reduce(v, "mean", -1, True)) / m.sqrt(reduce(v, "var", -1, True) + 1e-5)

    def softmax(v):
        e = m.exp(v - reduce(v, "max", -1, True))
        return e / reduce(e, "sum", -1, True)

    def stencil(v):
        return 0.25 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2])

    a = peer.array(peers.uniform((rows, columns), 0, 1, 6))
    both(s, peer, f"layer norm {rows}x{columns}", rows * columns, layer_norm, [a])
    both(s, peer, f"softmax {rows}x{columns}", rows * columns, softmax, [a])
    both(s, peer, f"5-point stencil {rows}x{columns}", rows * columns, stencil, [a])
    square = peer.array(peers.uniform((side, side), 0, 1, 6))
    both(s, peer, f"a + a.T {side}x{side}", side * side, lambda v: v + v.T, [square])


def layouts(s, peer, n, side, small):
    """Rows of bench_maps, bench_rows, bench_folds, bench_scans and bench_random, of n elements, squares and four axes."""
    m, reduce = peer.m, peer.reduce

    def standardised(v):
        return (v - reduce(v, "mean", 0, True)) / m.sqrt(reduce(v, "var", 0, True))

    def measure(case, elements, function, host):
        both(s, peer, case, elements, function, [peer.array(host())])
        peer.release()

    def uniform(*shape):
        return lambda: peers.uniform(shape, 0, 1, 6)

    def integers():
        return peers.uniform(n, 0, 100, 6, np.int8)

    million, tenth = n // 100, n // 10
    measure("x(1:) - x(:-1)", n - 1, lambda v: v[1:] - v[:-1], uniform(n))
    measure("inner slice, times 2", (side - 2) ** 2, lambda v: v[1:-1, 1:-1] * 2, uniform(side, side))
    measure("transposed copy", side * side, lambda v: peer.copy(v.T), uniform(side, side))
    measure("64^4, axes reversed, times 1.5", small**4, lambda v: peer.copy(reversed_axes(v) * 1.5), uniform(*[small] * 4))
    measure(f"a / norm of its row {tenth}x3", 3 * tenth, lambda v: v / m.sqrt(reduce(v * v, "sum", 1, True)), uniform(tenth, 3))
    measure(f"standardised columns {side}x{side}", side * side, standardised, uniform(side, side))
    measure("sum (1e7, 3), axis 0", 3 * tenth, lambda v: reduce(v, "sum", 0), uniform(tenth, 3))
    measure("sum (1e6, 16), axis 0", 16 * million, lambda v: reduce(v, "sum", 0), uniform(million, 16))
    measure("sum int8, 1e8", n, lambda v: reduce(v, "sum"), integers)
    measure("sum 64^4, axes 1 and 3", small**4, lambda v: reduce(v, "sum", (1, 3)), uniform(*[small] * 4))
    measure(f"cumsum {tenth}", tenth, peer.cumsum, uniform(tenth))
    measure(f"cumsum {n}", n, peer.cumsum, uniform(n))
    both(s, peer, "Monte Carlo pi", n, lambda: peer.pi((n,)), [])


def reversed_axes(a):
    return a.permute(3, 2, 1, 0) if hasattr(a, "permute") else a.transpose(3, 2, 1, 0)


def products(s, peer, side):
    case = f"matmul float32 {side}x{side}x{side}"
    a = peer.array(peers.uniform((side, side), 0, 1, 6))
    if peer.name and s.wants(case):
        s.measure(case, side * side, peer.name, lambda: a @ a, peer.synchronize)


def statements(s, peer):
    """Ten thousand statements, each a call into the library; too many to be traced, but JAX has a loop of its own."""
    count = 100 if s.options.quick else 10_000
    case = f"{count:,} x = x*2.5+1 on 100x100"
    if not s.wants(case):
        return
    small = peer.array(peers.uniform((100, 100), 0, 1, 7))
    if isinstance(peer, Jax):
        f = peer.compiled(lambda x: peer.jax.lax.fori_loop(0, count, lambda i, v: v * 2.5 + 1.0, x))
        s.measure(case, 10_000, "jax fori_loop", lambda: f(small), peer.synchronize)
        return

    def loop():
        x = small
        for _ in range(count):
            x = x * 2.5 + 1.0

    s.measure(case, 10_000, peer.name, loop, peer.synchronize)


def main():
    s = peers.session("Peers on the GPU", lambda p: p.add_argument("--only", default="cupy,torch,jax"))
    quick = s.options.quick
    sizes = [100, 1000, 10_000] if quick else [100, 1000, 10_000, 1_000_000, 10_000_000, 100_000_000]
    for word, kind in (("cupy", Cupy), ("torch", Torch), ("jax", Jax)):
        if word not in s.options.only.split(","):
            continue
        try:
            peer = mock.MagicMock() if s.options.count else kind()
        except Exception as problem:
            print(f"{word} is not here: {problem}")
            continue
        s.versions.append(peer.version)
        s.device = s.device or peer.device
        elementwise(s, peer, sizes)
        equation_of_state(s, peer, peers.EOS_SHAPES[: 1 if quick else 4])
        reductions(s, peer, [10_000] if quick else sizes[2:], 20 if quick else 256)
        two_dimensional(s, peer, *((64, 64, 64) if quick else (8192, 4096, 4096)))
        layouts(s, peer, *((10_000, 64, 8) if quick else (100_000_000, 4096, 64)))
        for side in [64] if quick else [256, 1024, 4096]:
            products(s, peer, side)
        statements(s, peer)
        if peer.empty and s.wants("empty(1 MB) and free"):
            s.measure("empty(1 MB) and free", 250_000, peer.name, lambda: peer.empty(250_000), peer.synchronize)
        peer.release()
    return s.finish()


if __name__ == "__main__":
    sys.exit(main())
