"""Learners of dictionaries without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from nrdl_learn._base import Parameterised, checked, seed_of
from nrdl_learn._engine import shared


class Dictionary(Parameterised):
    """A learner of a dictionary as a transformer: samples become sparse codes."""

    n_components: int | None
    dict_init: Any
    code_init: Any
    callback: Any
    positive_code = positive_dict = False
    _unit = 1.0

    def _settings(self) -> list[dict[str, str]]:
        settings = super()._settings()
        return [*settings, {"name": "coder.positive", "value": "true"}] if self.positive_code else settings

    def _unit_of(self, X: np.ndarray) -> float:
        """The length of samples that is 1 for the learner."""
        return 1.0

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return X if self._unit == 1.0 else X / self._unit

    def _atoms(self) -> int | None:
        return None if self.n_components is None else int(self.n_components)

    def _start(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """The atoms to start from, for the engine."""
        if self.dict_init is None:
            return self._start_of_codes(X)
        atoms = check_array(self.dict_init, dtype=np.float64, input_name="dict_init")
        if self.n_components not in (None, len(atoms)) or atoms.shape[1] != X.shape[1]:
            wanted = len(atoms) if self.n_components is None else self.n_components
            raise ValueError(f"dict_init has the shape {atoms.shape}, not {(wanted, X.shape[1])}: a row for each atom")
        return {"d0": atoms.T}

    def _start_of_codes(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """The atoms that are best for code_init by least squares, for the engine."""
        if self.code_init is None:
            return {}
        codes = check_array(self.code_init, dtype=np.float64, input_name="code_init")
        if self.n_components not in (None, codes.shape[1]) or len(codes) != len(X):
            wanted = codes.shape[1] if self.n_components is None else self.n_components
            raise ValueError(f"code_init has the shape {codes.shape}, not {(len(X), wanted)}: a row for each sample")
        return {"d0": np.linalg.lstsq(codes, self._scaled(X), rcond=None)[0].T}

    def _watch(self) -> Any:
        """What is called after each pass: progress is printed, and callback gets what is known by then."""
        progress, callback = self._progress(), self.callback
        if callback is None:
            return progress
        errors: list[float] = []

        def after(n: int, objective: float, residual: float) -> None:
            if progress is not None:
                progress(n, objective, residual)
            errors.append(objective)
            callback({"self": self, "ii": n - 1, "n_iter": n, "errors": list(errors), "current_cost": objective, "residual": residual})

        return after

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
        self._unit = self._unit_of(X)
        header, arrays = shared().call(
            "dictionary", {"x": self._scaled(X), **self._start(X)}, self._watch(), method=self._method, params=self._settings(), atoms=self._atoms(),
            seed=self.seed_, positive=self.positive_dict or None,
        )  # fmt: skip
        self.components_ = np.ascontiguousarray(arrays["D"].T)
        self._set_outcome(header, arrays)
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
        _, arrays = shared().call("code", {"x": self._scaled(X), "D": self.components_.T}, method=self._method, params=self._settings())
        return arrays["codes"] * self._unit

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
    """A learner that can go on with further samples, and weighs the codes as for samples of length 1."""

    def _unit_of(self, X: np.ndarray) -> float:
        largest = np.abs(X).max()
        return float(largest * np.sqrt(np.square(X / largest).sum(axis=1).mean())) if largest > 0 else 1.0

    def fit(self, X: Any, y: Any = None) -> "OnlineLearner":
        self.__dict__.pop("_state", None)
        return super().fit(X, y)

    fit.__doc__ = Dictionary.fit.__doc__

    def partial_fit(self, X: Any, y: Any = None) -> "OnlineLearner":
        """Learn from further samples, each of which is taken once.

        Calls with multiples of ``batch`` samples are one call with all of them. The first call
        starts from samples, so that it needs ``n_components`` of them or more, if that is given. What `fit` has
        learned is forgotten. The samples of the first call say how long samples are, for ``coder_lambda``.

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
            self._unit = self._unit_of(X)
        header, arrays = shared().call(
            "observe", {"x": self._scaled(X), **(state or self._start(X))}, method=self._method, params=self._settings(), atoms=self._atoms(),
            seed=self.seed_, positive=self.positive_dict or None,
        )  # fmt: skip
        self.components_ = np.ascontiguousarray(arrays.pop("D").T)
        self._state, self.n_samples_seen_ = arrays, header["seen"]
        return self
