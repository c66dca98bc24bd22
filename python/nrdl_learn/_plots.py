"""Pictures of what was learned; they need matplotlib."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted


def _axes(ax: Any, **how: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from e
    return plt.subplots(**how)[1]


def plot_atoms(model: Any, shape: tuple[int, int] | None = None, *, max_atoms: int = 100, ax: Any = None) -> Any:
    """Draw the atoms of a model as a table of images.

    Parameters
    ----------
    model : Method, learner of dictionaries, or array-like of shape (n_atoms, n_features)
    shape : tuple of int, optional
        Height and width of an atom; by default ``image_shape`` of the model, or a square.
    max_atoms : int, default=100
        Number of atoms at most, the first ones.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
        if not hasattr(model, "components_"):
            raise TypeError(f"{type(model).__name__} has no atoms")
    atoms = np.asarray(getattr(model, "components_", model), dtype=float)[:max_atoms]
    side = math.isqrt(atoms.shape[1])
    height, width = shape or getattr(model, "image_shape", None) or (side, side)
    if height * width != atoms.shape[1]:
        raise ValueError(f"an atom has {atoms.shape[1]} numbers, which are no image of {height}×{width}: give its shape")
    columns = math.ceil(math.sqrt(len(atoms)))
    rows = math.ceil(len(atoms) / columns)
    page = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), np.nan)
    for i, atom in enumerate(atoms):
        top, left = i // columns * (height + 1), i % columns * (width + 1)
        largest = np.abs(atom).max() or 1.0
        page[top : top + height, left : left + width] = atom.reshape(height, width) / largest
    ax = _axes(ax)
    ax.imshow(page, cmap="gray" if (atoms >= 0).all() else "RdBu_r", vmin=0 if (atoms >= 0).all() else -1, vmax=1)
    ax.set_axis_off()
    return ax


def plot_history(model: Any, *, ax: Any = None) -> Any:
    """Draw the objective and the residual after each pass.

    Parameters
    ----------
    model : Method, learner of dictionaries, or Fit
        What has passes.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the objective; the axis of the residual is on the right.
    """
    history = getattr(model, "history_", None)
    if history is None or not len(history["objective"]):
        raise ValueError(f"{type(model).__name__} has no history: it is not fitted, or makes no passes")
    passes = np.arange(1, len(history["objective"]) + 1)
    ax = _axes(ax)
    ax.plot(passes, history["objective"], color="C0", label="objective")
    ax.set_xlabel("pass")
    ax.set_ylabel("objective", color="C0")
    right = ax.twinx()
    right.semilogy(passes, np.maximum(history["residual"], np.finfo(float).tiny), color="C1", label="residual")
    right.set_ylabel("residual", color="C1")
    return ax


def plot_codes(codes: Any, y: Any = None, *, ax: Any = None) -> Any:
    """Draw the magnitudes of codes, in the order of their labels.

    Parameters
    ----------
    codes : array-like of shape (n_samples, n_atoms)
    y : array-like of shape (n_samples,), optional
        Labels, between which there are lines.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
        A row for each atom and a column for each sample.
    """
    if isinstance(codes, BaseEstimator):
        raise TypeError(f"codes are needed, not {type(codes).__name__}: plot_codes(model.transform(X), y)")
    magnitudes = np.abs(np.asarray(codes, dtype=float))
    ax = _axes(ax)
    if y is not None:
        order = np.argsort(y, kind="stable")
        magnitudes, y = magnitudes[order], np.asarray(y)[order]
    ax.imshow(magnitudes.T, aspect="auto", cmap="gray_r", interpolation="nearest")
    for edge in () if y is None else np.flatnonzero(y[1:] != y[:-1]):
        ax.axvline(edge + 0.5, color="C1", linewidth=0.5)
    ax.set_xlabel("sample")
    ax.set_ylabel("atom")
    return ax


__all__ = ["plot_atoms", "plot_codes", "plot_history"]
