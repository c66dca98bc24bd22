"""What a fit says of its passes, and pictures of it."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

import nrdl_learn as nrdl
from nrdl_learn._engine import shared


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:150], y[:150]


def test_history(digits, capsys):
    """The history is that of learning step by step, and `verbose` prints it."""
    X, y = digits
    for method in nrdl.NRDL(passes=6, tol=0.0), nrdl.FDDL(passes=3, tol=0.0):
        method.fit(X, y)
        taken = list(nrdl.steps(method, X, y))
        np.testing.assert_allclose(method.history_["objective"], [s.objective for s in taken], rtol=1e-12)
        np.testing.assert_allclose(method.history_["residual"], [s.residual for s in taken], rtol=1e-12)
        assert len(taken) == method.n_iter_ and method.history_["residual"][-1] == method.residual_
        assert capsys.readouterr().out == ""
        method.set_params(verbose=1).fit(X, y)
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == method.n_iter_ and "pass 2, objective" in printed[1]
        fit = nrdl.learn(method, X, y)
        np.testing.assert_allclose(fit.estimator.history_["objective"], fit.objective, rtol=1e-12)
    assert len(nrdl.CRC().fit(X, y).history_["objective"]) == 0


def test_history_of_dictionaries(digits, capsys):
    """The objective of K-SVD is its squared error, which the residual is the root of."""
    X, _ = digits
    for learner in nrdl.KSVDDictionary(16, passes=4, sparsity=3), nrdl.OnlineDictionary(16, passes=3):
        learner.fit(X)
        assert len(learner.history_["objective"]) == learner.n_iter_ == len(learner.history_["residual"])
        learner.set_params(verbose=1).fit(X)
        assert len(capsys.readouterr().out.splitlines()) == learner.n_iter_
    ksvd = nrdl.KSVDDictionary(16, passes=4, sparsity=3).fit(X)
    np.testing.assert_allclose(np.sqrt(ksvd.history_["objective"] / np.square(X).sum()), ksvd.history_["residual"], rtol=1e-9)


def test_pictures(digits):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = digits
    method = nrdl.NRDL(passes=5).fit(X, y)
    picture = nrdl.plot_atoms(method, max_atoms=9).images[0].get_array()
    assert picture.shape == (26, 26)
    np.testing.assert_allclose(picture[:8, :8].ravel(), method.components_[0] / np.abs(method.components_[0]).max())
    np.testing.assert_array_equal(nrdl.plot_history(method).lines[0].get_ydata(), method.history_["objective"])
    codes = method.transform(X)
    ax = nrdl.plot_codes(codes, y)
    np.testing.assert_array_equal(ax.images[0].get_array(), np.abs(codes[np.argsort(y, kind="stable")]).T)
    assert len(ax.lines) == 9
    with pytest.raises(ValueError, match="shape"):
        nrdl.plot_atoms(np.ones((3, 5)))
    with pytest.raises(ValueError, match="no history"):
        nrdl.plot_history(nrdl.CRC().fit(X, y))


def test_refused_pictures(digits):
    X, y = digits
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.raises(NotFittedError):
        nrdl.plot_atoms(nrdl.NRDL())
    with pytest.raises(TypeError, match="SparseCoder has no atoms"):
        nrdl.plot_atoms(nrdl.SparseCoder(X[:3]))
    with pytest.raises(TypeError, match="transform"):
        nrdl.plot_codes(nrdl.NRC().fit(X, y), y)


def test_engine_of_a_block(digits):
    X, y = digits
    method = nrdl.NRC().fit(X, y)
    with nrdl.engine() as engine:
        assert engine is shared()
        labels = method.predict(X)
        process = engine._process
    assert process.poll() is not None and shared()._process is None
    np.testing.assert_array_equal(method.predict(X), labels)


@pytest.mark.skipif(not __import__("os").path.exists("/proc/self/status"), reason="there is no /proc")
def test_memory_is_bounded():
    """Many fits do not fill the memory: each model is some 20 MB when it is open, and all would be 1.2 GB."""
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 400)), np.arange(600) % 20
    with nrdl.Engine() as engine:
        for seed in range(60):
            X[0] = seed
            engine.call("fit", {"x": X, "y": y}, method="nn", classes=[str(i) for i in range(20)], seed=seed)
        (line,) = (row for row in open(f"/proc/{engine._process.pid}/status") if row.startswith("VmRSS"))
    assert int(line.split()[1]) < 1_000_000, line


def test_atoms_to_start_from(digits):
    """A fit that starts from the atoms of another goes on from there."""
    X, _ = digits
    first = nrdl.KSVDDictionary(12, passes=3, sparsity=3).fit(X)
    more = nrdl.KSVDDictionary(passes=1, sparsity=3, dict_init=first.components_).fit(X)
    assert more.components_.shape == (12, 64) and more.residual_ < first.history_["residual"][0]
    longer = nrdl.KSVDDictionary(12, passes=4, sparsity=3).fit(X)
    np.testing.assert_allclose(more.components_, longer.components_, atol=1e-8)
    online = nrdl.OnlineDictionary(dict_init=first.components_)
    assert online.fit(X).components_.shape == online.partial_fit(X).components_.shape == (12, 64)
    for wrong in nrdl.KSVDDictionary(5, dict_init=first.components_), nrdl.OnlineDictionary(dict_init=np.ones((3, 4))):
        with pytest.raises(ValueError, match="a row for each atom"):
            wrong.fit(X)


def test_steps_of_a_dictionary(digits):
    """The passes of a loop are those of a fit, and the learner codes with what they have learned."""
    X, _ = digits
    whole = nrdl.KSVDDictionary(12, passes=4, sparsity=3).fit(X)
    learner = nrdl.KSVDDictionary(12, passes=4, sparsity=3)
    taken = list(nrdl.steps(learner, X))
    assert [s.status for s in taken] == ["stopped"] * 3 + ["complete"] and learner.n_iter_ == 4
    np.testing.assert_allclose([s.objective for s in taken], whole.history_["objective"], rtol=1e-8)
    np.testing.assert_allclose(learner.history_["residual"], whole.history_["residual"], rtol=1e-8)
    np.testing.assert_allclose(learner.transform(X), whole.transform(X), atol=1e-6)
    for step in nrdl.steps(learner, X):
        break
    assert learner.components_ is step.components and learner.n_iter_ == 1
    with pytest.raises(TypeError, match="monotone"):
        next(nrdl.steps(nrdl.KSVDDictionary(monotone=True), X))


def test_steps_online(digits):
    """Passes lower the objective, as those of a fit, to about the same; the learner goes on from there."""
    X, _ = digits
    learner = nrdl.OnlineDictionary(12, passes=6, rho=0.0)
    taken = list(nrdl.steps(learner, X))
    whole = nrdl.OnlineDictionary(12, passes=6, rho=0.0).fit(X)
    assert [s.n_iter for s in taken] == [1, 2, 3, 4, 5, 6] and taken[-1].status == "complete"
    assert taken[-1].objective < taken[0].objective
    np.testing.assert_allclose(taken[-1].objective, whole.history_["objective"][-1], rtol=0.1)
    assert taken[-1].residual < taken[1].residual and learner.history_["residual"][-1] == learner.residual_
    assert learner.transform(X).shape == (len(X), 12) and learner.n_samples_seen_ == 6 * len(X)
    learner.partial_fit(X)
    assert learner.n_samples_seen_ == 7 * len(X)
    assert len(list(nrdl.steps(nrdl.OnlineDictionary(12, tol=100.0), X))) == 2


def test_signs_of_dictionaries(digits):
    """Atoms and codes are ≥ 0 where that is asked for, also of samples that are not."""
    X, _ = digits
    X = X - X.mean(axis=0)
    free = nrdl.OnlineDictionary(12, passes=4).fit(X)
    assert free.components_.min() < 0 and free.transform(X).min() < 0
    held = nrdl.OnlineDictionary(12, passes=4, positive_dict=True, positive_code=True).fit(X)
    assert held.components_.min() >= 0 and held.transform(X).min() >= 0
    assert nrdl.OnlineDictionary(12, positive_dict=True).partial_fit(X).components_.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(held.components_, axis=1), 1)


def test_codes_to_start_from(digits):
    """Atoms that are best for given codes; a fit that starts from its own codes stays there."""
    X, _ = digits
    first = nrdl.KSVDDictionary(12, passes=20, sparsity=3).fit(X)
    again = nrdl.KSVDDictionary(passes=1, sparsity=3, code_init=first.transform(X)).fit(X)
    np.testing.assert_allclose(again.residual_, first.residual_, rtol=0.02)
    for wrong in nrdl.KSVDDictionary(code_init=np.ones((3, 5))), nrdl.OnlineDictionary(7, code_init=first.transform(X)):
        with pytest.raises(ValueError, match="a row for each sample"):
            wrong.fit(X)


def test_callback(digits, capsys):
    """Each pass calls it with the names of scikit-learn, and is printed all the same."""
    X, _ = digits
    seen = []
    learner = nrdl.OnlineDictionary(12, passes=3, callback=seen.append, verbose=1).fit(X)
    assert [s["ii"] for s in seen] == [0, 1, 2] and len(capsys.readouterr().out.splitlines()) == 3
    np.testing.assert_allclose(seen[-1]["errors"], learner.history_["objective"])
    assert seen[-1]["current_cost"] == seen[-1]["errors"][-1] and seen[0]["self"] is learner
