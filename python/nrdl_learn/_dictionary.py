"""Learners of dictionaries without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nrdl_learn._base import Parameterised, checked, seed_of
from nrdl_learn._engine import shared


class Dictionary(Parameterised):
    """A learner of a dictionary as a transformer: samples become sparse codes."""

    n_components: int | None

    def _atoms(self) -> int | None:
        return None if self.n_components is None else int(self.n_components)

    def fit(self, X: Any, y: Any = None) -> "Dictionary":
        """Learn atoms from samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, which keep their scale.
        y : Ignored

        Returns
        -------
        self : object
        """
        X = checked(self, X, reset=True)
        self.seed_ = seed_of(self.random_state)
        header, arrays = shared().call(
            "dictionary", {"x": X}, method=self._method, params=self._settings(), atoms=self._atoms(), seed=self.seed_
        )
        self.components_ = np.ascontiguousarray(arrays["D"].T)
        self._set_outcome(header)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the codes of samples over the atoms.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = checked(self, X, reset=False)
        _, arrays = shared().call("code", {"x": X, "D": self.components_.T}, method=self._method, params=self._settings())
        return arrays["codes"]

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the samples that codes stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        samples : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(X) @ self.components_

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


class OnlineLearner(Dictionary):
    """A learner that can go on with further samples."""

    def fit(self, X: Any, y: Any = None) -> "OnlineLearner":
        self.__dict__.pop("_state", None)
        return super().fit(X, y)

    fit.__doc__ = Dictionary.fit.__doc__

    def partial_fit(self, X: Any, y: Any = None) -> "OnlineLearner":
        """Learn from further samples, each of which is taken once.

        Calls with multiples of ``batch`` samples are one call with all of them. The first call
        starts from samples, so that it needs ``n_components`` of them or more, if that is given. What `fit` has
        learned is forgotten.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : object
        """
        state = getattr(self, "_state", {})
        X = checked(self, X, reset=not state)
        if not state:
            self.seed_ = seed_of(self.random_state)
        header, arrays = shared().call(
            "observe", {"x": X, **state}, method=self._method, params=self._settings(), atoms=self._atoms(), seed=self.seed_
        )
        self.components_ = np.ascontiguousarray(arrays.pop("D").T)
        self._state, self.n_samples_seen_ = arrays, header["seen"]
        return self
