"""Face recognition by dictionaries that are learned, as estimators of scikit-learn.

Every method of the program ``nrdl`` is a class; the program, which the package brings along,
does the work. ``doc/python.md`` of the repository is an introduction.
"""

from importlib.metadata import PackageNotFoundError as _NotThere
from importlib.metadata import version as _version

from nrdl_learn._base import Parts
from nrdl_learn._coders import SparseCoder, sparse_encode
from nrdl_learn._compare import Comparison, compare, corrected_t, holm
from nrdl_learn._dictionaries import *  # noqa: F403
from nrdl_learn._dictionaries import __all__ as _dictionaries
from nrdl_learn._engine import Engine, EngineEnded, EngineError, close, engine, find_program
from nrdl_learn._faces import FaceEmbedder, detect
from nrdl_learn._learn import DictionaryStep, Fit, Step, learn, steps
from nrdl_learn._methods import *  # noqa: F403
from nrdl_learn._methods import __all__ as _methods
from nrdl_learn._models import Face, Recogniser, load
from nrdl_learn._openset import FaceRecogniser, OpenSetClassifier
from nrdl_learn._plots import plot_atoms, plot_codes, plot_history
from nrdl_learn._tune import Tuning, tune
from nrdl_service import Service, ServiceError

__version__ = "0"  # from a checkout, without a wheel
for _name in "nrdl-learn-slim", "nrdl-learn":
    try:
        __version__ = _version(_name)
    except _NotThere:
        pass

__all__ = [
    *_methods,
    *_dictionaries,
    "Comparison",
    "DictionaryStep",
    "Engine",
    "EngineEnded",
    "EngineError",
    "Face",
    "FaceEmbedder",
    "FaceRecogniser",
    "Fit",
    "OpenSetClassifier",
    "Parts",
    "Recogniser",
    "Service",
    "ServiceError",
    "SparseCoder",
    "Step",
    "Tuning",
    "close",
    "compare",
    "corrected_t",
    "detect",
    "engine",
    "find_program",
    "holm",
    "learn",
    "load",
    "plot_atoms",
    "plot_codes",
    "plot_history",
    "sparse_encode",
    "steps",
    "tune",
]
