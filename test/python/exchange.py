"""Arrays handed to and from NumPy, CuPy and PyTorch by DLPack: the same memory on both sides, which is given back once.

    python exchange.py <the folder of the module>     77: there is no NumPy
"""

import gc
import sys

sys.path.insert(0, sys.argv[1])

try:
    import numpy as np
except ImportError:
    print("no NumPy")
    sys.exit(77)

import sinter_exchange as sn


def check(holds, what):
    if not holds:
        sys.exit(f"exchange.py: {what}")


def address(a):
    return a.__array_interface__["data"][0] if isinstance(a, np.ndarray) else a.data_ptr() if hasattr(a, "data_ptr") else a.data.ptr


def take(a, **named):
    return sn.from_capsule(a.__dlpack__(**named))


def exchange(name, library, make):
    # Sinter's array over the other's memory.
    theirs = make()
    for named in ({}, {"max_version": (1, 0)}):
        try:
            mine = take(theirs, **named)
        except TypeError:
            continue  # it is of before 1.0
        check(mine.address() == address(theirs), f"{name} {named}: its memory was copied")
        check(mine.tolist() == [0.0, 1.0, 2.0, 3.0], f"{name} {named}: {mine.tolist()}")
        del mine
        gc.collect()
    mine = take(theirs)
    mine.add(1.5)
    check(list(map(float, theirs)) == [1.5, 2.5, 3.5, 4.5], f"{name}: a store did not go where its elements are")
    turned = take(theirs[::2])
    check(turned.tolist() == [1.5, 3.5], f"{name}: elements that do not lie together")
    del theirs
    gc.collect()
    check(mine.tolist() == [1.5, 2.5, 3.5, 4.5], f"{name}: its memory has gone")

    # The other's array over Sinter's memory.
    a = sn.arange(5)
    b = library.from_dlpack(a)
    check(address(b) == a.address(), f"{name}: Sinter's memory was copied")
    check(list(map(float, b)) == [0.0, 1.0, 2.0, 3.0, 4.0], f"{name}: other elements: {b}")
    del a
    gc.collect()
    check(float(b.sum()) == 10.0, f"{name}: Sinter's memory has gone")
    print(f"{name} {library.__version__}: both ways")


def capsules():
    sn.arange(3).__dlpack__()  # nobody takes it
    used = sn.counted()
    a = sn.from_capsule(used)
    try:
        sn.from_capsule(used)
        sys.exit("exchange.py: a capsule was taken twice")
    except TypeError:
        pass
    check(sn.ends() == 0 and a.tolist() == [1.0, 2.0, 3.0], "a tensor ended early")
    del used
    gc.collect()
    check(sn.ends() == 0, "a capsule that was taken ended its tensor")
    del a
    gc.collect()
    check(sn.ends() == 1, "a tensor that was taken did not end once")
    unused = sn.counted()
    del unused
    gc.collect()
    check(sn.ends() == 2, "a capsule that nobody took did not end its tensor")
    try:
        take(np.arange(3))
        sys.exit("exchange.py: integers were taken as doubles")
    except RuntimeError as e:
        check("taken as one of float64" in str(e), str(e))


kind = sn.arange(1).__dlpack_device__()[0]
if kind == 1:
    capsules()
    exchange("NumPy", np, lambda: np.arange(4.0))
try:
    import torch

    where = "cuda" if kind == 2 else "cpu"
    if kind == 1 or torch.cuda.is_available():
        exchange("PyTorch", torch, lambda: torch.arange(4, dtype=torch.float64, device=where))
except ImportError:
    print("no PyTorch")
if kind == 2:
    try:
        import cupy

        exchange("CuPy", cupy, lambda: cupy.arange(4.0))
    except ImportError:
        print("no CuPy")
