import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

if os.environ.get("NRDL_NEWER"):  # the checks of scikit-learn on its newer definitions
    import newer

    newer.lay()
