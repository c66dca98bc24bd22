"""The client of the service, against a service."""

import inspect
import io
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from nrdl_learn import Service, ServiceError, find_program
from nrdl_service._operations import Operations


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    subprocess.run(
        [find_program(), "data", "synth", folder / "photos", "--photos", "--people", "2", "--images", "2", "--size", "240x320"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "photos"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    program = [find_program(), "serve", tmp_path_factory.mktemp("data"), "--listen", "127.0.0.1:0", "--log-level", "error"]
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    yield re.search(r"http://\S+", process.stderr.readline()).group()
    process.terminate()
    process.wait()
    process.stderr.close()


def test_name_a_photograph(address, photos):
    service = Service(address)
    visitors = service.create_collection(name="visitors of Python", fpir=0.02)["id"]
    ann = service.create_person(visitors, name="Ann")["id"]
    first, second = (photos / f"people/person001/{n}.jpg" for n in (1, 2))
    added = service.add_person_faces(visitors, ann, photo=[str(first), second.read_bytes()])
    assert len(added["faces"]) == 2
    again = service.add_person_faces(visitors, ann, photo=[first], new=True)
    assert again["faces"] == [] and again["refused"][0]["file"] == 0
    assert service.identify(visitors, first)["faces"][0]["name"] == "Ann"
    assert service.verify(visitors, first, b=io.BytesIO(second.read_bytes()))["same"]
    assert service.verify(visitors, first, person=ann)["same"]
    crop = service.get_face_crop(visitors, added["faces"][0]["id"])
    assert crop.startswith(b"\x89PNG")
    assert [p["name"] for p in service.list_people(visitors, search="an", limit=5)["items"]] == ["Ann"]
    with service.get_export(visitors) as tar:
        assert len(tar.read()) > 1000
    job = service.import_(visitors, photo=[photos / "people/person002/1.jpg"])
    with service.get_job_events(visitors, job["id"]) as events:
        assert b"done" in events.read()
    assert len(service.delete_person(visitors, ann, faces=2)["faces"]) == 2
    assert service.delete_collection(visitors) is None


def test_needs_no_numpy(address):
    """Programs without NumPy, such as Home Assistant, import the client alone."""
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['sklearn'] = sys.modules['nrdl_learn'] = None; "
        "from nrdl_service import Service; print(len(Service(sys.argv[1]).list_collections()['items']))"
    )
    done = subprocess.run([sys.executable, "-c", code, address], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) >= 0, done.stderr


def test_refused(address):
    service = Service(address)
    first = service.create_collection(name="twice", idempotency_key="python")
    assert service.create_collection(name="twice", idempotency_key="python") == first
    with pytest.raises(ServiceError) as e:
        service.create_collection(name="twice")
    assert (e.value.status, e.value.code, e.value.problem["id"]) == (409, "name_taken", first["id"])
    copy = pickle.loads(pickle.dumps(e.value))
    assert copy.code == "name_taken" and str(copy) == str(e.value)
    person = service.create_person(first["id"], name="Bo")["id"]
    with pytest.raises(ServiceError, match="space"):
        service.add_person_vectors(first["id"], person, vector=np.zeros(3), space="another")
    with pytest.raises(ValueError, match="address"):
        Service("example")
    with pytest.raises(OSError):
        Service("http://127.0.0.1:1").list_collections()


def test_example(address, photos, monkeypatch, capsys):
    monkeypatch.chdir(photos)
    text = (pathlib.Path(__file__).resolve().parents[2] / "doc/service.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    exec(code, {"address": address, "key": None})
    assert capsys.readouterr().out == "known Ann\n409 name_taken\n"


def test_documented():
    for name, method in inspect.getmembers(Operations, inspect.isfunction):
        described = re.findall(r"^        (\w+) : ", inspect.getsource(method), re.MULTILINE)
        assert described == [p for p in inspect.signature(method).parameters if p != "self"], name
    assert pathlib.Path(inspect.getfile(Operations)).read_text().startswith('"""The operations of the service.')
