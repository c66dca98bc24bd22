"""Learning with everything in view: all matrices, the objective, pass by pass."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from nrdl_learn._base import Method, Parts, a_method, seed_of
from nrdl_learn._dictionary import Dictionary, OnlineLearner
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
    members, arrays = a_method(method, "learn")._request(X, y)
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

    def __repr__(self) -> str:
        return f"<Step {self.n_iter}: objective {self.objective:.6g}, residual {self.residual:.3g}, {self.status}>"

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

    def __init__(self, n_iter: int, status: str, objective: float, residual: float, components: np.ndarray):
        self.n_iter, self.status = n_iter, status
        self.objective, self.residual = float(objective), float(residual)
        self.components = components


def _passes(learner: Any, X: Any) -> Iterator[DictionaryStep]:
    if getattr(learner, "monotone", False):
        raise TypeError(f"{type(learner).__name__} with monotone is not learned pass by pass")
    history: dict[str, list] = {"objective": [], "residual": []}
    one = clone(learner)
    for step in _passes_online(one, X) if isinstance(learner, OnlineLearner) else _passes_of_all(one, X):
        for name, values in history.items():
            values.append(getattr(step, name))
        vars(learner).update({name: value for name, value in vars(one).items() if name.endswith("_in_") or name in _LEARNED})
        learner.history_ = {name: np.array(values) for name, values in history.items()}
        learner.n_iter_, learner.status_, learner.residual_ = step.n_iter, step.status, step.residual
        yield step


_LEARNED = ("components_", "seed_", "n_samples_seen_", "_unit", "_state")


def _passes_of_all(one: Any, X: Any) -> Iterator[DictionaryStep]:
    passes = one.passes
    one.set_params(passes=1)
    for n in range(1, passes + 1):
        one.fit(X)
        yield DictionaryStep(n, one.status_ if n == passes else "stopped", one.history_["objective"][0], one.residual_, one.components_)
        one.dict_init = one.components_


def _passes_online(one: Any, X: Any) -> Iterator[DictionaryStep]:
    """A pass takes all samples, in an order of its own."""
    order, residual, before = np.random.RandomState(seed_of(one.random_state) % (1 << 32)), np.inf, None
    for n in range(1, one.passes + 1):
        one.partial_fit(_safe_indexing(X, order.permutation(len(X))))
        D, A, B = (one._state["state." + name] for name in ("atoms", "A", "B"))
        _, weight, energy, *_ = one._state["state.sums"].ravel()
        if before is not None:
            residual = np.sqrt(np.square(D - before).sum() / D.shape[1])
        before, small = D, residual < one.tol
        status = "converged" if small else "complete" if n == one.passes else "stopped"
        yield DictionaryStep(n, status, (energy / 2 + np.sum((D @ A / 2 - B) * D)) / weight, residual, one.components_)
        if small:
            return


def steps(method: Any, X: Any, y: Any = None, start: Any = None) -> Iterator[Any]:
    """Learn one pass for each turn of a loop, which may be left.

    Parameters
    ----------
    method : Method, KSVDDictionary or OnlineDictionary
        An estimator; a learner of a dictionary is fitted by each pass. The passes of K-SVD are those of its `fit`;
        OnlineDictionary takes the samples in other orders than `fit`, and goes on by ``partial_fit`` afterwards.
    X, y, start
        As of `learn`; a learner of a dictionary has ``dict_init`` instead of `start`.

    Yields
    ------
    step : Step or DictionaryStep
    """
    if isinstance(method, Dictionary):
        yield from _passes(method, X)
        return
    members, arrays = a_method(method, "steps")._request(X, y)
    more, from_arrays = _start(start)
    engine = Engine()  # a fit under way belongs to its process, which ends with the last of its steps
    step = Step(engine, method, *engine.call("steps", {**arrays, **from_arrays}, **members, **more))
    yield step
    while step.status == "stopped":
        step = Step(engine, method, *engine.call("next"))
        yield step
