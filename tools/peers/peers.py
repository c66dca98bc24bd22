"""Measures scikit-learn on the tasks of the Go program beside it.

usage: python3 -c SCRIPT tasks.npz results.npz ROUNDS

A task is tried on a part of its samples in every way that scikit-learn offers, on
one thread; the way that was fastest is measured on all. Times are processor time.
Samples are rows here.
"""
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.linear_model import Lasso, LassoLars, orthogonal_mp_gram
from threadpoolctl import threadpool_info

warnings.filterwarnings("ignore")  # of early ends, which the Go program judges


def least(rounds, act):
    """Returns the least time of several runs of act and its last result."""
    best = np.inf
    for _ in range(rounds):
        start = time.process_time()
        result = act()
        best = min(best, time.process_time() - start)
    return best, result


def fastest(name, rounds, ways, part, samples, valid=lambda samples, result: True):
    """Measures the way that is the fastest with part of the samples.

    Ways whose results are not valid are left out.
    """
    trials = {}
    for way, act in ways.items():
        seconds, result = least(1, lambda: act(part))
        ok = valid(part, result)
        print(f"scikit-learn {name}, {len(part)} samples, {way}: {seconds:.3f} s{'' if ok else ', not valid'}", file=sys.stderr)
        if ok:
            trials[way] = seconds
    way = min(trials, key=trials.get)
    seconds, result = least(rounds, lambda: ways[way](samples))
    print(f"scikit-learn {name}, {len(samples)} samples, {way}: {seconds:.3f} s", file=sys.stderr)
    return seconds, result, way


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


def learn(start, samples, penalty, batch, passes, algorithm):
    learner = MiniBatchDictionaryLearning(
        n_components=len(start), alpha=penalty, max_iter=passes, fit_algorithm=algorithm, batch_size=batch,
        dict_init=start.copy(), random_state=0, tol=0, max_no_improvement=None)
    return learner.fit(samples).components_


def main():
    tasks = np.load(sys.argv[1])
    rounds = int(sys.argv[3])
    np.ones((2, 2)) @ np.ones((2, 2))
    kernels = ", ".join(f"{i['internal_api']} {i['version']} for {i['architecture']}" for i in threadpool_info() if i["user_api"] == "blas")
    out = {"version": np.array([f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, {kernels}"])}

    def task(name, ways, part, samples, **valid):
        seconds, result, way = fastest(name, rounds, ways, part, samples, **valid)
        out[name + "_seconds"], out[name], out[name + "_way"] = np.array([seconds]), result, np.array([way])

    atoms, probes = tasks["atoms"], tasks["probes"]
    sparsity = int(tasks["sparsity"][0])
    task("omp", {"one call": lambda y: pursue(atoms, y, sparsity)}, probes[::4], probes)
    gap = float(tasks["gap"][0])
    i = 0
    while f"penalty{i}" in tasks:
        penalty, some = float(tasks[f"penalty{i}"][0]), tasks[f"probes{i}"]
        task(f"lasso{i}", {
            "coordinate descent": lambda y: descend(atoms, y, penalty, gap),
            "LARS": lambda y: walk(atoms, y, penalty),
        }, some[:len(some) // 10 + 1], some,
            valid=lambda y, codes: worst_gap(atoms, y, codes, penalty) <= 2 * gap)
        i += 1
    for name in tasks["dictionaries"]:
        start, samples = tasks[name + "_start"], tasks[name + "_samples"]
        penalty, batch, passes = (tasks[f"{name}_{p}"][0] for p in ("penalty", "batch", "passes"))
        task(name, {
            algorithm: lambda x, algorithm=algorithm: learn(start, x, float(penalty), int(batch), int(passes), algorithm)
            for algorithm in ("cd", "lars")
        }, samples[:2 * int(batch)], samples)
    np.savez(sys.argv[2], **out)


if __name__ == "__main__":
    main()
