#!/usr/bin/python3
"""NRDL where (11) is singular, by an independent program in NumPy.

Without arguments it writes nrdl_copies.json beside itself: small drawn training
sets with images that are alike, or with more samples than features, and D, W
and S after a few passes, with which method's tests compare. With a .mat file as
its argument it prints how often NRDL names the last images of each person
correctly where some of the first are in the training part twice, by the step of
this project and by the least-norm solution of the authors' program, which takes
pseudo-inverses. The commands, with Debian's python3-numpy and python3-scipy:

    /usr/bin/python3 method/testdata/golden/nrdl_copies.py
    /usr/bin/python3 method/testdata/golden/nrdl_copies.py DATA/sets/orl_56x46.mat 4
"""

import json
import os
import sys

import numpy as np
import scipy.io
import scipy.linalg
import scipy.optimize

WEAK, PROXIMITY, SAME = 1e-6, 1e-5, 1e-9
LAMBDA, ALPHA, BETA, GAMMA = 1e-4, 1.0, 0.1, 1e-4
MU, GROWTH, TOL, PASSES = 1e-5, 1.1, 1e-6, 1000


def proximal(A, B, last):
    """(A + εI)⁻¹(B + ε·last), by the eigenvectors of A."""
    m, p = np.mean(np.diag(A)), 0.0
    try:
        p = np.min(np.diag(scipy.linalg.cholesky(A))) ** 2 / m
    except np.linalg.LinAlgError:
        pass
    eps = PROXIMITY * m * max(0.0, 1 - p / WEAK)
    w, V = np.linalg.eigh(A)
    return V @ ((V.T @ (B + eps * last)) / (w + eps)[:, None]), eps


def least_norm(A, B, last):
    return np.linalg.pinv(A, rcond=len(A) * np.finfo(float).eps) @ B, 0.0


def match(D, X):
    """The best code of one atom for each sample; ties go to the atom used least."""
    norm, C = (D * D).sum(0), D.T @ X
    S, used = np.zeros_like(C), np.zeros(len(C))
    for j in range(X.shape[1]):
        value = np.where(C[:, j] > 0, C[:, j] ** 2 / norm, 0)
        ties = np.flatnonzero(value >= (1 - SAME) * value.max())
        a = ties[np.argmin(used[ties])]
        used[a] += 1
        S[a, j] = C[a, j] / norm[a]
    return S


def nrdl(X, y, passes, solve, signed=False):
    """D, W and S of NRDL with D₀ = X, the samples X at unit norm, y their classes."""
    n, c = X.shape[1], y.max() + 1
    own = y[:, None] == y[None]
    H = (np.arange(c)[:, None] == y[None]).astype(float)
    M = 1 / (1 + np.sqrt(np.maximum(0, 2 - 2 * X.T @ X)))
    np.fill_diagonal(M, 1)
    L = np.diag(M.sum(1)) - M
    D, S, W = X.copy(), np.zeros((n, n)), np.zeros((c, n))
    P, J, C1, C2 = (np.zeros((c, n)) for _ in range(4))
    mu, status = MU, "stopped"
    for k in range(passes):
        T = ALPHA * H + mu * P - C1 + mu * J - C2
        G = (LAMBDA + 1) * D.T @ D + (ALPHA + 2 * mu) * W.T @ W
        B = D.T @ (X + LAMBDA * D @ (own * S)) + W.T @ T
        new, eps = solve(G, B, S)
        if k == 0 and eps > 0:
            new, eps = solve(G, B, match(D, X))
        S = new if signed else np.maximum(0, new)
        V = S @ S.T
        W = solve(V, S @ T.T / (ALPHA + 2 * mu), W.T)[0].T
        WS = W @ S
        for i in range(c):
            Pi, rest = y == i, P[:, y != i]
            P[:, Pi] = np.linalg.solve(BETA * rest @ rest.T + mu * np.eye(c), mu * WS[:, Pi] + C1[:, Pi])
        J = np.linalg.solve(GAMMA * L + mu * np.eye(n), (mu * WS + C2).T).T
        O = ~own * S
        D = solve(V + LAMBDA * O @ O.T, S @ X.T, D.T)[0].T
        C1, C2, mu = C1 + mu * (WS - P), C2 + mu * (WS - J), GROWTH * mu
        if max(np.abs(D).max(), np.abs(W).max()) > 1e6:
            return D, W, S, "diverged"
        if max(np.abs(WS - P).max(), np.abs(WS - J).max()) < TOL:
            return D, W, S, "converged"
    return D, W, S, status


def unit(X):
    return X / np.linalg.norm(X, axis=0)


def drawn():
    """Small training sets: name, samples, classes, whether codes have a sign."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [4, 3, 5])
    for name, d, edit, signed in [
        ("a copy", 20, "copy", False),
        ("a copy, signed", 20, "copy", True),
        ("three alike", 20, "three", False),
        ("a copy with noise of 1e-7", 20, "near", False),
        ("a copy in another class", 20, "other", False),
        ("the mean of two", 20, "mean", False),
        ("more samples than features", 5, "", False),
        ("more samples than features and a copy", 5, "copy", False),
    ]:
        X = np.abs(rng.standard_normal((d, len(y)))) + 0.5 * y
        if edit in ("copy", "three", "near"):
            X[:, 2] = X[:, 0]
        if edit == "three":
            X[:, 3] = X[:, 0]
        if edit == "near":
            X[:, 2] += 1e-7 * np.linalg.norm(X[:, 0]) * unit(rng.standard_normal((d, 1)))[:, 0]
        if edit == "other":
            X[:, 5] = X[:, 0]
        if edit == "mean":
            X[:, 2] = (X[:, 0] + X[:, 1]) / 2
        yield name, unit(X).round(10), y, signed  # so few digits are stored


def write():
    cases = []
    for name, X, y, signed in drawn():
        D, W, S, _ = nrdl(X, y, 12, proximal, signed)
        lists = {k: np.asarray(v).round(10).ravel().tolist() for k, v in dict(X=X, D=D, W=W, S=S).items()}
        cases.append(dict(name=name, signed=signed, passes=12, features=len(X), labels=y.tolist(), **lists))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nrdl_copies.json")
    with open(path, "w") as f:
        json.dump(dict(numpy=np.__version__, cases=cases), f)
        f.write("\n")


def rate(D, W, Y, b):
    hits = 0
    for j in range(Y.shape[1]):
        code = scipy.optimize.nnls(D, Y[:, j], maxiter=30 * D.shape[1])[0]
        hits += np.argmax(W @ code) == b[j]
    return 100 * hits / Y.shape[1]


def spoilt(X, y, draw):
    """What is added to the samples X: name, samples, classes, features to keep."""
    rng = np.random.default_rng(draw)
    j = rng.permutation(len(y))[:10]
    none = np.zeros((len(X), 0)), np.zeros(0, int)
    yield "nothing", *none, len(X)
    yield "3 copies", X[:, j[:3]], y[j[:3]], len(X)
    yield "10 copies", X[:, j], y[j], len(X)
    for noise in (1e-9, 1e-6):
        yield f"3 copies with noise of {noise:g}", X[:, j[:3]] + noise * unit(rng.standard_normal((len(X), 3))), y[j[:3]], len(X)
    other = [rng.choice(np.flatnonzero((y == y[i]) & (np.arange(len(y)) != i))) for i in j]
    yield "10 means of two images of a person", (X[:, j] + X[:, other]) / 2, y[j], len(X)
    yield "nothing, 64 features", *none, 64
    yield "3 copies, 64 features", X[:, j[:3]], y[j[:3]], 64


def compare(path, learn, draws):
    data = scipy.io.loadmat(path)
    faces, labels = unit(data["fea"].astype(float).T), data["gnd"].ravel()
    _, labels = np.unique(labels, return_inverse=True)
    rank = np.array([np.sum(labels[:j] == labels[j]) for j in range(len(labels))])
    X, y, Y, b = faces[:, rank < learn], labels[rank < learn], faces[:, rank >= learn], labels[rank >= learn]
    print(f"{os.path.basename(path)}, the first {learn} images of each person; percent of the others named correctly, {draws} draws\n")
    print("| added to the training part | this project's step | least norm |\n| --- | --- | --- |")
    for name, *_ in spoilt(X, y, 0):
        row = []
        for solve in (proximal, least_norm):
            cells = []
            for draw in range(draws):
                _, Z, z, d = next(c for c in spoilt(X, y, draw) if c[0] == name)
                U = np.linalg.svd(np.hstack([X, Z]), full_matrices=False)[0][:, :d]
                D, W, _, status = nrdl(unit(U.T @ np.hstack([X, Z])), np.append(y, z), PASSES, solve)
                cells.append("diverged" if status == "diverged" else f"{rate(D, W, unit(U.T @ Y), b):.1f}")
                if name.startswith("nothing"):
                    break
            row.append(", ".join(cells))
        print(f"| {name} | {row[0]} | {row[1]} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare(sys.argv[1], int(sys.argv[2]), 3)
    else:
        write()
