#!/usr/bin/python3
"""Statistics and p-values of SciPy, for the tests of the package above.

Writes golden.json beside itself. The command, with the packages python3-numpy
and python3-scipy of Debian:

    /usr/bin/python3 lab/significance/testdata/golden.py

Samples are counts of faces, of which SciPy is given the whole numbers and the
Go test the rates: a tie of counts is one of rates. SciPy has no exact signed
rank test where differences tie: up to 12 pairs permutation_test goes through
all signs, for more the sums of the ranks are counted here in whole numbers.
"""

import json
import os
import warnings

import numpy as np
import scipy
import scipy.stats as st

rng = np.random.default_rng(1)
warnings.simplefilter("ignore")  # small samples and infinite t are meant


def rank_sum(d):
    """W⁺ of differences, of which none is zero, along the last axis."""
    return np.sum(st.rankdata(np.abs(d), axis=-1) * (d > 0), axis=-1)


def exact_ties(d):
    if len(d) <= 12:
        mean = len(d) * (len(d) + 1) / 4
        return st.permutation_test(
            (d,),
            lambda x, axis=-1: rank_sum(x) - mean,
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        ).pvalue
    ranks = [round(2 * r) for r in st.rankdata(np.abs(d))]
    ways = [1]
    for r in ranks:
        ways = [x + y for x, y in zip(ways + [0] * r, [0] * r + ways)]
    plus = round(2 * rank_sum(d))
    return min(1, 2 * sum(ways[: min(plus, sum(ranks) - plus) + 1]) / 2 ** len(d))


def pairs(a, b, of):
    """One sample: counts a and b of as many faces as `of` says of each pair."""
    scaled = (a - b) * (np.lcm.reduce(of) // of)  # rates, over a common denominator
    d = scaled[scaled != 0]
    tied = len(np.unique(np.abs(d))) < len(d)
    approximate = st.wilcoxon(d, method="approx")
    exact = exact_ties(d) if tied else st.wilcoxon(d, method="exact").pvalue
    t = st.ttest_rel(a / of, b / of)
    return {
        "A": a.tolist(),
        "B": b.tolist(),
        "Of": of.tolist(),
        "N": len(d),
        "Tied": tied,
        "W": approximate.statistic,
        "Exact": exact,
        "Approximate": approximate.pvalue,
        "T": t.statistic,
        "PT": t.pvalue,
    }


def samples():
    for n in [5, 6, 8, 10, 11, 12, 15, 20, 30, 40, 50, 60]:
        for shift in [0, 1, 3]:
            faces = np.full(n, 160)
            a = rng.integers(120, 150, n)
            yield pairs(a, a + rng.integers(-4, 6, n) - shift, faces)  # ties, zeros
            yield pairs(a + rng.integers(0, 3, n) + 1, a, faces)  # all one way
            other = rng.choice([60, 100, 144, 160], n)
            yield pairs(other // 2 + rng.integers(0, 9, n), other // 2 + shift, other)
            faces = np.full(n, 1_000_000)
            d = rng.permutation(np.arange(1, n + 1)) * rng.choice([-1, 1, shift or 1], n)
            yield pairs(500_000 + d * 7, faces // 2, faces)  # no ties, no zeros


def friedman(k, n, levels):
    rates = rng.integers(0, levels, (n, k)) + np.arange(k) // 3
    chi, p = st.friedmanchisquare(*rates.T)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    return {
        "Rates": rates.tolist(),
        "Ranks": st.rankdata(-rates, axis=1).mean(axis=0).tolist(),
        "ChiSquared": chi,
        "P": p,
        "F": f,
        "PF": st.f.sf(f, k - 1, (k - 1) * (n - 1)),
    }


golden = {
    "SciPy": scipy.__version__,
    "Pairs": list(samples()),
    "McNemar": [
        {"OnlyA": b, "OnlyB": c, "P": st.binomtest(b, b + c, 0.5).pvalue}
        for b, c in [(0, 1), (0, 5), (1, 5), (3, 4), (5, 5), (9, 25), (25, 9), (100, 150), (3, 90), (1000, 1100)]
    ],
    "Friedman": [friedman(k, n, levels) for k in [3, 4, 7, 15] for n in [3, 5, 10] for levels in [4, 1000]],
    "Range": [
        {"K": k, "Alpha": alpha, "Q": st.studentized_range.ppf(1 - alpha, k, np.inf)}
        for k in range(2, 31)
        for alpha in (0.05, 0.10)
    ],
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json"), "w") as f:
    json.dump(golden, f)
    f.write("\n")
