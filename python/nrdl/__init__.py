"""Face recognition by dictionaries that are learned, as estimators of scikit-learn.

Every method of the program ``nrdl`` is a class; the program, which the package brings along,
does the work. ``doc/python.md`` of the repository is an introduction.
"""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _version

from nrdl._base import Parts
from nrdl._dictionaries import *  # noqa: F403
from nrdl._dictionaries import __all__ as _dictionaries
from nrdl._engine import Engine, EngineEnded, EngineError, find_program
from nrdl._faces import FaceEmbedder, detect
from nrdl._learn import Fit, Step, learn, steps
from nrdl._methods import *  # noqa: F403
from nrdl._methods import __all__ as _methods
from nrdl._openset import FaceRecogniser, OpenSetClassifier
from nrdl._service import Service, ServiceError

try:
    __version__ = _version("nrdl")
except PackageNotFoundError:  # from a checkout, without a wheel
    __version__ = "0"

__all__ = [
    *_methods,
    *_dictionaries,
    "Engine",
    "EngineEnded",
    "EngineError",
    "FaceEmbedder",
    "FaceRecogniser",
    "Fit",
    "OpenSetClassifier",
    "Parts",
    "Service",
    "ServiceError",
    "Step",
    "detect",
    "find_program",
    "learn",
    "steps",
]
