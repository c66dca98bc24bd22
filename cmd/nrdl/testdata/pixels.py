"""Models and files in the order of pixels that NumPy has, for pixels_test.go.

pixels.py make HEIGHTxWIDTH …: draws images, fits models of them and of the same as vectors, and
writes models, probes in three forms, and the scores of the probes, into a folder for each size. It
ends with 77 where NumPy or scikit-learn are missing.
pixels.py ask HEIGHTxWIDTH …: writes the scores of rows.npz in each folder by go.nrdl, which Go has
made, and prints the largest difference between the images drawn and those in back.npz, a line each.
"""

import importlib.util
import os
import sys

if not all(map(importlib.util.find_spec, ("numpy", "sklearn"))):
    sys.exit(77)

import numpy as np

import nrdl_learn as nrdl
from nrdl_learn._engine import shared

MODELS = {
    "vectors": nrdl.NRC(),
    "images": nrdl.NRC(),
    "blocks": nrdl.Blocks(coder_side=3, coder_step=2),
    "mirrored": nrdl.SDRERDL(passes=2),
}


def make(height, width):
    rng = np.random.default_rng(7)
    means = rng.integers(0, 200, (3, height, width))
    y = np.repeat(np.arange(3), 8)
    X = np.clip(means[y] + rng.integers(-25, 26, (24, height, width)), 0, 255)
    rows = X.reshape(24, -1)
    probes, train = np.arange(24) % 4 == 0, np.arange(24) % 4 != 0
    np.savez("rows.npz", X=rows[probes])
    np.savez("sized.npz", X=rows[probes], height=height, width=width)
    np.savez("cube.npz", X=X[probes])
    np.savez("train.npz", X=rows[train], y=y[train], height=height, width=width)
    for name, model in MODELS.items():
        if name != "vectors":
            model.set_params(image_shape=(height, width))
        model.fit(rows[train], y[train]).save(name + ".nrdl")
        np.savetxt(name + ".txt", model.decision_function(rows[probes]), fmt="%.17g")
    D = MODELS["images"].parts().D
    atoms = rows[train] / np.linalg.norm(rows[train], axis=1, keepdims=True)
    np.testing.assert_allclose(D.T, atoms, atol=1e-15)
    fit = nrdl.learn(MODELS["mirrored"], rows[train], y[train])
    again = nrdl.learn(MODELS["mirrored"], rows[train], y[train], start={"D": fit.D, "S": fit.S})
    assert again.objective[0] <= fit.objective[-1]
    np.testing.assert_array_equal(fit.state["D"].shape, fit.D.shape)


def ask(model):
    with open(model, "rb") as file:
        scores = shared().with_model("decision_function", file.read(), {"x": np.load("rows.npz")["X"]})[1]["scores"]
    np.savetxt("answer.txt", scores, fmt="%.17g")
    back, train = np.load("back.npz"), np.load("train.npz")
    print(np.abs(back["X"] - train["X"]).max(), back["height"], back["width"], back["order"][0])


top = os.getcwd()
for size in sys.argv[2:]:
    os.makedirs(os.path.join(top, size), exist_ok=True)
    os.chdir(os.path.join(top, size))
    if sys.argv[1] == "make":
        make(*map(int, size.split("x")))
    else:
        ask("go.nrdl")
