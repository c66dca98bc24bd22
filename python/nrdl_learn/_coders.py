"""Codes of samples over given atoms, with the names of scikit-learn."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array

from nrdl_learn._base import text_of
from nrdl_learn._engine import shared

_ALGORITHMS = ("omp", "lasso", "lasso_lars", "lasso_cd", "elastic_net", "nnls", "admm", "local", "ridge")


def _dense(X: Any, name: str) -> np.ndarray:
    if scipy.sparse.issparse(X):
        raise TypeError(f"{name} is sparse: the coders take dense arrays, such as {name}.toarray()")
    return check_array(X, dtype=np.float64, input_name=name)


def sparse_encode(
    X: Any,
    dictionary: Any,
    *,
    algorithm: str = "lasso",
    n_nonzero_coefs: int | None = None,
    alpha: float | None = None,
    l1_ratio: float = 0.5,
    rho: float = 0.1,
    max_iter: int = 1000,
    positive: bool = False,
) -> np.ndarray:
    """Return the codes of samples over atoms.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    dictionary : array-like of shape (n_components, n_features)
        The atoms; those of ``'omp'`` have norm 1.
    algorithm : str, default='lasso'
        With s the code of a sample y and D the atoms:

        * ``'omp'``: orthogonal matching pursuit, ``n_nonzero_coefs`` atoms at most, or until
          ‖y − Ds‖² ≤ ``alpha``;
        * ``'lasso'``, which ``'lasso_lars'`` and ``'lasso_cd'`` are, too: ½‖y − Ds‖² + alpha‖s‖₁;
        * ``'elastic_net'``: ½‖y − Ds‖² + alpha·l1_ratio‖s‖₁ + ½alpha(1 − l1_ratio)‖s‖²;
        * ``'nnls'``: ‖y − Ds‖² with s ≥ 0;
        * ``'admm'``: likewise, by ``max_iter`` passes of ADMM with the penalty ``rho``, which regularise
          if they are few;
        * ``'local'``: the ``n_nonzero_coefs`` nearest atoms, whose coefficients add up to 1, with the weight ``alpha``;
        * ``'ridge'``: ‖y − Ds‖² + alpha‖s‖².
    n_nonzero_coefs : int, optional
        By default a tenth of the features for ``'omp'``, as in scikit-learn, and 30 for ``'local'``.
    alpha : float, optional
        By default 1, as in scikit-learn; 1e-4 for ``'local'``.
    l1_ratio : float, default=0.5
        Part of ‖s‖₁ in the penalty of ``'elastic_net'``, above 0.
    rho : float, default=0.1
        Of ``'admm'``.
    max_iter : int, default=1000
        Passes of ``'admm'``; the others have bounds of their own.
    positive : bool, default=False
        Ask for s ≥ 0: of ``'lasso'``, ``'elastic_net'`` and ``'ridge'``; ``'nnls'`` and ``'admm'`` always do.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)
    """
    X, D = _dense(X, "X"), _dense(dictionary, "dictionary")
    if X.shape[1] != D.shape[1]:
        raise ValueError(f"samples have {X.shape[1]} features, and atoms {D.shape[1]}")
    if algorithm not in _ALGORITHMS:
        raise ValueError(f"algorithm = {algorithm!r}: one of {', '.join(_ALGORITHMS)}")
    if positive and algorithm in ("omp", "local"):
        raise ValueError(f"algorithm={algorithm!r} has no codes that are not negative: take 'lasso', 'elastic_net', 'nnls', 'admm' or 'ridge'")
    weight = (1e-4 if algorithm == "local" else 1.0) if alpha is None else float(alpha)
    if not (weight > 0 or weight == 0 and algorithm in ("omp", "nnls", "admm", "local", "ridge")):
        raise ValueError(f"alpha = {alpha!r}: a number above 0; 'nnls' has no penalty")
    if n_nonzero_coefs is not None and not (isinstance(n_nonzero_coefs, numbers.Integral) and n_nonzero_coefs > 0):
        raise ValueError(f"n_nonzero_coefs = {n_nonzero_coefs!r}: an integer above 0")
    coder, settings = "lasso", {"lambda": weight, "positive": positive}
    if algorithm == "omp":
        tenth = min(max(X.shape[1] // 10, 1), len(D))
        sparsity = n_nonzero_coefs if n_nonzero_coefs is not None else len(D) if alpha is not None else tenth
        coder, settings = "omp", {"sparsity": sparsity, "error": 0.0 if alpha is None else np.sqrt(weight)}
    elif algorithm == "elastic_net":
        if not 0 < l1_ratio <= 1:
            raise ValueError(f"l1_ratio = {l1_ratio}: above 0, and at most 1; 'ridge' is 0")
        settings["lambda"] = weight * l1_ratio
        if l1_ratio < 1:  # the ℓ2 part is that of further features, which are 0 in the samples
            D = np.hstack([D, np.sqrt(weight * (1 - l1_ratio)) * np.eye(len(D))])
            X = np.hstack([X, np.zeros((len(X), len(D)))])
    elif algorithm == "nnls":
        coder, settings = "nonnegative", {"solver": "exact"}
    elif algorithm == "admm":
        coder, settings = "nonnegative", {"solver": "admm", "rho": float(rho), "passes": int(max_iter)}
    elif algorithm == "local":
        coder, settings = "local", {"neighbours": 30 if n_nonzero_coefs is None else n_nonzero_coefs, "lambda": weight}
    elif algorithm == "ridge" and positive:
        coder, settings = "nonnegative", {"solver": "exact", "l2": weight}
    elif algorithm == "ridge":
        coder, settings = "ridge", {"lambda": weight}
    params = [{"name": "coder", "value": coder}, *({"name": "coder." + n, "value": text_of(v)} for n, v in settings.items())]
    return shared().call("code", {"x": X, "D": D.T}, method="online", params=params)[1]["codes"]


class SparseCoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Codes over a given dictionary, as a transformer.

    Parameters
    ----------
    dictionary : array-like of shape (n_components, n_features)
        The atoms.
    transform_algorithm : str, default='omp'
        As `algorithm` of `sparse_encode`.
    transform_n_nonzero_coefs, transform_alpha, transform_max_iter
        As `n_nonzero_coefs`, `alpha` and `max_iter` there.
    l1_ratio, rho
        As there.
    split_sign : bool, default=False
        Codes are their positive parts, and then the magnitudes of their negative parts.
    positive_code : bool, default=False
        As `positive` there.

    Attributes
    ----------
    n_components_, n_features_in_ : int
        Of the dictionary.
    """

    def __init__(
        self,
        dictionary: Any,
        *,
        transform_algorithm: str = "omp",
        transform_n_nonzero_coefs: int | None = None,
        transform_alpha: float | None = None,
        transform_max_iter: int = 1000,
        l1_ratio: float = 0.5,
        rho: float = 0.1,
        split_sign: bool = False,
        positive_code: bool = False,
    ):
        self.dictionary = dictionary
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.transform_max_iter = transform_max_iter
        self.l1_ratio = l1_ratio
        self.rho = rho
        self.split_sign = split_sign
        self.positive_code = positive_code

    def fit(self, X: Any = None, y: Any = None) -> "SparseCoder":
        """Do nothing: the dictionary is given.

        Parameters
        ----------
        X, y : Ignored

        Returns
        -------
        self : object
        """
        return self

    @property
    def n_components_(self) -> int:
        return len(self.dictionary)

    @property
    def n_features_in_(self) -> int:
        return np.shape(self.dictionary)[1]

    @property
    def _n_features_out(self) -> int:
        return self.n_components_ * (2 if self.split_sign else 1)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Return the codes of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components), or twice as many columns with ``split_sign``
        """
        codes = sparse_encode(
            X, self.dictionary, algorithm=self.transform_algorithm, n_nonzero_coefs=self.transform_n_nonzero_coefs,
            alpha=self.transform_alpha, l1_ratio=self.l1_ratio, rho=self.rho, max_iter=self.transform_max_iter,
            positive=self.positive_code,
        )  # fmt: skip
        return np.hstack([np.maximum(codes, 0), np.maximum(-codes, 0)]) if self.split_sign else codes


__all__ = ["SparseCoder", "sparse_encode"]
