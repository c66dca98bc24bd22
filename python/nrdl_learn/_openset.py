"""Classification where samples may be of none of the classes."""

from __future__ import annotations

import warnings
from typing import Any, Mapping

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from nrdl_learn._base import Method, a_method, checked
from nrdl_learn._engine import shared
from nrdl_learn._faces import FaceEmbedder
from nrdl_learn._methods import Mean


class OpenSetClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A method with a threshold: samples of strangers are answered with `unknown`.

    The threshold and the probabilities are estimated by leaving out classes and samples in
    turn, as ``nrdl train`` does: ``doc/openset.md``.

    Parameters
    ----------
    base : Method
        The method.
    fpir : float, default=0.01
        Share of strangers who may get the label of a class, 0 to 1.
    prior : float, default=0.5
        Assumed share of strangers among the samples, for the probabilities.
    folds : int, default=0
        Folds of the cross-validation; 0 is 20 for methods in closed form and 5 for others.
    unknown : object, optional
        The label of strangers; by default ``'unknown'`` among labels that are text, and −1
        among numbers.
    force : bool, default=False
        Answer also where the classes are so alike that no rate of strangers can be promised;
        otherwise that is an error.

    Attributes
    ----------
    base_ : Method
        The fitted method, with the model that has the threshold.
    classes_ : ndarray of shape (n_classes + 1,)
        The labels, and the one of strangers, sorted.
    unknown_ : object
        The label of strangers.
    threshold_ : float
        The smallest margin of a sample that gets the label of a class.
    smallest_fpir_ : float
        The smallest `fpir` that so many samples support; the threshold of a smaller one is
        extrapolated.
    warning_ : str or None
        Why the threshold is of no use; `fit` warns of it.
    n_features_in_ : int
        Number of features.
    """

    def __init__(self, base: Method, fpir: float = 0.01, *, prior: float = 0.5, folds: int = 0, unknown: Any = None, force: bool = False):
        self.base = base
        self.fpir = fpir
        self.prior = prior
        self.folds = folds
        self.unknown = unknown
        self.force = force

    def fit(self, X: Any, y: Any, strangers: Any = None) -> "OpenSetClassifier":
        """Learn from samples, and estimate the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of three classes or more, unless there are strangers.
        strangers : array-like of shape (n_strangers, n_features), optional
            Samples of none of the classes.

        Returns
        -------
        self : object
        """
        return self._fit(clone(a_method(self.base, "OpenSetClassifier")), X, y, strangers, 2)

    def _fit(self, base: Method, X: Any, y: Any, strangers: Any, least: int, **more: Any) -> "OpenSetClassifier":
        self.base_ = base
        members, arrays = self.base_._request(X, y, least)
        if least == 2 and strangers is None and len(self.base_.classes_) == 2:
            raise ValueError("a threshold needs samples of three classes or more, and there are 2: give samples of others, fit(X, y, strangers=…)")
        header, made = shared().call("fit", arrays, self.base_._progress(), keep=True, **members, **more)
        model, fitted = made["model"].tobytes(), made
        others = {} if strangers is None else {"strangers": self.base_._pixels(checked(self.base_, strangers, reset=False))}
        threshold = {"fpir": float(self.fpir), "prior": float(self.prior), "folds": int(self.folds)}
        calibrated, made = shared().with_model("calibrate", model, others, **threshold)
        self.base_._made(header, {**fitted, **made})
        self._with_threshold(calibrated)
        if self.warning_:
            warnings.warn(self.warning_, UserWarning, stacklevel=3)
        return self

    def _with_threshold(self, calibrated: Mapping[str, Any]) -> "OpenSetClassifier":
        """What `base_` and the engine's account of its threshold say."""
        self.threshold_, self.smallest_fpir_ = calibrated["threshold"], calibrated["smallest_fpir"]
        self._promise, self.warning_ = calibrated.get("promise"), calibrated.get("warning")
        known = self.base_.classes_
        usual: dict[str, Any] = {"U": "unknown", "O": "unknown", "S": b"unknown", **dict.fromkeys("iuf", -1)}
        self.unknown_ = self.unknown if self.unknown is not None else usual.get(known.dtype.kind)
        if self.unknown_ is None:
            raise ValueError(f"labels are of type {known.dtype}: choose one of strangers (unknown=…)")
        if self.unknown_ in known:
            raise ValueError(f"{self.unknown_!r} is the label of a class: choose another one for strangers (unknown=…)")
        self.classes_ = np.unique(np.append(known, np.asarray([self.unknown_], dtype=object if known.dtype.kind == "O" else None)))
        self._columns = np.searchsorted(self.classes_, known)
        self.n_features_in_ = self.base_.n_features_in_
        if hasattr(self.base_, "feature_names_in_"):
            self.feature_names_in_ = self.base_.feature_names_in_
        return self

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"poor_score": True}

    def __sklearn_tags__(self):  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _decided(self, X: Any) -> dict[str, np.ndarray]:
        check_is_fitted(self)
        arrays = {"x": self.base_._pixels(checked(self.base_, X, reset=False))}
        return shared().with_model("open_set", self.base_.model_, arrays, force=bool(self.force))[1]

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each sample: of its class, or of strangers below the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        got = self._decided(X)
        column = np.where(got["known"] == 1, self._columns[got["class"]], np.searchsorted(self.classes_, self.unknown_))
        return self.classes_[column]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return calibrated probabilities.

        That of the best class is the probability that it is right, where a share `prior` of the
        samples are of strangers; the rest is that of `unknown_`. `predict` compares a margin
        with a threshold for the rate `fpir` instead, so the two may differ.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes + 1)
            In the order of `classes_`. NaN where no sample could be held out.
        """
        got = self._decided(X)
        right = np.where(got["class"] >= 0, got["probability"], 0.0)
        out = np.zeros((len(right), len(self.classes_)))
        out[:, np.searchsorted(self.classes_, self.unknown_)] = 1 - right
        rows = np.arange(len(right))
        out[rows, self._columns[got["class"]]] = right
        return out

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margin by which each sample exceeds the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        margin : ndarray of shape (n_samples,)
            A sample with 0 or more gets the label of a class.
        """
        return self._decided(X)["margin"] - self.threshold_


class FaceRecogniser(OpenSetClassifier):
    """The people in photographs, as ``nrdl train`` and ``nrdl identify`` name them.

    The vectors of the faces, the threshold and the scores are those of the program: the threshold is
    that of the network's impostor distribution, so that one person and one photograph are enough.

    Parameters
    ----------
    base : Method, optional
        The method; by default `Mean`, as in the program.
    fpir : float, default=0.01
        Share of strangers who may get a name, 0 to 1.
    embedder : FaceEmbedder, optional
        How a photograph becomes a vector; by default `FaceEmbedder()`.
    prior, folds, unknown, force
        As of `OpenSetClassifier`.

    Attributes
    ----------
    promise_ : str or None
        How many strangers get a name at most, and of whom this was measured.
    base_, classes_, unknown_, threshold_, smallest_fpir_, warning_
        As of `OpenSetClassifier`.
    """

    def __init__(
        self,
        base: Method | None = None,
        fpir: float = 0.01,
        *,
        embedder: FaceEmbedder | None = None,
        prior: float = 0.5,
        folds: int = 0,
        unknown: Any = None,
        force: bool = False,
    ):
        super().__init__(base, fpir, prior=prior, folds=folds, unknown=unknown, force=force)  # type: ignore[arg-type]
        self.embedder = embedder

    def fit(self, X: Any, y: Any, strangers: Any = None) -> "FaceRecogniser":
        """Enrol people, and estimate the threshold.

        Parameters
        ----------
        X : sequence of path, or of ndarray of uint8
            Photographs, as of `FaceEmbedder.transform`.
        y : array-like of shape (n_images,)
            Names of one person or more.
        strangers : sequence of path, or of ndarray of uint8, optional
            Photographs of other people.

        Returns
        -------
        self : object
        """
        self.embedder_ = FaceEmbedder() if self.embedder is None else clone(self.embedder)
        vectors, others = self._vectors(X), None if strangers is None else self._vectors(strangers)
        network = {"network": self.embedder_.network, "words": list(self.embedder_.words) or None}
        self._fit(Mean() if self.base is None else clone(a_method(self.base, "FaceRecogniser")), vectors, y, others, 1, vectors=True, **network)
        self.promise_ = self._promise
        return self

    def _decided(self, X: Any) -> dict[str, np.ndarray]:
        check_is_fitted(self)
        return super()._decided(self._vectors(X))

    def _vectors(self, X: Any) -> np.ndarray:
        return self.embedder_._transform(X, "leave it out; Recogniser.identify has no face of it")

    def save(self, path: Any) -> None:
        """Write the model file, which ``nrdl identify`` reads.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        self.base_.save(path)
