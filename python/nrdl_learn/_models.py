"""Model files: those of the command, and what they say of photographs."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from nrdl_learn._base import Method
from nrdl_learn._command import run
from nrdl_learn._engine import EngineError, shared
from nrdl_learn._faces import _images, _requests
from nrdl_learn._methods import Mean
from nrdl_learn._openset import OpenSetClassifier


@dataclass
class Face:
    """A face in a photograph, and who it is.

    Attributes
    ----------
    name : str or None
        ``None`` for a face of nobody who is enrolled, and for one that cannot be used.
    known : bool
        The margin reaches the threshold.
    probability : float or None
        That the best guess is right.
    box : tuple of int or None
        Left, top, width and height in pixels of the upright photograph; ``None`` where the image is the face.
    guess : str or None
        The most likely person.
    maybe : str or None
        The guess for an unknown face, if it is not improbable.
    margin, score : float or None
        What is compared with the threshold, and the score of the guess.
    top : list of tuple of str and float
        The most likely people with their scores, best first.
    refused : str or None
        Why the face cannot be used.
    details : dict
        All that the command writes of the face with ``--json``: pupils and quality, too.
    """

    name: str | None
    known: bool
    probability: float | None
    box: tuple[int, int, int, int] | None
    guess: str | None = None
    maybe: str | None = None
    margin: float | None = None
    score: float | None = None
    top: list[tuple[str, float]] = field(default_factory=list)
    refused: str | None = None
    details: dict = field(default_factory=dict, repr=False)

    @classmethod
    def _of(cls, face: Mapping[str, Any]) -> "Face":
        box = face.get("box")
        return cls(
            face["name"], face["known"], face["probability"], box and (box["x"], box["y"], box["width"], box["height"]),
            face["guess"], face.get("maybe"), face["margin"], face["score"], [(c["name"], c["score"]) for c in face["top"]],
            face.get("refused"), dict(face),
        )  # fmt: skip


class Recogniser:
    """A model of people, which names the faces in photographs as ``nrdl identify`` does.

    `load` opens one, and `train` makes one of a folder.

    Attributes
    ----------
    people_ : list of str
        Names of the people.
    method_ : str
        Name of the method.
    threshold_ : float or None
        The smallest margin of a face that gets a name; ``None`` where every face gets one.
    promise_ : str or None
        How many strangers get a name at most, and of whom this was measured.
    warning_ : str or None
        Why the threshold is of no use.
    """

    def __init__(self, model: bytes, folders: Sequence[str] = ()):
        if not isinstance(model, (bytes, bytearray, memoryview)):
            raise TypeError(f"Recogniser takes the bytes of a model: Recogniser.load(path) opens a file, and Recogniser.train(folder) makes one, not {model!r}")
        self.model_, self._folders = bytes(model), list(folders)
        about = _about(self.model_, self._folders)
        if not about["sees_images"]:
            raise EngineError("the model was trained on vectors, or on images of an unknown size: load(path) returns its classifier")
        self.people_, self.method_ = list(about["classes"]), about["method"]
        self.threshold_, self.promise_, self.warning_ = about.get("threshold"), about.get("promise"), about.get("warning")

    def __repr__(self) -> str:
        names = ", ".join(self.people_[:5]) + (f" and {len(self.people_) - 5} more" if len(self.people_) > 5 else "")
        return f"<Recogniser of {names}: {self.promise_ or self.warning_ or 'every face gets a name'}>"

    @classmethod
    def train(
        cls,
        folder: Any,
        *,
        fpir: float | None = None,
        strangers: Any = None,
        method: str | None = None,
        options: Sequence[str] = (),
        verbose: int = 0,
    ) -> "Recogniser":
        """Return a recogniser of the people in a folder, as ``nrdl train`` makes one.

        One person with one photograph is enough. There is a warning for what the command warns of, such as
        a photograph without a face.

        Parameters
        ----------
        folder : str or path-like
            Has a folder of photographs for each person, which is called as the person.
        fpir : float, optional
            Share of strangers who may get a name, 0 to 1; by default that of the program, 0.01.
        strangers : str or path-like, optional
            Folder with photographs of other people.
        method : str, optional
            Name of a method; by default that of the program.
        options : sequence of str, optional
            Further options of ``nrdl train``, such as ``('--names', 'files')``.
        verbose : int, default=0
            Whether progress is printed, and how well the faces are told apart.

        Returns
        -------
        recogniser : Recogniser
        """
        if isinstance(options, str):
            raise TypeError(f"options is a sequence of words, such as {tuple(options.split())!r}, not {options!r}")
        words = [] if fpir is None else ["--fpir", repr(float(fpir))]
        words += [] if strangers is None else ["--strangers", os.fspath(strangers)]
        words += [] if method is None else ["--method", method]
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "people.nrdl")
            run(["train", os.path.abspath(os.fspath(folder)), "-o", path, *words, *map(str, options)], path, verbose=verbose, place=place)
            return cls.load(path)

    @classmethod
    def load(cls, path: Any) -> "Recogniser":
        """Return the recogniser in a model file.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        recogniser : Recogniser
        """
        return cls(*_read(path))

    def identify(
        self, photo: Any, *, faces: str = "every", detect: bool = True, twice: bool = False, force: bool = False, top: int = 1
    ) -> Any:
        """Return all faces of a photograph with their names, the largest first.

        Parameters
        ----------
        photo : path, or ndarray of uint8 of shape (height, width[, 3]), or list of these
            A photograph, or several; colours are red, green, blue. Or the path of a folder: then the photographs
            in it and in its folders, where one that cannot be read is left out with a warning.
        faces : {'every', 'all', 'largest', 'central', 'refuse'}, default='every'
            Which of several; ``'all'`` leaves out those in the background.
        detect : bool, default=True
            Whether faces are searched for; otherwise an image is an aligned face.
        twice : bool, default=False
            Several faces of a photograph can get one name.
        force : bool, default=False
            Name faces also where the people are too alike to promise a rate.
        top : int, default=1
            How many of the likeliest people a face gets.

        Returns
        -------
        faces : list of Face, or list of list of Face, or dict of str to list of Face
            One list for each photograph of a list. Of a folder, the path of each photograph with its faces.

        Raises
        ------
        EngineError
            For a photograph that cannot be read, and where `force` is needed.
        FileNotFoundError
            For a photograph that is not there.
        """
        if isinstance(photo, (str, os.PathLike)) and os.path.isdir(photo):
            options = ["--faces", faces, "--top", str(int(top))]
            options += [word for word, yes in (("--detect=never", not detect), ("--twice", twice), ("--force", force)) if yes]
            return self._identify_folder(os.fspath(photo), options)
        alone = not isinstance(photo, Iterable) or isinstance(photo, (str, bytes, os.PathLike)) or hasattr(photo, "__array_interface__") and np.ndim(photo) > 1
        found = []
        for _, files, arrays in _requests(_images([photo] if alone else photo)):
            header, _ = shared().with_model(
                "identify", self.model_, arrays, files=files, faces=faces, detect=None if detect else "never",
                twice=bool(twice), force=bool(force), top=int(top), folders=self._folders or None,
            )  # fmt: skip
            for image in header["images"]:
                if image.get("error"):
                    raise EngineError(image["error"])
                found.append([Face._of(face) for face in image["faces"]])
        return found[0] if alone else found

    def _identify_folder(self, folder: str, options: Sequence[str]) -> dict[str, list[Face]]:
        place, found = os.path.abspath(folder), {}
        with tempfile.TemporaryDirectory() as temporary:
            model, results = os.path.join(temporary, "people.nrdl"), os.path.join(temporary, "results.jsonl")
            self.save(model)
            networks = {"NRDL_NETWORKS": os.pathsep.join(self._folders)} if self._folders else None
            run(["identify", model, place, "-o", results, *options], results, quiet=True, environment=networks)
            with open(results, encoding="utf-8") as file:
                for line in map(json.loads, file):
                    if line.get("error"):
                        warnings.warn(line["error"], UserWarning, stacklevel=3)
                        continue
                    path = os.path.join(folder, os.path.relpath(line["file"], place))
                    found[path] = [Face._of(face) for face in line["faces"]]
        return found

    def save(self, path: Any) -> None:
        """Write the model file, which ``nrdl identify`` reads.

        Parameters
        ----------
        path : str or path-like
        """
        with open(path, "wb") as file:
            file.write(self.model_)


def _read(path: Any) -> tuple[bytes, list[str]]:
    """The bytes of a model file, and the folders of networks that it has by reference."""
    with open(path, "rb") as file:
        model = file.read()
    others = [folder for folder in os.environ.get("NRDL_NETWORKS", "").split(os.pathsep) if folder]
    return model, [os.path.dirname(os.path.abspath(os.fspath(path))), *others]


def _about(model: bytes, folders: Sequence[str]) -> dict[str, Any]:
    return shared().with_model("open", model, {}, folders=list(folders) or None)[0]


def load(path: Any) -> Any:
    """Open a model file of the command, of Go or of Python.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    model : Recogniser, Method or OpenSetClassifier
        A `Recogniser` where the model looks at photographs. Otherwise the fitted classifier,
        which takes samples: an `OpenSetClassifier` around it where the model has a threshold. Its
        labels are the names in the file.
    """
    model, folders = _read(path)
    try:
        about = _about(model, folders)
    except EngineError as e:
        why = "the file is empty" if not model else "it is a pickle, which joblib.load or pickle.load opens" if model[:1] == b"\x80" else e
        raise EngineError(f"{os.fspath(path)}: {why}", e.code) from e
    if about["faces"]:
        return Recogniser(model, folders)
    classes = [c for c in Method.__subclasses__() if c.__module__ == Mean.__module__ and c._method == about["method"]]
    if not classes:
        raise EngineError(f"the model has the method {about['method']!r}, which is of another module")
    return _classifier(classes[0], model, about)


def _classifier(kind: type, model: bytes, about: Mapping[str, Any]) -> Any:
    """The fitted classifier that a model file has."""
    method: Method = kind()
    own = {path: name for name, path, _ in method._parameters}
    further = {}
    for p in about.get("params") or ():
        if p["name"] not in own:
            further[p["name"]] = p["default"]
            continue
        setattr(method, own[p["name"]], _value(p))
    method.params = further or None
    method.image_shape = tuple(about["image"]) if about.get("image") else None
    method.random_state = method.seed_ = about["seed"]
    method.classes_, method.n_features_in_ = np.array(about["classes"]), about["features"]
    method.model_ = model
    method.status_, method.n_iter_, method.residual_ = about["status"], about["passes"], about["residual"]
    if "threshold" not in about:
        return method
    how = about["options"]
    known = OpenSetClassifier(kind(**method.get_params()), how["far"], prior=how["prior"], folds=how["folds"])
    known.base_ = method
    return known._with_threshold(about)


def _value(p: Mapping[str, Any]) -> Any:
    """The value of a parameter, which Go describes."""
    if p["type"] == "true|false":
        return p["default"] == "true"
    return {"number": float, "integer": int}.get(p["type"], str)(p["default"])


__all__ = ["Face", "Recogniser", "load"]
