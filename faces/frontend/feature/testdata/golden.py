#!/usr/bin/python3
"""Numbers of scikit-image, SciPy and NumPy, for the tests of the package above.

Writes golden.json beside itself. The command, with the packages
python3-skimage, python3-scipy and python3-numpy of Debian:

    /usr/bin/python3 feature/testdata/golden.py

All images are made here. Arrays are written in column-major order.
"""

import json
import os

import numpy as np
import scipy
import scipy.ndimage
import skimage
import skimage.feature
from skimage.feature._hog import _hog_normalize_block

rng = np.random.default_rng(1)
DIGITS = 12


def column_major(a):
    return [round(float(v), DIGITS) for v in np.asarray(a).ravel(order="F")]


def images():
    y, x = np.mgrid[0:24, 0:19]
    face = 90 + 3 * x - 2 * y
    face[np.hypot((y - 12) / 10, (x - 9) / 7) < 1] += 70
    face[(np.hypot(y - 8, x - 6) < 2) | (np.hypot(y - 8, x - 12) < 2)] = 30
    face[17:19, 6:13] = 60
    yield "face", face
    yield "noise", rng.integers(0, 256, (21, 16))


def blurred(image, sigma):
    """SciPy's mode reflect repeats the border, and it truncates at 4σ."""
    return scipy.ndimage.gaussian_filter(image, sigma, mode="reflect", truncate=4.0)


def lcn(image):
    v = image - blurred(image, 2)
    return v / np.sqrt(blurred(v**2, 2) + 16)


def tan_triggs(image):
    powers = image**0.2
    v = blurred(powers, 1) - blurred(powers, 2)
    v = v / np.mean(np.abs(v) ** 0.1) ** 10
    v = v / np.mean(np.minimum(10, np.abs(v)) ** 0.1) ** 10
    return 10 * np.tanh(v / 10)


def image_case(name, image):
    image = image.astype(float)
    down, right = np.gradient(image)
    return {
        "name": name,
        "height": image.shape[0],
        "width": image.shape[1],
        "pixels": column_major(image),
        "right": column_major(right),
        "down": column_major(down),
        "lbp": [
            {
                "radius": radius,
                "codes": [
                    int(c)
                    for c in skimage.feature.local_binary_pattern(
                        image, 8, radius, method="nri_uniform"
                    ).ravel(order="F")
                ],
            }
            for radius in (1, 1.5, 2, 3)
        ],
        "lcn": column_major(lcn(image)),
        "tanTriggs": column_major(tan_triggs(image)),
    }


def hog_case(bins):
    """Rows of one grey value: all gradients point up or down, to the centre of
    the middle bin; the first two rows and the last two are equal, so that there
    is no gradient at the border."""
    rows = rng.integers(0, 256, 20)
    rows[1], rows[-1] = rows[0], rows[-2]
    image = np.repeat(rows[:, None], 16, axis=1).astype(float)
    blocks = skimage.feature.hog(
        image, orientations=bins, pixels_per_cell=(4, 4), cells_per_block=(2, 2),
        block_norm="L2-Hys", feature_vector=False,
    )  # block row, block column, cell row, cell column, bin
    return {
        "bins": bins,
        "height": image.shape[0],
        "width": image.shape[1],
        "pixels": column_major(image),
        # as the package has them: columns of blocks, in each columns of cells
        "blocks": [round(float(v), DIGITS) for v in blocks.transpose(1, 0, 3, 2, 4).ravel()],
    }


def block_case():
    block = rng.gamma(0.5, 1000, 36)
    return {
        "block": [round(float(v), DIGITS) for v in block],
        "normalised": [round(float(v), DIGITS) for v in _hog_normalize_block(block, "L2-Hys")],
    }


golden = {
    "versions": {"skimage": skimage.__version__, "scipy": scipy.__version__, "numpy": np.__version__},
    "images": [image_case(*i) for i in images()],
    "hog": [hog_case(bins) for bins in (9, 5)],
    "blocks": [block_case() for _ in range(3)],
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json"), "w") as f:
    json.dump(golden, f, separators=(",", ":"))
    f.write("\n")
