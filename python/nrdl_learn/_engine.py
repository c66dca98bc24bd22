"""The process that does the work: ``nrdl engine``.

A request and its answer are frames on the pipes of the process: the length of a header, the
header (JSON), and arrays as NumPy writes them to a ``.npy`` file. ``doc/engine.md`` describes
them. A request needs nothing that an earlier one has left, so that the process may be ended
and started at any time.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import threading
import time
import weakref
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

__all__ = ["Engine", "EngineEnded", "EngineError", "close", "engine", "find_program", "shared"]

Arrays = Mapping[str, np.ndarray]


class EngineError(ValueError):
    """What the engine refused, or where it failed.

    Attributes
    ----------
    code : str
        ``"failed"``, ``"request"``, ``"model"`` or ``"frame"``, as in ``doc/engine.md``.
    advice : list of dict
        What to do next, as data: text, and options and actions with the names of Go.
    hint : str
        The same as a sentence, with options as keyword arguments; empty for none.
    """

    def __init__(self, message: str, code: str = "failed", advice: Sequence[Mapping[str, Any]] = ()):
        self.code = code
        self.advice = [dict(part) for part in advice]
        self.hint = "".join(_word(part) for part in self.advice)
        super().__init__(f"{message} ({self.hint})" if self.hint else message)
        self._arguments = (message, code, self.advice)

    def __reduce__(self):
        return type(self), self._arguments


class EngineEnded(EngineError, RuntimeError):
    """The process of the engine has ended by itself: it was killed, or had too little memory."""


_KEYWORDS = {
    "nrdl.Options.Method": "method",
    "experiment.Protocol.Seed": "random_state",
    "face.Options.Detect": "detect",
    "dataset.Frame.Size": "image_shape",
    "strangers": "strangers",
}


def _word(part: Mapping[str, Any]) -> str:
    """Part of an advice in the words of Python."""
    if "text" in part:
        return part["text"]
    if "setting" in part:
        return _setting(part["setting"])
    action = part.get("action", {})
    settings = ", ".join(_setting(s) for s in action.get("settings", ()))
    return f"{action.get('verb', '').rsplit('.', 1)[-1].lower()}({settings})"


def _setting(setting: Mapping[str, str]) -> str:
    name, value = setting["option"], setting.get("value", "")
    if name == "parameter" and "=" in value:
        path, value = value.split("=", 1)
        name = argument(path)
    elif name == "parameter":
        return argument(value) if value else "a parameter"
    else:
        name = _KEYWORDS.get(name, name)
    if not value:
        return name
    try:
        float(value)
    except ValueError:
        value = {"true": "True", "false": "False"}.get(value, repr(value))
    return f"{name}={value}"


def argument(path: str) -> str:
    """Keyword argument for the parameter at a path: ``coder.rho`` is ``coder_rho``."""
    name = path.replace(".", "_")
    return name + "_" if name == "lambda" else name


def find_program() -> str:
    """Path of the program ``nrdl``.

    The one that ``NRDL_PROGRAM`` names, or else the one that the wheel has installed beside
    the interpreter or for the user, or else the first one on ``PATH``.
    """
    named = os.environ.get("NRDL_PROGRAM")
    if named:
        return named
    name = "nrdl" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    for scheme in (sysconfig.get_default_scheme(), user):
        path = os.path.join(sysconfig.get_path("scripts", scheme), name)
        if os.path.isfile(path):
            return path
    found = shutil.which("nrdl")
    if found:
        return found
    raise FileNotFoundError(
        "the program nrdl was not found: install the wheel of nrdl-learn, which has it, or name it in the environment variable NRDL_PROGRAM"
    )


class Engine:
    """A process that answers requests, one after the other.

    It is started at the first request, and again after it has ended or after a fork. It may be
    used by several threads.

    Parameters
    ----------
    program : list of str, optional
        Command that is run; by default ``nrdl engine``.
    """

    def __init__(self, program: Sequence[str] | None = None):
        self._program = program
        self._process: subprocess.Popen | None = None
        self._lock = threading.RLock()
        self.at = 0  # the pass of a fit under way
        _engines.add(self)

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def call(self, verb: str, arrays: Arrays | None = None, progress: Any = None, **members: Any) -> tuple[dict, dict[str, np.ndarray]]:
        """Send a request and return the answer.

        Parameters
        ----------
        verb : str
            One of those in ``doc/engine.md``.
        arrays : mapping of str to ndarray
            Arrays of the request.
        progress : callable, optional
            Called after each pass of ``fit`` and ``dictionary`` with the pass, the objective and the residual.
        **members
            Further members of the header. ``None`` is left out.

        Returns
        -------
        header : dict
        arrays : dict of str to ndarray

        Raises
        ------
        EngineError
            Where the engine answers with an error, or has ended.
        """
        members["watch"] = True if progress else None
        header = {"verb": verb, **{k: v for k, v in members.items() if v is not None}}
        with self._lock:
            process = self._start()
            whole = False
            try:
                _write(process.stdin, header, arrays or {})
                answer = _read(process.stdout)
                while "progress" in answer[0]:
                    progress(answer[0]["progress"], *(float(answer[1]["history." + name][0]) for name in ("objective", "residual")))
                    answer = _read(process.stdout)
                whole = True
            except (OSError, EOFError) as error:
                self.close()
                status = process.wait()
                why = f"is {process.args[0]} the program nrdl?" if status >= 0 else "it was killed, perhaps since it needed too much memory"
                raise EngineEnded(f"the engine has ended with the status {status}: {why}") from error
            finally:
                if not whole:  # interrupted: the answer would be taken for that of the next request
                    self.close()
        reply, got = answer
        if "error" in reply:
            e = reply["error"]
            raise EngineError(e["message"], e["code"], e.get("advice", ()))
        return reply, got

    def with_model(self, verb: str, model: bytes, arrays: Arrays, **members: Any) -> tuple[dict, dict[str, np.ndarray]]:
        """Do what `call` does with a model file, which is sent only if the engine does not know it."""
        sha = _digest(model)
        with self._lock:
            try:
                return self.call(verb, arrays, model=sha, **members)
            except EngineError as e:
                if e.code != "model":
                    raise
            return self.call(verb, {**arrays, "model": np.frombuffer(model, np.uint8)}, model=sha, **members)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            for pipe in (process.stdin, process.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self) -> subprocess.Popen:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        program = list(self._program) if self._program else [find_program(), "engine"]
        environment = dict(os.environ)
        threads = environment.get("OMP_NUM_THREADS")  # set by joblib, so that processes share the processors
        if threads and threads.isdigit():
            environment.setdefault("GOMAXPROCS", threads)
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment, **_apart()
        )
        _enlarge(self._process)
        return self._process

    def _forked(self) -> None:
        """Leave the process of the parent to the parent."""
        self._lock = threading.RLock()
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0  # it is no child of this process: nobody here waits for it
            for pipe in (process.stdin, process.stdout):
                pipe.close()


@functools.lru_cache(maxsize=8)
def _digest(model: bytes) -> str:
    """SHA-256 of a model file, which takes longer than naming ten faces."""
    return hashlib.sha256(model).hexdigest()


def _apart() -> dict[str, Any]:
    """How a process is started so that Ctrl-C in a terminal interrupts the Python program alone."""
    if sys.platform != "win32":
        return {"start_new_session": True}
    flags = subprocess.CREATE_NEW_PROCESS_GROUP
    if sys.__stderr__ is None:  # pythonw, which has no console: the program would open one
        flags |= subprocess.CREATE_NO_WINDOW
    return {"creationflags": flags}


def _await(pipe: Any) -> None:
    """Wait for an answer so that Ctrl-C gets through: on Windows nothing interrupts a read."""
    if sys.platform != "win32":
        return
    import _winapi
    import msvcrt

    handle, pause = msvcrt.get_osfhandle(pipe.fileno()), 0.0
    while not _winapi.PeekNamedPipe(handle, 0)[0]:
        time.sleep(pause)
        pause = min(2 * pause + 5e-5, 0.05)


def _enlarge(process: subprocess.Popen) -> None:
    """Let more bytes wait in the pipes, where the system can."""
    if sys.platform != "linux":
        return
    import fcntl

    for pipe in (process.stdin, process.stdout):
        try:
            fcntl.fcntl(pipe.fileno(), 1031, 1 << 20)  # F_SETPIPE_SZ
        except OSError:
            pass


def _write(pipe: Any, header: dict, arrays: Arrays) -> None:
    parts: list[Any] = []
    blobs = []
    for name, array in arrays.items():
        array = np.ascontiguousarray(array) if not (array.flags.c_contiguous or array.flags.f_contiguous) else array
        start = io.BytesIO()
        np.lib.format.write_array_header_1_0(start, np.lib.format.header_data_from_array_1_0(array))
        data = memoryview(array.reshape(-1, order="A")).cast("B") if array.size else b""
        blobs.append({"name": name, "bytes": len(start.getvalue()) + len(data)})
        parts += [start.getvalue(), data]
    text = json.dumps({**header, "arrays": blobs}).encode()
    first = struct.pack("<I", len(text)) + text
    if sum(len(p) for p in parts) < 1 << 16:
        _write_all(pipe, first + b"".join(bytes(p) for p in parts))
        return
    for part in [first, *parts]:
        _write_all(pipe, part)


def _write_all(pipe: Any, data: Any) -> None:
    left = memoryview(data)
    while len(left):
        left = left[pipe.write(left):]


def _read_all(pipe: Any, n: int) -> memoryview:
    data = left = memoryview(np.empty(n, np.uint8))
    while len(left):
        got = pipe.readinto(left)
        if not got:
            raise EOFError("the answer is cut short")
        left = left[got:]
    return data


def _read(pipe: Any) -> tuple[dict, dict[str, np.ndarray]]:
    _await(pipe)
    (length,) = struct.unpack("<I", _read_all(pipe, 4))
    header = json.loads(bytes(_read_all(pipe, length)))
    arrays = {}
    for blob in header.pop("arrays", ()):
        data = _read_all(pipe, blob["bytes"])
        # NumPy's own reader of headers tokenizes them as Python 2 wrote them: a third of a short call.
        start = 10 + int.from_bytes(data[8:10], "little")
        told = ast.literal_eval(str(data[10:start], "ascii"))
        array = np.frombuffer(data, told["descr"], offset=start)
        arrays[blob["name"]] = array.reshape(told["shape"], order="F" if told["fortran_order"] else "C")
    return header, arrays


_engines: weakref.WeakSet = weakref.WeakSet()
_shared = Engine()


def shared() -> Engine:
    """The engine of this process, which all estimators use."""
    return _shared


def close() -> None:
    """End the engine of this process, which frees its memory; the next call of an estimator starts another."""
    _shared.close()


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """The engine of this process, which ends with the block: ``with nrdl.engine():``.

    Yields
    ------
    engine : Engine
    """
    try:
        yield _shared
    finally:
        close()


def _forked() -> None:
    for engine in list(_engines):
        engine._forked()


atexit.register(_shared.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
