"""The code in the documents runs."""

import inspect
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import nrdl_learn as nrdl
from nrdl_learn import find_program
from nrdl_learn._base import Parameterised

FOLDER = pathlib.Path(__file__).resolve().parents[2]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (FOLDER / path).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "documents"}
    for code in blocks("doc/python.md", "python") + blocks("python/README.md", "python"):
        exec(code, namespace)
    assert "'coder_rho'" in capsys.readouterr().out


def test_pages_of_classes(monkeypatch):
    """doc/python is what reference.py writes, and has a page with the parameters of every public name."""
    monkeypatch.syspath_prepend(str(FOLDER / "python"))
    import reference

    pages = reference.pages()
    assert {p.name: p.read_text(encoding="utf-8") for p in reference.PAGES.glob("*.md")} == pages, "run python/reference.py"
    named = {text.split("\n")[0].removeprefix("# ") for text in pages.values()}
    assert named >= set(nrdl.__all__)
    for name in nrdl.__all__:
        value = getattr(nrdl, name)
        if inspect.isclass(value) and issubclass(value, Parameterised):
            text = pages[f"{name}.md"]
            for parameter in value().get_params():
                assert f"\n- `{parameter}` : " in text, (name, parameter)
            assert "### fit\n" in text and "of shape (n_samples, n_features)" in text


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
