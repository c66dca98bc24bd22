#!/usr/bin/python3
"""Codes and predictions of independent programs: NumPy, SciPy, scikit-learn.

On the AT&T (ORL) faces, the first 6 images of each person to learn from and
the other 4 to judge by, at unit norm, it writes orl_first6.json beside itself:
the predictions of five ways of coding for all 160 probes, their codes for
every tenth probe, and how well each code meets what defines it. method's tests
compare with it. The command, with the packages python3-numpy, python3-scipy
and python3-sklearn of Debian:

    /usr/bin/python3 method/testdata/golden/orl_first6.py DATA/sets/orl_56x46.mat
"""

import json
import os
import sys
import warnings

import numpy as np
import scipy.io
import scipy.optimize
import sklearn
from sklearn.linear_model import Lasso, orthogonal_mp

LEARN, EVERY = 6, 10  # images a person to learn from; whose codes are kept
LAMBDA, GAP = 0.01, 1e-10  # of min ½‖y − Xs‖² + λ‖s‖₁, and its duality gap
KAPPA = 0.001  # of CRC, for 700 samples
SPARSITY = 30  # of the pursuit
DECIMALS = 9


def split(path):
    """The unit samples, one a column, and their classes, 0 …: (X, c, Y, b)."""
    data = scipy.io.loadmat(path)
    faces, labels = data["fea"].astype(float), data["gnd"].ravel()
    learn, judge = [], []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        learn += list(rows[:LEARN])
        judge += list(rows[LEARN:])
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    _, labels = np.unique(labels, return_inverse=True)
    return faces[learn].T, labels[learn], faces[judge].T, labels[judge]


def lrc(X, c, Y):
    """Least squares by the samples of each class alone."""
    S = np.zeros((X.shape[1], Y.shape[1]))
    for k in np.unique(c):
        S[c == k] = np.linalg.lstsq(X[:, c == k], Y, rcond=None)[0]
    worst = max(np.abs(X[:, c == k].T @ (X[:, c == k] @ S[c == k] - Y)).max() for k in np.unique(c))
    return S, {"gradient": worst}


def crc(X, c, Y):
    """(XᵀX + κN/700·I)⁻¹XᵀY."""
    n = X.shape[1]
    A = X.T @ X + KAPPA * n / 700 * np.eye(n)
    S = np.linalg.solve(A, X.T @ Y)
    return S, {"gradient": np.abs(A @ S - X.T @ Y).max()}


def nnls(X, c, Y):
    """min ‖y − Xs‖² with s ≥ 0, by SciPy's active set method."""
    S = np.stack([scipy.optimize.nnls(X, y)[0] for y in Y.T], axis=1)
    W = X.T @ (X @ S - Y)  # ≥ 0, and 0 where s > 0
    return S, {"violation": max(-W.min(), np.abs(W[S > 0]).max(), -S.min())}


def gap(X, y, s):
    """The duality gap of a code of the lasso."""
    r = y - X @ s
    u = r * min(1, LAMBDA / np.abs(X.T @ r).max())
    return r @ r / 2 + LAMBDA * np.abs(s).sum() - (y @ y - (y - u) @ (y - u)) / 2


def lasso(X, c, Y):
    """Coordinate descent, then the linear system of its support and signs."""
    S, worst = np.zeros((X.shape[1], Y.shape[1])), 0.0
    solver = Lasso(alpha=LAMBDA / X.shape[0], fit_intercept=False, tol=1e-14, max_iter=1_000_000)
    for j, y in enumerate(Y.T):
        s = solver.fit(X, y).coef_.copy()
        on = np.flatnonzero(s)
        A = X[:, on]
        s[on] = np.linalg.solve(A.T @ A, A.T @ y - LAMBDA * np.sign(s[on]))
        S[:, j] = s
        worst = max(worst, gap(X, y, s))
    if worst > GAP:
        sys.exit(f"the duality gap is {worst:.3g}, more than {GAP}")
    return S, {"gap": worst}


def omp(X, c, Y):
    """Orthogonal matching pursuit with 30 atoms."""
    with warnings.catch_warnings(record=True) as early:
        warnings.simplefilter("always")
        S = np.stack([orthogonal_mp(X, y, n_nonzero_coefs=SPARSITY) for y in Y.T], axis=1)
    return S, {"early": len(early), "fewest atoms": int((S != 0).sum(axis=0).min())}


def classify(X, c, Y, S, normed):
    """argmin ‖y − X_k·s_k‖, divided by ‖s_k‖ if normed; and by how much."""
    scores = []
    for k in np.unique(c):
        r = np.linalg.norm(Y - X[:, c == k] @ S[c == k], axis=0)
        scores.append(r / np.linalg.norm(S[c == k], axis=0) if normed else r)
    scores = np.array(scores)
    best = np.sort(scores, axis=0)
    return scores.argmin(axis=0), ((best[1] - best[0]) / best[0]).min()


def packed(s):
    """A code as its atoms and their coefficients; without its atoms if all."""
    on = np.flatnonzero(s)
    code = {"coefficients": [round(float(v), DECIMALS) for v in s[on]]}
    return code if len(on) == len(s) else {"atoms": on.tolist()} | code


def main():
    X, c, Y, b = split(sys.argv[1])
    out = {
        "made by": f"orl_first6.py, NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}",
        "lambda": LAMBDA, "kappa": KAPPA, "sparsity": SPARSITY, "every": EVERY, "coders": {},
    }
    for code in (lrc, crc, nnls, lasso, omp):
        S, checked = code(X, c, Y)
        with np.errstate(divide="ignore"):
            named, margin = classify(X, c, Y, S, normed=code is crc)
        checked["margin"] = margin  # of the least certain prediction
        print(f"{code.__name__}: {100 * (named == b).mean():.3f} % right, {checked}")
        out["coders"][code.__name__] = {
            "checked": {k: v if isinstance(v, int) else float(f"{v:.2e}") for k, v in checked.items()},
            "predictions": named.tolist(),
            "codes": [packed(s) for s in S.T[::EVERY]],
        }
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "orl_first6.json")
    with open(beside, "w") as f:
        text = json.dumps(out, separators=(",", ":"))
        for key in ('{"atoms"', '{"coefficients"', '"predictions"'):
            text = text.replace(key, "\n" + key)
        f.write(text + "\n")


if __name__ == "__main__":
    main()
