"""What programs do with the estimators."""

import csv
import inspect
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_sparse_coded_signal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

import nrdl_learn as nrdl
from nrdl_learn._base import Parameterised
from nrdl_learn._engine import Engine, find_program, shared


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200], X[200:300], y[200:300]


def test_pipeline_search_and_validation(digits):
    X, y, X2, y2 = digits
    assert make_pipeline(Normalizer(), nrdl.NRC()).fit(X, y).score(X2, y2) > 0.85
    assert make_pipeline(nrdl.NRC(), LinearSVC()).fit(X, y).score(X2, y2) > 0.85
    search = GridSearchCV(nrdl.NRC(), {"coder_rho": [0.1, 1.0], "coder_passes": [5]}, n_jobs=2, cv=2).fit(X, y)
    alone = GridSearchCV(nrdl.NRC(), {"coder_rho": [0.1, 1.0], "coder_passes": [5]}, cv=2).fit(X, y)
    assert search.best_params_ == alone.best_params_
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert cross_val_score(nrdl.CRC(), X, y, cv=2).mean() > 0.8


def test_scores_of_the_program(digits, tmp_path):
    """Scores are those of ``nrdl predict`` on the saved model, bit for bit."""
    X, y, X2, _ = digits
    np.savez(tmp_path / "probes.npz", X=X2)
    for estimator in nrdl.NRC(), nrdl.NRDL(passes=20), nrdl.FDDL(passes=2, tol=0), nrdl.SVM():
        estimator.fit(X, y).save(tmp_path / "m.nrdl")
        command = [find_program(), "predict", "m.nrdl", "probes.npz", "--scores", "-o", "scores.csv"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        with open(tmp_path / "scores.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        theirs = np.array([[float(row[f"score of {c}"]) for c in estimator.classes_] for row in rows])
        np.testing.assert_array_equal(estimator.decision_function(X2), theirs)
        assert [row["class"] for row in rows] == [str(c) for c in estimator.predict(X2)]


def test_pickle_joblib_and_another_engine(digits, tmp_path):
    X, y, X2, _ = digits
    fitted = nrdl.NRC().fit(X, y)
    want = fitted.decision_function(X2)
    joblib.dump(fitted, tmp_path / "m.joblib")
    shared().close()  # another process knows no model
    for again in fitted, pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "m.joblib"):
        np.testing.assert_array_equal(again.decision_function(X2), want)
    assert not hasattr(clone(fitted), "model_")


def _scores(fitted, X, queue):
    queue.put(fitted.decision_function(X))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork(digits):
    """A child has an engine of its own; that of its parent goes on, and ends with the parent."""
    X, y, X2, _ = digits
    fitted = nrdl.NRC().fit(X, y)
    want = fitted.decision_function(X2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=_scores, args=(fitted, X2, queue)) for _ in range(2)]
    for c in children:
        c.start()
    np.testing.assert_array_equal(fitted.decision_function(X2), want)
    for c in children:
        np.testing.assert_array_equal(queue.get(timeout=600), want)
        c.join()
        assert c.exitcode == 0


def test_threads(digits):
    X, y, X2, _ = digits
    fitted = [m.fit(X, y) for m in (nrdl.NRC(), nrdl.CRC())]
    want = [f.decision_function(X2) for f in fitted]
    wrong = []

    def work(i):
        for _ in range(5):
            if not np.array_equal(fitted[i % 2].decision_function(X2), want[i % 2]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_interrupted(digits):
    """After an interruption the answer of the old request is not taken for a new one's."""
    X, y, X2, _ = digits
    fitted = nrdl.NRC().fit(X, y)
    want = fitted.decision_function(X2)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell has started the tests in the background
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        nrdl.NRDL(passes=10**9, tol=0.0, growth=1.0).fit(X, y)
        time.sleep(60)
    np.testing.assert_array_equal(fitted.decision_function(X2), want)


def test_engine_ends_with_its_parent():
    engine = Engine()
    engine.call("methods")
    process = engine._process
    engine.close()
    assert process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="it plays Windows")
def test_windows(monkeypatch):
    """What is Windows's alone, on a stub of its modules."""
    import array
    import fcntl
    import termios
    from types import SimpleNamespace

    def peek(fd, size):
        waiting = array.array("i", [0])
        fcntl.ioctl(fd, termios.FIONREAD, waiting)
        return waiting[0], 0

    from nrdl_learn import _engine

    engine = Engine()
    engine.call("methods")  # started as on this system
    monkeypatch.setattr(_engine, "sys", SimpleNamespace(platform="win32", __stderr__=None))
    monkeypatch.setitem(sys.modules, "_winapi", SimpleNamespace(PeekNamedPipe=peek))
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda fd: fd))
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x8000000, raising=False)
    assert _engine._apart() == {"creationflags": 0x8000200}
    assert engine.call("methods")[0]["methods"]
    engine.close()


def test_what_is_no_method(digits):
    X, y, _, _ = digits
    for use in nrdl.OpenSetClassifier(LinearSVC()).fit, lambda X, y: nrdl.learn(LinearSVC(), X, y), lambda X, y: next(nrdl.steps(LinearSVC(), X, y)):
        with pytest.raises(TypeError, match="a method of this package, such as"):
            use(X, y)
    with pytest.raises(ValueError, match="three classes or more, and there are 2"):
        nrdl.OpenSetClassifier(nrdl.NRC()).fit(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match="say the same"):
        nrdl.NRC(coder_rho=1.0, params={"coder.rho": 2}).fit(X, y)
    assert "D 64×200" in repr(nrdl.NRC().fit(X, y).parts()) and "pass" not in repr(next(nrdl.steps(nrdl.NRDL(), X, y)))


def test_missing_program():
    with pytest.raises(FileNotFoundError):
        Engine(["/no/such/program"]).call("methods")
    with pytest.raises(nrdl.EngineError, match="has ended"):
        Engine([find_program(), "no-such-command"]).call("methods")


def test_errors_have_advice(digits):
    X, y, _, _ = digits
    with pytest.raises(nrdl.EngineError) as failed:
        shared().call("fit", {"x": X, "y": y}, method="nrcc", classes=[str(c) for c in range(10)])
    assert failed.value.hint == 'did you mean "nrc"?' and failed.value.advice and failed.value.code == "failed"
    again = pickle.loads(pickle.dumps(failed.value))
    assert str(again) == str(failed.value) and again.advice == failed.value.advice
    with pytest.raises(ValueError, match="lambda"):
        nrdl.NRDL(lambda_=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="kappa"):
        nrdl.NRC(params={"kappa": 1}).fit(X, y)


def test_words_of_advice():
    part = {"setting": {"option": "parameter", "value": "coder.solver=admm"}}
    call = {"action": {"verb": "nrdl.Recogniser.Calibrate", "settings": [{"option": "strangers", "value": "3"}]}}
    error = nrdl.EngineError("it fails", advice=[{"text": "set "}, part, {"text": ", then "}, call])
    assert str(error) == "it fails (set coder_solver='admm', then calibrate(strangers=3))"


def test_parameters(digits):
    X, y, X2, _ = digits
    other = nrdl.Representation(coder="lasso", params={"coder.lambda": 0.02}).fit(X, y)
    same = nrdl.SRC(coder_lambda=0.02).fit(X, y)
    np.testing.assert_array_equal(other.transform(X2), same.transform(X2))
    assert nrdl.NRC().fit(X, y).seed_ == 0
    drawn = nrdl.NRC(random_state=np.random.RandomState(3)).fit(X, y)
    assert drawn.seed_ == nrdl.NRC(random_state=np.random.RandomState(3)).fit(X, y).seed_ != 0


def test_names_and_sparse(digits):
    X, y, X2, _ = digits
    with pytest.raises(TypeError, match="[Ss]parse"):
        nrdl.NRC().fit(scipy.sparse.csr_matrix(X), y)
    names = np.array(["zoë", "ann", "Ben"])[y % 3]
    fitted = nrdl.NRC().fit(X, names)
    assert set(fitted.predict(X2)) <= set(names)
    np.testing.assert_array_equal(fitted.classes_, np.unique(names))
    assert list(fitted.get_feature_names_out())[:2] == ["nrc0", "nrc1"]


def test_labels_that_are_no_names(digits):
    X, y, X2, y2 = digits
    labels = np.array(["", "a\nb", "\t", "../x", "unknown", "e\u0301", "\u00e9", "x" * 500, " a", "a"], dtype=object)
    fitted = nrdl.CRC().fit(X, labels[y])
    assert (fitted.predict(X2) == labels[y2]).mean() > 0.8 and len(set(fitted.parts().classes)) == 10


def test_names_of_features(digits):
    pandas = pytest.importorskip("pandas")
    X, y, _, _ = digits
    frame = pandas.DataFrame(X, columns=[f"p{i}" for i in range(X.shape[1])])
    assert nrdl.NRC().fit(frame, y).feature_names_in_[1] == "p1"


def test_parts(digits):
    X, y, X2, _ = digits
    fitted = nrdl.NRDL(atoms=3, passes=10).fit(X, y)
    parts = fitted.parts()
    assert parts.D.shape == (64, 30) and parts.W.shape == (10, 30) and parts.classes == [str(c) for c in range(10)]
    np.testing.assert_allclose(fitted.transform(X2) @ parts.W.T, fitted.decision_function(X2), atol=1e-9)


def test_learn_and_steps(digits):
    X, y, X2, _ = digits
    method = nrdl.FDDL(passes=4, tol=0.0)
    fit = nrdl.learn(method, X, y)
    assert len(fit.objective) == fit.n_iter == 4 and fit.S.shape == (fit.D.shape[1], 200)
    objectives = []
    for step in nrdl.steps(nrdl.FDDL(passes=4, tol=0.0), X, y):
        objectives.append(step.objective)
        if step.n_iter == 2:
            half = step.fit()
            np.testing.assert_array_equal(step.matrices()["S"], half.state["S"])
            break
        first = step
    np.testing.assert_array_equal(step.matrices()["S"], half.state["S"])  # after the loop, too
    with pytest.raises(RuntimeError, match="pass 1 are gone"):
        first.matrices()
    np.testing.assert_array_equal(objectives, fit.objective[:2])
    rest = nrdl.learn(nrdl.FDDL(passes=2, tol=0.0), X, y, start=half)
    np.testing.assert_allclose(rest.D, fit.D, atol=1e-9)
    near = nrdl.learn(nrdl.FDDL(passes=1, tol=0.0), X, y, start={"D": fit.D, "S": fit.S})
    assert near.objective[0] < fit.objective[0]
    np.testing.assert_array_equal(method.decision_function(X2), nrdl.FDDL(passes=4, tol=0.0).fit(X, y).decision_function(X2))


def test_dictionaries(digits):
    X, _, X2, _ = digits
    for learner in nrdl.KSVDDictionary(30, sparsity=5, passes=3), nrdl.OnlineDictionary(30, passes=3, coder="omp", params={"coder.sparsity": 5}):
        codes = learner.fit(X).transform(X2)
        assert codes.shape == (100, 30) and (codes != 0).sum(axis=1).max() <= 5
        assert np.linalg.norm(learner.inverse_transform(codes) - X2) < 0.6 * np.linalg.norm(X2)


def test_defaults_learn_from_few(digits):
    """No default asks for more than few samples give: more atoms than there are, more neighbours."""
    X, y, X2, _ = digits
    few = np.concatenate([np.flatnonzero(y == c)[:2] for c in (3, 5)])
    for _, c in sorted(vars(nrdl).items()):
        if not (inspect.isclass(c) and issubclass(c, Parameterised)):
            continue
        shape = {"image_shape": (8, 8)} if "image_shape" in inspect.signature(c).parameters else {}
        fitted = c(**shape).fit(X[few], y[few])
        assert np.isfinite(fitted.transform(X2)).all(), c
        if shape:
            assert set(fitted.predict(X2)) <= {3, 5}, c
    for learner in nrdl.KSVDDictionary(), nrdl.OnlineDictionary():
        assert learner.fit(X).components_.shape == (10, 64) and learner.fit(X[few]).components_.shape == (4, 64)
        assert learner.fit(X[[0, 0, 1]]).transform(X2).shape == (100, 2)  # two directions
    assert nrdl.OnlineDictionary().partial_fit(X[few]).partial_fit(X).components_.shape == (4, 64)
    for wrong in 0, -1, 5:
        with pytest.raises(ValueError, match="atoms"):
            nrdl.KSVDDictionary(wrong).fit(X[few])


def test_grid_over_atoms_and_sparsity(digits):
    X, y, _, _ = digits
    few = y < 4
    for method, more in (nrdl.KSVD(), {}), (nrdl.LCKSVD2(), {}), (nrdl.NRDL(), {"init_sparsity": [2, 30]}), (nrdl.LCLE(), {"neighbours": [1, 40]}):
        grid = {"atoms": [1, 3], **(more or {"sparsity": [1, 5, 30, 300, None]})}
        search = GridSearchCV(method.set_params(passes=3), grid, cv=2, error_score="raise").fit(X[few], y[few])
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    codes = GridSearchCV(make_pipeline(nrdl.KSVDDictionary(), LinearSVC()), {"ksvddictionary__n_components": [2, 20], "ksvddictionary__sparsity": [1, 5, 30, None]}, cv=2, error_score="raise")
    assert np.isfinite(codes.fit(X[few], y[few]).cv_results_["mean_test_score"]).all()


def test_sparse_at_any_scale(digits):
    """Codes of the default are sparse on the data of scikit-learn's example of a learner, and follow the scale of the samples."""
    signal, *_ = make_sparse_coded_signal(n_samples=30, n_components=15, n_features=20, n_nonzero_coefs=10, random_state=42)
    signal = signal if signal.shape == (30, 20) else signal.T  # before scikit-learn 1.3 a sample is a column
    for X in signal, digits[0]:
        for learner in nrdl.OnlineDictionary(), nrdl.OnlineDictionary(15):
            codes = learner.fit_transform(X)
            assert (codes == 0).mean() > 0.5
            longer = clone(learner).fit(1024 * X)
            np.testing.assert_array_equal(longer.components_, learner.components_)
            np.testing.assert_array_equal(longer.transform(1024 * X), 1024 * codes)
            assert learner.partial_fit(X).components_.shape == clone(learner).partial_fit(1024 * X).components_.shape
            np.testing.assert_array_equal(clone(learner).partial_fit(1024 * X).components_, learner.components_)


def test_atoms_and_convergence(digits):
    X, y, X2, _ = digits
    with pytest.warns(ConvergenceWarning, match="NRDL: 2 passes ran out"):
        short = nrdl.NRDL(passes=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        nrdl.NRDL().fit(X, y)
        nrdl.FDDL(passes=2, tol=0.0).fit(X, y)  # all passes were asked for
    assert not hasattr(nrdl.NRDL(), "components_")
    np.testing.assert_array_equal(short.components_, short.parts().D.T)
    assert short.components_.shape == (short.transform(X2).shape[1], 64)


def test_close(digits):
    X, y, X2, _ = digits
    fitted = nrdl.CRC().fit(X, y)
    want, process = fitted.decision_function(X2), shared()._process
    nrdl.close()
    assert process.returncode == 0
    np.testing.assert_array_equal(fitted.decision_function(X2), want)
    with Engine() as engine:
        engine.call("methods")
        process = engine._process
    assert process.returncode == 0


def test_partial_fit(digits):
    X, _, X2, _ = digits
    whole, parts = nrdl.OnlineDictionary(20, batch=50), nrdl.OnlineDictionary(20, batch=50)
    whole.partial_fit(X[:200])
    for lo in 0, 50, 150:
        parts = pickle.loads(pickle.dumps(parts.partial_fit(X[lo:{0: 50, 50: 150, 150: 200}[lo]])))
    # The first call chooses the first atoms among its samples, so these differ.
    same = nrdl.OnlineDictionary(20, batch=50).partial_fit(X[:50]).partial_fit(X[50:200])
    np.testing.assert_array_equal(parts.components_, same.components_)
    assert parts.n_samples_seen_ == whole.n_samples_seen_ == 200
    error = [np.linalg.norm(d.inverse_transform(d.transform(X2)) - X2) for d in (parts, whole)]
    assert max(error) < 0.6 * np.linalg.norm(X2)
    with pytest.raises(ValueError, match="features"):
        parts.partial_fit(X[:, 1:])
    assert parts.fit(X[:100]).partial_fit(X).n_samples_seen_ == len(X)


def test_open_set(digits):
    X, y, X2, y2 = digits
    known, strangers = y < 7, y2 >= 7
    fitted = nrdl.OpenSetClassifier(nrdl.NRC(), fpir=0.1).fit(X[known], y[known])
    assert list(fitted.classes_) == [-1, 0, 1, 2, 3, 4, 5, 6]
    answers, probabilities = fitted.predict(X2), fitted.predict_proba(X2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(answers != -1, fitted.decision_function(X2) >= 0)
    right = probabilities.max(axis=1, where=np.arange(8) > 0, initial=0)
    assert right[~strangers].mean() > right[strangers].mean()
    assert (answers[strangers] == -1).mean() > (answers[~strangers] == -1).mean()
    names = nrdl.OpenSetClassifier(nrdl.NRC()).fit(X[known], np.array(list("abcdefg"))[y[known]])
    assert "unknown" in names.classes_ and set(names.predict(X2)) <= set(names.classes_)
    flags = nrdl.OpenSetClassifier(nrdl.NRC()).fit(X[known], np.array(list("abcdefg"), dtype="S1")[y[known]])
    assert flags.unknown_ == b"unknown" and flags.predict(X2).dtype.kind == "S"
    with pytest.raises(ValueError, match="choose one of strangers"):
        nrdl.OpenSetClassifier(nrdl.NRC()).fit(X[known], np.datetime64("2026-01-01") + y[known])
    with pytest.raises(ValueError, match="label of a class"):
        nrdl.OpenSetClassifier(nrdl.NRC(), unknown=3).fit(X[known], y[known])
    given = nrdl.OpenSetClassifier(nrdl.NRC(), fpir=0.1).fit(X[known], y[known], strangers=X[~known])
    assert given.threshold_ != fitted.threshold_
    search = GridSearchCV(nrdl.OpenSetClassifier(nrdl.NRC()), {"base__coder_rho": [0.1, 1.0], "fpir": [0.1]}, cv=2).fit(X[known], y[known])
    assert search.best_score_ > 0


def test_faces(tmp_path):
    subprocess.run([find_program(), "data", "synth", "people", "--people", "3", "--images", "3", "--size", "120x120"], cwd=tmp_path, check=True, capture_output=True)
    files = sorted((tmp_path / "people").glob("*/*"))
    files = [f for f in files if f.suffix in (".png", ".jpg", ".pgm")]
    people = [f.parent.name for f in files]
    embedder = nrdl.FaceEmbedder(detect=False)
    vectors = embedder.fit_transform(files)
    assert vectors.shape == (9, embedder.get_feature_names_out().size)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert make_pipeline(nrdl.FaceEmbedder(detect=False), nrdl.NRC()).fit(files, people).predict(files[:1])[0] == people[0]
    blank = np.zeros((60, 50, 3), np.uint8)
    with pytest.raises(nrdl.EngineError, match="image 0"):
        nrdl.FaceEmbedder().transform([blank])
    assert np.isnan(nrdl.FaceEmbedder(missing="nan").transform([blank])).all()
    with pytest.raises(ValueError, match="uint8"):
        embedder.transform([np.zeros((3, 3))])
    assert nrdl.detect([blank]) == [[]]


def test_images(digits):
    """Blocks of images in C order."""
    X, y, X2, y2 = digits
    model = nrdl.Blocks(image_shape=(8, 8), coder_side=4, coder_step=4).fit(X, y)
    assert model.score(X2, y2) > 0.7
    wide = nrdl.Blocks(image_shape=(4, 8), coder_side=4, coder_step=4).fit(X[:, :32], y)
    tall = nrdl.Blocks(image_shape=(8, 4), coder_side=4, coder_step=4)
    turned = [Z[:, :32].reshape(-1, 4, 8).transpose(0, 2, 1).reshape(len(Z), 32) for Z in (X, X2)]
    np.testing.assert_allclose(wide.decision_function(X2[:, :32]), tall.fit(turned[0], y).decision_function(turned[1]), atol=1e-9)
    with pytest.raises(ValueError, match="64"):
        nrdl.Blocks(image_shape=(8, 9)).fit(X, y)


def test_refusals_in_words(digits):
    X, y, _, _ = digits
    for seed in -1, 1 << 64:
        with pytest.raises(ValueError, match="a seed is 0 or more"):
            nrdl.NRC(random_state=seed).fit(X, y)
    for shape in (8,), (-8, -8), (8, 8.0), 64:
        with pytest.raises(ValueError, match="the height and the width"):
            nrdl.NRC(image_shape=shape).fit(X, y)
    with pytest.raises(TypeError, match="a dict of parameters"):
        nrdl.NRC(params=[1]).fit(X, y)
    with pytest.raises(ValueError, match="a list is needed"):
        nrdl.FaceEmbedder().fit_transform("x.jpg")
    labels = np.where(y > 4, "", "few")
    assert set(nrdl.CRC().fit(X, labels).predict(X)) == {"", "few"}
    assert issubclass(nrdl.EngineEnded, RuntimeError) and nrdl.__version__


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of drawn faces: eight photographs of each of six people."""
    folder = tmp_path_factory.mktemp("drawn")
    subprocess.run([find_program(), "data", "synth", "people", "--people", "6", "--images", "8", "--size", "112x112"], cwd=folder, check=True, capture_output=True)
    return folder / "people"


def _command(folder, *words):
    done = subprocess.run([find_program(), *map(str, words)], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def _enrolled(drawn, folder, photographs):
    """A folder with a folder a person, and its files with their names."""
    files = []
    for file, name in photographs:
        at = folder / name / file.name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(file.read_bytes())
        files.append(at)
    return files, [name for _, name in photographs]


@pytest.mark.parametrize("people, each", [(1, 1), (2, 1), (5, 3)])
def test_recogniser_is_the_command(drawn, tmp_path, people, each):
    """Names, margins, probabilities and words are those of ``train`` and ``identify``, and files are read by both."""
    folders = sorted(f for f in drawn.iterdir() if f.is_dir())
    photographs = [(file, folder.name) for folder in folders[:people] for file in sorted(folder.iterdir())[:each]]
    probes = [sorted(folder.iterdir())[-1] for folder in folders]
    files, names = _enrolled(drawn, tmp_path / "people", photographs)
    status, _, said = _command(tmp_path, "train", "people", "-o", "m.nrdl", "--detect", "never", "--input", "embedding")
    assert status == 0, said
    faces = nrdl.FaceRecogniser(embedder=nrdl.FaceEmbedder(detect=False)).fit(files, names)
    assert faces.warning_ is None and f"strangers: {faces.promise_}\n" in said and "people of all ages" in faces.promise_
    faces.save(tmp_path / "python.nrdl")
    margins, probabilities = faces.decision_function(probes) + faces.threshold_, faces.predict_proba(probes)
    for model in "m.nrdl", "python.nrdl":
        status, lines, said = _command(tmp_path, "identify", model, "--json", "--detect", "never", *probes)
        assert status == 0, said
        results = [json.loads(line)["faces"][0] for line in lines.splitlines()]
        assert [r["name"] or "unknown" for r in results] == list(faces.predict(probes))
        np.testing.assert_allclose(margins, [r["margin"] for r in results], atol=1e-6)
        known = [i for i, r in enumerate(results) if r.get("probability")]
        best = np.delete(probabilities, list(faces.classes_).index("unknown"), axis=1).max(axis=1)
        np.testing.assert_allclose(best[known], [results[i]["probability"] for i in known], atol=1e-6)


def test_recogniser_of_people_too_alike(drawn, tmp_path):
    """Where no rate can be promised nobody is named, unless it is forced."""
    photographs = [(file, f"person {i}") for i, file in enumerate(sorted(next(f for f in sorted(drawn.iterdir()) if f.is_dir()).iterdir()))]
    files, names = _enrolled(drawn, tmp_path / "people", photographs)
    alike = "the people of this model are too alike for this network"
    with pytest.warns(UserWarning, match=alike):
        faces = nrdl.FaceRecogniser(embedder=nrdl.FaceEmbedder(detect=False)).fit(files, names)
    assert faces.promise_ is None and alike in faces.warning_
    for use in faces.predict, faces.predict_proba, faces.decision_function:
        with pytest.raises(nrdl.EngineError, match=alike) as refused:
            use(files)
        assert "strangers" in refused.value.hint and "force" in refused.value.hint
    assert list(faces.set_params(force=True).predict(files)) == names
    faces.save(tmp_path / "m.nrdl")
    status, lines, said = _command(tmp_path, "identify", "m.nrdl", "--detect", "never", *files)
    assert status != 0 and alike in said and not lines
    people, folder = nrdl.load(tmp_path / "m.nrdl"), os.path.dirname(files[0])
    with pytest.raises(nrdl.EngineError, match=alike):
        people.identify(folder, detect=False)
    forced = people.identify(folder, detect=False, force=True, twice=True)
    assert forced == {file: people.identify(file, detect=False, force=True, twice=True) for file in forced} and str(files[0]) in forced
    with pytest.raises(nrdl.EngineError, match="no vectors"):
        shared().call("fit", {"x": np.ones((2, 3)), "y": np.arange(2)}, method="mean", classes=["a", "b"], vectors=True)
