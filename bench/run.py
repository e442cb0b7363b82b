"""Runs the benchmarks of a device and its peers one after the other, and says before each row how many there are and how long they
will take.

    python3 run.py cpu --into out/bench/cpu/fresh [--filter TEXT] [--quick] [--peers-python python3]

Every program says first how many rows it has (--count). The status is 3 where none has the text in its name.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent
PEERS = {
    "cpu": [("numpy", ["numpy_peers.py"]), ("calls_numpy", ["call_peers.py", "--on", "numpy"])],
    "gpu": [(word, ["gpu_peers.py", "--only", word]) for word in ("cupy", "torch", "jax")]
    + [("calls_cupy", ["call_peers.py", "--on", "cupy"])],
}
NO_ROWS = {"gpu": {"grid", "ulp"}, "cpu": {"ulp"}}  # programs that have none of this device
# A row is a name, which fills 34 places, and a number of elements.
ROW = re.compile(r"\S.{33}.*? +\d+  ")


def programs(device, peers_python):
    """(name, command) of ours, then of the peers."""
    built = BENCH.parent / "build" / "release" / "bench"
    ours = [source.stem for source in sorted(BENCH.glob("*.cpp")) if os.access(built / f"bench_{source.stem}", os.X_OK)]
    yield from ((name, [str(built / f"bench_{name}")]) for name in ours if name not in NO_ROWS[device])
    for name, (script, *words) in PEERS[device]:
        if (BENCH / script).exists():
            yield name, [peers_python, str(BENCH / script), *words]


def count_rows(command):
    """How many a program has; one that cannot say counts for nothing, and its rows are found when it runs."""
    said = subprocess.run([*command, "--count"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    last = said.stdout.split()[-1:]
    return int(last[0]) if said.returncode == 0 and last and last[0].isdigit() else 0


class progress:
    """Of so many rows. A program may have more than it said: it comes no further than it said then."""

    def __init__(self, rows):
        self.rows, self.done, self.limit, self.start = rows, 0, 0, time.monotonic()

    def line(self, text):
        if not ROW.match(text):
            return text
        self.done = min(self.done + 1, self.limit)
        left = int((time.monotonic() - self.start) / self.done * (self.rows - self.done))
        return f"{self.done:4d} of {self.rows}, {left // 60}:{left % 60:02d} left | {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", choices=sorted(PEERS))
    parser.add_argument("--into", type=pathlib.Path, required=True, help="the folder of the JSON files")
    parser.add_argument("--filter", default="", help="only rows whose name has this text in it")
    parser.add_argument("--quick", action="store_true", help="few rounds and small sizes")
    parser.add_argument("--peers-python", default="python3", help="the Python that has the peers")
    options = parser.parse_args()
    os.environ["BENCH_PYTHON"] = options.peers_python
    words = ["--filter", options.filter] + ["--quick"] * options.quick
    counted = [(name, command, count_rows(command + words)) for name, command in programs(options.device, options.peers_python)]
    so_far, failed, found = progress(sum(max(rows, 1) for _, _, rows in counted)), [], False
    for name, command, rows in counted:
        if rows == 0 and options.filter:
            continue
        print(f"==> Measuring {name}", flush=True)
        file = options.into / f"{name}.json"
        so_far.limit = so_far.done + max(rows, 1)
        with subprocess.Popen([*command, *words, "--json", str(file)], stdout=subprocess.PIPE, text=True) as running:
            for text in running.stdout:
                print(so_far.line(text), end="", flush=True)
        so_far.done = so_far.limit
        if running.returncode != 0:
            failed.append(name)
        found = found or file.exists()
    if not found:
        sys.exit(3)
    if failed:
        sys.exit("these benchmarks failed: " + " ".join(failed))


if __name__ == "__main__":
    main()
