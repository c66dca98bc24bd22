"""Makes the fixtures beside it: python3 make.py (numpy 1.24.2)."""

import numpy as np

arrays = {}
for kind in ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]:
    a = np.array([[0, 1, 2], [3, 4, 5]], kind)
    arrays["little_" + kind] = a
    arrays["big_" + kind] = a.astype(">" + kind)
    arrays["fortran_" + kind] = np.asfortranarray(a)
arrays |= {
    "half": np.array([0.5, -2, 65504, 6e-8, -0.0, np.inf, -np.inf, np.nan], "f2"),
    "extremes": np.array([-(2.0**53), np.finfo("f8").max, np.nan, -np.inf]),
    "scalar": np.array(3.5),
    "empty": np.zeros((0, 3)),
    "cube": np.arange(24.0).reshape(2, 3, 4),
    "fortran_cube": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
    "unicode": np.array(["Ann", "", "Zoë 𝄞"]),
    "big_unicode": np.array(["Ann", "Zoë 𝄞"], ">U6"),
    "bytes": np.array([b"Ann", b"Bo\x00b"]),
    "latin1": np.array(["Zoë".encode("latin1")]),
    "complex": np.array([1 + 2j]),
    "date": np.array(["2020-01-01"], "M8[D]"),
    "structured": np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    "object": np.array([{"a": 1}], object),
    "large": np.array([2**63 + 1], "u8"),
}
np.savez("plain.npz", **arrays)
np.savez_compressed("compressed.npz", **arrays)
for major in 1, 2, 3:
    with open(f"version{major}.npy", "wb") as f:
        np.lib.format.write_array(f, np.array([[1.5, 2], [3, 4]]), version=(major, 0))
