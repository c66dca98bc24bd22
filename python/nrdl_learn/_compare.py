"""Which of several classifiers is better, and how surely."""

from __future__ import annotations

import itertools
from typing import Any, Mapping, Sequence

import numpy as np
import scipy.stats
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedShuffleSplit, check_cv, cross_val_score


def holm(p: Any) -> np.ndarray:
    """Return Holm's adjusted p-values.

    Where all tests with an adjusted p-value up to α are rejected, the chance of any false rejection is
    at most α.

    Parameters
    ----------
    p : array-like of shape (n_tests,)
        NaN does not count as a test.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
    """
    p = np.asarray(p, dtype=float)
    adjusted = np.full(p.shape, np.nan)
    tests = np.flatnonzero((p >= 0) & (p <= 1))
    order = tests[np.argsort(p[tests], kind="stable")]
    adjusted[order] = np.maximum.accumulate(np.minimum(1, np.arange(len(order), 0, -1) * p[order]))
    return adjusted


def corrected_t(a: Any, b: Any, ratio: float) -> tuple[float, float]:
    """Return the t and the two-sided p-value of Nadeau and Bengio's test of paired scores.

    The variance of the mean is corrected for training sets that overlap: t is smaller by √(1 + n·ratio)
    than that of the paired t-test.

    Parameters
    ----------
    a, b : array-like of shape (n_splits,)
        Scores of two classifiers on the same splits.
    ratio : float
        Number of test samples over that of training samples.

    Returns
    -------
    t, p : float
    """
    d = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise ValueError("scores of two splits or more are needed, and all of them finite")
    largest = np.abs(d).max()
    if largest <= 1e-12 * np.abs([a, b]).max():
        return 0.0, 1.0
    d = d / largest
    if np.ptp(d) <= 1e-12:
        return float(np.copysign(np.inf, d[0])), 0.0
    t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / len(d) + ratio))
    return float(t), float(2 * scipy.stats.t.sf(abs(t), len(d) - 1))


class Comparison:
    """What `compare` has found.

    Attributes
    ----------
    names : list of str
        Of the classifiers, the best first.
    scores : dict of str to ndarray of shape (n_splits,)
        Of each classifier on each split.
    mean, std : dict of str to float
        Of the scores.
    pairs : list of dict
        Of each two classifiers ``'better'``, ``'worse'``, the ``'difference'`` of their means, ``'t'`` and
        ``'p'`` of Nadeau and Bengio's test, and ``'p_holm'``, adjusted for the number of pairs.
    ratio : float
        Number of test samples over that of training samples.
    """

    def __init__(self, scores: Mapping[str, np.ndarray], ratio: float):
        self.ratio = ratio
        self.mean = {name: float(s.mean()) for name, s in scores.items()}
        self.std = {name: float(s.std(ddof=1)) for name, s in scores.items()}
        self.names = sorted(scores, key=lambda name: -self.mean[name])
        self.scores = {name: scores[name] for name in self.names}
        self.pairs = []
        for a, b in itertools.combinations(self.names, 2):
            t, p = corrected_t(scores[a], scores[b], ratio)
            self.pairs.append({"better": a, "worse": b, "difference": self.mean[a] - self.mean[b], "t": t, "p": p})
        for pair, adjusted in zip(self.pairs, holm([pair["p"] for pair in self.pairs])):
            pair["p_holm"] = float(adjusted)

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{name:{width}}  {self.mean[name]:.4f} ± {self.std[name]:.4f}" for name in self.names]
        lines += [f"{p['better']} > {p['worse']}: {p['difference']:+.4f}, p = {p['p']:.3g}, after Holm {p['p_holm']:.3g}" for p in self.pairs]
        return "\n".join(lines)


def compare(estimators: Any, X: Any, y: Any, *, cv: Any = None, scoring: Any = None, n_jobs: int | None = None) -> Comparison:
    """Score classifiers on the same splits, and test the differences as the reports of the project do.

    Parameters
    ----------
    estimators : dict of str to estimator, or sequence of estimator
        Two or more. Those of a sequence are called as their classes.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    cv : int or cross-validation generator, optional
        The splits; by default ten at random with half of the samples each.
    scoring : str or callable, optional
        As in scikit-learn; by default the accuracy.
    n_jobs : int, optional
        Splits at a time.

    Returns
    -------
    comparison : Comparison
    """
    named = dict(estimators) if isinstance(estimators, Mapping) else _named(estimators)
    if len(named) < 2:
        raise ValueError("give two estimators or more to compare")
    splits = check_cv(StratifiedShuffleSplit(10, test_size=0.5, random_state=0) if cv is None else cv, y, classifier=True)
    parts = [(train, test) for train, test in splits.split(X, y)]
    ratio = float(np.mean([len(test) / len(train) for train, test in parts]))
    scores = {}
    for name, estimator in named.items():
        scorer = check_scoring(estimator, scoring)
        scores[name] = cross_val_score(clone(estimator), X, y, cv=parts, scoring=scorer, n_jobs=n_jobs, error_score="raise")
    return Comparison(scores, ratio)


def _named(estimators: Sequence[Any]) -> dict[str, Any]:
    if not isinstance(estimators, Sequence) or any(isinstance(e, type) or not hasattr(e, "fit") for e in estimators):
        raise TypeError(f"estimators is a list, such as [NRC(), CRC()], or a dict of names and estimators, not {estimators!r}")
    names = [type(e).__name__ for e in estimators]
    if len(set(names)) < len(names):
        raise ValueError(f"two of {', '.join(names)} have one name: give a dict of names and estimators")
    return dict(zip(names, estimators))


__all__ = ["Comparison", "compare", "corrected_t", "holm"]
