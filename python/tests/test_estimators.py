"""The checks of scikit-learn, for every class."""

import inspect
import os
import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import nrdl
from nrdl._base import Parameterised

# Values with which a class learns from the few samples of the checks, and soon.
FEW = {
    "coder_neighbours": 5, "sparsity": 1, "coder_sparsity": 1, "init_sparsity": 1, "passes": 2, "init_passes": 1,
    "gap": 0.01, "coder_rounds": 2,
}


def few(c):
    names = c().get_params()
    return c(**{name: value for name, value in FEW.items() if name in names})


CLASSES = [c for _, c in sorted(vars(nrdl).items()) if inspect.isclass(c) and issubclass(c, Parameterised)]
ESTIMATORS = [few(c) for c in CLASSES] + [nrdl.OpenSetClassifier(nrdl.NRC()), nrdl.FaceEmbedder()]
# What of an input is taken or refused is the business of the base classes: one class of each has
# all checks, and the others those of what they learn.
FIRST = {c.__bases__: c for c in reversed([type(e) for e in ESTIMATORS])}.values()
LEARNING = {
    "check_classifiers_classes", "check_classifiers_train", "check_dict_unchanged", "check_estimators_overwrite_params",
    "check_estimators_pickle", "check_fit_idempotent", "check_get_params_invariance", "check_methods_sample_order_invariance",
    "check_methods_subset_invariance", "check_no_attributes_set_in_init", "check_parameters_default_constructible",
    "check_set_params", "check_transformer_data_not_an_array", "check_transformer_general",
}
# "0/2" is the first half of them: .ci/run checks both at the same time.
PART, OF = map(int, os.environ.get("NRDL_PART", "0/1").split("/"))


@parametrize_with_checks(ESTIMATORS[PART::OF])
def test_check(estimator, check):
    name = getattr(check, "func", check).__name__
    if type(estimator) not in FIRST and (name not in LEARNING or "readonly_memmap" in getattr(check, "keywords", ())):
        pytest.skip("shown by another class")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        check(estimator)
