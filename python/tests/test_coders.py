"""Codes over given atoms, beside scikit-learn, SciPy and the conditions of an optimum."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import sklearn.decomposition
from sklearn.base import clone
from sklearn.linear_model import ElasticNet, Ridge

import nrdl_learn as nrdl


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    D = rng.normal(size=(30, 20))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    codes = np.where(rng.random((15, 30)) < 0.1, rng.normal(size=(15, 30)), 0)
    return codes @ D + 0.01 * rng.normal(size=(15, 20)), D


def objective(X, D, S, l1, l2=0.0):
    return 0.5 * np.square(X - S @ D).sum(axis=1) + l1 * np.abs(S).sum(axis=1) + 0.5 * l2 * np.square(S).sum(axis=1)


def test_pursuit_is_scikit_learns(problem):
    X, D = problem
    for n in None, 3:
        ours = nrdl.sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=n)
        np.testing.assert_allclose(ours, sklearn.decomposition.sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=n), atol=1e-8)
    close = nrdl.sparse_encode(X, D, algorithm="omp", alpha=0.01)
    assert (np.square(X - close @ D).sum(axis=1) <= 0.01 + 1e-12).all()


@pytest.mark.parametrize("positive", [False, True])
def test_lasso_and_elastic_net(problem, positive):
    """Neither objective is above that of scikit-learn by more than the gap, which is 1e-6 of ‖y‖²."""
    X, D = problem
    gap = 1e-6 * np.square(X).sum(axis=1) + 1e-12
    for alpha in 0.01, 0.1, 1.0:
        ours = nrdl.sparse_encode(X, D, algorithm="lasso", alpha=alpha, positive=positive)
        theirs = sklearn.decomposition.sparse_encode(X, D, algorithm="lasso_cd", alpha=alpha, positive=positive, max_iter=20000)
        assert (objective(X, D, ours, alpha) <= objective(X, D, theirs, alpha) + gap).all()
        assert not positive or (ours >= 0).all()
        ours = nrdl.sparse_encode(X, D, algorithm="elastic_net", alpha=alpha, l1_ratio=0.3, positive=positive)
        net = ElasticNet(alpha=alpha / X.shape[1], l1_ratio=0.3, fit_intercept=False, positive=positive, tol=1e-10, max_iter=20000)
        theirs = net.fit(D.T, X.T).coef_
        l1, l2 = 0.3 * alpha, 0.7 * alpha
        assert (objective(X, D, ours, l1, l2) <= objective(X, D, theirs, l1, l2) + gap).all()
        np.testing.assert_allclose(ours, theirs, atol=1e-2)


def test_least_squares(problem):
    X, D = problem
    nnls = nrdl.sparse_encode(X, D[:15], algorithm="nnls")
    np.testing.assert_allclose(nnls, [scipy.optimize.nnls(D[:15].T, x)[0] for x in X], atol=1e-6)
    np.testing.assert_allclose(nrdl.sparse_encode(X, D[:15], algorithm="admm", max_iter=5000), nnls, atol=1e-4)
    ridge = nrdl.sparse_encode(X, D, algorithm="ridge", alpha=0.3)
    np.testing.assert_allclose(ridge, Ridge(alpha=0.3, fit_intercept=False).fit(D.T, X.T).coef_, atol=1e-8)
    positive = nrdl.sparse_encode(X, D, algorithm="ridge", alpha=0.3, positive=True)
    np.testing.assert_allclose(positive, Ridge(alpha=0.3, fit_intercept=False, positive=True, tol=1e-12).fit(D.T, X.T).coef_, atol=1e-4)
    local = nrdl.sparse_encode(X, D, algorithm="local", n_nonzero_coefs=4)
    assert ((local != 0).sum(axis=1) <= 4).all()
    np.testing.assert_allclose(local.sum(axis=1), 1)


def test_sparse_coder(problem):
    X, D = problem
    coder = nrdl.SparseCoder(D, transform_algorithm="lasso_lars", transform_alpha=0.1, positive_code=True)
    codes = clone(coder).fit_transform(X)
    np.testing.assert_array_equal(codes, nrdl.sparse_encode(X, D, alpha=0.1, positive=True))
    ours = nrdl.SparseCoder(D, transform_n_nonzero_coefs=2, split_sign=True).transform(X)
    theirs = sklearn.decomposition.SparseCoder(D, transform_algorithm="omp", transform_n_nonzero_coefs=2, split_sign=True).transform(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-8)
    assert coder.get_feature_names_out()[1] == "sparsecoder1" and len(coder.get_feature_names_out()) == len(D)
    split = nrdl.SparseCoder(D, split_sign=True)
    assert len(split.get_feature_names_out()) == split.transform(X).shape[1]


def test_refusals(problem):
    X, D = problem
    with pytest.raises(TypeError, match="X is sparse.*toarray"):
        nrdl.sparse_encode(scipy.sparse.csr_matrix(X), D)
    with pytest.raises(ValueError, match="one of omp"):
        nrdl.sparse_encode(X, D, algorithm="threshold")
    with pytest.raises(ValueError, match="not negative"):
        nrdl.sparse_encode(X, D, algorithm="omp", positive=True)
    with pytest.raises(ValueError, match="20 features, and atoms 19"):
        nrdl.sparse_encode(X, D[:, :19])
    with pytest.raises(ValueError, match="l1_ratio"):
        nrdl.sparse_encode(X, D, algorithm="elastic_net", l1_ratio=0)
    for algorithm, wrong in ("lasso", 0), ("lasso", -1.0), ("elastic_net", np.nan), ("omp", -1), ("ridge", -0.5):
        with pytest.raises(ValueError, match="^alpha = "):
            nrdl.sparse_encode(X, D, algorithm=algorithm, alpha=wrong)
    for wrong in 0, -1, 2.5:
        with pytest.raises(ValueError, match="^n_nonzero_coefs = "):
            nrdl.sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=wrong)
