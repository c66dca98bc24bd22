"""Measure what a call costs beside the same call in Go: `go test -bench Scores ./engine`.

Usage: python3 bench.py. Prints the least time of many calls, for 200 atoms of 20 classes.
"""

import time

import numpy as np

import nrdl


def main():
    rng = np.random.default_rng(0)
    for d, n in ((128, 10), (128, 1000), (1024, 1000)):
        model = nrdl.NRC().fit(rng.random((200, d)), np.repeat(np.arange(20), 10))
        probes = rng.random((n, d))
        times = []
        for _ in range(200 if n == 10 else 40):
            start = time.perf_counter()
            model.decision_function(probes)
            times.append(time.perf_counter() - start)
        print(f"{n:5} samples of {d:4} numbers: {1e3 * min(times):7.2f} ms at least, {1e3 * np.median(times):7.2f} ms in the middle")


if __name__ == "__main__":
    main()
