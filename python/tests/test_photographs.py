"""Models of the command, and the faces in photographs."""

import json
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_digits

import nrdl_learn as nrdl
from nrdl_learn import find_program


def command(folder, *words):
    done = subprocess.run([find_program(), *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of drawn photographs: of four people, and of others, some with several faces."""
    folder = tmp_path_factory.mktemp("drawn")
    command(folder, "data", "synth", "photos", "--photos", "--people", "4", "--images", "3", "--size", "240x320", "--seed", "52")
    return folder


@pytest.fixture(scope="module")
def model(drawn):
    command(drawn, "train", "photos/people", "-o", "people.nrdl")
    return drawn / "people.nrdl"


def pictures(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix == ".jpg")


def test_identify_is_the_command(drawn, model):
    """Names, probabilities and boxes are those of ``nrdl identify``, of all faces."""
    photographs = pictures(drawn / "photos" / "others") + pictures(drawn / "photos" / "people")[:3]
    lines = command(drawn, "identify", model, "--json", *photographs).splitlines()
    people = nrdl.load(model)
    assert isinstance(people, nrdl.Recogniser) and len(people.people_) == 4 and people.promise_
    several = 0
    for found, line in zip(people.identify(photographs), lines, strict=True):
        theirs = json.loads(line)["faces"]
        assert [face.details for face in found] == theirs
        for face, their in zip(found, theirs):
            box = their["box"]
            assert (face.name, face.probability) == (their["name"], their["probability"])
            assert face.box == (box["x"], box["y"], box["width"], box["height"])
        several += len(found) > 1
    assert several > 0, "no photograph has several faces"
    assert people.identify(photographs[0]) == people.identify([photographs[0]])[0]
    with pytest.raises(FileNotFoundError, match="no-such.jpg"):
        people.identify("no-such.jpg")


def test_identify_a_folder(drawn, model, tmp_path):
    """All photographs in it and below; one that cannot be read is left out, with a warning that names it."""
    people, inbox = nrdl.load(model), tmp_path / "inbox"
    (inbox / "more").mkdir(parents=True)
    for i, photo in enumerate(pictures(drawn / "photos" / "others")):
        (inbox / ("more" if i % 2 else ".") / photo.name).write_bytes(photo.read_bytes())
    (inbox / "notes.txt").write_text("no photograph")
    (inbox / "broken.jpg").write_bytes(pictures(inbox)[0].read_bytes()[:900])
    with pytest.warns(UserWarning, match="broken.jpg"):
        found = people.identify(inbox, faces="all", top=2)
    whole = [p for p in pictures(inbox) if p.name != "broken.jpg"]
    assert {str(p): people.identify(p, faces="all", top=2) for p in whole} == found
    with pytest.raises(nrdl.EngineError, match="biggest") as refused:
        people.identify(inbox, faces="biggest")
    assert "nrdl: " not in str(refused.value)


def test_what_is_no_photograph(drawn, model, tmp_path):
    people, photo = nrdl.load(model), pictures(drawn / "photos" / "others")[0]
    (tmp_path / "broken.jpg").write_bytes(photo.read_bytes()[:900])
    for use in people.identify, nrdl.FaceEmbedder().transform, nrdl.detect:
        with pytest.raises(nrdl.EngineError) as refused:
            use([tmp_path / "broken.jpg"])
        assert str(refused.value).count("broken.jpg") == 1
        with pytest.raises(FileNotFoundError):
            use([photo, tmp_path / "none.jpg"])
    for wrong in 5, None, b"a.jpg", np.zeros((9, 9)):
        with pytest.raises(ValueError, match="an image is a path"):
            people.identify(wrong)
    for content, why in ((b"", "is empty"), (b"\x80\x04K\x01.", "joblib.load"), (b"hello", "not an nrdl model")):
        (tmp_path / "wrong.nrdl").write_bytes(content)
        with pytest.raises(nrdl.EngineError, match=f"wrong.nrdl: .*{why}"):
            nrdl.load(tmp_path / "wrong.nrdl")
    with pytest.raises(TypeError, match="Recogniser.load"):
        nrdl.Recogniser(model)
    assert people.people_[0] in repr(people)


def test_train_is_the_command(drawn, model, tmp_path, capsys):
    """A model of a folder is that of ``nrdl train``, byte for byte; so is one of two people and of one."""
    whole = nrdl.Recogniser.train(drawn / "photos" / "people")
    assert whole.model_ == model.read_bytes()
    whole.save(tmp_path / "saved.nrdl")
    assert nrdl.load(tmp_path / "saved.nrdl").identify(pictures(drawn / "photos")[0])
    folders = sorted(f for f in (drawn / "photos" / "people").iterdir() if f.is_dir())
    for n in 1, 2:
        some = tmp_path / str(n)
        for folder in folders[:n]:
            (some / folder.name).mkdir(parents=True)
            for file in folder.iterdir():
                (some / folder.name / file.name).write_bytes(file.read_bytes())
        few = nrdl.Recogniser.train(some, fpir=0.001)
        command(tmp_path, "train", some, "-o", "few.nrdl", "--fpir", "0.001")
        assert few.model_ == (tmp_path / "few.nrdl").read_bytes()
        assert few.threshold_ is not None and "people of all ages" in few.promise_
    with pytest.raises(nrdl.EngineError, match="^open data: .*does not exist"):
        nrdl.Recogniser.train(tmp_path / "nobody")
    with pytest.raises(TypeError, match="sequence of words"):
        nrdl.Recogniser.train(tmp_path / "1", options="--names files")
    (next(p for p in (tmp_path / "2").iterdir()) / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.warns(UserWarning, match="broken.jpg"):
        nrdl.Recogniser.train(tmp_path / "2", verbose=1)
    said = capsys.readouterr().out
    assert "2 people" in said and "people.nrdl" not in said


def test_all_faces_of_a_picture(drawn):
    """``faces='all'`` gives a vector for each face, the first of which is that of ``'largest'``."""
    photographs = pictures(drawn / "photos" / "others")
    one = nrdl.FaceEmbedder(missing="nan").transform(photographs)
    embedder = nrdl.FaceEmbedder(faces="all", missing="nan")
    every = embedder.transform(photographs)
    assert len(every) == len(photographs) and max(map(len, every)) > 1
    for vectors, first, faces in zip(every, one, embedder.faces_):
        assert len(vectors) == len(faces)
        if len(vectors):
            np.testing.assert_array_equal(vectors[0], first)
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    blank = np.zeros((40, 30, 3), np.uint8)
    assert [v.shape for v in embedder.transform([blank])] == [(0, one.shape[1])]
    with pytest.raises(nrdl.EngineError, match="no face"):
        embedder.set_params(missing="error").transform([blank])


def test_load_classifiers(tmp_path):
    """A model of samples is the classifier with its parameters, with and without a threshold."""
    X, y = load_digits(return_X_y=True)
    X, y, X2 = X[:200], y[:200], X[200:300]
    for method in nrdl.NRC(coder_rho=0.5), nrdl.NRDL(passes=20, random_state=3), nrdl.SVM(), nrdl.KSVD(passes=2, image_shape=(8, 8)):
        method.fit(X, y).save(tmp_path / "m.nrdl")
        loaded = nrdl.load(tmp_path / "m.nrdl")
        assert type(loaded) is type(method) and loaded.n_features_in_ == 64
        for name in "coder_rho", "passes", "random_state", "image_shape":
            assert getattr(loaded, name, None) == getattr(method, name, None)
        np.testing.assert_array_equal(loaded.predict(X2), method.predict(X2).astype(str))
        np.testing.assert_array_equal(loaded.decision_function(X2), method.decision_function(X2))
        np.testing.assert_array_equal(loaded.fit(X, y.astype(str)).predict(X2), method.predict(X2).astype(str))
    np.savez(tmp_path / "train.npz", X=X, y=y)
    command(tmp_path, "train", "train.npz", "-o", "t.nrdl", "--method", "crc", "--fpir", "0.05")
    loaded = nrdl.load(tmp_path / "t.nrdl")
    assert isinstance(loaded, nrdl.OpenSetClassifier) and loaded.fpir == 0.05
    np.savez(tmp_path / "probes.npz", X=X2)
    lines = [json.loads(line) for line in command(tmp_path, "predict", "t.nrdl", "probes.npz", "--json").splitlines()]
    assert [line["class"] if line["known"] else "unknown" for line in lines] == list(loaded.predict(X2))
    with pytest.raises(nrdl.EngineError, match="classifier"):
        nrdl.Recogniser(nrdl.NRC().fit(X, y).model_)
