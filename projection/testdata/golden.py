#!/usr/bin/python3
"""Numbers of SciPy and NumPy for the tests of the package above.

Writes golden.json beside itself. The command, with the packages python3-scipy
and python3-numpy of Debian:

    /usr/bin/python3 projection/testdata/golden.py

Samples are made here, one a list; every vector has its largest element positive.
"""

import json
import os

import numpy as np
import scipy
import scipy.linalg

rng = np.random.default_rng(1)
DIGITS = 13


def lists(a):
    return [[float(f"{v:.{DIGITS}g}") for v in row] for row in np.atleast_2d(a)]


def upright(v):
    return v * np.sign(v[np.abs(v).argmax(axis=0), np.arange(v.shape[1])])


def fisher(x, counts, ridge):
    """The generalised symmetric eigenproblem, as it is written."""
    d, n = x.shape
    m = x.mean(axis=1, keepdims=True)
    within, between = np.zeros((d, d)), np.zeros((d, d))
    for one in np.split(x, np.cumsum(counts)[:-1], axis=1):
        mean = one.mean(axis=1, keepdims=True)
        within += (one - mean) @ (one - mean).T
        between += one.shape[1] * (mean - m) @ (mean - m).T
    epsilon = ridge * np.trace(within) / min(d, n - 1)
    values, vectors = scipy.linalg.eigh(between, within + epsilon * np.eye(d))
    most = len(counts) - 1
    return values[::-1][:most], upright(vectors[:, ::-1][:, :most])


def pca(x):
    c = x - x.mean(axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(c, full_matrices=False)
    most = int((s > 1e-6 * s[0]).sum())
    return s[:most] ** 2, upright(u[:, :most])


cases = []
for d, counts, ridge in [(4, [5, 3, 4], 0.3), (9, [2, 2, 1, 2], 0.1), (6, [4, 4], 2.0)]:
    x = np.concatenate([rng.normal(rng.normal(0, 2, (d, 1)), 1, (d, n)) for n in counts], axis=1).round(3)
    values, vectors = fisher(x, counts, ridge)
    variances, directions = pca(x)
    cases.append({
        "counts": counts, "ridge": ridge, "samples": lists(x.T),
        "fisher": lists(vectors.T), "values": lists(values)[0],
        "pca": lists(directions.T), "variances": lists(variances)[0],
    })

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
with open(path, "w") as f:
    json.dump({"scipy": scipy.__version__, "numpy": np.__version__, "cases": cases}, f, indent=1)
    f.write("\n")
