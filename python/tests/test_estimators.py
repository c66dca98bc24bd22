"""The checks of scikit-learn, for every class as its constructor makes it.

With ``PYTEST_SHORT=1``, as in .ci/run, what the base classes do is checked with one class of each, of the
other classes what depends on the method, and on fewer samples.
"""

import inspect
import os
import pathlib
import re
import warnings

import pytest
import sklearn
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import nrdl_learn as nrdl
from nrdl_learn._base import Parameterised

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc" / "python.md"
VERSION = ".".join(sklearn.__version__.split(".")[:2])


def expected():
    """The checks that a class fails on this scikit-learn, with the reason, from the table in doc/python.md."""
    checks = {}
    for classes, names, why in re.findall(r"^\| (`.*?) \| (`check_.*?) \| (.*?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        for name, version in re.findall(r"`(check_\w+)`(?: \((\d\.\d+)\))?", names):
            if version in ("", VERSION):
                checks.update({(c, name): why for c in re.findall(r"`(\w+)`", classes)})
    return checks


EXPECTED = expected()
CLASSES = [c for _, c in sorted(vars(nrdl).items()) if inspect.isclass(c) and issubclass(c, Parameterised)]
ESTIMATORS = [c() for c in CLASSES] + [nrdl.OpenSetClassifier(nrdl.NRC()), nrdl.FaceEmbedder()]
# Arrays that cannot be written and those of single precision are the business of the base classes:
# one class of each shows it.
FIRST = {c.__bases__: c for c in reversed([type(e) for e in ESTIMATORS])}.values()
NEWER = bool(os.environ.get("NRDL_NEWER"))  # newer.py is laid over scikit-learn
SHORT = bool(os.environ.get("PYTEST_SHORT"))
OF_THE_METHOD = {
    "check_parameters_default_constructible", "check_classifiers_train", "check_classifiers_classes", "check_fit_idempotent",
    "check_fit2d_1sample", "check_fit2d_1feature", "check_methods_subset_invariance", "check_transformer_general",
}  # fmt: skip
if SHORT:
    blobs = estimator_checks.make_blobs
    estimator_checks.make_blobs = lambda n_samples=100, **how: blobs(n_samples=min(n_samples, 60), **how)


def shown_by_another(estimator, check):
    if type(estimator) in FIRST:
        return False
    if "readonly_memmap" in check.keywords:
        return True
    name = check.func.__name__
    return SHORT and name not in OF_THE_METHOD and (type(estimator).__name__, name) not in EXPECTED


def test_expected_failures_are_of_classes():
    assert {c for c, _ in EXPECTED} == {"Blocks", "SDRERDL", "OpenSetClassifier"}


@parametrize_with_checks([e for e in ESTIMATORS if not NEWER or type(e) in FIRST])
def test_check(estimator, check):
    if shown_by_another(estimator, check):
        pytest.skip("shown by another class")
    why = EXPECTED.get((type(estimator).__name__, check.func.__name__))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            check(estimator)
        except Exception:
            if why is None:
                raise
            pytest.xfail(why)
    assert why is None, f"{check.func.__name__} no longer fails: take it from doc/python.md"
