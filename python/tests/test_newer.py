"""The classes on scikit-learn as it is since 1.6: see newer.py."""

import os
import subprocess
import sys

from test_estimators import ESTIMATORS

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """
import newer
newer.lay()
import numpy as np
import sklearn.base
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import nrdl_learn as nrdl
from test_estimators import ESTIMATORS

X, y = load_digits(return_X_y=True)
X, y, X2, y2 = X[:150], y[:150], X[150:250], y[150:250]
for estimator in ESTIMATORS:
    tags = estimator.__sklearn_tags__()
    name = type(estimator).__name__
    if isinstance(estimator, nrdl.FaceEmbedder):
        assert tags.input_tags.string and not tags.requires_fit, name
        estimator.set_params(missing="nan")
        assert np.isnan(estimator.transform([np.zeros((60, 50), np.uint8)])).all()
        continue
    soon = {"image_shape": (8, 8), "passes": 2, "init_passes": 1, "gap": 0.01, "coder_rounds": 2}
    estimator.set_params(**{key: soon[key] for key in soon.keys() & estimator.get_params().keys()})
    estimator = sklearn.base.clone(estimator).fit(X, y)
    if hasattr(estimator, "predict"):
        assert estimator.predict(X2).shape == y2.shape and sklearn.base.is_classifier(estimator), name
        assert tags.estimator_type == "classifier" and tags.target_tags.required, name
    if hasattr(estimator, "transform"):
        assert len(estimator.transform(X2)) == len(X2) and tags.transformer_tags.preserves_dtype == [], name
        assert estimator.get_feature_names_out().size == estimator.transform(X2).shape[1], name
    print(name, tags.classifier_tags and tags.classifier_tags.poor_score)
search = GridSearchCV(make_pipeline(nrdl.NRC()), {"nrc__coder_rho": [0.1, 1.0]}, cv=2).fit(X, y)
assert search.score(X2, y2) > 0.8
"""


def test_every_class_fits():
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(ESTIMATORS) - 1
    assert "DNRC True" in lines and "NRC False" in lines and "KSVDDictionary None" in lines
