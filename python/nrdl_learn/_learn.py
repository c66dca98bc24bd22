"""Learning with everything in view: all matrices, the objective, pass by pass."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np
from sklearn.base import clone

from nrdl_learn._base import Method, Parts
from nrdl_learn._dictionaries import KSVDDictionary
from nrdl_learn._dictionary import Dictionary
from nrdl_learn._engine import Engine, shared


class Fit(Parts):
    """What a method has learned from N samples of d features.

    Attributes
    ----------
    D : ndarray of shape (d, K)
        The dictionary.
    S : ndarray of shape (K, N) or None
        The codes: ``D @ S`` is near the samples, the columns of X.T at norm 1. ``None`` for a
        method that has none.
    W : ndarray of shape (C, K) or None
        The linear classifier of the codes, of methods that have one.
    objective : ndarray of shape (passes,)
        The objective after each pass.
    status : str
        Why the fit ended.
    n_iter : int
        Passes.
    residual : float
        What the stopping test compared in the last pass.
    state : dict of str to ndarray
        All matrices of the last iterate.
    classes, groups, rule
        As in `Parts`.
    model : bytes
        The model file.
    estimator : Method
        The fitted estimator.
    """

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        super().__init__(header, arrays)
        self.S = arrays.get("S")
        self.objective = arrays["objective"]
        self.status, self.n_iter, self.residual = header["status"], header["passes"], header["residual"]
        self.model = arrays["model"].tobytes()
        self.state = {m["name"]: arrays["state." + m["name"]] for m in header["state"]}
        self._axes = header["state"]


def _start(start: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Members and arrays of a request for a fit that starts from something."""
    if start is None:
        return {}, {}
    if isinstance(start, Fit):
        return {"state": start._axes}, {"state." + name: m for name, m in start.state.items()}
    return {}, {"start." + name: np.asarray(m, dtype=np.float64) for name, m in dict(start).items()}


def learn(method: Method, X: Any, y: Any, start: Any = None) -> Fit:
    """Learn from samples, and return all that was learned.

    ``method.fit`` gives the same model without the codes and the objective, in less time.

    Parameters
    ----------
    method : Method
        An estimator, which is fitted too.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    start : Fit or mapping of str to ndarray, optional
        A fit of the same method and samples, which goes on, or matrices named D, S and W from
        which the method starts.

    Returns
    -------
    fit : Fit
    """
    members, arrays = method._request(X, y)
    more, from_arrays = _start(start)
    header, got = shared().call("learn", {**arrays, **from_arrays}, **members, **more)
    return _fit(method, header, got)


def _fit(method: Method, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Fit:
    fit = Fit(header, arrays)
    fit.estimator = method._made(header, arrays)
    return fit


class Step:
    """An iterative method after a pass.

    Its matrices are there until the next pass, also where the loop was left at this one.

    Attributes
    ----------
    n_iter : int
        The pass, from 1.
    status : str
        ``'stopped'`` before the last pass, and then why the fit has ended.
    objective : float
        The sum of the terms that are parts of it.
    residual : float
        What the stopping test compares.
    terms : dict of str to float
        The terms of the objective, and other quantities.
    """

    def __init__(self, engine: Engine, method: Method, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        self._engine, self._method = engine, method
        self.n_iter, self.status = header["pass"], header["status"]
        engine.at = self.n_iter
        self.objective, self.residual = float(arrays["objective"]), float(arrays["residual"])
        self.terms = dict(zip(header["terms"], arrays["terms"].tolist()))

    def matrices(self) -> dict[str, np.ndarray]:
        """Return the matrices of the iterate, such as D, S, W and multipliers."""
        header, arrays = self._now("matrices")
        return {m["name"]: arrays["state." + m["name"]] for m in header["state"]}

    def fit(self) -> Fit:
        """Return what the passes so far have learned, and fit the estimator with it."""
        return _fit(self._method, *self._now("learned"))

    def _now(self, verb: str) -> tuple[dict, dict[str, np.ndarray]]:
        if self._engine.at != self.n_iter:
            raise RuntimeError(f"the matrices of pass {self.n_iter} are gone: the fit is at pass {self._engine.at}; take them in the loop")
        return self._engine.call(verb)


class DictionaryStep:
    """A learner of a dictionary after a pass.

    Attributes
    ----------
    n_iter : int
        The pass, from 1.
    status : str
        ``'stopped'`` before the last pass, and then ``'complete'``.
    objective, residual : float
        As in ``history_`` of the learner.
    components : ndarray of shape (n_components, n_features)
        The atoms.
    """

    def __init__(self, learner: Dictionary, n_iter: int, passes: int):
        self.n_iter, self.status = n_iter, "stopped" if n_iter < passes else learner.status_
        self.objective, self.residual = float(learner.history_["objective"][0]), learner.residual_
        self.components = learner.components_


def _passes(learner: Any, X: Any) -> Iterator[DictionaryStep]:
    if not isinstance(learner, KSVDDictionary) or learner.monotone:
        which = "KSVDDictionary is, without monotone; partial_fit of OnlineDictionary takes samples step by step"
        raise TypeError(f"{type(learner).__name__} is not learned pass by pass here: {which}")
    passes, history = learner.passes, {"objective": [], "residual": []}
    one = clone(learner).set_params(passes=1)
    for n in range(1, passes + 1):
        step = DictionaryStep(one.fit(X), n, passes)
        one.dict_init = step.components
        for name, values in history.items():
            values.append(getattr(step, name))
        for name in "components_", "n_features_in_", "residual_", "seed_", "feature_names_in_":
            if hasattr(one, name):
                setattr(learner, name, getattr(one, name))
        learner.history_ = {name: np.array(values) for name, values in history.items()}
        learner.n_iter_, learner.status_ = n, step.status
        yield step


def steps(method: Any, X: Any, y: Any = None, start: Any = None) -> Iterator[Any]:
    """Learn one pass for each turn of a loop, which may be left.

    Parameters
    ----------
    method : Method or KSVDDictionary
        An estimator; a learner of a dictionary is fitted by each pass.
    X, y, start
        As of `learn`; a learner of a dictionary has ``dict_init`` instead of `start`.

    Yields
    ------
    step : Step or DictionaryStep
    """
    if isinstance(method, Dictionary):
        yield from _passes(method, X)
        return
    members, arrays = method._request(X, y)
    more, from_arrays = _start(start)
    engine = Engine()  # a fit under way belongs to its process, which ends with the last of its steps
    step = Step(engine, method, *engine.call("steps", {**arrays, **from_arrays}, **members, **more))
    yield step
    while step.status == "stopped":
        step = Step(engine, method, *engine.call("next"))
        yield step
