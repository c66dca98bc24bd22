"""Which of scikit-learn's own checks a class fails, and why its method implies that."""

from __future__ import annotations

from typing import Any

# The checks have blobs of two features. At norm 1 only the direction of a sample is left, a
# single number; with more atoms than features most samples are represented exactly by the atoms
# of several classes. These classes get 83 % of three blobs right all the same; of others, such as
# new ones, nothing is claimed.
_ENOUGH = {
    "ANCR", "Blocks", "CRNRC", "DKSVD", "KCRC", "KNRC", "KSRC", "KSVD", "LCKSVD1", "LCKSVD2", "LCLE", "LDA",
    "LLC", "Mean", "NN", "NRC", "NRDLTest", "PCALDA", "Representation", "RidgeClassifier", "Robust",
    "SDRERDL", "SRC", "SVM",
}  # fmt: skip

_IMAGES = "the method learns from images, and the samples of the checks have no height and width"
_CLASSES = "a threshold needs three classes, and the check has two"
_UNKNOWN = "classes_ has the label of strangers too"

_FITS = (
    "check_estimators_dtypes", "check_fit_score_takes_y", "check_estimators_fit_returns_self", "check_dtype_object",
    "check_pipeline_consistency", "check_estimators_nan_inf", "check_estimators_overwrite_params", "check_estimators_pickle",
    "check_classifier_data_not_an_array", "check_classifiers_classes", "check_classifiers_train", "check_supervised_y_2d",
    "check_dict_unchanged", "check_dont_overwrite_parameters", "check_fit_idempotent", "check_fit_check_is_fitted",
    "check_n_features_in", "check_fit2d_predict1d", "check_methods_sample_order_invariance",
    "check_methods_subset_invariance", "check_transformer_data_not_an_array", "check_transformer_general",
)  # fmt: skip

_EXPECTED = {
    "Blocks": dict.fromkeys(_FITS, _IMAGES),
    "SDRERDL": dict.fromkeys(_FITS, _IMAGES),
    "OpenSetClassifier": {
        **dict.fromkeys(
            (
                "check_classifier_data_not_an_array", "check_dict_unchanged", "check_estimators_nan_inf",
                "check_estimators_pickle", "check_fit_check_is_fitted", "check_fit_idempotent", "check_n_features_in",
                "check_pipeline_consistency", "check_decision_proba_consistency", "check_fit2d_1feature",
            ),
            _CLASSES,
        ),
        "check_classifiers_classes": _UNKNOWN,
        "check_classifiers_train": _UNKNOWN,
    },
}  # fmt: skip


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the names of the checks that an estimator fails, with the reasons.

    Since scikit-learn 1.6 it is the argument ``expected_failed_checks`` of ``check_estimator``.
    """
    return dict(_EXPECTED.get(type(estimator).__name__, {}))


def tags(estimator: Any) -> dict[str, Any]:
    """Return the tags of scikit-learn before 1.6 that say the same."""
    return {"poor_score": type(estimator).__name__ not in _ENOUGH, "_xfail_checks": expected_failures(estimator)}
