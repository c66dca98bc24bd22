"""Makes the fixtures beside it: python3 make.py (scipy 1.10.1, numpy 1.24.2)."""

import numpy as np
import scipy.sparse
from scipy.io import savemat

NUMERIC = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
NAMES = ["double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def extremes(dtype):
    """2x3: the least, the greatest, and small numbers in between."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return np.array([[np.finfo(dtype).min, 0.1, 1], [np.finfo(dtype).max, -0.5, np.finfo(dtype).tiny]], dtype)
    info = np.iinfo(dtype)
    bound = 2**53  # what float64 holds
    return np.array([[max(info.min, -bound), 0, 1], [min(info.max, bound), 2, 3]], dtype)


numeric = {n: extremes(d) for n, d in zip(NAMES, NUMERIC)}
numeric["logical"] = np.array([[True, False, True], [False, False, True]])
numeric["scalar"] = 3.5
numeric["one"] = np.uint8(7)
numeric["nan"] = np.array([[np.nan, np.inf, -np.inf]])
numeric["empty"] = np.zeros((0, 0))
numeric["norows"] = np.zeros((0, 3), np.uint8)
numeric["trailing"] = np.arange(6.0).reshape(2, 3, 1, 1)
others = {
    "complex": np.array([[1 + 2j, 3]]),
    "struct": {"a": 1.0, "b": "text"},
    "cell": np.array([[1.0, "two"]], dtype=object),
    "sparse": scipy.sparse.csc_matrix(np.eye(3)),
    "char": "text",
    "cube": np.zeros((2, 3, 4)),
    "big": np.array([[2**63]], np.uint64),
    "after": np.array([[42.0]]),
}


def save(path, variables, compress):
    """Saves without the date and the platform that scipy writes."""
    savemat(path, variables, do_compression=compress)
    with open(path, "r+b") as f:
        f.write(b"MATLAB 5.0 MAT-file, written by scipy".ljust(116))


for name, compress in [("plain", False), ("compressed", True)]:
    save(f"numeric_{name}.mat", numeric, compress)
    save(f"others_{name}.mat", others, compress)
savemat("version4.mat", {"x": np.eye(2)}, format="4")
