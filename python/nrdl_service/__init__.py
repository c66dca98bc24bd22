"""A client of the service, ``nrdl serve``, by the standard library alone: it needs no NumPy."""

from __future__ import annotations

import http.client
import json
import os
import re
import ssl
import threading
import urllib.parse
import uuid
from datetime import datetime
from typing import Any, Mapping, Sequence

from nrdl_service._operations import Operations

__all__ = ["Service", "ServiceError"]


class ServiceError(RuntimeError):
    """What the service refused.

    Attributes
    ----------
    status : int
        Status of HTTP.
    code : str
        What is wrong, for programs; ``doc/service.md`` lists all.
    problem : dict
        The whole answer: ``detail``, and with some codes ``id`` or ``now``.
    retry_after : float or None
        Seconds after which the request may be sent again, where the service says so.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None):
        self.status, self.problem, self.retry_after = status, dict(problem), retry_after
        self.code = self.problem.get("code", "error")
        super().__init__(self.problem.get("detail", f"status {status}"))

    def __reduce__(self):
        return type(self), (self.status, self.problem, self.retry_after)


class Service(Operations):
    """A service, ``nrdl serve``, with a method for each of its operations.

    A photograph is bytes, a path, or a file that is open for reading bytes. Answers are the
    JSON of the service as dictionaries. It may be used by several threads; each has a
    connection, which stays open.

    Parameters
    ----------
    address : str
        Such as ``http://127.0.0.1:8080``.
    key : str, optional
        Key, not needed while the service has none.
    timeout : float, default 60
        Seconds that an answer may take.
    context : ssl.SSLContext, optional
        For https; by default the certificates of the system are trusted.

    Examples
    --------
    >>> service = Service("http://127.0.0.1:8080")  # doctest: +SKIP
    >>> visitors = service.create_collection(name="visitors")["id"]  # doctest: +SKIP
    """

    def __init__(self, address: str, key: str | None = None, timeout: float = 60, context: ssl.SSLContext | None = None):
        at = urllib.parse.urlsplit(address)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise ValueError(f"{address!r} is not an address such as http://127.0.0.1:8080")
        self._at, self._key, self._timeout, self._context = at, key, timeout, context
        self._local = threading.local()

    def request(
        self, method: str, path: str, ids: Sequence[str] = (), *, query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None, form: Mapping[str, Any] | None = None, text: Mapping[str, Any] | None = None,
        once: str | None = None, stream: bool = False,
    ) -> Any:  # fmt: skip
        """Send a request. The methods of the operations do.

        Parameters
        ----------
        method, path : str
            Such as ``"GET"`` and ``"/v1/collections/{collection}"``.
        ids : sequence of str
            Take the place of the braces.
        query, body, form, text : mapping, optional
            Parameters, a body of JSON, the files of a form, and its other fields; members that
            are None are left out.
        once : str, optional
            Value of ``Idempotency-Key``.
        stream : bool, default False
            Whether to return the answer as a file that is open for reading.

        Returns
        -------
        dict, bytes, file or None

        Raises
        ------
        ServiceError
            If the service refuses the request.
        OSError
            If there is no service, or it does not answer.
        """
        for id_ in ids:
            start, end = path.index("{"), path.index("}")
            path = path[:start] + urllib.parse.quote(id_, safe="") + path[end + 1 :]
        query = {k: _text(v) for k, v in (query or {}).items() if v is not None and v is not False}
        if query:
            path += "?" + urllib.parse.urlencode(query)
        headers = {} if self._key is None else {"Authorization": "Bearer " + self._key}
        if once is not None:
            headers["Idempotency-Key"] = once
        data = None
        form, text = ({k: v for k, v in (m or {}).items() if v is not None} for m in (form, text))
        if form:
            data, headers["Content-Type"] = _form(form, text)
        elif body is not None:
            data, headers["Content-Type"] = _json({k: v for k, v in body.items() if v is not None}), "application/json"
        answer = self._send(method, self._at.path.rstrip("/") + path, data, headers, stream)
        if answer.status >= 400:
            raise _error(answer)
        if stream:
            return answer
        data = answer.read()
        return json.loads(data) if answer.headers.get_content_type() == "application/json" else data or None

    def _send(self, method: str, path: str, body: bytes | None, headers: dict, stream: bool) -> http.client.HTTPResponse:
        connection = None if stream else getattr(self._local, "connection", None)
        kept = connection is not None
        if not kept:
            connection = self._connect()
        if not stream:
            self._local.connection = connection
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
            connection.close()
            self._local.connection = None
            # The service may have closed a connection that nobody used. A POST it may have carried
            # out, unless it has a key by which it recognises that.
            if not kept or (method == "POST" and "Idempotency-Key" not in headers):
                raise
            return self._send(method, path, body, headers, stream)
        except BaseException:
            connection.close()
            self._local.connection = None
            raise
        return answer

    def _connect(self) -> http.client.HTTPConnection:
        if self._at.scheme == "https":
            context = self._context or ssl.create_default_context()
            return http.client.HTTPSConnection(self._at.hostname, self._at.port, timeout=self._timeout, context=context)
        return http.client.HTTPConnection(self._at.hostname, self._at.port, timeout=self._timeout)


def _text(value: Any) -> str:
    if value is True:
        return "true"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _json(value: Any) -> bytes:
    def other(o: Any) -> Any:
        if isinstance(o, datetime):
            return o.astimezone().isoformat()
        if hasattr(o, "tolist"):  # of NumPy
            return o.tolist()
        raise TypeError(f"{type(o).__name__} cannot be written as JSON")

    return json.dumps(value, default=other).encode()


def _error(answer: http.client.HTTPResponse) -> ServiceError:
    try:
        problem = json.loads(answer.read())
    except ValueError:  # of a proxy
        problem = {}
    wait = answer.headers.get("Retry-After", "")
    return ServiceError(answer.status, problem if isinstance(problem, dict) else {}, float(wait) if wait.isdigit() else None)


def _form(files: Mapping[str, Any], text: Mapping[str, str]) -> tuple[bytes, str]:
    boundary, parts = uuid.uuid4().hex, []

    def add(head: str, data: Any) -> None:
        parts.extend([f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode(), bytes(data), b"\r\n"])

    for name, value in files.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            path = getattr(v, "name", "") if hasattr(v, "read") else v
            data = v.read() if hasattr(v, "read") else v
            if isinstance(v, (str, os.PathLike)):
                with open(v, "rb") as f:
                    data = f.read()
            file = re.sub(r'["\\\x00-\x1f]', "_", os.path.basename(path)) if isinstance(path, (str, os.PathLike)) else ""
            add(f'name="{name}"; filename="{file}"\r\nContent-Type: application/octet-stream', data)
    for name, value in text.items():
        add(f'name="{name}"', value.encode())
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), "multipart/form-data; boundary=" + boundary
