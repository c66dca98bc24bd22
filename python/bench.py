"""Measure what a call costs beside the same call in Go, and the coders beside scikit-learn.

Usage: python3 bench.py [ROUNDS], in a checkout with Go, or python3 bench.py coders [NAME]

With rounds, scores of samples over 200 atoms of 20 classes are measured. Each round has the benchmark of
Go (``go test -bench Scores ./cmd/nrdl/engine``), and then as many calls from Python, so that both see the
same load of the machine. The least times of all calls are compared, and the medians.

``coders`` prints a table: processor time, on Linux, of scikit-learn (for non-negative least squares, SciPy)
and of nrdl_learn with its engine, the least of a few calls in turn, and the objectives of both: of
unit samples and atoms, ½‖y − Ds‖² + λ‖s‖₁, the mean over samples. NAME is omp, lasso, nnls, online or nn.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of both, as threads that wait take processor time, too

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.optimize
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode
from sklearn.neighbors import KNeighborsClassifier

import nrdl_learn as nrdl
from nrdl_learn._engine import shared

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


SHAPES = ((500, 64, 128), (1000, 128, 100), (1000, 256, 512))  # samples, features, atoms


def processor_time():
    """Seconds of this process, and of its engine."""
    engine = shared()._process
    clock = 0 if engine is None else time.clock_gettime((~engine.pid << 3) | 2)  # that of another process, on Linux
    return time.process_time() + clock


def in_turn(theirs, ours, calls=5):
    """The least processor time of each, and what each returns."""
    best, out = [np.inf, np.inf], [None, None]
    for call in range(calls):
        for i, f in enumerate((theirs, ours)):
            start = processor_time()
            out[i] = f()
            if call:  # the first warms up
                best[i] = min(best[i], processor_time() - start)
    return best, out


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def row(name, best, objectives):
    print(f"{name:44} {1e3 * best[0]:9.1f} ms {1e3 * best[1]:9.1f} ms {best[0] / best[1]:6.1f}×   {objectives[0]:.6g}  {objectives[1]:.6g}", flush=True)


def objective(X, D, S, weight=0.0):
    return (0.5 * np.square(X - S @ D).sum() + weight * np.abs(S).sum()) / len(X)


def random_rows(shape, rng):
    n, d, k = shape
    return unit(rng.normal(size=(n, d))), unit(rng.normal(size=(k, d)))


def bench_omp(rng):
    for n, d, k in SHAPES:
        X, D = random_rows((n, d, k), rng)
        for sparsity in 5, 20:
            how = {"algorithm": "omp", "n_nonzero_coefs": sparsity}
            best, out = in_turn(lambda: sparse_encode(X, D, **how), lambda: nrdl.sparse_encode(X, D, **how))
            row(f"omp    {n}×{d}, {k} atoms, {sparsity} a sample", best, [objective(X, D, S) for S in out])


def bench_lasso(rng):
    for n, d, k in SHAPES:
        X, D = random_rows((n, d, k), rng)
        for weight in 0.01, 0.05, 0.1, 0.2:
            how = {"algorithm": "lasso_cd", "alpha": weight}
            best, out = in_turn(lambda: sparse_encode(X, D, **how), lambda: nrdl.sparse_encode(X, D, **how), 3)
            row(f"lasso  {n}×{d}, {k} atoms, λ = {weight}, {(out[1] != 0).sum(axis=1).mean():.0f} used", best, [objective(X, D, S, weight) for S in out])


def bench_nnls(rng):
    for n, d, k in (500, 128, 64), (500, 64, 128), (200, 128, 512):
        for kind in "any sign", "≥ 0", "≥ 0, residual 0":
            X, D = random_rows((n, d, k), rng)
            if kind != "any sign":
                X, D = np.abs(X), np.abs(D)
            if kind.endswith("residual 0"):
                X = unit(np.where(rng.random((n, k)) < 0.1, rng.random((n, k)), 1e-9) @ D)
            best, out = in_turn(lambda: np.array([scipy.optimize.nnls(D.T, x, maxiter=100 * k)[0] for x in X]), lambda: nrdl.sparse_encode(X, D, algorithm="nnls"), 3)
            row(f"nnls   {n}×{d}, {k} atoms, {kind}", best, [objective(X, D, S) for S in out])


def bench_online(rng):
    X = digits()
    for k, weight in (32, 0.1), (128, 0.1), (128, 0.05):
        start = unit(X[rng.permutation(len(X))[:k]])
        theirs = MiniBatchDictionaryLearning(
            k, alpha=weight, batch_size=256, max_iter=5, fit_algorithm="cd", dict_init=start, tol=0.0, max_no_improvement=None, random_state=0
        )
        ours = nrdl.OnlineDictionary(k, coder_lambda=weight, passes=5, batch=256, dict_init=start)
        best, out = in_turn(lambda: theirs.fit(X).components_, lambda: ours.fit(X).components_, 3)
        codes = [sparse_encode(X, D, algorithm="lasso_cd", alpha=weight) for D in out]
        row(f"online digits, {k} atoms, λ = {weight}, 5 passes", best, [objective(X, D, S, weight) for D, S in zip(out, codes)])


def digits():
    from sklearn.datasets import load_digits

    X = load_digits().data
    return X / np.sqrt(np.square(X).sum(axis=1).mean())


def bench_nn(rng):
    for n, d in (500, 64), (2000, 128), (5000, 512):
        X, y, probes = unit(rng.normal(size=(n, d))), np.arange(n) % 20, unit(rng.normal(size=(1000, d)))
        theirs, ours = KNeighborsClassifier(1).fit(X, y), nrdl.NN().fit(X, y)
        best, out = in_turn(lambda: theirs.predict(probes), lambda: ours.predict(probes))
        row(f"nn     {n}×{d}, 1000 probes: labels that differ", best, [0, np.sum(out[0] != out[1])])


def coders(names):
    warnings.simplefilter("ignore")
    print(f"{'':44} {'scikit-learn':>12} {'nrdl_learn':>12} {'':7}   objectives")
    for name in names or ("omp", "lasso", "nnls", "online", "nn"):
        globals()["bench_" + name](np.random.default_rng(0))


def main():
    if sys.argv[1:2] == ["coders"]:
        return coders(sys.argv[2:])
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
