"""The code in the documents runs."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from nrdl import find_program

FOLDER = pathlib.Path(__file__).resolve().parents[2]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (FOLDER / path).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "documents"}
    for code in blocks("doc/python.md", "python") + blocks("python/README.md", "python"):
        exec(code, namespace)
    assert "'coder_rho'" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="Octave is not installed")
def test_octave(tmp_path):
    (code,) = blocks("doc/languages.md", "octave")
    path = os.path.dirname(os.path.abspath(find_program())) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        ["octave-cli", "--no-init-file", "--eval", code + "\nassert(right > 0.7); disp(size(codes))"],
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert re.search(r"20 +\d+", done.stdout), done.stdout + done.stderr
