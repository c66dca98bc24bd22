"""Photographs of faces as vectors."""

from __future__ import annotations

import errno
import os
from typing import Any, Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from nrdl_learn._engine import EngineError, shared

_TOGETHER = 256  # photographs in a request


def _images(X: Any) -> list[Any]:
    """Paths, and arrays of uint8, height × width or height × width × 3."""
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"one path where a list is needed: [{os.fspath(X)!r}]")
    images = []
    for one in X:
        if isinstance(one, (str, os.PathLike)):
            path = os.path.abspath(os.fspath(one))
            if not os.path.exists(path):
                raise FileNotFoundError(errno.ENOENT, "there is no such photograph", path)
            images.append(path)
            continue
        one = np.asarray(one)
        if one.dtype != np.uint8 or one.ndim not in (2, 3) or one.ndim == 3 and one.shape[2] != 3:
            raise ValueError(
                f"an image is a path, or an array of uint8 of shape (height, width) or (height, width, 3), not {one.dtype} {one.shape}"
            )
        images.append(np.ascontiguousarray(one))
    if not images:
        raise ValueError("Found array with 0 sample(s): there is no image")
    return images


def _requests(images: Sequence[Any]) -> Any:
    """Parts of the images, each with the files and the arrays of a request: all of one kind."""
    at = 0
    while at < len(images):
        end, files = at, isinstance(images[at], str)
        while end < len(images) and end - at < _TOGETHER and isinstance(images[end], str) == files:
            end += 1
        part = images[at:end]
        yield at, (part if files else None), ({} if files else {str(i): a for i, a in enumerate(part)})
        at = end


class FaceEmbedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The vectors that a neural network makes of the faces in photographs.

    Two photographs of one person have vectors with a large cosine.

    Parameters
    ----------
    network : str, optional
        File of another network (ONNX), or the name of one that is built in: ``'faceplugin'``, the default, or ``'dlib'``.
    words : sequence of str, default=()
        What the network takes, such as ``('preset=arcface',)``: ``doc/embeddings.md``.
    detect : bool, default=True
        Whether a face is searched for; otherwise an image is an aligned face.
    faces : {'largest', 'central', 'refuse', 'all', 'every'}, default='largest'
        Which of several faces; ``'all'`` leaves out those in the background. With ``'all'`` and
        ``'every'``, `transform` returns an array for each image.
    missing : {'error', 'nan'}, default='error'
        What is done about an image without a face that can be used: with ``'nan'`` it has NaN, or no
        row where there are arrays for each image.

    Attributes
    ----------
    faces_ : list of list of dict
        Not there before `transform`: the faces of each image, with box, pupils and quality.
    """

    def __init__(
        self,
        network: str | None = None,
        *,
        words: Sequence[str] = (),
        detect: bool = True,
        faces: str = "largest",
        missing: str = "error",
    ):
        self.network = network
        self.words = words
        self.detect = detect
        self.faces = faces
        self.missing = missing

    def fit(self, X: Any = None, y: Any = None) -> "FaceEmbedder":
        """Do nothing: the network was learned before.

        Parameters
        ----------
        X, y : Ignored

        Returns
        -------
        self : object
        """
        return self

    def transform(self, X: Any) -> Any:
        """Return the vector of the face in each image.

        Parameters
        ----------
        X : sequence of path, or of ndarray of uint8, of shape (height, width[, 3])
            Photographs; colours are red, green, blue.

        Returns
        -------
        vectors : ndarray of shape (n_images, length), or list of ndarray of shape (n_faces, length)
            Of norm 1. The list, of ``faces='all'`` and ``'every'``, has an array for each image, whose
            rows are as in `faces_`.
        """
        return self._transform(X, "leave it out, or set missing='nan'")

    def _transform(self, X: Any, advice: str) -> Any:
        """`transform`, with what to do about an image without a face."""
        if self.missing not in ("error", "nan"):
            raise ValueError(f"missing is 'error' or 'nan', not {self.missing!r}")
        images = _images(X)
        several = self.faces in ("all", "every")
        parts, faces, counts = [], [], []
        for at, files, arrays in _requests(images):
            header, got = shared().call(
                "embed", arrays, files=files, network=self.network, words=list(self.words) or None,
                faces=self.faces, detect=None if self.detect else "never",
            )
            for i, image in enumerate(header["images"]):
                if image.get("reason") and self.missing == "error":
                    which = images[at + i] if files else f"image {at + i}"
                    raise EngineError(f"{which}: {image['reason']}", advice=[{"text": advice}])
                faces.append(image["faces"])
                counts.append(image["used"])
            parts.append(got["vectors"])
        self.faces_ = faces
        vectors = np.concatenate(parts)
        self._n_features_out = vectors.shape[1]
        if not several:
            return vectors
        ends = np.cumsum([max(n, 1) for n in counts])  # an image without a face has a row of NaN
        return [vectors[end - max(n, 1) : end][:n] for end, n in zip(ends, counts)]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"X_types": ["string"], "no_validation": True, "stateless": True, "requires_fit": False}

    def __sklearn_tags__(self):  # since scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string, tags.input_tags.three_d_array = False, True, True
        tags.no_validation, tags.requires_fit = True, False
        return tags


def detect(X: Any) -> list[list[dict]]:
    """Return the faces in photographs, the largest first.

    Parameters
    ----------
    X : sequence of path, or of ndarray of uint8, of shape (height, width[, 3])

    Returns
    -------
    faces : list of list of dict
        Of each image its faces, with ``box`` (x, y, width, height), ``pupils`` and ``quality``.
    """
    all_faces = []
    for _, files, arrays in _requests(_images(X)):
        header, _ = shared().call("detect", arrays, files=files)
        all_faces += [image["faces"] for image in header["images"]]
    return all_faces
