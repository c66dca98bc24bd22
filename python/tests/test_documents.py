"""The code in the documents runs."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from nrdl_learn import find_program

FOLDER = pathlib.Path(__file__).resolve().parents[2]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (FOLDER / path).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "documents"}
    for code in blocks("doc/python.md", "python") + blocks("python/README.md", "python"):
        exec(code, namespace)
    assert "'coder_rho'" in capsys.readouterr().out


def run(command, tmp_path):
    path = os.path.dirname(os.path.abspath(find_program())) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="Octave is not installed")
def test_octave(tmp_path):
    (code,) = blocks("doc/languages.md", "octave")
    said = run(["octave-cli", "--no-init-file", "--eval", code + "\nassert(right > 0.7); disp(size(codes))"], tmp_path)
    assert re.search(r"20 +\d+", said), said


def has_reticulate():
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(reticulate)"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_reticulate(), reason="R with reticulate is not installed")
def test_r(tmp_path):
    (code,) = blocks("doc/languages.md", "r")
    python = 'Sys.setenv(RETICULATE_PYTHON = "/usr/bin/python3")\n'
    said = run(["Rscript", "-e", python + code + "\nstopifnot(right > 0.7); print(dim(codes))"], tmp_path)
    assert re.search(r"20 +\d+", said), said
