"""What the estimators have in common."""

from __future__ import annotations

import operator
import re
import unicodedata
import warnings
from typing import Any, Mapping

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from nrdl_learn import _checks
from nrdl_learn._engine import EngineError, shared

try:  # since scikit-learn 1.6
    from sklearn.utils.validation import validate_data
except ImportError:
    validate_data = None


def checked(estimator: BaseEstimator, X: Any, y: Any = None, *, reset: bool) -> Any:
    """X, and y unless it is None, as the engine takes them: finite, dense, in double precision."""
    how = {"dtype": np.float64, "reset": reset}
    validate = estimator._validate_data if validate_data is None else lambda *a, **k: validate_data(estimator, *a, **k)
    return validate(X, **how) if y is None else validate(X, y, **how)


def seed_of(random_state: Any) -> int:
    """The seed that a random_state stands for."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 1 << 64:
            raise ValueError(f"random_state = {random_state}: a seed is 0 or more, and below 2**64")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def text_of(value: Any) -> str:
    """A value of a parameter as Go reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def _names(labels: np.ndarray) -> list[str]:
    """Names of classes in the model file for labels: ``class 3`` where a label cannot be one.

    A name there is one line that can be read and be a folder; a label may be any text.
    """
    names, taken = [], {unicodedata.normalize("NFC", str(label)) for label in labels}
    for i, label in enumerate(labels):
        name = str(label)
        plain = unicodedata.normalize("NFC", name)
        if _is_name(name) and plain in taken:
            taken.discard(plain)  # of two that look the same, the first keeps it
            names.append(name)
        else:
            other = f"class {i + 1}"
            names.append(other if other not in taken else f"class {i + 1} of {len(labels)}")
    return names


def _is_name(text: str) -> bool:
    return (
        text.isprintable()
        and text.strip() == text != ""
        and len(text.encode()) <= 200
        and not re.search(r"^\.|[/\\\u2800\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]", text)
        and unicodedata.normalize("NFKC", text).casefold() != "unknown"
    )


class Parameterised(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer whose parameters are those of a struct in Go."""

    verbose: int = 0
    _method = ""
    _parameters: tuple[tuple[str, str, Any], ...] = ()  # argument, path in Go, default

    def _settings(self) -> list[dict[str, str]]:
        """The parameters that differ from the defaults, in the order of Go."""
        changed = []
        for name, path, default in self._parameters:
            value = getattr(self, name)
            if type(value) is not type(default) or value != default:
                changed.append({"name": path, "value": text_of(value)})
        further: Mapping[str, Any] = self.params or {}
        if not isinstance(further, Mapping):
            raise TypeError(f"params = {further!r}: a dict of parameters by their path in Go, such as {{'coder.lambda': 0.01}}")
        for name, path, _ in self._parameters:
            if path in further and any(each["name"] == path for each in changed):
                raise ValueError(f"{name} and params[{path!r}] say the same: leave one out")
        return changed + [{"name": path, "value": text_of(value)} for path, value in further.items()]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")  # some parameters end with _, as only lambda_ can be spelt

    def _progress(self) -> Any:
        """What prints the passes; None where nobody asked for it."""
        if not self.verbose:
            return None
        return lambda n, objective, residual: print(f"{type(self).__name__}: pass {n}, objective {objective:.6g}, residual {residual:.3g}", flush=True)

    def _set_outcome(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        if "history.objective" in arrays:
            self.history_ = {name: np.array(arrays["history." + name]) for name in ("objective", "residual")}
        self.status_ = header["status"]
        self.n_iter_ = header["passes"]
        self.residual_ = header["residual"]
        if self.status_ == "exhausted":
            why = f"{type(self).__name__}: {self.n_iter_} passes ran out before the residual, {self.residual_:.3g}, was below the tolerance"
            warnings.warn(f"{why}; raise passes or tol", ConvergenceWarning, stacklevel=4)

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"preserves_dtype": []}

    def __sklearn_tags__(self):  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        if tags.transformer_tags is not None:  # it comes from TransformerMixin, which a subclass may have put later
            tags.transformer_tags.preserves_dtype = []
        return tags


class Method(ClassifierMixin, Parameterised):
    """A method of nrdl as a classifier, which also makes features of samples: their codes."""

    _iterative = False
    image_shape: tuple[int, int] | None

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"preserves_dtype": [], "poor_score": _checks.poor(self)}

    def __sklearn_tags__(self):  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = _checks.poor(self)
        return tags

    def _request(self, X: Any, y: Any, least: int = 2) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The members and the arrays of a request to fit; sets what is known of the data. `least` is how many classes are needed."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = checked(self, X, y, reset=True)
        check_classification_targets(y)
        classes, index = np.unique(y, return_inverse=True)
        if len(classes) < least:
            raise ValueError(f"{type(self).__name__} needs samples of two classes or more, and there is 1 class: {classes[0]!r}")
        self.classes_ = classes
        self.seed_ = seed_of(self.random_state)
        members = {
            "method": self._method,
            "params": self._settings(),
            "classes": _names(classes),
            "seed": self.seed_,
        }
        pixels = self._pixels(X)
        members["image"] = None if self.image_shape is None else [int(n) for n in self.image_shape]
        return members, {"x": pixels, "y": index.astype(np.int64)}

    def _pixels(self, X: np.ndarray) -> np.ndarray:
        """X, after a check that its rows are images of image_shape."""
        if self.image_shape is None:
            return X
        try:
            height, width = (operator.index(n) for n in self.image_shape)
        except (TypeError, ValueError):
            height = width = 0
        if height < 1 or width < 1:
            raise ValueError(f"image_shape = {self.image_shape!r}: give the height and the width of the images, such as (32, 28)")
        if X.shape[1] != height * width:
            raise ValueError(f"images of {height}×{width} have {height * width} pixels, not n_features = {X.shape[1]}")
        return X

    def fit(self, X: Any, y: Any) -> "Method":
        """Learn from samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples in any scale: a method brings each to norm 1.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self : object
        """
        members, arrays = self._request(X, y)
        try:
            return self._made(*shared().call("fit", arrays, self._progress(), **members))
        except EngineError as e:
            if self.n_features_in_ > 1:
                raise
            why = f"{e}; with n_features = 1 samples at norm 1 differ in their sign alone"
            raise EngineError(why, e.code, e.advice) from e

    def _made(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> "Method":
        self.model_ = arrays["model"].tobytes()
        self._set_outcome(header, arrays)
        return self

    def _of(self, verb: str, X: Any) -> dict[str, np.ndarray]:
        check_is_fitted(self)
        return shared().with_model(verb, self.model_, {"x": self._pixels(checked(self, X, reset=False))})[1]

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each sample: that with the largest score.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        index = self._of("predict", X)["class"]
        return self.classes_[index]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Higher means more likely. Of two classes, it is the score of the second less that of
            the first.
        """
        scores = self._of("decision_function", X)["scores"]
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def transform(self, X: Any) -> np.ndarray:
        """Return the codes of samples over the dictionary.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_atoms)
        """
        return self._of("transform", X)["codes"]

    @property
    def components_(self) -> np.ndarray:
        """The atoms, an ndarray of shape (n_atoms, n_features): `D` of the papers, transposed."""
        return self.parts().D.T

    @property
    def _n_features_out(self) -> int:
        return self.parts().D.shape[1]

    def parts(self) -> "Parts":
        """Return the matrices of the model.

        Returns
        -------
        parts : Parts
        """
        check_is_fitted(self)
        header, arrays = shared().with_model("parts", self.model_, {})
        return Parts(header, arrays)

    def save(self, path: Any) -> None:
        """Write the model file, which ``nrdl predict`` and ``nrdl.Open`` in Go read.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        with open(path, "wb") as file:
            file.write(self.model_)


def a_method(value: Any, who: str) -> Method:
    """The value, which is a method."""
    if not isinstance(value, Method):
        raise TypeError(f"{who} takes a method of this package, such as NRC(), not {value!r}")
    return value


class Parts:
    """The matrices of a model, in the notation of the papers.

    Attributes
    ----------
    D : ndarray of shape (n_features, n_atoms)
        The dictionary.
    W : ndarray of shape (n_classes, n_atoms) or None
        The linear classifier of the codes, of methods that have one.
    classes : list of str
        Names of the classes.
    groups : ndarray of shape (n_classes + 1,)
        The atoms of class c are ``D[:, groups[c]:groups[c + 1]]``; those after the last class
        are common to all.
    rule : str
        How a code scores the classes.
    """

    def __repr__(self) -> str:
        shapes = {name: np.shape(m) for name in "DSW" if (m := getattr(self, name, None)) is not None}
        return f"<{type(self).__name__} of {len(self.classes)} classes: {', '.join(f'{name} {rows}×{columns}' for name, (rows, columns) in shapes.items())}>"

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        self.D = arrays["D"]
        self.W = arrays.get("W")
        self.classes = list(header["classes"])
        self.groups = np.asarray(header["groups"])
        self.rule = header["rule"]


__all__ = ["Method", "Parameterised", "Parts", "a_method", "checked", "seed_of", "text_of"]
