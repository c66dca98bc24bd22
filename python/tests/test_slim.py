"""The wheel without networks, whose file SLIM_WHEEL names, as .ci/run has it."""

import io
import os
import subprocess
import zipfile

import numpy as np
import pytest
from sklearn.datasets import load_digits

import nrdl_learn as nrdl
from nrdl_learn._engine import shared

pytestmark = pytest.mark.skipif(not os.environ.get("SLIM_WHEEL"), reason="SLIM_WHEEL names no wheel")
WORDS = "photographs.*need the wheel of nrdl-learn instead of nrdl-learn-slim"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program of the wheel, which all calls use."""
    at = tmp_path_factory.mktemp("slim") / "nrdl"
    with zipfile.ZipFile(os.environ["SLIM_WHEEL"]) as wheel:
        (name,) = (n for n in wheel.namelist() if "/scripts/" in n)
        at.write_bytes(wheel.read(name))
        small = io.BytesIO()
        with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as again:
            for n in wheel.namelist():
                again.writestr(n, wheel.read(n))
    assert small.tell() <= 5_000_000, f"a wheel of {small.tell()} bytes"
    at.chmod(0o755)
    nrdl.close()
    shared()._program = [str(at), "engine"]
    yield at
    nrdl.close()
    shared()._program = None


def test_methods(program):
    X, y = load_digits(return_X_y=True)
    model = nrdl.NRC().fit(X[:200], y[:200])
    assert model.score(X[200:300], y[200:300]) > 0.85
    codes = nrdl.sparse_encode(X[:20], nrdl.KSVDDictionary(12, passes=2).fit(X).components_, algorithm="omp")
    assert codes.shape == (20, 12)
    model.save(program.with_name("m.nrdl"))
    np.testing.assert_array_equal(nrdl.load(program.with_name("m.nrdl")).predict(X[:9]), model.predict(X[:9]).astype(str))


def test_refusals_in_words(program, monkeypatch):
    blank = np.zeros((60, 50), np.uint8)
    for use in nrdl.FaceEmbedder().transform, nrdl.detect:
        with pytest.raises(nrdl.EngineError, match=WORDS):
            use([blank])
    done = subprocess.run([program, "identify"], capture_output=True, text=True)
    assert done.returncode == 2 and "nrdl-learn-slim" in done.stderr
    monkeypatch.setenv("NRDL_PROGRAM", str(program))
    with pytest.raises(nrdl.EngineError, match=WORDS):
        nrdl.Recogniser.train("people")
