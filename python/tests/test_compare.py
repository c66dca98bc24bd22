"""The statistics are those of the project: its reports have them of package significance, which has the same golden values."""

import json
import math
import pathlib

import numpy as np
import pytest
import scipy.stats
from sklearn.datasets import load_digits
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import nrdl_learn as nrdl

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "lab" / "significance" / "testdata" / "golden.json"


def test_paired_test():
    """Without overlap it is the paired t-test, as SciPy has it; with a ratio t is smaller by √(1 + n·ratio)."""
    seen = 0
    for pair in json.loads(GOLDEN.read_text())["Pairs"]:
        a, b = np.divide(pair["A"], pair["Of"]), np.divide(pair["B"], pair["Of"])
        if len(a) < 2 or not pair["T"] or not math.isfinite(pair["T"]) or np.ptp(a - b) < 1e-9:
            continue
        t, p = nrdl.corrected_t(a, b, 0)
        np.testing.assert_allclose([t, p], [pair["T"], pair["PT"]], rtol=1e-6)
        corrected, p = nrdl.corrected_t(a, b, 0.5)
        np.testing.assert_allclose(corrected, t / math.sqrt(1 + 0.5 * len(a)), rtol=1e-12)
        np.testing.assert_allclose(p, 2 * scipy.stats.t.sf(abs(corrected), len(a) - 1), rtol=1e-12)
        seen += 1
    assert seen > 5
    assert nrdl.corrected_t([0.5, 0.6], [0.5, 0.6], 1) == (0.0, 1.0)
    assert nrdl.corrected_t([0.5, 0.6], [0.4, 0.5], 1) == (math.inf, 0.0)


def test_holm():
    """The adjusted values up to α are those that Holm's steps reject."""
    np.testing.assert_allclose(nrdl.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(nrdl.holm([0.01, math.nan, 0.03]), [0.02, math.nan, 0.03])
    rng = np.random.default_rng(1)
    for _ in range(200):
        p, alpha = rng.random(6) ** 3, rng.random()
        rejected = 0
        for i, value in enumerate(sorted(p)):
            if value > alpha / (len(p) - i):
                break
            rejected += 1
        assert (nrdl.holm(p) <= alpha).sum() == rejected


def test_compare():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    found = nrdl.compare({"near": nrdl.NN(), "nrc": nrdl.NRC(), "same": nrdl.NRC()}, X, y, cv=cv)
    assert found.ratio == 1.0 and len(found.scores["near"]) == 6 and len(found.pairs) == 3
    for pair in found.pairs:
        t, p = nrdl.corrected_t(found.scores[pair["better"]], found.scores[pair["worse"]], 1.0)
        assert (pair["t"], pair["p"]) == (t, p) and pair["p"] <= pair["p_holm"] <= 1 and pair["difference"] >= 0
    (equal,) = (pair for pair in found.pairs if "near" not in pair.values())
    assert equal["p"] == 1.0 and "after Holm" in repr(found)
    assert nrdl.compare([nrdl.NN(), nrdl.CRC()], X, y).names == nrdl.compare([nrdl.CRC(), nrdl.NN()], X, y).names
    with pytest.raises(ValueError, match="one name"):
        nrdl.compare([nrdl.NN(), nrdl.NN()], X, y)
    with pytest.raises(ValueError, match="two estimators"):
        nrdl.compare([nrdl.NN()], X, y)
    for wrong in nrdl.NRC(), ["nrc", "crc"], [nrdl.NRC, nrdl.CRC], [("a", nrdl.NRC()), ("b", nrdl.CRC())]:
        with pytest.raises(TypeError, match="is a list, such as"):
            nrdl.compare(wrong, X, y)


def test_tune():
    """The first configuration is as given, the best is what is fitted, and a seed gives the same search again."""
    X, y = load_digits(return_X_y=True)
    X, y, X2, y2 = X[:200], y[:200].astype(str), X[200:400], y[200:400].astype(str)
    given = nrdl.NRC(coder_passes=2)
    found = nrdl.tune(given, X, y, budget=6)
    assert len(found.trials_) == 6 and found.trials_[0]["params"] == {}
    assert found.best_score_ == max(trial["score"] for trial in found.trials_ if trial["folds"] == 4)
    best = found.best_estimator_
    assert best.get_params() == {**given.get_params(), **found.best_params_} and not hasattr(given, "model_")
    assert best.score(X2, y2) > 0.85
    assert [t["params"] for t in nrdl.tune(given, X, y, budget=6).trials_] == [t["params"] for t in found.trials_]
    lasso = nrdl.tune(nrdl.Representation(coder="lasso", params={"coder.lambda": 0.5}), X, y, budget=3, folds=2).best_estimator_
    assert lasso.coder == "lasso" and set(lasso.params) == {"coder.lambda"}
    for scaled in X - 7, 1000 * (X - 7):  # neither the sign nor the scale of samples is lost on the way to the program
        assert nrdl.tune(nrdl.CRC(), scaled, y, budget=1).best_score_ == pytest.approx(nrdl.tune(nrdl.CRC(), X - 7, y, budget=1).best_score_)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    assert nrdl.tune(nrdl.CRC(), X - 7, y, budget=1).best_score_ == pytest.approx(cross_val_score(nrdl.CRC(), X - 7, y, cv=folds).mean(), abs=0.06)
    with pytest.raises(ValueError, match="no parameters"):
        nrdl.tune(nrdl.NN(), X, y)
    with pytest.raises(TypeError, match="a method of this package"):
        nrdl.tune(SVC(), X, y)
    with pytest.raises(nrdl.EngineError, match="^samples.npz"):
        nrdl.tune(nrdl.CRC(), X[:10], np.arange(10))
