"""The checks of scikit-learn, for every class."""

import inspect
import os
import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import nrdl_learn as nrdl
from nrdl_learn._base import Parameterised
from nrdl_learn._checks import expected_failures

# Values with which a class learns soon.
FEW = {"passes": 2, "init_passes": 1, "gap": 0.01, "coder_rounds": 2}


def few(c):
    names = c().get_params()
    return c(**{name: value for name, value in FEW.items() if name in names})


CLASSES = [c for _, c in sorted(vars(nrdl).items()) if inspect.isclass(c) and issubclass(c, Parameterised)]
ESTIMATORS = [few(c) for c in CLASSES] + [nrdl.OpenSetClassifier(nrdl.NRC()), nrdl.FaceEmbedder()]
# Arrays that cannot be written and those of single precision are the business of the base classes:
# one class of each shows it.
FIRST = {c.__bases__: c for c in reversed([type(e) for e in ESTIMATORS])}.values()
CHECKED = [e for e in ESTIMATORS if not os.environ.get("NRDL_NEWER") or type(e) in FIRST]  # with it, newer.py is laid over scikit-learn
# "0/2" is the first half of them: .ci/run checks both at the same time.
PART, OF = map(int, os.environ.get("NRDL_PART", "0/1").split("/"))
# Since scikit-learn 1.6 the caller of the checks names those that fail; before, the tags did.
TAKES = {"expected_failed_checks": expected_failures} if "expected_failed_checks" in inspect.signature(parametrize_with_checks).parameters else {}


@parametrize_with_checks(CHECKED[PART::OF], **TAKES)
def test_check(estimator, check):
    if "readonly_memmap" in check.keywords and type(estimator) not in FIRST:
        pytest.skip("shown by another class")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        check(estimator)
