"""Calls of the program ``nrdl`` for what the engine has no verb for."""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from typing import Mapping, Sequence

from nrdl_learn._engine import EngineError, _apart, find_program

_SAYS = {"nrdl: error: ": "errors", "nrdl: hint: ": "hints", "nrdl: warning: ": "warnings"}


def run(
    words: Sequence[str],
    output: str | None = None,
    *,
    verbose: int = 0,
    quiet: bool = False,
    place: str = "",
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """What ``nrdl`` prints, called with some words.

    Its warnings become those of Python, unless it is `quiet`; with `verbose` its progress is printed.
    Where it fails there is an error with what it says, unless something is in the file `output`, its
    results so far. `place` is a folder for the time of the call, of which nobody is told.
    """
    said: dict[str, list[str]] = {"errors": [], "hints": [], "warnings": [], "lines": []}
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            [find_program(), *words], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            env={**os.environ, **(environment or {})}, **_apart(),
        )  # fmt: skip
        try:
            for line in process.stderr or ():
                line = line.rstrip()
                kind = next((start for start in _SAYS if line.startswith(start)), "")
                said[_SAYS.get(kind, "lines")].append(line.removeprefix(kind))
                if verbose and not kind and not (place and place in line):
                    print(line, flush=True)
            status = process.wait()
        except BaseException:  # Ctrl-C, which ends the program, too
            process.kill()
            process.wait()
            raise
        finally:
            if process.stderr:
                process.stderr.close()
        if status != 0 and not (output and os.path.exists(output) and os.path.getsize(output)):
            why = "; ".join(said["errors"]) or "\n".join(said["lines"]) or f"nrdl {words[0]} has ended with the status {status}"
            why = why.replace(place + os.sep, "") if place else why
            hints = [hint for hint in said["hints"][:1] if "help" not in hint and not (place and place in hint)]
            raise EngineError(why, advice=[{"text": hint} for hint in hints])
        for warning in () if quiet else said["warnings"]:
            warnings.warn(warning, UserWarning, stacklevel=3)
        printed.seek(0)
        return printed.read()
