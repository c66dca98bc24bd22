"""What is written for scikit-learn 1.6 and later, on a stub of it: the functions that are new
there stand beside the old ones, and what is gone since 1.7 is taken away."""

import subprocess
import sys

PROGRAM = """
import types
import numpy as np
import sklearn.base, sklearn.utils.validation
from sklearn.datasets import load_digits

old, seen = sklearn.base.BaseEstimator._validate_data, []

def validate_data(estimator, X, y="no_validation", **how):
    seen.append(type(estimator).__name__)
    return old(estimator, X, y, **how) if isinstance(y, str) is False else old(estimator, X, **how)

def tags(self):
    name = types.SimpleNamespace
    return name(transformer_tags=name(preserves_dtype=["float64"]), classifier_tags=name(poor_score=False),
                input_tags=name(two_d_array=True, string=False, three_d_array=False), no_validation=False, requires_fit=True)

if not hasattr(sklearn.utils.validation, "validate_data"):
    sklearn.utils.validation.validate_data = validate_data
    sklearn.base.BaseEstimator.__sklearn_tags__ = tags
    sklearn.base.BaseEstimator._validate_data = None

import nrdl
X, y = load_digits(return_X_y=True)
for estimator in nrdl.NRC(), nrdl.OpenSetClassifier(nrdl.NRC()):
    print(estimator.fit(X[:100], y[:100]).predict(X[100:102]).shape)
print(nrdl.KSVDDictionary(5, sparsity=2).fit(X[:50]).transform(X[:3]).shape)
print(nrdl.NRC().__sklearn_tags__().transformer_tags.preserves_dtype, nrdl.DNRC().__sklearn_tags__().classifier_tags.poor_score,
      nrdl.NRC().__sklearn_tags__().classifier_tags.poor_score, nrdl.FaceEmbedder().__sklearn_tags__().input_tags.string)
print(sorted(set(seen)))
"""


def test_newer_scikit_learn():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[:4] == ["(2,)", "(2,)", "(3, 5)", "[] True False True"], done.stdout + done.stderr
    assert lines[4] in ("['KSVDDictionary', 'NRC']", "[]")
