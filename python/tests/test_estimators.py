"""The checks of scikit-learn, for every class as its constructor makes it."""

import inspect
import os
import pathlib
import re
import warnings

import pytest
import sklearn
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
CHECKED = [e for e in ESTIMATORS if not os.environ.get("NRDL_NEWER") or type(e) in FIRST]  # with it, newer.py is laid over scikit-learn
# "0/2" is the first half of them: .ci/run checks both at the same time.
PART, OF = map(int, os.environ.get("NRDL_PART", "0/1").split("/"))


def test_expected_failures_are_of_classes():
    assert {c for c, _ in EXPECTED} == {"Blocks", "SDRERDL", "OpenSetClassifier"}


@parametrize_with_checks(CHECKED[PART::OF])
def test_check(estimator, check):
    if "readonly_memmap" in check.keywords and type(estimator) not in FIRST:
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
