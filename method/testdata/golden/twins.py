"""Twins in NumPy of nine methods of nrdl: outside contestants of nrdl bench.

    python3 twins.py METHOD < samples.npz

Each method is written from the problem that its paper prints (doc/equations.md names
the papers), in the plain way: a system for each class, solvers to convergence, no
algebra to save work. Nothing is taken over from the Go code, so that equal answers mean
something. doc/external.md has the protocol; METHOD's parameters have nrdl's names and
defaults. If TWINS_SECONDS names a file, the processor time of learning and recognising
is added to it, as a line for benchstat, without the start and the reading.

Letters: X d×N training samples of norm 1, one a column, the samples of a class next to
each other; D d×K atoms; S K×N codes; T d×n test samples; `own[c]` selects the columns of
class c; a score is larger for a likelier class. Solvers, where the problem leaves a
choice:

* codes under an l1 norm: the method of multipliers (ADMM) to convergence;
* DPL: random start and ADMM with a growing penalty for D_k, as the authors' program;
* DLSI and COPAR: atoms by plain projected gradient steps; start from the samples, which
  is what K-SVD gives where every sample has an atom; COPAR's common atoms start from
  the leading singular vectors of all samples, or from nrdl's with start "cosines";
* LRSDL: FISTA for S and S0 together, atoms one after the other, ADMM for D0, as the
  paper; start from singular vectors, D0 as COPAR's;
* D2L2R2: start from eigenfaces, codes class after class by FISTA, atoms by the method
  of multipliers, as the paper, but without its sparse error, as in nrdl.
"""

import io
import json
import os
import sys
import time

import numpy as np
from numpy.linalg import inv, norm, solve, svd


def unit(a):
    return a / np.maximum(norm(a, axis=0), 1e-300)


def on_ball(a):
    return a / np.maximum(norm(a, axis=0), 1)


def soft(a, t):
    return np.sign(a) * np.maximum(np.abs(a) - t, 0)


def shrink_rank(a, t):
    """The proximal operator of t times the sum of the singular values."""
    u, s, v = svd(a, full_matrices=False)
    return (u * np.maximum(s - t, 0)) @ v


def fista(s, gradient, lipschitz, weight, steps=100, tol=1e-5):
    """Lowers f(S) + weight·|S|_1 from S."""
    at, t = s, 1.0
    for _ in range(steps):
        new = soft(at - gradient(at) / lipschitz, weight / lipschitz)
        if np.abs(new - at).max() < tol:
            return new
        if np.vdot(at - new, new - s) > 0:
            t = 1.0  # momentum leads up
        last, t = t, (1 + np.sqrt(1 + 4 * t * t)) / 2
        at, s = new + (last - 1) / t * (new - s), new
    return s


def lasso(g, b, weight, tol=1e-7, rho=0.1, chunk=256):
    """min ½ sᵀGs − bᵀs + weight·|s|_1 for each column b of B, by ADMM."""
    inverse, out = inv(g + rho * np.eye(len(g))), np.zeros_like(b)
    for lo in range(0, b.shape[1], chunk):  # what fits the cache
        some = b[:, lo : lo + chunk]
        z, u = np.zeros_like(some), np.zeros_like(some)
        for _ in range(5000):
            s = inverse @ (some + rho * (z - u))
            last, z = z, soft(s + u, weight / rho)
            u += s - z
            if max(np.abs(s - z).max(), np.abs(z - last).max()) < tol:
                break
        out[:, lo : lo + chunk] = z
    return out


def residuals(x, own, s, y):
    """‖y − X_c s_c‖, C×n."""
    return np.array([norm(y - x[:, c] @ s[c], axis=0) for c in own])


# ProCRC: min ‖y − Xs‖² + λ‖s‖² + γ/C Σ_c ‖Xs − X_c s_c‖²


def procrc(x, own, test, rng, coder_lambda=0.01, coder_gamma=0.1):
    a = x.T @ x + coder_lambda * np.eye(x.shape[1])
    for c in own:
        others = x.copy()
        others[:, c] = 0  # Xs − X_c s_c = (others)s
        a += coder_gamma / len(own) * others.T @ others
    s = solve(a, x.T @ test)
    return 1 - residuals(x, own, s, x @ s)


# NRC, CRC and SRC with φ(y), φ(X) in place of y, X: φ(a)ᵀφ(b) = k(a, b)


def kernels(x, test, kernel="rbf", scale=1.0, degree=2, offset=1.0):
    """k(X, X), k(X, T)."""
    if kernel == "polynomial":
        return [((x.T @ y + offset) / (1 + offset)) ** degree for y in (x, test)]

    def squares(y):
        return np.maximum((x**2).sum(0)[:, None] + (y**2).sum(0) - 2 * x.T @ y, 0)

    between = np.sqrt(squares(x)[np.triu_indices(x.shape[1], 1)])
    width = scale * np.median(between[between > 1e-7])
    return [np.exp(-squares(y) / (2 * width**2)) for y in (x, test)]


def kernel_residuals(k, kt, own, s):
    """‖φ(y) − φ(X_c)s_c‖² = 1 − 2 s_cᵀk(X_c, y) + s_cᵀk(X_c, X_c)s_c."""
    return np.array([1 - 2 * (s[c] * kt[c]).sum(0) + (s[c] * (k[c, c] @ s[c])).sum(0) for c in own])


def knrc(x, own, test, rng, coder_rho=0.1, coder_passes=10, **kernel):
    k, kt = kernels(x, test, **kernel)
    rho, z, delta = coder_rho, np.zeros_like(kt), np.zeros_like(kt)
    inverse = inv(k + rho / 2 * np.eye(len(k)))
    for _ in range(coder_passes):
        s = inverse @ (kt + rho / 2 * z + delta / 2)
        z = np.maximum(s - delta / rho, 0)
        delta = delta + rho * (z - s)
    return 1 - np.sqrt(np.maximum(kernel_residuals(k, kt, own, z), 0))


def kcrc(x, own, test, rng, kappa=0.001, **kernel):
    k, kt = kernels(x, test, **kernel)
    s = solve(k + kappa * len(k) / 700 * np.eye(len(k)), kt)
    r, codes = kernel_residuals(k, kt, own, s), np.array([(s[c] ** 2).sum(0) for c in own])
    return codes / (codes + r)  # rises with ‖s_c‖ / ‖φ(y) − φ(X_c)s_c‖


def ksrc(x, own, test, rng, coder_lambda=0.01, tol=1e-5, rho=1.0, **kernel):
    k, kt = kernels(x, test, **kernel)
    s = lasso(k, kt, coder_lambda, tol, rho)
    return 1 - np.sqrt(np.maximum(kernel_residuals(k, kt, own, s), 0))


# DPL: min Σ_k ‖X_k − D_kA_k‖² + τ‖P_kX_k − A_k‖² + λ‖P_kX̄_k‖² + γ‖P_k‖², ‖d_i‖ ≤ 1


def dpl(x, own, test, rng, tau=0.05, gamma=1e-4, passes=20, **weights):
    lam, scores = weights.get("lambda", 0.003), []
    for c in own:
        xk, others = x[:, c], np.delete(x, np.r_[c], axis=1)
        m = tau * xk @ xk.T + lam * others @ others.T + gamma * np.eye(len(x))
        right = solve(m, xk).T  # X_kᵀM⁻¹
        d, p = unit(rng.standard_normal(xk.shape)), unit(rng.standard_normal(xk.shape)).T

        def codes():
            return solve(d.T @ d + tau * np.eye(d.shape[1]), tau * p @ xk + d.T @ xk)

        a = codes()
        for _ in range(passes):
            p = tau * a @ right
            rho, u, before = 1.0, np.zeros_like(d), d
            for _ in range(100):
                free = solve(a @ a.T + rho * np.eye(len(a)), (xk @ a.T + rho * (d - u)).T).T
                d = on_ball(free + u)
                u, rho = u + free - d, 1.2 * rho
                if np.mean((d - before) ** 2) < 1e-14:
                    break
                before = d
            a = codes()
        scores.append(1 - norm(test - d @ (p @ test), axis=0))
    return np.array(scores)


# Atoms under an incoherence: min tr(DFDᵀ) − 2⟨E, D⟩ + 2η‖othersᵀD‖², ‖d_k‖ ≤ 1


def incoherent(d, e, f, others, eta, steps=20):
    lipschitz = norm(f) + 2 * eta * norm(others.T @ others)  # at least the largest curvature
    if lipschitz == 0:
        return d
    for _ in range(steps):
        d = on_ball(d - (d @ f - e + 2 * eta * others @ (others.T @ d)) / lipschitz)
    return d


# DLSI: min Σ_c ‖X_c − D_cA_c‖² + λ|A_c|_1 + η Σ_c Σ_{j≠c} ‖D_cᵀD_j‖²


def dlsi(x, own, test, rng, eta=1e-3, passes=10, **weights):
    lam, d = weights.get("lambda", 0.01), x.copy()
    for _ in range(passes):
        codes = [lasso(d[:, c].T @ d[:, c], d[:, c].T @ x[:, c], lam / 2) for c in own]
        for c, a in zip(own, codes):
            others = np.delete(d, np.r_[c], axis=1)
            d[:, c] = incoherent(d[:, c], x[:, c] @ a.T, a @ a.T, others, eta)
    costs = []
    for c in own:
        s = lasso(d[:, c].T @ d[:, c], d[:, c].T @ test, lam / 2)
        costs.append(norm(test - d[:, c] @ s, axis=0) ** 2 + lam * np.abs(s).sum(0))
    return 1 - np.array(costs)


def common_atoms(x, number, start):
    if start == "cosines":  # nrdl's: sums of all samples with slowly changing weights
        places = (np.arange(x.shape[1]) + 0.5) / x.shape[1]
        return unit(x @ np.cos(np.pi * np.outer(places, np.arange(number))))
    return svd(x, full_matrices=False)[0][:, :number]


# COPAR: min Σ_c (‖X_c − DS_c‖² + ‖X_c − D_0S_c^0 − D_cS_c^c‖² + Σ_{j≠c,0} ‖S_c^j‖²)
#        + λ|S|_1 + η Σ_c Σ_{j≠c} ‖D_cᵀD_j‖², D_0 the last atoms


def copar(x, own, test, rng, eta=1e-3, common=5, passes=10, start="singular", **weights):
    lam, n = weights.get("lambda", 0.005), x.shape[1]
    d = np.hstack([x, common_atoms(x, common, start)])
    zero, s = slice(n, n + common), np.zeros((n + common, n))
    for _ in range(passes):
        g = d.T @ d
        for c in own:
            both = np.r_[c, zero]
            h, b = g + np.eye(len(g)), d.T @ x[:, c]
            h[both, both] -= 1
            h[np.ix_(both, both)] += g[np.ix_(both, both)]
            b[both] *= 2
            s[:, c] = lasso(h, b, lam / 2, tol=1e-4)
        for c in [*own, zero]:
            rest = x - d @ s + d[:, c] @ s[c]
            e, f = rest @ s[c].T, s[c] @ s[c].T
            for i in own if c is zero else [c]:
                left = d[:, i] @ s[i, i] if c is zero else d[:, zero] @ s[zero, i]
                e += (x[:, i] - left) @ s[c, i].T
                f += s[c, i] @ s[c, i].T
            d[:, c] = incoherent(d[:, c], e, f, np.delete(d, np.r_[c], axis=1), eta)
    s = lasso(d.T @ d, d.T @ test, lam / 2)
    return 1 - residuals(d, own, s, test - d[:, zero] @ s[zero])


# Atoms of low rank: min tr(DFDᵀ) − 2⟨E, D⟩ + α‖D‖_*, ‖d_k‖ ≤ 1


def low_rank(d, e, f, alpha, steps=50):
    rho = np.trace(f) / len(f)
    if rho == 0:
        return d
    low, ball, u, v = d, d, np.zeros_like(d), np.zeros_like(d)
    inverse = inv(f + 2 * rho * np.eye(len(f)))
    for _ in range(steps):
        d = (e + rho * (low - u + ball - v)) @ inverse
        low, ball = shrink_rank(d + u, alpha / (2 * rho)), on_ball(d + v)
        u, v = u + d - low, v + d - ball
    return ball


def class_means(s, own):
    """The mean code of each class, K×C."""
    return np.array([s[:, c].mean(1) for c in own]).T


def fisher(d, own, s, means, y, weight):
    """1 − ‖y − D_c s_c‖² − w‖s − m_c‖²."""
    return 1 - residuals(d, own, s, y) ** 2 - weight * np.array([((s.T - m) ** 2).sum(1) for m in means.T])


# D2L2R2: min Σ_c (‖X_c − DS_c‖² + ‖X_c − D_cS_c^c‖² + Σ_{j≠c} ‖D_jS_c^j‖² + α‖D_c‖_*)
#         + λ₁|S|_1 + λ₂(tr(S_w − S_b) + η‖S‖²)


def d2l2r2(x, own, test, rng, lambda1=0.005, lambda2=0.05, eta=1.0, alpha=0.01, gamma=0.005, weight=0.5, passes=15):
    d, n = np.zeros_like(x), x.shape[1]
    for c in own:  # the mean and the eigenfaces
        mean = x[:, c].mean(1, keepdims=True)
        faces = svd(x[:, c] - mean, full_matrices=False)[0]
        d[:, c] = np.hstack([unit(mean), faces[:, : c.stop - c.start - 1]])
    s = np.zeros((n, n))
    for _ in range(passes):
        g = d.T @ d
        for c in own:
            g[c, c] *= 2  # of ‖DS_c‖², and of ‖D_jS_c^j‖² for each j
        curvature = 2 * norm(g, 2) + 2 * lambda2 * (1 + eta)
        for c in own:
            b, size = d.T @ x[:, c], c.stop - c.start
            b[c] *= 2
            rest = s.sum(1) - s[:, c].sum(1)

            def gradient(v):
                total = v.sum(1)  # tr(S_w − S_b) = ‖S‖² − 2Σ n_c‖m_c‖² + N‖m‖²
                pull = (2 * total / size - (rest + total) / n)[:, None]
                return 2 * (g @ v - b) + 2 * lambda2 * ((1 + eta) * v - pull)

            s[:, c] = fista(s[:, c], gradient, curvature, lambda1)
        for c in own:
            rest = x - d @ s + d[:, c] @ s[c]
            e = rest @ s[c].T + x[:, c] @ s[c, c].T
            d[:, c] = low_rank(d[:, c], e, 2 * s[c] @ s[c].T, alpha)
    codes = lasso(d.T @ d, d.T @ test, gamma / 2)
    return fisher(d, own, codes, class_means(s, own), test, weight)


# LRSDL: min ½Σ_c (‖X_c − D_0S_c^0 − DS_c‖² + ‖X_c − D_0S_c^0 − D_cS_c^c‖² + Σ_{j≠c} ‖D_jS_c^j‖²)
#        + λ₁|S, S⁰|_1 + ½λ₂(tr(S_w − S_b) + ‖S‖² + ‖S⁰ − M⁰‖²) + η‖D_0‖_*


def lrsdl(x, own, test, rng, lambda1=0.0025, lambda2=0.05, eta=0.02, common=5, weight=0.5, passes=15, start="singular"):
    n = x.shape[1]
    d0 = common_atoms(x, common, start)
    s, s0 = np.zeros((n, n)), solve(d0.T @ d0, d0.T @ x)
    d = np.hstack([svd(x[:, c] - d0 @ s0[:, c], full_matrices=False)[0] for c in own])
    zero = slice(n, n + common)
    for _ in range(passes):
        both = np.hstack([d, d0])
        g, b = both.T @ both, both.T @ x

        def gradient(v):
            out = g @ v - b
            means = class_means(v[:n], own)
            for i, c in enumerate(own):
                out[c] += g[c, c] @ v[c]
                out[c, c] += g[c, zero] @ v[zero, c] - b[c, c]
                out[zero, c] += g[zero, c] @ v[c, c] + g[zero, zero] @ v[zero, c] - b[zero, c]
                out[:n, c] -= 2 * lambda2 * means[:, [i]]
            out[:n] += lambda2 * (2 * v[:n] + v[:n].mean(1, keepdims=True))
            out[zero] += lambda2 * (v[zero] - v[zero].mean(1, keepdims=True))
            return out

        curvature = 2 * norm(g, 2) + 2 * lambda2
        v = fista(np.vstack([s, s0]), gradient, curvature, lambda1)
        s, s0 = v[:n], v[zero]

        left, f = x - d0 @ s0, s @ s.T
        e = left @ s.T
        for c in own:
            e[:, c] += left[:, c] @ s[c, c].T
            f[c, c] *= 2
        for _ in range(3):
            for k in np.flatnonzero(np.diag(f)):  # the minimiser over an atom
                d[:, k] += (e[:, k] - d @ f[:, k]) / f[k, k]
                d[:, k] /= max(norm(d[:, k]), 1)

        half = x - d @ s / 2
        for c in own:
            half[:, c] -= d[:, c] @ s[c, c] / 2
        d0 = low_rank(d0, half @ s0.T, s0 @ s0.T, eta)
    both, mean = np.hstack([d, d0]), s0.mean(1, keepdims=True)
    g, b = both.T @ both, both.T @ test
    g[zero, zero] += lambda2 * np.eye(common)
    b[zero] += lambda2 * mean
    codes = lasso(g, b, lambda1)
    return fisher(d, own, codes[:n], class_means(s, own), test - d0 @ codes[zero], weight)


METHODS = {f.__name__: f for f in (procrc, knrc, kcrc, ksrc, dpl, dlsi, copar, lrsdl, d2l2r2)}


def scores(method, train, classes, test, seed, params):
    """C×n scores of the columns of test."""
    starts = [*np.flatnonzero(np.r_[1, np.diff(classes)]), len(classes)]
    own = [slice(a, b) for a, b in zip(starts, starts[1:])]
    params = {name.replace(".", "_"): value for name, value in params.items()}
    return METHODS[method](unit(train), own, unit(test), np.random.default_rng(seed), **params)


def contest(method):
    f = np.load(io.BytesIO(sys.stdin.buffer.read()))
    start = time.process_time()
    train, classes, test = f["X_train"].T, f["y_train"], f["X_test"].T
    answer = scores(method, train, classes, test, int(f["seed"][0]), json.loads(str(f["params"][0]))).argmax(0)
    if "TWINS_SECONDS" in os.environ:
        with open(os.environ["TWINS_SECONDS"], "a") as out:
            seconds = time.process_time() - start
            name = f"method={method}/train={train.shape[1]}/test={test.shape[1]}/program=numpy"
            print(f"BenchmarkTwins/{name} 1 {round(1e9 * seconds)} cpu-ns/op", file=out)
    print(*answer, sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in METHODS:
        contest(sys.argv[1])
    else:
        sys.exit(f"usage: twins.py METHOD < samples.npz, with METHOD one of {', '.join(METHODS)}")
