"""The search for parameters that the program has."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import numpy as np
from sklearn.base import clone

from nrdl_learn._base import Method, a_method
from nrdl_learn._command import run


class Tuning:
    """What `tune` has found.

    Attributes
    ----------
    best_params_ : dict of str to object
        The arguments with the highest score, without those that `method` has already.
    best_score_ : float
        Their mean accuracy in samples that were held out.
    best_estimator_ : Method
        With these arguments, fitted to all samples.
    trials_ : list of dict
        Each configuration: ``'params'``, ``'score'``, ``'folds'`` and ``'seconds'``. The search gives up one
        that does badly, which has fewer folds. The first has the arguments of `method`.
    """

    def __init__(self, estimator: Method, trials: list[dict], best: int):
        self.best_estimator_, self.trials_ = estimator, trials
        self.best_params_, self.best_score_ = trials[best]["params"], trials[best]["score"]

    def __repr__(self) -> str:
        lines = [f"{self.best_score_:.4f} right, {self.trials_[0]['score']:.4f} with the parameters as given"]
        for trial in sorted(self.trials_, key=lambda t: (-t["folds"], -t["score"])):
            told = ", ".join(f"{name}={value!r}" for name, value in trial["params"].items()) or "as given"
            lines.append(f"{trial['score']:.4f} in {trial['folds']} folds  {told}")
        return "\n".join(lines)


def tune(method: Method, X: Any, y: Any, *, budget: int = 30, folds: int = 4, verbose: int = 0) -> Tuning:
    """Search for the parameters of a method as ``nrdl tune`` does: no grid is needed.

    It judges the arguments as they are, then random ones from the ranges of the method, and then ones near
    the best so far. A configuration that does badly is given up before the last fold.

    Parameters
    ----------
    method : Method
        Its ``random_state`` is the seed of the search, too.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    budget : int, default=30
        Number of configurations.
    folds : int, default=4
        Of the cross-validation.
    verbose : int, default=0
        Whether progress is printed.

    Returns
    -------
    tuning : Tuning
    """
    estimator = clone(a_method(method, "tune"))
    if not estimator._parameters:
        raise ValueError(f"{type(estimator).__name__} has no parameters to tune")
    members, arrays = estimator._request(X, y)
    pixels = arrays["x"] if estimator.image_shape is None else arrays["x"].reshape(-1, *map(int, estimator.image_shape))
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "samples.npz")  # its 64 numbers may be 8×8 pixels, as the program warns, which is all the same
        np.savez(path, X=pixels, y=arrays["y"])
        words = ["tune", path, "--method", estimator._method, "--json", "--budget", str(int(budget)), "--folds", str(int(folds))]
        words += ["--seed", str(members["seed"])]
        for setting in members["params"]:
            words += ["--set", f"{setting['name']}={setting['value']}"]
        found = json.loads(run(words, verbose=verbose, quiet=True, place=place))
    given = {f"{setting['name']}={setting['value']}" for setting in members["params"]}
    trials = []
    for trial in found["trials"]:
        params = _arguments(estimator, [s for s in trial["set"] if s not in given])
        score = 1 - trial["wrong"] / trial["n"] if trial["n"] else np.nan  # of one that cannot be fitted
        trials.append({"params": params, "score": score, "folds": trial["folds"], "seconds": trial["seconds"]})
    best = estimator.set_params(**trials[found["best"]]["params"])
    return Tuning(best.fit(X, y), trials, found["best"])


def _arguments(estimator: Method, settings: list[str]) -> dict[str, Any]:
    """The arguments that say what settings of the command say, such as ``coder.rho=0.1``."""
    own = {path: (name, default) for name, path, default in estimator._parameters}
    params: dict[str, Any] = {}
    for setting in settings:
        path, _, text = setting.partition("=")
        name, default = own.get(path, (None, None))
        value = float(text) if isinstance(default, float) else _value(text)
        if name:
            params[name] = value
        else:
            params.setdefault("params", dict(estimator.params or {}))[path] = value
    return params


def _value(text: str) -> Any:
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


__all__ = ["Tuning", "tune"]
