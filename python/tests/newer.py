"""What scikit-learn has published of 1.6 and later, laid over an older one.

The fields of the tags and their defaults, what the three ``__sklearn_tags__`` set, and what
``validate_data``, ``check_is_fitted`` and ``is_classifier`` ask of the tags are restated from its
reference (``sklearn.utils.Tags``, ``sklearn.base``, ``sklearn.utils.validation``). What these
replace is gone for the classes of nrdl; the older scikit-learn's own classes keep it.

`lay` comes before all imports of scikit-learn and of nrdl.
"""

from dataclasses import field, make_dataclass

FALSE, TRUE = (bool, False), (bool, True)
INPUT = {
    "one_d_array": FALSE, "two_d_array": TRUE, "three_d_array": FALSE, "sparse": FALSE, "categorical": FALSE,
    "string": FALSE, "dict": FALSE, "positive_only": FALSE, "allow_nan": FALSE, "pairwise": FALSE,
}  # fmt: skip
TARGET = {"one_d_labels": FALSE, "two_d_labels": FALSE, "positive_only": FALSE, "multi_output": FALSE, "single_output": TRUE}
CLASSIFIER = {"poor_score": FALSE, "multi_class": TRUE, "multi_label": FALSE}
TAGS = {
    **dict.fromkeys(("transformer_tags", "classifier_tags", "regressor_tags"), (object, None)),
    "array_api_support": FALSE, "no_validation": FALSE, "non_deterministic": FALSE, "requires_fit": TRUE, "_skip_test": FALSE,
}  # fmt: skip


def tags_class(name, required, optional):
    """A class whose fields are these alone: a name that is not among them cannot be set."""
    return make_dataclass(name, [*required, *((key, *kind) for key, kind in optional.items())], slots=True)


InputTags = tags_class("InputTags", (), INPUT)
TargetTags = tags_class("TargetTags", [("required", bool)], TARGET)
ClassifierTags = tags_class("ClassifierTags", (), CLASSIFIER)
TransformerTags = tags_class("TransformerTags", (), {"preserves_dtype": (list, field(default_factory=lambda: ["float64"]))})
Tags = tags_class(
    "Tags", [("estimator_type", object), ("target_tags", TargetTags)], {**TAGS, "input_tags": (InputTags, field(default_factory=InputTags))}
)


def get_tags(estimator):
    return estimator.__sklearn_tags__()


def as_before(tags):
    """New tags by their old names: the checks of the older scikit-learn read these."""
    classifier, given = tags.classifier_tags or ClassifierTags(), tags.input_tags
    kinds = {"2darray": given.two_d_array, "3darray": given.three_d_array, "string": given.string}
    return {
        "X_types": [kind for kind, taken in kinds.items() if taken],
        "allow_nan": given.allow_nan,
        "requires_y": tags.target_tags.required,
        "preserves_dtype": [] if tags.transformer_tags is None else tags.transformer_tags.preserves_dtype,
        "poor_score": classifier.poor_score,
        "binary_only": not classifier.multi_class,
        "no_validation": tags.no_validation,
        "requires_fit": tags.requires_fit,
        "stateless": not tags.requires_fit,
        "non_deterministic": tags.non_deterministic,
    }


def of_nrdl(estimator):
    return type(estimator).__module__.startswith("nrdl")


def sklearn_tags():
    """The three methods ``__sklearn_tags__``, each in its class of ``sklearn.base``."""
    from sklearn import base

    def of_estimator(self):
        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def of_classifier(self):
        tags = super(base.ClassifierMixin, self).__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags, tags.target_tags.required = "classifier", ClassifierTags(), True
        return tags

    def of_transformer(self):
        tags = super(base.TransformerMixin, self).__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags

    for where, method in (base.BaseEstimator, of_estimator), (base.ClassifierMixin, of_classifier), (base.TransformerMixin, of_transformer):
        where.__sklearn_tags__ = method


def gone():
    """Take from the classes of nrdl what scikit-learn no longer has."""
    from sklearn import base
    from sklearn.utils import _tags

    before, validate = base.BaseEstimator._get_tags, base.BaseEstimator._validate_data

    def get_tags_before(self):
        if not of_nrdl(self):
            return before(self)
        return {**_tags._DEFAULT_TAGS, **as_before(get_tags(self))}

    def validate_before(self, *args, **how):
        if of_nrdl(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute '_validate_data'")
        return validate(self, *args, **how)

    base.BaseEstimator._get_tags, base.BaseEstimator._validate_data = get_tags_before, validate_before


def validation():
    """``validate_data``, ``check_is_fitted`` and ``is_classifier``, which ask for tags."""
    from sklearn import base
    from sklearn.utils import validation as module

    fitted_before = module.check_is_fitted

    def validate_data(estimator, /, X="no_validation", y="no_validation", reset=True, **how):
        tags = get_tags(estimator)
        if y is None and tags.target_tags.required:
            raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
        estimator._check_feature_names(X, reset=reset)
        if y is None or isinstance(y, str):
            out = checked = module.check_array(X, input_name="X", estimator=estimator, **how)
        else:
            out = checked, _ = module.check_X_y(X, y, estimator=estimator, **how)
        estimator._check_n_features(checked, reset=reset)
        return out

    def check_is_fitted(estimator, attributes=None, **how):
        if get_tags(estimator).requires_fit or attributes is not None:
            fitted_before(estimator, attributes, **how)

    module.validate_data, module.check_is_fitted = validate_data, check_is_fitted
    base.is_classifier = lambda estimator: get_tags(estimator).estimator_type == "classifier"


def lay():
    """Lay the newer definitions over scikit-learn, unless it has them."""
    from sklearn import base, utils

    if hasattr(base.BaseEstimator, "__sklearn_tags__"):
        return
    for name, value in ("Tags", Tags), ("InputTags", InputTags), ("TargetTags", TargetTags), ("get_tags", get_tags):
        setattr(utils, name, value)
    sklearn_tags()
    gone()
    validation()
