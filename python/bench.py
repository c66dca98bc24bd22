"""Measure what a call costs beside the same call in Go: scores of samples over 200 atoms of 20 classes.

Usage: python3 bench.py [ROUNDS], in a checkout with Go. Each round has the benchmark of Go
(``go test -bench Scores ./cmd/nrdl/engine``), and then as many calls from Python, so that both see the
same load of the machine. The least times of all calls are compared, and the medians.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import nrdl_learn as nrdl

SIZES = ((10, 128, 200), (1000, 128, 30), (1000, 1024, 15))  # samples, numbers, calls a round


def in_go(benchmark, n, d, calls):
    """Milliseconds of calls in Go."""
    command = [benchmark, "-test.run=^$", f"-test.bench=Scores/^{n}x{d}$", f"-test.benchtime={calls}x"]
    done = subprocess.run(command, env={**os.environ, "NRDL_TIMES": "1"}, check=True, capture_output=True, text=True)
    return [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("ms ")]


def in_python(n, d, calls):
    """Milliseconds of calls from here."""
    rng = np.random.default_rng(0)
    model = nrdl.NRC().fit(rng.random((200, d)), np.repeat(np.arange(20), 10))
    probes = rng.random((n, d))
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        model.decision_function(probes)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        benchmark = os.path.join(folder, "benchmark")
        subprocess.run(["go", "test", "-c", "-o", benchmark, "./cmd/nrdl/engine"], cwd=root, check=True)
        for n, d, calls in SIZES:
            go, python = [], []
            for _ in range(rounds):
                go += in_go(benchmark, n, d, calls)
                python += in_python(n, d, calls)
            for word, of in ("least", np.min), ("median", np.median):
                there, here = of(go), of(python)
                print(f"{n:5} samples of {d:4} numbers, {word:6}: Go {there:7.2f} ms, Python {here:7.2f} ms: {here - there:+6.2f} ms, {here / there:.2f}×", flush=True)


if __name__ == "__main__":
    main()
