"""Measures scikit-learn on the tasks of the Go program beside it.

usage: python3 -c SCRIPT tasks.npz results.npz ROUNDS

A task is tried on a part of its samples in every way that scikit-learn offers,
and by as many processes or threads as the environment variable PEERS_THREADS
allows; the way that was fastest is measured on all. Samples are rows here.
"""
import os
import sys
import time
import warnings

import joblib
import numpy as np
import sklearn
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.linear_model import Lasso, LassoLars, orthogonal_mp_gram

warnings.filterwarnings("ignore")  # of early ends, which the Go program judges
THREADS = int(os.environ["PEERS_THREADS"])


def least(rounds, act):
    """Returns the least time of several runs of act and its last result."""
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        result = act()
        best = min(best, time.perf_counter() - start)
    return best, result


def fastest(name, rounds, ways, part, samples, valid=lambda samples, result: True):
    """Measures the way that is the fastest with part of the samples.

    Ways whose results are not valid are left out.
    """
    trials = {}
    for way, act in ways.items():
        act(part[:THREADS])  # starts the processes
        seconds, result = least(1, lambda: act(part))
        ok = valid(part, result)
        print(f"scikit-learn {name}, {len(part)} samples, {way}: {seconds:.3f} s{'' if ok else ', not valid'}", file=sys.stderr)
        if ok:
            trials[way] = seconds
    way = min(trials, key=trials.get)
    seconds, result = least(rounds, lambda: ways[way](samples))
    print(f"scikit-learn {name}, {len(samples)} samples, {way}: {seconds:.3f} s", file=sys.stderr)
    return seconds, result, way


def divided(code, rows, backend):
    """Codes the rows in as many parts as there are threads, side by side."""
    parts = np.array_split(rows, THREADS)
    with joblib.parallel_backend(backend, n_jobs=THREADS, inner_max_num_threads=1) if backend == "loky" \
            else joblib.parallel_backend(backend, n_jobs=THREADS):
        return np.vstack(joblib.Parallel()(joblib.delayed(code)(p) for p in parts))


def pursue(atoms, samples, sparsity):
    return orthogonal_mp_gram(atoms @ atoms.T, atoms @ samples.T, n_nonzero_coefs=sparsity).T


def descend(atoms, samples, penalty, gap):
    # The Lasso of scikit-learn divides the squares by the number of features; its
    # tol bounds the duality gap as a part of the squared norm of a sample.
    lasso = Lasso(alpha=penalty / atoms.shape[1], fit_intercept=False, precompute=atoms @ atoms.T, tol=gap,
                  max_iter=1000000)
    return lasso.fit(atoms.T, samples.T).coef_


def worst_gap(atoms, samples, codes, penalty):
    """Returns the largest duality gap of lasso codes, with the residual, scaled, as the dual point."""
    rest = samples - codes @ atoms
    scale = np.minimum(1, penalty / np.abs(rest @ atoms.T).max(axis=1))[:, None]
    primal = (rest ** 2).sum(axis=1) / 2 + penalty * np.abs(codes).sum(axis=1)
    dual = ((samples ** 2).sum(axis=1) - ((samples - scale * rest) ** 2).sum(axis=1)) / 2
    return (primal - dual).max()


def walk(atoms, samples, penalty):
    lars = LassoLars(alpha=penalty / atoms.shape[1], fit_intercept=False, precompute=atoms @ atoms.T,
                     fit_path=False, max_iter=10 * atoms.shape[0])
    return lars.fit(atoms.T, samples.T, Xy=atoms @ samples.T).coef_


def learn(start, samples, penalty, batch, passes, algorithm, jobs):
    learner = MiniBatchDictionaryLearning(
        n_components=len(start), alpha=penalty, max_iter=passes, fit_algorithm=algorithm, batch_size=batch,
        dict_init=start.copy(), random_state=0, tol=0, max_no_improvement=None, n_jobs=jobs)
    return learner.fit(samples).components_


def main():
    tasks = np.load(sys.argv[1])
    rounds = int(sys.argv[3])
    out = {"version": np.array([f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}"])}

    def task(name, ways, part, samples, rounds=rounds, **valid):
        seconds, result, way = fastest(name, rounds, ways, part, samples, **valid)
        out[name + "_seconds"], out[name], out[name + "_way"] = np.array([seconds]), result, np.array([way])

    atoms, probes = tasks["atoms"], tasks["probes"]
    sparsity = int(tasks["sparsity"][0])
    task("omp", {
        "one call": lambda y: pursue(atoms, y, sparsity),
        f"{THREADS} processes": lambda y: divided(lambda p: pursue(atoms, p, sparsity), y, "loky"),
    }, probes[::4], probes)
    gap = float(tasks["gap"][0])
    i = 0
    while f"penalty{i}" in tasks:
        penalty, some = float(tasks[f"penalty{i}"][0]), tasks[f"probes{i}"]
        task(f"lasso{i}", {
            f"coordinate descent, {THREADS} threads": lambda y: divided(
                lambda p: descend(atoms, p, penalty, gap), y, "threading"),
            f"LARS, {THREADS} processes": lambda y: divided(lambda p: walk(atoms, p, penalty), y, "loky"),
        }, some[:len(some) // 10 + THREADS], some, rounds=1,
            valid=lambda y, codes: worst_gap(atoms, y, codes, penalty) <= 2 * gap)
        i += 1
    for name in tasks["dictionaries"]:
        start, samples = tasks[name + "_start"], tasks[name + "_samples"]
        penalty, batch, passes = (tasks[f"{name}_{p}"][0] for p in ("penalty", "batch", "passes"))
        task(name, {
            f"{algorithm}, n_jobs={jobs}": lambda x, algorithm=algorithm, jobs=jobs: learn(
                start, x, float(penalty), int(batch), int(passes), algorithm, jobs)
            for algorithm in ("cd", "lars") for jobs in sorted({1, THREADS})
        }, samples[:2 * int(batch)], samples, rounds=1)
    np.savez(sys.argv[2], **out)


if __name__ == "__main__":
    main()
