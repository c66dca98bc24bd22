"""The classes on scikit-learn as it is since 1.6: see newer.py."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sklearn.base
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from test_estimators import ESTIMATORS, NEWER

import nrdl_learn as nrdl

HERE = os.path.dirname(os.path.abspath(__file__))
SOON = {"image_shape": (8, 8), "passes": 2, "init_passes": 1, "gap": 0.01, "coder_rounds": 2}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:100], y[:100], X[100:150], y[100:150]


@pytest.mark.skipif(NEWER, reason="it is this run")
def test_newer():
    """These tests and the checks of scikit-learn pass with its newer definitions."""
    files = [os.path.join(HERE, name) for name in ("test_newer.py", "test_estimators.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, env={**os.environ, "NRDL_NEWER": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


newer_alone = pytest.mark.skipif(not NEWER, reason="scikit-learn has its own definitions")


@newer_alone
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_fits(estimator, digits):
    X, y, X2, y2 = digits
    tags = estimator.__sklearn_tags__()
    estimator = sklearn.base.clone(estimator)
    if isinstance(estimator, nrdl.FaceEmbedder):
        assert tags.input_tags.string and not tags.requires_fit
        estimator.set_params(missing="nan")
        assert np.isnan(estimator.transform([np.zeros((60, 50), np.uint8)])).all()
        return
    estimator.set_params(**{key: SOON[key] for key in SOON.keys() & estimator.get_params().keys()}).fit(X, y)
    if hasattr(estimator, "predict"):
        assert estimator.predict(X2).shape == y2.shape and sklearn.base.is_classifier(estimator)
        assert tags.estimator_type == "classifier" and tags.target_tags.required
        if not isinstance(estimator, nrdl.OpenSetClassifier):
            assert tags.classifier_tags.poor_score == nrdl._checks.poor(estimator)
    else:
        assert tags.classifier_tags is None
    if hasattr(estimator, "transform"):
        codes = estimator.transform(X2)
        assert len(codes) == len(X2) and tags.transformer_tags.preserves_dtype == []
        assert estimator.get_feature_names_out().size == codes.shape[1]


@newer_alone
def test_searches(digits):
    X, y, X2, y2 = digits
    search = GridSearchCV(make_pipeline(nrdl.NRC()), {"nrc__coder_rho": [0.1, 1.0]}, cv=2).fit(X, y)
    assert search.score(X2, y2) > 0.8
