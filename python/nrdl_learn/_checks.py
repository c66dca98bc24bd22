"""Which classes get scikit-learn's own blobs right."""

from __future__ import annotations

from typing import Any

# The checks have blobs of two features. At norm 1 only the direction of a sample is left, a
# single number; with more atoms than features most samples are represented exactly by the atoms
# of several classes. These classes get 83 % of three blobs right all the same; of others, such as
# new ones, nothing is claimed.
_ENOUGH = {
    "ANCR", "Blocks", "CRNRC", "DKSVD", "KCRC", "KNRC", "KSRC", "KSVD", "LCKSVD1", "LCKSVD2", "LCLE", "LDA",
    "LLC", "Mean", "NN", "NRC", "NRDLTest", "PCALDA", "Representation", "RidgeClassifier", "Robust",
    "SDRERDL", "SRC", "SVM",
}  # fmt: skip


def poor(estimator: Any) -> bool:
    """Return the tag poor_score of scikit-learn."""
    return type(estimator).__name__ not in _ENOUGH
