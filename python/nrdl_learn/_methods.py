"""The methods, as classifiers of scikit-learn.

Written by generate.py of what the program says of itself: do not change it.
"""

from __future__ import annotations

from nrdl_learn._base import Method

__all__ = [
    "ANCR",
    "Blocks",
    "COPAR",
    "CRC",
    "CRNRC",
    "D2L2R2",
    "DKSVD",
    "DLSI",
    "DNRC",
    "DPL",
    "DSRC",
    "FDDL",
    "KCRC",
    "KNRC",
    "KSRC",
    "KSVD",
    "LCKSVD1",
    "LCKSVD2",
    "LCLE",
    "LDA",
    "LEDL",
    "LLC",
    "LRC",
    "LRCNRC",
    "LRSDL",
    "Mean",
    "NN",
    "NRC",
    "NRDL",
    "NRDLAblation",
    "NRDLOnline",
    "NRDLRefit",
    "NRDLTest",
    "NSCR",
    "PCALDA",
    "ProCRC",
    "Representation",
    "RidgeClassifier",
    "Robust",
    "SAProCRC",
    "SBD2L",
    "SDRERDL",
    "SRC",
    "SVM",
]


class Mean(Method):
    """MEAN: the mean of the training images of each class; the class with the largest cosine.

    The problem that it solves::

        m_c = Σ_j x_cj / ‖Σ_j x_cj‖;  class: max_c m_cᵀy

    Parameters
    ----------
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'mean'

    def __init__(
        self,
        *,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NN(Method):
    """1-NN: the nearest training image, by the cosine.

    The problem that it solves::

        class: max_c max_k x_ckᵀy

    memory: 16 GiB are enough for 5500000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nn'

    def __init__(
        self,
        *,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LDA(Method):
    """LDA: regularised linear discriminant analysis; the class mean with the largest cosine.

    The problem that it solves::

        P: max tr(PᵀS_bP)  s.t. Pᵀ(S_w + εI)P = I,  ε = r·tr(S_w)/min(d, N−1);  m_c: the mean of Pᵀ(x − m)/‖Pᵀ(x − m)‖ in class c, at norm 1;  class: max_c m_cᵀPᵀ(y − m)

    memory: 16 GiB are enough for 2300000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    ridge : float, default=0.1
        r > 0, the ridge of the scatter within classes, as a part of its mean eigenvalue.
        Equation: [rda].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lda'
    _parameters = (
        ('ridge', 'ridge', 0.1),
    )

    def __init__(
        self,
        *,
        ridge: float = 0.1,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.ridge = ridge
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class PCALDA(Method):
    """PCA + LDA: Fisherfaces: linear discriminant analysis of the first principal components; the
    class mean with the largest cosine.

    The problem that it solves::

        U: the first eigenvectors of S_t;  P = UV,  V: LDA of Uᵀ(X − m);  m_c: the mean of Pᵀ(x − m)/‖Pᵀ(x − m)‖ in class c, at norm 1;  class: max_c m_cᵀPᵀ(y − m)

    memory: 16 GiB are enough for 2300000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    dims : int, default=100
        Principal components kept, at most N − C; 0 for N − C. Equation: [fisherfaces] (6).
    ridge : float, default=0.0001
        r > 0, as of lda; the paper has none. Equation: [rda].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'pca-lda'
    _parameters = (
        ('dims', 'dims', 100),
        ('ridge', 'ridge', 0.0001),
    )

    def __init__(
        self,
        *,
        dims: int = 100,
        ridge: float = 0.0001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.dims = dims
        self.ridge = ridge
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class RidgeClassifier(Method):
    """Ridge classifier: ridge regression of the labels; the class with the largest prediction.

    The problem that it solves::

        min_{W,b} ‖H − WᵀX − b1ᵀ‖² + ε‖W‖²;  class: max_c w_cᵀy + b_c

    memory: 16 GiB are enough for 2300000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    ridge : float, default=0.1
        r > 0, the weight of ‖W‖² as a part of the mean eigenvalue of the scatter. Equation:
        [ridge].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'ridge'
    _parameters = (
        ('ridge', 'ridge', 0.1),
    )

    def __init__(
        self,
        *,
        ridge: float = 0.1,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.ridge = ridge
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class SVM(Method):
    """Linear SVM: a linear support vector machine for each class against all others; the class
    with the largest output.

    The problem that it solves::

        min_{w,b} ½‖w‖² + C·Σ_j max(0, 1 − t_j(wᵀx_j + b))  for every class;  class: max_c w_cᵀy + b_c

    memory: 16 GiB are enough for 46000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    c : float, default=100.0
        C > 0, weight of the samples that are within the margin. Equation: [svm].
    tol : float, default=0.0001
        No condition of optimality is violated by more. Equation: [smo] (6).
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'svm'
    _parameters = (
        ('c', 'c', 100.0),
        ('tol', 'tol', 0.0001),
    )

    def __init__(
        self,
        *,
        c: float = 100.0,
        tol: float = 0.0001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.c = c
        self.tol = tol
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LLC(Method):
    """LLC: representation by the nearest training images, coefficients adding to 1; the class with
    the least residual.

    The problem that it solves::

        min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²  s.t. 1ᵀw = 1,  B the k nearest samples, C = (B − y1ᵀ)ᵀ(B − y1ᵀ);  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 4100000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_neighbours : int or None, default=None
        k ≥ 1, number of nearest atoms that code; more than there are is all of them, and None
        is 30. Equation: [llc] (7).
    coder_lambda : float, default=0.0001
        λ ≥ 0, weight of ‖w‖² as a part of the neighbours' squared distances. Equation: [llc]
        (7).
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'llc'
    _parameters = (
        ('coder_neighbours', 'coder.neighbours', None),
        ('coder_lambda', 'coder.lambda', 0.0001),
    )

    def __init__(
        self,
        *,
        coder_neighbours: int | None = None,
        coder_lambda: float = 0.0001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_neighbours = coder_neighbours
        self.coder_lambda = coder_lambda
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LRC(Method):
    """LRC: least squares representation by the training images of each class alone; the class with
    the least residual.

    The problem that it solves::

        min_{s_c} ‖y − X_c·s_c‖² + λ‖s_c‖²  for every class c;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 3300000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.0
        λ ≥ 0, weight of ‖s_c‖²; 0 is least squares. Equation: [lrc].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lrc'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.0),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class SRC(Method):
    """SRC: sparse representation by the training images; the class with the least residual.

    The problem that it solves::

        min_s ½‖y − X·s‖² + λ‖s‖₁;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 46000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.01
        λ > 0, weight of ‖s‖₁.
    coder_gap : float, default=1e-06
        Duality gap > 0 that a code may have, in units of ‖y‖².
    coder_positive : bool, default=False
        Ask for s ≥ 0.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'src'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.01),
        ('coder_gap', 'coder.gap', 1e-06),
        ('coder_positive', 'coder.positive', False),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.01,
        coder_gap: float = 1e-06,
        coder_positive: bool = False,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_gap = coder_gap
        self.coder_positive = coder_positive
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class CRC(Method):
    """CRC: ridge representation by the training images; the class with the least residual for its
    code.

    The problem that it solves::

        min_s ‖y − X·s‖² + κ·N/700·‖s‖²;  class: min_c ‖y − X_c·s_c‖ / ‖s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    kappa : float, default=0.001
        κ, weight of ‖s‖² for 700 samples; it grows with their number N as κ·N/700. Equation:
        [crc] (6).
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'crc'
    _parameters = (
        ('kappa', 'kappa', 0.001),
    )

    def __init__(
        self,
        *,
        kappa: float = 0.001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.kappa = kappa
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRC(Method):
    """NRC: non-negative representation by the training images; the class with the least residual.

    The problem that it solves::

        min_s ‖y − X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 4100000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.01
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=10
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrc'
    _parameters = (
        ('coder_solver', 'coder.solver', 'admm'),
        ('coder_rho', 'coder.rho', 0.01),
        ('coder_passes', 'coder.passes', 10),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
    )

    def __init__(
        self,
        *,
        coder_solver: str = 'admm',
        coder_rho: float = 0.01,
        coder_passes: int = 10,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class ANCR(Method):
    """ANCR: NRC with a ridge and coefficients that add up to 1; the class with the least residual.

    The problem that it solves::

        min_s ‖y − X·s‖² + λ‖s‖²  s.t. s ≥ 0, 1ᵀs = 1,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.0001
        λ ≥ 0, weight of ‖s‖². Equation: [ancr] (4).
    coder_nu : float, default=0.0
        ν ≥ 0, weight of the residual of each class alone. Equation: [crnrc] (5).
    coder_tau : float, default=0.0
        τ ≥ 0, weight of ‖X·s‖². Equation: [dnrc].
    coder_affine : bool, default=True
        Coefficients add up to 1. Equation: [ancr] (4).
    coder_rho : float, default=0.01
        ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        1 to 1000000, number of passes.
    coder_iterate : {'c', 'z'}, default='c'
        Which of the two copies classifies: c, as in the authors' programs, or z, which
        satisfies the constraints.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'ancr'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.0001),
        ('coder_nu', 'coder.nu', 0.0),
        ('coder_tau', 'coder.tau', 0.0),
        ('coder_affine', 'coder.affine', True),
        ('coder_rho', 'coder.rho', 0.01),
        ('coder_passes', 'coder.passes', 5),
        ('coder_iterate', 'coder.iterate', 'c'),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.0001,
        coder_nu: float = 0.0,
        coder_tau: float = 0.0,
        coder_affine: bool = True,
        coder_rho: float = 0.01,
        coder_passes: int = 5,
        coder_iterate: str = 'c',
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_nu = coder_nu
        self.coder_tau = coder_tau
        self.coder_affine = coder_affine
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_iterate = coder_iterate
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class CRNRC(Method):
    """CRNRC: NRC in which each class also rebuilds the query alone; the class with the least
    residual.

    The problem that it solves::

        min_s ‖y − X·s‖² + ν·Σ_i ‖y − X_i·s_i‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.0
        λ ≥ 0, weight of ‖s‖². Equation: [ancr] (4).
    coder_nu : float, default=0.01
        ν ≥ 0, weight of the residual of each class alone. Equation: [crnrc] (5).
    coder_tau : float, default=0.0
        τ ≥ 0, weight of ‖X·s‖². Equation: [dnrc].
    coder_affine : bool, default=False
        Coefficients add up to 1. Equation: [ancr] (4).
    coder_rho : float, default=0.1
        ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        1 to 1000000, number of passes.
    coder_iterate : {'c', 'z'}, default='c'
        Which of the two copies classifies: c, as in the authors' programs, or z, which
        satisfies the constraints.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'crnrc'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.0),
        ('coder_nu', 'coder.nu', 0.01),
        ('coder_tau', 'coder.tau', 0.0),
        ('coder_affine', 'coder.affine', False),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_iterate', 'coder.iterate', 'c'),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.0,
        coder_nu: float = 0.01,
        coder_tau: float = 0.0,
        coder_affine: bool = False,
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_iterate: str = 'c',
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_nu = coder_nu
        self.coder_tau = coder_tau
        self.coder_affine = coder_affine
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_iterate = coder_iterate
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class DNRC(Method):
    """DNRC: NRC with a penalty on what all training images rebuild; the class with the least
    residual.

    The problem that it solves::

        min_s ‖y − X·s‖² + τ‖X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.0
        λ ≥ 0, weight of ‖s‖². Equation: [ancr] (4).
    coder_nu : float, default=0.0
        ν ≥ 0, weight of the residual of each class alone. Equation: [crnrc] (5).
    coder_tau : float, default=0.1
        τ ≥ 0, weight of ‖X·s‖². Equation: [dnrc].
    coder_affine : bool, default=False
        Coefficients add up to 1. Equation: [ancr] (4).
    coder_rho : float, default=0.1
        ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        1 to 1000000, number of passes.
    coder_iterate : {'c', 'z'}, default='c'
        Which of the two copies classifies: c, as in the authors' programs, or z, which
        satisfies the constraints.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'dnrc'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.0),
        ('coder_nu', 'coder.nu', 0.0),
        ('coder_tau', 'coder.tau', 0.1),
        ('coder_affine', 'coder.affine', False),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_iterate', 'coder.iterate', 'c'),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.0,
        coder_nu: float = 0.0,
        coder_tau: float = 0.1,
        coder_affine: bool = False,
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_iterate: str = 'c',
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_nu = coder_nu
        self.coder_tau = coder_tau
        self.coder_affine = coder_affine
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_iterate = coder_iterate
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LRCNRC(Method):
    """LRC + NRC: LRC and NRC; the class with the least sum of both residuals, each scaled to 0 to
    1.

    The problem that it solves::

        r_c = min_s ‖y − X_c·s‖  (LRC),  q_c = ‖y − X_c·s_c‖  with the s of NRC
        class: min_c ω·r̂_c + (1 − ω)·q̂_c,  r̂_c = (r_c − min r)/(max r − min r),  q̂ likewise

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_weight : float, default=0.8
        0 to 1, ω, weight of the representation by each class alone. Equation: [lrcnrc].
    coder_rho : float, default=0.1
        ρ > 0, penalty of the splitting of the non-negative code. Equation: [nrc].
    coder_passes : int, default=5
        1 to 1000000, number of its passes. Equation: [nrc].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lrc-nrc'
    _parameters = (
        ('coder_weight', 'coder.weight', 0.8),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
    )

    def __init__(
        self,
        *,
        coder_weight: float = 0.8,
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_weight = coder_weight
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NSCR(Method):
    """NSCR: NRC with an ℓ1 and an ℓ2 penalty; the class with the least residual.

    The problem that it solves::

        min_s ‖y − X·s‖² + α‖s‖² + β‖s‖₁  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 4100000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=1.0
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=25
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.1
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.001
        α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nscr'
    _parameters = (
        ('coder_solver', 'coder.solver', 'admm'),
        ('coder_rho', 'coder.rho', 1.0),
        ('coder_passes', 'coder.passes', 25),
        ('coder_l1', 'coder.l1', 0.1),
        ('coder_l2', 'coder.l2', 0.001),
    )

    def __init__(
        self,
        *,
        coder_solver: str = 'admm',
        coder_rho: float = 1.0,
        coder_passes: int = 25,
        coder_l1: float = 0.1,
        coder_l2: float = 0.001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class KNRC(Method):
    """KNRC: NRC in the feature space of a kernel; the class with the least residual there.

    The problem that it solves::

        min_s ‖φ(y) − φ(X)·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖φ(y) − φ(X_c)·s_c‖

    memory: 16 GiB are enough for 18000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    kernel : {'rbf', 'polynomial'}, default='rbf'
        rbf: exp(−‖a − b‖²/2w²); polynomial: ((aᵀb + o)/(1 + o))^p. Equation: [ksrc].
    scale : float, default=1.0
        With kernel=rbf: width w of rbf, as a multiple of the median distance of two training
        images.
    degree : int, default=2
        With kernel=polynomial: p ≥ 1, degree of polynomial.
    offset : float, default=1.0
        With kernel=polynomial: o ≥ 0, offset of polynomial.
    coder_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=10
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'knrc'
    _parameters = (
        ('kernel', 'kernel', 'rbf'),
        ('scale', 'scale', 1.0),
        ('degree', 'degree', 2),
        ('offset', 'offset', 1.0),
        ('coder_solver', 'coder.solver', 'admm'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 10),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
    )

    def __init__(
        self,
        *,
        kernel: str = 'rbf',
        scale: float = 1.0,
        degree: int = 2,
        offset: float = 1.0,
        coder_solver: str = 'admm',
        coder_rho: float = 0.1,
        coder_passes: int = 10,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.scale = scale
        self.degree = degree
        self.offset = offset
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class KCRC(Method):
    """KCRC: CRC in the feature space of a kernel; the class with the least residual there for its
    code.

    The problem that it solves::

        min_s ‖φ(y) − φ(X)·s‖² + κ·N/700·‖s‖²;  class: min_c ‖φ(y) − φ(X_c)·s_c‖ / ‖s_c‖

    memory: 16 GiB are enough for 20000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    kernel : {'rbf', 'polynomial'}, default='rbf'
        rbf: exp(−‖a − b‖²/2w²); polynomial: ((aᵀb + o)/(1 + o))^p. Equation: [ksrc].
    scale : float, default=1.0
        With kernel=rbf: width w of rbf, as a multiple of the median distance of two training
        images.
    degree : int, default=2
        With kernel=polynomial: p ≥ 1, degree of polynomial.
    offset : float, default=1.0
        With kernel=polynomial: o ≥ 0, offset of polynomial.
    kappa : float, default=0.001
        κ, weight of ‖s‖² for 700 samples; it grows with their number N as κ·N/700. Equation:
        [crc] (6).
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'kcrc'
    _parameters = (
        ('kernel', 'kernel', 'rbf'),
        ('scale', 'scale', 1.0),
        ('degree', 'degree', 2),
        ('offset', 'offset', 1.0),
        ('kappa', 'kappa', 0.001),
    )

    def __init__(
        self,
        *,
        kernel: str = 'rbf',
        scale: float = 1.0,
        degree: int = 2,
        offset: float = 1.0,
        kappa: float = 0.001,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.scale = scale
        self.degree = degree
        self.offset = offset
        self.kappa = kappa
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class KSRC(Method):
    """KSRC: SRC in the feature space of a kernel; the class with the least residual there.

    The problem that it solves::

        min_s ½‖φ(y) − φ(X)·s‖² + λ‖s‖₁;  class: min_c ‖φ(y) − φ(X_c)·s_c‖

    memory: 16 GiB are enough for 20000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    kernel : {'rbf', 'polynomial'}, default='rbf'
        rbf: exp(−‖a − b‖²/2w²); polynomial: ((aᵀb + o)/(1 + o))^p. Equation: [ksrc].
    scale : float, default=1.0
        With kernel=rbf: width w of rbf, as a multiple of the median distance of two training
        images.
    degree : int, default=2
        With kernel=polynomial: p ≥ 1, degree of polynomial.
    offset : float, default=1.0
        With kernel=polynomial: o ≥ 0, offset of polynomial.
    coder_lambda : float, default=0.01
        λ > 0, weight of ‖s‖₁.
    coder_gap : float, default=1e-06
        Duality gap > 0 that a code may have, in units of ‖y‖².
    coder_positive : bool, default=False
        Ask for s ≥ 0.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'ksrc'
    _parameters = (
        ('kernel', 'kernel', 'rbf'),
        ('scale', 'scale', 1.0),
        ('degree', 'degree', 2),
        ('offset', 'offset', 1.0),
        ('coder_lambda', 'coder.lambda', 0.01),
        ('coder_gap', 'coder.gap', 1e-06),
        ('coder_positive', 'coder.positive', False),
    )

    def __init__(
        self,
        *,
        kernel: str = 'rbf',
        scale: float = 1.0,
        degree: int = 2,
        offset: float = 1.0,
        coder_lambda: float = 0.01,
        coder_gap: float = 1e-06,
        coder_positive: bool = False,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.scale = scale
        self.degree = degree
        self.offset = offset
        self.coder_lambda = coder_lambda
        self.coder_gap = coder_gap
        self.coder_positive = coder_positive
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class DSRC(Method):
    """DSRC: representation by the training images with little correlation between classes; the
    class with the least residual.

    The problem that it solves::

        min_s ‖y − X·s‖² + τ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²;  class: min_c ‖y − X_c·s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_tau : float, default=0.0003
        τ ≥ 0, weight of the correlation between the classes. Equation: [dsrc].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'dsrc'
    _parameters = (
        ('coder_tau', 'coder.tau', 0.0003),
    )

    def __init__(
        self,
        *,
        coder_tau: float = 0.0003,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_tau = coder_tau
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class ProCRC(Method):
    """ProCRC: ridge representation by the training images in which classes agree; the class
    nearest to what all rebuild.

    The problem that it solves::

        min_s ‖y − X·s‖² + λ‖s‖² + γ/C·Σ_i ‖X·s − X_i·s_i‖²;  class: min_c ‖X·s − X_c·s_c‖

    memory: 16 GiB are enough for 32000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.01
        λ ≥ 0, weight of ‖s‖². Equation: [procrc].
    coder_gamma : float, default=0.1
        γ ≥ 0, weight of the distance of each class from what all rebuild. Equation: [procrc].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'procrc'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.01),
        ('coder_gamma', 'coder.gamma', 0.1),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.01,
        coder_gamma: float = 0.1,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_gamma = coder_gamma
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class SAProCRC(Method):
    """SA-ProCRC: the code of ProCRC and a sparse one, added; the class with the largest sum of
    coefficients.

    The problem that it solves::

        š = argmin_s ‖y − X·s‖² + λ‖s‖² + γ/C·Σ_i ‖X·s − X_i·s_i‖²
        ŝ = argmin_s ‖y − X·s‖²  s.t. ‖s‖₀ ≤ T₀,  by orthogonal matching pursuit
        class: max_c 1ᵀ(š + ŝ)_c

    memory: 16 GiB are enough for 26000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_lambda : float, default=0.01
        λ ≥ 0, weight of ‖s‖² in the dense code. Equation: [procrc].
    coder_gamma : float, default=0.1
        γ ≥ 0, weight of the distance of each class from what all rebuild. Equation: [procrc].
    coder_sparsity : int, default=50
        T₀ ≥ 1, most atoms of the sparse code; more than there are is all of them. Equation:
        [saprocrc].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'sa-procrc'
    _parameters = (
        ('coder_lambda', 'coder.lambda', 0.01),
        ('coder_gamma', 'coder.gamma', 0.1),
        ('coder_sparsity', 'coder.sparsity', 50),
    )

    def __init__(
        self,
        *,
        coder_lambda: float = 0.01,
        coder_gamma: float = 0.1,
        coder_sparsity: int = 50,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_lambda = coder_lambda
        self.coder_gamma = coder_gamma
        self.coder_sparsity = coder_sparsity
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class Representation(Method):
    """Representation: representation by the training images, coder and rule of your choice.

    The problem that it solves::

        s: the code of y over X, by the coder;  class: max_c of its score, by the rule

    memory: 16 GiB are enough for 4100000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded over the training samples.
    coder_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    rule : {'residual', 'normed-residual', 'collaborative', 'cost', 'sum', 'huber', 'votes', 'cosine'}, default='residual'
        How the code scores the classes; huber needs a robust coder, cost the coder classlasso,
        votes the coder blocks, cosine the coder inner.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'representation'
    _parameters = (
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'admm'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
        ('rule', 'rule', 'residual'),
    )

    def __init__(
        self,
        *,
        coder: str = 'nonnegative',
        coder_solver: str = 'admm',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        rule: str = 'residual',
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.rule = rule
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class Robust(Method):
    """Robust: non-negative representation by the training images with a sparse error; the class
    with the least Huber loss.

    The problem that it solves::

        min_{s,e} ½‖y − X·s − e‖² + λ‖e‖₁  s.t. s ≥ 0,  by a fixed number of rounds;  class: min_c Σ_i h(y − X_c·s_c)_i,  h Huber's function of λ

    memory: 16 GiB are enough for 3300000 samples of 128 numbers (doc/scale.md).

    Parameters
    ----------
    coder_estimator : {'huber', 'irls'}, default='huber'
        huber: non-negative code and sparse error; irls: iteratively reweighted ridge coding.
    coder_lambda : float, default=0.04
        λ√d > 0, error from which a feature counts linearly, as a part of the root mean square
        of the sample's features; huber, and the huber weights.
    coder_rounds : int, default=20
        1 to 1000000, how often the errors are estimated.
    coder_rho : float, default=1.0
        With coder.estimator=huber: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.estimator=huber: 1 to 1000000, passes on the code in a round.
    coder_weights : {'huber', 'logistic'}, default='logistic'
        With coder.estimator=irls: how much a feature counts.
    coder_quantile : float, default=0.6
        With coder.weights=logistic: τ, 0 to 1, part of the features taken to be right.
        Equation: [rrc].
    coder_steepness : float, default=2.0
        With coder.weights=logistic: ς > 0, how fast the weights fall at the quantile. Equation:
        [rrc].
    coder_l2 : float, default=0.01
        With coder.estimator=irls: α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'robust'
    _parameters = (
        ('coder_estimator', 'coder.estimator', 'huber'),
        ('coder_lambda', 'coder.lambda', 0.04),
        ('coder_rounds', 'coder.rounds', 20),
        ('coder_rho', 'coder.rho', 1.0),
        ('coder_passes', 'coder.passes', 5),
        ('coder_weights', 'coder.weights', 'logistic'),
        ('coder_quantile', 'coder.quantile', 0.6),
        ('coder_steepness', 'coder.steepness', 2.0),
        ('coder_l2', 'coder.l2', 0.01),
    )

    def __init__(
        self,
        *,
        coder_estimator: str = 'huber',
        coder_lambda: float = 0.04,
        coder_rounds: int = 20,
        coder_rho: float = 1.0,
        coder_passes: int = 5,
        coder_weights: str = 'logistic',
        coder_quantile: float = 0.6,
        coder_steepness: float = 2.0,
        coder_l2: float = 0.01,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_estimator = coder_estimator
        self.coder_lambda = coder_lambda
        self.coder_rounds = coder_rounds
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_weights = coder_weights
        self.coder_quantile = coder_quantile
        self.coder_steepness = coder_steepness
        self.coder_l2 = coder_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class Blocks(Method):
    """Blocks: representation of blocks of the image by those of the training images; the class
    with most votes.

    The problem that it solves::

        for every block b:  s_b: the code of y_b over X_b,  R_c = ‖y_b − X_bc·s_bc‖;  class: max_c Σ_b exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄))

    Parameters
    ----------
    coder_side : int, default=8
        1 to 1024, side of a block, pixels; that of the image where it is smaller.
    coder_step : int, default=8
        1 to 1024 and at least side/8, from one block to the next, pixels.
    coder_temperature : float, default=0.1
        T > 0, how much a block prefers its best class, as a part of its mean residual; votes
        only.
    coder_inner : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a block is coded.
    coder_inner_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_inner_rho : float, default=0.1
        With coder.inner.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_inner_passes : int, default=5
        With coder.inner.solver=admm: 1 to 1000000, number of passes.
    coder_inner_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_inner_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'blocks'
    _parameters = (
        ('coder_side', 'coder.side', 8),
        ('coder_step', 'coder.step', 8),
        ('coder_temperature', 'coder.temperature', 0.1),
        ('coder_inner', 'coder.inner', 'nonnegative'),
        ('coder_inner_solver', 'coder.inner.solver', 'admm'),
        ('coder_inner_rho', 'coder.inner.rho', 0.1),
        ('coder_inner_passes', 'coder.inner.passes', 5),
        ('coder_inner_l1', 'coder.inner.l1', 0.0),
        ('coder_inner_l2', 'coder.inner.l2', 0.0),
    )

    def __init__(
        self,
        *,
        coder_side: int = 8,
        coder_step: int = 8,
        coder_temperature: float = 0.1,
        coder_inner: str = 'nonnegative',
        coder_inner_solver: str = 'admm',
        coder_inner_rho: float = 0.1,
        coder_inner_passes: int = 5,
        coder_inner_l1: float = 0.0,
        coder_inner_l2: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_side = coder_side
        self.coder_step = coder_step
        self.coder_temperature = coder_temperature
        self.coder_inner = coder_inner
        self.coder_inner_solver = coder_inner_solver
        self.coder_inner_rho = coder_inner_rho
        self.coder_inner_passes = coder_inner_passes
        self.coder_inner_l1 = coder_inner_l1
        self.coder_inner_l2 = coder_inner_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class KSVD(Method):
    """K-SVD: dictionary for sparse codes; then a linear classifier of the codes.

    The problem that it solves::

        min_{D,S}  ‖X − DS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 28000 samples of 128 numbers; for 1500000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    passes : int, default=50
        Passes over the samples; 0 leaves the atoms as they are.
    min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    atoms : int, default=0
        K_c, atoms per class; 0 starts from every training sample as an atom.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=20
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    ridge : float, default=1.0
        λ of the ridge regression of labels onto codes. Equation: [lcksvd].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'ksvd'
    _iterative = True
    _parameters = (
        ('sparsity', 'sparsity', None),
        ('error', 'error', 0.0),
        ('passes', 'passes', 50),
        ('min_uses', 'min_uses', 4),
        ('coherence', 'coherence', 0.99),
        ('monotone', 'monotone', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 20),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('ridge', 'ridge', 1.0),
    )

    def __init__(
        self,
        *,
        sparsity: int | None = None,
        error: float = 0.0,
        passes: int = 50,
        min_uses: int = 4,
        coherence: float = 0.99,
        monotone: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 20,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        ridge: float = 1.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.sparsity = sparsity
        self.error = error
        self.passes = passes
        self.min_uses = min_uses
        self.coherence = coherence
        self.monotone = monotone
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.ridge = ridge
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class DKSVD(Method):
    """D-KSVD: dictionary for sparse codes and linear classifier learned together.

    The problem that it solves::

        min_{D,S,W}  ‖X − DS‖² + γ‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 28000 samples of 128 numbers; for 1500000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    passes : int, default=50
        Passes over the samples; 0 leaves the atoms as they are.
    min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    atoms : int, default=0
        K_c, atoms per class; 0 starts from every training sample as an atom.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=20
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    ridge : float, default=1.0
        λ of the ridge regression of labels onto codes. Equation: [lcksvd].
    gamma : float, default=1.0
        γ, weight of the classification error; > 0. Equation: [dksvd].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'dksvd'
    _iterative = True
    _parameters = (
        ('sparsity', 'sparsity', None),
        ('error', 'error', 0.0),
        ('passes', 'passes', 50),
        ('min_uses', 'min_uses', 4),
        ('coherence', 'coherence', 0.99),
        ('monotone', 'monotone', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 20),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('ridge', 'ridge', 1.0),
        ('gamma', 'gamma', 1.0),
    )

    def __init__(
        self,
        *,
        sparsity: int | None = None,
        error: float = 0.0,
        passes: int = 50,
        min_uses: int = 4,
        coherence: float = 0.99,
        monotone: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 20,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        ridge: float = 1.0,
        gamma: float = 1.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.sparsity = sparsity
        self.error = error
        self.passes = passes
        self.min_uses = min_uses
        self.coherence = coherence
        self.monotone = monotone
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.ridge = ridge
        self.gamma = gamma
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LCKSVD1(Method):
    """LC-KSVD1: dictionary for label-consistent sparse codes; then a linear classifier of the
    codes.

    The problem that it solves::

        min_{D,S,A}  ‖X − DS‖² + α‖Q − AS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 28000 samples of 128 numbers; for 1500000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    passes : int, default=50
        Passes over the samples; 0 leaves the atoms as they are.
    min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    atoms : int, default=0
        K_c, atoms per class; 0 starts from every training sample as an atom.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=20
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    ridge : float, default=1.0
        λ of the ridge regression of labels onto codes. Equation: [lcksvd].
    alpha : float, default=0.1
        α, weight of the label consistency. Equation: [lcksvd].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lcksvd1'
    _iterative = True
    _parameters = (
        ('sparsity', 'sparsity', None),
        ('error', 'error', 0.0),
        ('passes', 'passes', 50),
        ('min_uses', 'min_uses', 4),
        ('coherence', 'coherence', 0.99),
        ('monotone', 'monotone', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 20),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('ridge', 'ridge', 1.0),
        ('alpha', 'alpha', 0.1),
    )

    def __init__(
        self,
        *,
        sparsity: int | None = None,
        error: float = 0.0,
        passes: int = 50,
        min_uses: int = 4,
        coherence: float = 0.99,
        monotone: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 20,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        ridge: float = 1.0,
        alpha: float = 0.1,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.sparsity = sparsity
        self.error = error
        self.passes = passes
        self.min_uses = min_uses
        self.coherence = coherence
        self.monotone = monotone
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.ridge = ridge
        self.alpha = alpha
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LCKSVD2(Method):
    """LC-KSVD2: dictionary for label-consistent sparse codes and linear classifier learned
    together.

    The problem that it solves::

        min_{D,S,A,W}  ‖X − DS‖² + α‖Q − AS‖² + β‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 28000 samples of 128 numbers; for 1500000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    passes : int, default=50
        Passes over the samples; 0 leaves the atoms as they are.
    min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    atoms : int, default=0
        K_c, atoms per class; 0 starts from every training sample as an atom.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=20
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    ridge : float, default=1.0
        λ of the ridge regression of labels onto codes. Equation: [lcksvd].
    alpha : float, default=0.05
        α, weight of the label consistency. Equation: [lcksvd].
    beta : float, default=0.5
        β, weight of the classification error; > 0. Equation: [lcksvd].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lcksvd2'
    _iterative = True
    _parameters = (
        ('sparsity', 'sparsity', None),
        ('error', 'error', 0.0),
        ('passes', 'passes', 50),
        ('min_uses', 'min_uses', 4),
        ('coherence', 'coherence', 0.99),
        ('monotone', 'monotone', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 20),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('ridge', 'ridge', 1.0),
        ('alpha', 'alpha', 0.05),
        ('beta', 'beta', 0.5),
    )

    def __init__(
        self,
        *,
        sparsity: int | None = None,
        error: float = 0.0,
        passes: int = 50,
        min_uses: int = 4,
        coherence: float = 0.99,
        monotone: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 20,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        ridge: float = 1.0,
        alpha: float = 0.05,
        beta: float = 0.5,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.sparsity = sparsity
        self.error = error
        self.passes = passes
        self.min_uses = min_uses
        self.coherence = coherence
        self.monotone = monotone
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.ridge = ridge
        self.alpha = alpha
        self.beta = beta
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LEDL(Method):
    """LEDL: LC-KSVD2 with an ℓ1 penalty: dictionary, label-consistent codes and linear classifier
    learned together.

    The problem that it solves::

        min_{D,S,A,W}  ‖X − DS‖² + λ‖H − WS‖² + ω‖Q − AS‖² + 2ε‖S‖₁   s.t. ‖d_k‖, ‖w_k‖, ‖a_k‖ ≤ 1
        class: max_c (W·s)_c,  s = argmin ‖y − Ds‖² + 2ε‖s‖₁

    memory: 16 GiB are enough for 12000 samples of 128 numbers; for 200000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.5
        λ > 0, weight of the classification error. Equation: [ledl] (4).
    omega : float, default=0.05
        ω ≥ 0, weight of the label consistency. Equation: [ledl] (4).
    epsilon : float, default=0.0025
        ε > 0, half of the weight of ‖S‖₁. Equation: [ledl] (4).
    atoms : int, default=0
        K_c, atoms per class; 0 takes as many as its training images.
    passes : int, default=1000
        At most so many passes.
    tol : float, default=5e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=7
        Steps that the codes make in a pass. Equation: [admm].
    rho : float, default=1.0
        ρ > 0, penalty of the splitting of the codes. Equation: [admm].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'ledl'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.5),
        ('omega', 'omega', 0.05),
        ('epsilon', 'epsilon', 0.0025),
        ('atoms', 'atoms', 0),
        ('passes', 'passes', 1000),
        ('tol', 'tol', 5e-05),
        ('steps', 'steps', 7),
        ('rho', 'rho', 1.0),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.5,
        omega: float = 0.05,
        epsilon: float = 0.0025,
        atoms: int = 0,
        passes: int = 1000,
        tol: float = 5e-05,
        steps: int = 7,
        rho: float = 1.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.omega = omega
        self.epsilon = epsilon
        self.atoms = atoms
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.rho = rho
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class DLSI(Method):
    """DLSI: sparse codes over dictionaries of the classes that are incoherent; the class with the
    least cost.

    The problem that it solves::

        min_{D,A}  Σ_i (‖X_i − D_iA_i‖² + λ‖A_i‖₁) + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
        class: min_c min_s ‖y − D_c·s‖² + λ‖s‖₁

    memory: 16 GiB are enough for 430000 samples of 128 numbers; for 4100000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.01
        λ > 0, weight of ‖A_i‖₁. Equation: [dlsi].
    eta : float, default=0.001
        η ≥ 0, weight of the incoherence. Equation: [dlsi].
    atoms : int, default=0
        m, atoms per class; 0 takes as many as its training images.
    passes : int, default=0
        At most so many passes; 0: 1000, but 10 without a tolerance where every image is an
        atom, as published.
    tol : float, default=5e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=5
        Gradient steps of the atoms of a class in a pass.
    gap : float, default=1e-06
        Duality gap > 0 of a code, in units of ‖y‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'dlsi'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.01),
        ('eta', 'eta', 0.001),
        ('atoms', 'atoms', 0),
        ('passes', 'passes', 0),
        ('tol', 'tol', 5e-05),
        ('steps', 'steps', 5),
        ('gap', 'gap', 1e-06),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.01,
        eta: float = 0.001,
        atoms: int = 0,
        passes: int = 0,
        tol: float = 5e-05,
        steps: int = 5,
        gap: float = 1e-06,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.eta = eta
        self.atoms = atoms
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.gap = gap
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class COPAR(Method):
    """COPAR: sparse codes over atoms of the classes and atoms common to all; the class with the
    least residual.

    The problem that it solves::

        min_{D,S}  Σ_i (‖X_i − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i,0} ‖S_i^j‖²)
                   + λ‖S‖₁ + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
        class: min_c ‖y − D₀·s_0 − D_c·s_c‖,  s = argmin ‖y − Ds‖² + λ‖s‖₁

    memory: 16 GiB are enough for 14000 samples of 128 numbers; for 320000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.005
        λ > 0, weight of ‖S‖₁. Equation: [copar].
    eta : float, default=0.001
        η ≥ 0, weight of the incoherence. Equation: [copar].
    atoms : int, default=0
        m, atoms per class; 0 takes as many as its training images.
    common : int, default=5
        m₀ ≥ 1, common atoms; more than there are samples is as many.
    passes : int, default=0
        At most so many passes; 0: 1000, but 10 without a tolerance where every image is an
        atom, as published.
    tol : float, default=3e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=7
        Steps that the codes, and the atoms of a class, make in a pass.
    rho : float, default=1.0
        ρ > 0, penalty of the splitting of the codes. Equation: [admm].
    rule : {'global', 'local'}, default='global'
        global: a query is coded over all atoms; local: over those of each class and the common
        ones, and the class has the least cost. Equation: [copar] 4.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'copar'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.005),
        ('eta', 'eta', 0.001),
        ('atoms', 'atoms', 0),
        ('common', 'common', 5),
        ('passes', 'passes', 0),
        ('tol', 'tol', 3e-05),
        ('steps', 'steps', 7),
        ('rho', 'rho', 1.0),
        ('rule', 'rule', 'global'),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.005,
        eta: float = 0.001,
        atoms: int = 0,
        common: int = 5,
        passes: int = 0,
        tol: float = 3e-05,
        steps: int = 7,
        rho: float = 1.0,
        rule: str = 'global',
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.eta = eta
        self.atoms = atoms
        self.common = common
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.rho = rho
        self.rule = rule
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LRSDL(Method):
    """LRSDL: FDDL with common atoms of low rank; the class with the least residual and the nearest
    mean code.

    The problem that it solves::

        min_{D,S}  ½Σ_i (‖X_i − D₀S_i^0 − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
                   + λ₁(‖S‖₁ + ‖S⁰‖₁) + ½λ₂(tr(S_w − S_b) + ‖S‖² + ‖S⁰ − M⁰‖²) + η‖D₀‖_*   s.t. ‖d_k‖ ≤ 1
        class: min_c ‖y − D₀·s₀ − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ½‖y − Ds − D₀s₀‖² + λ₁‖s‖₁ + λ₁‖s₀‖₁ + ½λ₂‖s₀ − m₀‖²

    memory: 16 GiB are enough for 15000 samples of 128 numbers; for 370000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda1 : float, default=0.0025
        λ₁ > 0, weight of ‖S‖₁ and ‖S⁰‖₁. Equation: [lrsdl].
    lambda2 : float, default=0.05
        λ₂ ≥ 0, weight of the Fisher criterion and of ‖S⁰ − M⁰‖². Equation: [lrsdl].
    eta : float, default=0.02
        η ≥ 0, weight of ‖D₀‖_*. Equation: [lrsdl].
    atoms : int, default=0
        K_c, atoms per class; 0 takes as many as its training images.
    common : int, default=5
        m₀ ≥ 1, common atoms; more than there are samples is as many.
    passes : int, default=0
        At most so many passes; 0: 1000, but 15 without a tolerance where every image is an
        atom, as published.
    tol : float, default=5e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=7
        Steps that the codes, and D₀, make in a pass. Equation: [admm].
    rho : float, default=1.0
        ρ > 0, penalty of the splitting of the codes. Equation: [admm].
    omega : float, default=1.6
        ω, 1 to 2, over-relaxation of the steps; 1 is none. Equation: [admm] 3.4.3.
    weight : float, default=0.5
        w, weight of the distance to the mean code of a class.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lrsdl'
    _iterative = True
    _parameters = (
        ('lambda1', 'lambda1', 0.0025),
        ('lambda2', 'lambda2', 0.05),
        ('eta', 'eta', 0.02),
        ('atoms', 'atoms', 0),
        ('common', 'common', 5),
        ('passes', 'passes', 0),
        ('tol', 'tol', 5e-05),
        ('steps', 'steps', 7),
        ('rho', 'rho', 1.0),
        ('omega', 'omega', 1.6),
        ('weight', 'weight', 0.5),
    )

    def __init__(
        self,
        *,
        lambda1: float = 0.0025,
        lambda2: float = 0.05,
        eta: float = 0.02,
        atoms: int = 0,
        common: int = 5,
        passes: int = 0,
        tol: float = 5e-05,
        steps: int = 7,
        rho: float = 1.0,
        omega: float = 1.6,
        weight: float = 0.5,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.eta = eta
        self.atoms = atoms
        self.common = common
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.rho = rho
        self.omega = omega
        self.weight = weight
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class SBD2L(Method):
    """SBD²L: dictionary of samples less a sparse error, with codes of low rank that are nearly
    block diagonal; linear classifier.

    The problem that it solves::

        min_{D,S,B,R}  ½‖X − DS − B‖² + α‖S‖_* + β‖B‖₁ + ½λ₁‖S − Q − R‖² + λ₂ Σ_i ‖R_i‖₂,₁
        class: max_c (W·s)_c,  (s, b) = argmin ½‖y − Ds − b‖² + α‖s‖ + β‖b‖₁

    memory: 16 GiB are enough for 10000 samples of 128 numbers; for 18000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    coder_alpha : float, default=0.0005
        α > 0, weight of the norm of the code. Equation: [sbd2l].
    coder_beta : float, default=0.0001
        β > 0, weight of ‖b‖₁, the sparse error. Equation: [sbd2l].
    coder_mu : float, default=1e-05
        μ > 0, penalty of the splitting in the first pass. Equation: [admm].
    coder_growth : float, default=1.1
        Factor > 1 of μ from pass to pass.
    coder_tol : float, default=1e-06
        > 0; converged when s and j differ by less.
    coder_passes : int, default=1000
        1 to 1000000, at most so many passes.
    lambda1 : float, default=0.0005
        λ₁ > 0, weight of the distance of the codes to Q + R. Equation: [sbd2l].
    lambda2 : float, default=0.0001
        λ₂ ≥ 0, weight of the slack R. Equation: [sbd2l].
    atoms : int, default=0
        K_c, atoms per class; 0 takes as many as its training images.
    shrink : float, default=0.0001
        Weight > 0 of ‖D‖² in the update of D. Equation: [sbd2l].
    ridge : float, default=0.1
        Weight > 0 of ‖W‖² in the linear classifier. Equation: [lcksvd].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'sbd2l'
    _iterative = True
    _parameters = (
        ('coder_alpha', 'coder.alpha', 0.0005),
        ('coder_beta', 'coder.beta', 0.0001),
        ('coder_mu', 'coder.mu', 1e-05),
        ('coder_growth', 'coder.growth', 1.1),
        ('coder_tol', 'coder.tol', 1e-06),
        ('coder_passes', 'coder.passes', 1000),
        ('lambda1', 'lambda1', 0.0005),
        ('lambda2', 'lambda2', 0.0001),
        ('atoms', 'atoms', 0),
        ('shrink', 'shrink', 0.0001),
        ('ridge', 'ridge', 0.1),
    )

    def __init__(
        self,
        *,
        coder_alpha: float = 0.0005,
        coder_beta: float = 0.0001,
        coder_mu: float = 1e-05,
        coder_growth: float = 1.1,
        coder_tol: float = 1e-06,
        coder_passes: int = 1000,
        lambda1: float = 0.0005,
        lambda2: float = 0.0001,
        atoms: int = 0,
        shrink: float = 0.0001,
        ridge: float = 0.1,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.coder_alpha = coder_alpha
        self.coder_beta = coder_beta
        self.coder_mu = coder_mu
        self.coder_growth = coder_growth
        self.coder_tol = coder_tol
        self.coder_passes = coder_passes
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.atoms = atoms
        self.shrink = shrink
        self.ridge = ridge
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class DPL(Method):
    """DPL: a pair of dictionaries per class, one that codes by a product and one that rebuilds;
    the class with the least residual.

    The problem that it solves::

        min_{D,P,A}  Σ_k (‖X_k − D_kA_k‖² + τ‖P_kX_k − A_k‖² + λ‖P_kX̄_k‖² + γ‖P_k‖²)   s.t. ‖d_i‖ ≤ 1
        class: min_c ‖y − D_cP_c·y‖

    memory: 16 GiB are enough for 22000 samples of 128 numbers; for 23000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    tau : float, default=0.05
        τ > 0, weight of ‖P_kX_k − A_k‖². Equation: [dpl].
    lambda_ : float, default=0.003
        λ > 0, weight of the codes of other classes. Equation: [dpl].
    gamma : float, default=0.0001
        γ > 0, weight of ‖P_k‖². Equation: [dpl].
    atoms : int, default=0
        m, atoms per class; 0 takes as many as its training images.
    passes : int, default=20
        At most so many passes.
    tol : float, default=0.0
        Converged when a pass lowers J by less than this part of it.
    sweeps : int, default=10
        How often a pass renews each atom of D_k.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'dpl'
    _iterative = True
    _parameters = (
        ('tau', 'tau', 0.05),
        ('lambda_', 'lambda', 0.003),
        ('gamma', 'gamma', 0.0001),
        ('atoms', 'atoms', 0),
        ('passes', 'passes', 20),
        ('tol', 'tol', 0.0),
        ('sweeps', 'sweeps', 10),
    )

    def __init__(
        self,
        *,
        tau: float = 0.05,
        lambda_: float = 0.003,
        gamma: float = 0.0001,
        atoms: int = 0,
        passes: int = 20,
        tol: float = 0.0,
        sweeps: int = 10,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.tau = tau
        self.lambda_ = lambda_
        self.gamma = gamma
        self.atoms = atoms
        self.passes = passes
        self.tol = tol
        self.sweeps = sweeps
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class FDDL(Method):
    """FDDL: class-wise dictionary with codes by the Fisher criterion; the class with the least
    residual and the nearest mean code.

    The problem that it solves::

        min_{D,S}  Σ_i (‖X_i − DS_i‖² + ‖X_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
                   + λ₁‖S‖₁ + λ₂(tr(S_w − S_b) + η‖S‖²)   s.t. ‖d_k‖ = 1
        class: min_c ‖y − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ‖y − Ds‖² + γ‖s‖₁

    memory: 16 GiB are enough for 15000 samples of 128 numbers; for 380000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda1 : float, default=0.005
        λ₁, weight of ‖S‖₁. Equation: [fddl].
    lambda2 : float, default=0.05
        λ₂, weight of the Fisher criterion. Equation: [fddl].
    eta : float, default=1.0
        η ≥ 1, weight of ‖S‖² in the Fisher criterion; 1 is the least that keeps it convex.
        Equation: [fddl].
    atoms : int, default=0
        K_c, atoms per class; 0 takes as many as its training images.
    passes : int, default=0
        At most so many passes; 0: 1000, but 15 without a tolerance where every image is an
        atom, as published.
    tol : float, default=5e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=7
        Steps that the codes make in a pass. Equation: [admm].
    rho : float, default=1.0
        ρ > 0, penalty of the splitting of the codes. Equation: [admm].
    omega : float, default=1.6
        ω, 1 to 2, over-relaxation of the steps; 1 is none. Equation: [admm] 3.4.3.
    gamma : float, default=0.005
        γ > 0, weight of ‖s‖₁ where a query is coded. Equation: [fddl].
    weight : float, default=0.5
        w, weight of the distance to the mean code of a class. Equation: [fddl].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'fddl'
    _iterative = True
    _parameters = (
        ('lambda1', 'lambda1', 0.005),
        ('lambda2', 'lambda2', 0.05),
        ('eta', 'eta', 1.0),
        ('atoms', 'atoms', 0),
        ('passes', 'passes', 0),
        ('tol', 'tol', 5e-05),
        ('steps', 'steps', 7),
        ('rho', 'rho', 1.0),
        ('omega', 'omega', 1.6),
        ('gamma', 'gamma', 0.005),
        ('weight', 'weight', 0.5),
    )

    def __init__(
        self,
        *,
        lambda1: float = 0.005,
        lambda2: float = 0.05,
        eta: float = 1.0,
        atoms: int = 0,
        passes: int = 0,
        tol: float = 5e-05,
        steps: int = 7,
        rho: float = 1.0,
        omega: float = 1.6,
        gamma: float = 0.005,
        weight: float = 0.5,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.eta = eta
        self.atoms = atoms
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.rho = rho
        self.omega = omega
        self.gamma = gamma
        self.weight = weight
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class D2L2R2(Method):
    """D²L²R²: FDDL with class dictionaries of low rank; the class with the least residual and the
    nearest mean code.

    The problem that it solves::

        min_{D,S,E}  Σ_i (‖Y_i − DS_i‖² + ‖Y_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖² + α‖D_i‖_*)
                     + λ₁‖S‖₁ + λ₂(tr(S_w − S_b) + η‖S‖²) + β‖E‖₂,₁   s.t. ‖d_k‖ ≤ 1, Y = X − E
        class: min_c ‖y − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ‖y − Ds‖² + γ‖s‖₁

    memory: 16 GiB are enough for 15000 samples of 128 numbers; for 380000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda1 : float, default=0.005
        λ₁, weight of ‖S‖₁. Equation: [fddl].
    lambda2 : float, default=0.05
        λ₂, weight of the Fisher criterion. Equation: [fddl].
    eta : float, default=1.0
        η ≥ 1, weight of ‖S‖² in the Fisher criterion; 1 is the least that keeps it convex.
        Equation: [fddl].
    atoms : int, default=0
        K_c, atoms per class; 0 takes as many as its training images.
    passes : int, default=0
        At most so many passes; 0: 1000, but 15 without a tolerance where every image is an
        atom, as published.
    tol : float, default=5e-05
        Converged when a pass lowers J by less than this part of it.
    steps : int, default=7
        Steps that the codes make in a pass. Equation: [admm].
    rho : float, default=1.0
        ρ > 0, penalty of the splitting of the codes. Equation: [admm].
    omega : float, default=1.6
        ω, 1 to 2, over-relaxation of the steps; 1 is none. Equation: [admm] 3.4.3.
    gamma : float, default=0.005
        γ > 0, weight of ‖s‖₁ where a query is coded. Equation: [fddl].
    weight : float, default=0.5
        w, weight of the distance to the mean code of a class. Equation: [fddl].
    alpha : float, default=0.01
        α ≥ 0, weight of ‖D_i‖_*. Equation: [d2l2r2].
    beta : float, default=0.0
        β, weight of ‖E‖₂,₁, the sparse error of the samples; 0 has no error. Equation:
        [d2l2r2].
    rank_steps : int, default=5
        Steps that the atoms of a class make in a pass. Equation: [admm].
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'd2l2r2'
    _iterative = True
    _parameters = (
        ('lambda1', 'lambda1', 0.005),
        ('lambda2', 'lambda2', 0.05),
        ('eta', 'eta', 1.0),
        ('atoms', 'atoms', 0),
        ('passes', 'passes', 0),
        ('tol', 'tol', 5e-05),
        ('steps', 'steps', 7),
        ('rho', 'rho', 1.0),
        ('omega', 'omega', 1.6),
        ('gamma', 'gamma', 0.005),
        ('weight', 'weight', 0.5),
        ('alpha', 'alpha', 0.01),
        ('beta', 'beta', 0.0),
        ('rank_steps', 'rank_steps', 5),
    )

    def __init__(
        self,
        *,
        lambda1: float = 0.005,
        lambda2: float = 0.05,
        eta: float = 1.0,
        atoms: int = 0,
        passes: int = 0,
        tol: float = 5e-05,
        steps: int = 7,
        rho: float = 1.0,
        omega: float = 1.6,
        gamma: float = 0.005,
        weight: float = 0.5,
        alpha: float = 0.01,
        beta: float = 0.0,
        rank_steps: int = 5,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.eta = eta
        self.atoms = atoms
        self.passes = passes
        self.tol = tol
        self.steps = steps
        self.rho = rho
        self.omega = omega
        self.gamma = gamma
        self.weight = weight
        self.alpha = alpha
        self.beta = beta
        self.rank_steps = rank_steps
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class SDRERDL(Method):
    """SDRERDL (reconstruction): reconstruction (the source's equations are not available):
    dictionary of images and their mirror images, then a linear classifier.

    The problem that it solves::

        min_{D,S,S′}  ‖X − DS‖² + τ‖X′ − DS′‖² + η‖S − S′‖² + λ(‖S‖² + ‖S′‖²) + ν‖D‖²,  X′ the mirror images of X
        min_W  ‖H − WS‖² + ρ‖W‖²
        class: max_c (W·s)_c
        (a reconstruction: the equations of the source are not known)

    memory: 16 GiB are enough for 7700 samples of 128 numbers; for 190000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    tau : float, default=1.0
        τ, weight of the mirror images.
    eta : float, default=0.001
        η, weight of the agreement of an image's code with its mirror image's.
    lambda_ : float, default=0.001
        λ, weight of the codes' size.
    nu : float, default=0.001
        ν, weight of the atoms' size.
    atoms : int, default=0
        K_c, atoms per class in D₀; 0 for as many as training samples.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=1
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    passes : int, default=10
        At most so many passes; ≥ 1.
    tol : float, default=0.0
        Converged when a pass changes D by a smaller part of itself.
    ridge : float, default=1.0
        Weight of ‖W‖² in the linear classifier. Equation: [lcksvd].
    coder_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    coder_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'sdrerdl-reconstruction'
    _iterative = True
    _parameters = (
        ('tau', 'tau', 1.0),
        ('eta', 'eta', 0.001),
        ('lambda_', 'lambda', 0.001),
        ('nu', 'nu', 0.001),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 1),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('passes', 'passes', 10),
        ('tol', 'tol', 0.0),
        ('ridge', 'ridge', 1.0),
        ('coder_sparsity', 'coder.sparsity', None),
        ('coder_error', 'coder.error', 0.0),
    )

    def __init__(
        self,
        *,
        tau: float = 1.0,
        eta: float = 0.001,
        lambda_: float = 0.001,
        nu: float = 0.001,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 1,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        passes: int = 10,
        tol: float = 0.0,
        ridge: float = 1.0,
        coder_sparsity: int | None = None,
        coder_error: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.tau = tau
        self.eta = eta
        self.lambda_ = lambda_
        self.nu = nu
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.passes = passes
        self.tol = tol
        self.ridge = ridge
        self.coder_sparsity = coder_sparsity
        self.coder_error = coder_error
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class LCLE(Method):
    """LCLE: dictionary whose codes respect nearby atoms and their classes, then a linear
    classifier.

    The problem that it solves::

        min_{D,S,V}  ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
        min_W  ‖H − WS‖² + λ‖W‖²
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 15000 samples of 128 numbers; for 380000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    alpha : float, default=0.01
        α, weight of the locality over the graph of the atoms.
    beta : float, default=0.01
        β, weight of the label embedding of the atoms.
    gamma : float, default=0.1
        γ, weight of the agreement of S and V.
    neighbours : int, default=1
        k ≥ 1, nearest atoms that an atom is joined to; more than the others is all of them.
    atoms : int, default=0
        K_c, atoms per class in D₀; 0 for as many as training samples.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=1
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    passes : int, default=10
        At most so many passes; ≥ 1.
    tol : float, default=0.0
        Converged when a pass changes D by a smaller part of itself.
    ridge : float, default=1.0
        Weight of ‖W‖² in the linear classifier. Equation: [lcksvd].
    coder_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    coder_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'lcle'
    _iterative = True
    _parameters = (
        ('alpha', 'alpha', 0.01),
        ('beta', 'beta', 0.01),
        ('gamma', 'gamma', 0.1),
        ('neighbours', 'neighbours', 1),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 1),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('passes', 'passes', 10),
        ('tol', 'tol', 0.0),
        ('ridge', 'ridge', 1.0),
        ('coder_sparsity', 'coder.sparsity', None),
        ('coder_error', 'coder.error', 0.0),
    )

    def __init__(
        self,
        *,
        alpha: float = 0.01,
        beta: float = 0.01,
        gamma: float = 0.1,
        neighbours: int = 1,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 1,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        passes: int = 10,
        tol: float = 0.0,
        ridge: float = 1.0,
        coder_sparsity: int | None = None,
        coder_error: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.neighbours = neighbours
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.passes = passes
        self.tol = tol
        self.ridge = ridge
        self.coder_sparsity = coder_sparsity
        self.coder_error = coder_error
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRDLTest(Method):
    """NRDL-test: NRDL with codes of either sign; queries coded by ridge.

    The problem that it solves::

        min_{D,S,W}  ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
                     + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 18000 samples of 128 numbers; for 760000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.0001
        λ, weight of the reconstruction by atoms of other classes. Equation: (3).
    alpha : float, default=1.0
        α, weight of the classification error; > 0. Equation: (4).
    beta : float, default=0.1
        β, weight of the incoherence of the classes' projections; twice the β of the formula.
        Equation: (4).
    gamma : float, default=0.0001
        γ, weight of the compactness over the sample graph. Equation: (4).
    squared : bool, default=False
        Graph weights 1/(1+‖x−y‖²) as the paper prints, not 1/(1+‖x−y‖) as its numbers need.
        Equation: (5).
    signed : bool, default=True
        Codes of either sign: NRDL-test, whose queries ridge codes instead of coder. Equation:
        (10).
    atoms : int, default=0
        K_c, atoms per class; 0 keeps every training sample as an atom of D₀.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    mu : float, default=1e-05
        μ, penalty of the splitting in the first pass; > 0. Equation: (9).
    growth : float, default=1.1
        Factor of μ from pass to pass; ≥ 1. Equation: (9).
    mu_max : float, default=100000000.0
        Largest μ. Equation: (9).
    tol : float, default=1e-06
        Converged when max(|WS−P|, |WS−J|) is below it. Equation: (18).
    passes : int, default=1000
        At most so many passes.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded, unless signed. Equation: (19).
    coder_solver : {'exact', 'admm', 'authors'}, default='exact'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    ridge_lambda : float, default=0.001
        λ ≥ 0, weight of ‖s‖².
    proximity : float, default=1e-05
        Weight of the proximal terms where (11), (12) or (15) is singular, as a part of the mean
        of its diagonal.
    warm_mu : float, default=0.5
        Mu of a fit that starts from an earlier model, as a part of alpha; > 0.
    warm_growth : float, default=1.5
        Growth of such a fit; ≥ 1.
    warm_proximity : float, default=0.0001
        Proximity of such a fit.
    few_l2 : float, default=2.0
        Where there are fewer atoms K than training samples N, or whole, the exact non-negative
        coder has l2 = few_l2·K/N²; 0 codes as (19).
    refit : float, default=0.0
        there, W is fitted again to the codes of the training samples, with this ridge as a part
        of their mean squared norm; 0 keeps the W of the iteration.
    whole : bool, default=False
        few_l2 and refit hold where every training sample is an atom, too: nrdl-refit.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrdl-test'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.0001),
        ('alpha', 'alpha', 1.0),
        ('beta', 'beta', 0.1),
        ('gamma', 'gamma', 0.0001),
        ('squared', 'squared', False),
        ('signed', 'signed', True),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 10),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('mu', 'mu', 1e-05),
        ('growth', 'growth', 1.1),
        ('mu_max', 'mu_max', 100000000.0),
        ('tol', 'tol', 1e-06),
        ('passes', 'passes', 1000),
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'exact'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
        ('ridge_lambda', 'ridge.lambda', 0.001),
        ('proximity', 'proximity', 1e-05),
        ('warm_mu', 'warm_mu', 0.5),
        ('warm_growth', 'warm_growth', 1.5),
        ('warm_proximity', 'warm_proximity', 0.0001),
        ('few_l2', 'few_l2', 2.0),
        ('refit', 'refit', 0.0),
        ('whole', 'whole', False),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.0001,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.0001,
        squared: bool = False,
        signed: bool = True,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 10,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        mu: float = 1e-05,
        growth: float = 1.1,
        mu_max: float = 100000000.0,
        tol: float = 1e-06,
        passes: int = 1000,
        coder: str = 'nonnegative',
        coder_solver: str = 'exact',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        ridge_lambda: float = 0.001,
        proximity: float = 1e-05,
        warm_mu: float = 0.5,
        warm_growth: float = 1.5,
        warm_proximity: float = 0.0001,
        few_l2: float = 2.0,
        refit: float = 0.0,
        whole: bool = False,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.squared = squared
        self.signed = signed
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.mu = mu
        self.growth = growth
        self.mu_max = mu_max
        self.tol = tol
        self.passes = passes
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.ridge_lambda = ridge_lambda
        self.proximity = proximity
        self.warm_mu = warm_mu
        self.warm_growth = warm_growth
        self.warm_proximity = warm_proximity
        self.few_l2 = few_l2
        self.refit = refit
        self.whole = whole
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRDL(Method):
    """NRDL: dictionary, non-negative codes and linear classifier learned together.

    The problem that it solves::

        min_{D,S,W}  ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
                     + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)   s.t. S ≥ 0
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 20000 samples of 128 numbers; for 760000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.0001
        λ, weight of the reconstruction by atoms of other classes. Equation: (3).
    alpha : float, default=1.0
        α, weight of the classification error; > 0. Equation: (4).
    beta : float, default=0.1
        β, weight of the incoherence of the classes' projections; twice the β of the formula.
        Equation: (4).
    gamma : float, default=0.0001
        γ, weight of the compactness over the sample graph. Equation: (4).
    squared : bool, default=False
        Graph weights 1/(1+‖x−y‖²) as the paper prints, not 1/(1+‖x−y‖) as its numbers need.
        Equation: (5).
    signed : bool, default=False
        Codes of either sign: NRDL-test, whose queries ridge codes instead of coder. Equation:
        (10).
    atoms : int, default=0
        K_c, atoms per class; 0 keeps every training sample as an atom of D₀.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    mu : float, default=1e-05
        μ, penalty of the splitting in the first pass; > 0. Equation: (9).
    growth : float, default=1.1
        Factor of μ from pass to pass; ≥ 1. Equation: (9).
    mu_max : float, default=100000000.0
        Largest μ. Equation: (9).
    tol : float, default=1e-06
        Converged when max(|WS−P|, |WS−J|) is below it. Equation: (18).
    passes : int, default=1000
        At most so many passes.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded, unless signed. Equation: (19).
    coder_solver : {'exact', 'admm', 'authors'}, default='exact'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    ridge_lambda : float, default=0.001
        λ ≥ 0, weight of ‖s‖².
    proximity : float, default=1e-05
        Weight of the proximal terms where (11), (12) or (15) is singular, as a part of the mean
        of its diagonal.
    warm_mu : float, default=0.5
        Mu of a fit that starts from an earlier model, as a part of alpha; > 0.
    warm_growth : float, default=1.5
        Growth of such a fit; ≥ 1.
    warm_proximity : float, default=0.0001
        Proximity of such a fit.
    few_l2 : float, default=2.0
        Where there are fewer atoms K than training samples N, or whole, the exact non-negative
        coder has l2 = few_l2·K/N²; 0 codes as (19).
    refit : float, default=0.0
        there, W is fitted again to the codes of the training samples, with this ridge as a part
        of their mean squared norm; 0 keeps the W of the iteration.
    whole : bool, default=False
        few_l2 and refit hold where every training sample is an atom, too: nrdl-refit.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrdl'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.0001),
        ('alpha', 'alpha', 1.0),
        ('beta', 'beta', 0.1),
        ('gamma', 'gamma', 0.0001),
        ('squared', 'squared', False),
        ('signed', 'signed', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 10),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('mu', 'mu', 1e-05),
        ('growth', 'growth', 1.1),
        ('mu_max', 'mu_max', 100000000.0),
        ('tol', 'tol', 1e-06),
        ('passes', 'passes', 1000),
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'exact'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
        ('ridge_lambda', 'ridge.lambda', 0.001),
        ('proximity', 'proximity', 1e-05),
        ('warm_mu', 'warm_mu', 0.5),
        ('warm_growth', 'warm_growth', 1.5),
        ('warm_proximity', 'warm_proximity', 0.0001),
        ('few_l2', 'few_l2', 2.0),
        ('refit', 'refit', 0.0),
        ('whole', 'whole', False),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.0001,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.0001,
        squared: bool = False,
        signed: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 10,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        mu: float = 1e-05,
        growth: float = 1.1,
        mu_max: float = 100000000.0,
        tol: float = 1e-06,
        passes: int = 1000,
        coder: str = 'nonnegative',
        coder_solver: str = 'exact',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        ridge_lambda: float = 0.001,
        proximity: float = 1e-05,
        warm_mu: float = 0.5,
        warm_growth: float = 1.5,
        warm_proximity: float = 0.0001,
        few_l2: float = 2.0,
        refit: float = 0.0,
        whole: bool = False,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.squared = squared
        self.signed = signed
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.mu = mu
        self.growth = growth
        self.mu_max = mu_max
        self.tol = tol
        self.passes = passes
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.ridge_lambda = ridge_lambda
        self.proximity = proximity
        self.warm_mu = warm_mu
        self.warm_growth = warm_growth
        self.warm_proximity = warm_proximity
        self.few_l2 = few_l2
        self.refit = refit
        self.whole = whole
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRDLRefit(Method):
    """NRDL (refit): NRDL whose classifier is fitted again to the codes that queries get.

    The problem that it solves::

        min_{D,S,W}  ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
                     + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)   s.t. S ≥ 0
        class: max_c (W·s)_c
        W₂ = H·Zᵀ(Z·Zᵀ + ρ‖Z‖²/N·I)⁻¹,  Z the codes of the training samples as queries are coded

    memory: 16 GiB are enough for 18000 samples of 128 numbers; for 550000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.0001
        λ, weight of the reconstruction by atoms of other classes. Equation: (3).
    alpha : float, default=1.0
        α, weight of the classification error; > 0. Equation: (4).
    beta : float, default=0.1
        β, weight of the incoherence of the classes' projections; twice the β of the formula.
        Equation: (4).
    gamma : float, default=0.0001
        γ, weight of the compactness over the sample graph. Equation: (4).
    squared : bool, default=False
        Graph weights 1/(1+‖x−y‖²) as the paper prints, not 1/(1+‖x−y‖) as its numbers need.
        Equation: (5).
    signed : bool, default=False
        Codes of either sign: NRDL-test, whose queries ridge codes instead of coder. Equation:
        (10).
    atoms : int, default=0
        K_c, atoms per class; 0 keeps every training sample as an atom of D₀.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    mu : float, default=1e-05
        μ, penalty of the splitting in the first pass; > 0. Equation: (9).
    growth : float, default=1.1
        Factor of μ from pass to pass; ≥ 1. Equation: (9).
    mu_max : float, default=100000000.0
        Largest μ. Equation: (9).
    tol : float, default=1e-06
        Converged when max(|WS−P|, |WS−J|) is below it. Equation: (18).
    passes : int, default=1000
        At most so many passes.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded, unless signed. Equation: (19).
    coder_solver : {'exact', 'admm', 'authors'}, default='exact'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    ridge_lambda : float, default=0.001
        λ ≥ 0, weight of ‖s‖².
    proximity : float, default=1e-05
        Weight of the proximal terms where (11), (12) or (15) is singular, as a part of the mean
        of its diagonal.
    warm_mu : float, default=0.5
        Mu of a fit that starts from an earlier model, as a part of alpha; > 0.
    warm_growth : float, default=1.5
        Growth of such a fit; ≥ 1.
    warm_proximity : float, default=0.0001
        Proximity of such a fit.
    few_l2 : float, default=10.0
        Where there are fewer atoms K than training samples N, or whole, the exact non-negative
        coder has l2 = few_l2·K/N²; 0 codes as (19).
    refit : float, default=0.4
        there, W is fitted again to the codes of the training samples, with this ridge as a part
        of their mean squared norm; 0 keeps the W of the iteration.
    whole : bool, default=True
        few_l2 and refit hold where every training sample is an atom, too: nrdl-refit.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrdl-refit'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.0001),
        ('alpha', 'alpha', 1.0),
        ('beta', 'beta', 0.1),
        ('gamma', 'gamma', 0.0001),
        ('squared', 'squared', False),
        ('signed', 'signed', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 10),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('mu', 'mu', 1e-05),
        ('growth', 'growth', 1.1),
        ('mu_max', 'mu_max', 100000000.0),
        ('tol', 'tol', 1e-06),
        ('passes', 'passes', 1000),
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'exact'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
        ('ridge_lambda', 'ridge.lambda', 0.001),
        ('proximity', 'proximity', 1e-05),
        ('warm_mu', 'warm_mu', 0.5),
        ('warm_growth', 'warm_growth', 1.5),
        ('warm_proximity', 'warm_proximity', 0.0001),
        ('few_l2', 'few_l2', 10.0),
        ('refit', 'refit', 0.4),
        ('whole', 'whole', True),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.0001,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.0001,
        squared: bool = False,
        signed: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 10,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        mu: float = 1e-05,
        growth: float = 1.1,
        mu_max: float = 100000000.0,
        tol: float = 1e-06,
        passes: int = 1000,
        coder: str = 'nonnegative',
        coder_solver: str = 'exact',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        ridge_lambda: float = 0.001,
        proximity: float = 1e-05,
        warm_mu: float = 0.5,
        warm_growth: float = 1.5,
        warm_proximity: float = 0.0001,
        few_l2: float = 10.0,
        refit: float = 0.4,
        whole: bool = True,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.squared = squared
        self.signed = signed
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.mu = mu
        self.growth = growth
        self.mu_max = mu_max
        self.tol = tol
        self.passes = passes
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.ridge_lambda = ridge_lambda
        self.proximity = proximity
        self.warm_mu = warm_mu
        self.warm_growth = warm_growth
        self.warm_proximity = warm_proximity
        self.few_l2 = few_l2
        self.refit = refit
        self.whole = whole
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRDLOnline(Method):
    """nrdl-online: NRDL from small batches of samples, for sets that do not fit into memory.

    The problem that it solves::

        min_{D,W}  Σ_j min_{s≥0} ‖x_j − Ds‖² + ‖Ω(Ws − t_j)‖²   s.t. ‖(d_k, Ωw_k)‖ ≤ 1
                   ω_c² = α + βn_c + γz,   ω_c²t_c = (α + βn_c)h_c + γz·m̄_c
        class: max_c (W·s)_c

    memory: 16 GiB are enough for 4100000 samples of 128 numbers; for 4100000 with atoms=10 and
    100 people (doc/scale.md).

    Parameters
    ----------
    alpha : float, default=1.0
        α, weight of the classification error; > 0. Equation: (4).
    beta : float, default=0.1
        β, weight of the incoherence of the classes' projections; twice the β of the formula.
        Equation: (4).
    gamma : float, default=0.0001
        γ, weight of the compactness over the sample graph. Equation: (4).
    size : int, default=0
        N, number of samples for which beta and gamma weigh as in nrdl; 0 for that of the set,
        or of the first samples of a stream.
    atoms : int, default=0
        K_c, atoms per class; 0 takes 10, or as many as the class with the fewest images has.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    online_coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How samples are coded; one that needs no classes. Equation: [odl] (2).
    online_coder_solver : {'exact', 'admm', 'authors'}, default='admm'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    online_coder_rho : float, default=0.1
        With online.coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    online_coder_passes : int, default=20
        With online.coder.solver=admm: 1 to 1000000, number of passes.
    online_coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    online_coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    online_batch : int, default=1024
        η, samples a batch, the last one the rest; ≥ 1. Equation: [odl] 3.4.3.
    online_passes : int, default=5
        Passes over the samples, each in an order of its own.
    online_rho : float, default=0.0
        ρ ≥ 0, how fast earlier codes are forgotten; 0 keeps all. Equation: [odl] 3.4.2.
    online_sweeps : int, default=1
        Updates of each atom a batch; ≥ 1. Equation: [odl] alg. 2.
    online_idle : int, default=10
        An atom that so many batches in a row do not use is replaced by a sample; 0 replaces
        none. Equation: [odl] 3.4.5.
    online_tol : float, default=0.0
        Converged when the mean change of an atom in a pass is below it; 0 makes all passes.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded. Equation: (19).
    coder_solver : {'exact', 'admm', 'authors'}, default='exact'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrdl-online'
    _iterative = True
    _parameters = (
        ('alpha', 'alpha', 1.0),
        ('beta', 'beta', 0.1),
        ('gamma', 'gamma', 0.0001),
        ('size', 'size', 0),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 10),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('online_coder', 'online.coder', 'nonnegative'),
        ('online_coder_solver', 'online.coder.solver', 'admm'),
        ('online_coder_rho', 'online.coder.rho', 0.1),
        ('online_coder_passes', 'online.coder.passes', 20),
        ('online_coder_l1', 'online.coder.l1', 0.0),
        ('online_coder_l2', 'online.coder.l2', 0.0),
        ('online_batch', 'online.batch', 1024),
        ('online_passes', 'online.passes', 5),
        ('online_rho', 'online.rho', 0.0),
        ('online_sweeps', 'online.sweeps', 1),
        ('online_idle', 'online.idle', 10),
        ('online_tol', 'online.tol', 0.0),
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'exact'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
    )

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.0001,
        size: int = 0,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 10,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        online_coder: str = 'nonnegative',
        online_coder_solver: str = 'admm',
        online_coder_rho: float = 0.1,
        online_coder_passes: int = 20,
        online_coder_l1: float = 0.0,
        online_coder_l2: float = 0.0,
        online_batch: int = 1024,
        online_passes: int = 5,
        online_rho: float = 0.0,
        online_sweeps: int = 1,
        online_idle: int = 10,
        online_tol: float = 0.0,
        coder: str = 'nonnegative',
        coder_solver: str = 'exact',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.size = size
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.online_coder = online_coder
        self.online_coder_solver = online_coder_solver
        self.online_coder_rho = online_coder_rho
        self.online_coder_passes = online_coder_passes
        self.online_coder_l1 = online_coder_l1
        self.online_coder_l2 = online_coder_l2
        self.online_batch = online_batch
        self.online_passes = online_passes
        self.online_rho = online_rho
        self.online_sweeps = online_sweeps
        self.online_idle = online_idle
        self.online_tol = online_tol
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class NRDLAblation(Method):
    """nrdl-ablation: NRDL with the training samples instead of its dictionary, or the least
    residual instead of its classifier.

    The problem that it solves::

        min_{D,S,W}  ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
                     + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)   s.t. S ≥ 0
        class: max_c (W·s)_c
        samples: s is the code of y over X;  residual: max_c 1 − ‖y − D_c s_c‖

    memory: 16 GiB are enough for 20000 samples of 128 numbers; for 760000 with atoms=10 and 100
    people (doc/scale.md).

    Parameters
    ----------
    lambda_ : float, default=0.0001
        λ, weight of the reconstruction by atoms of other classes. Equation: (3).
    alpha : float, default=1.0
        α, weight of the classification error; > 0. Equation: (4).
    beta : float, default=0.1
        β, weight of the incoherence of the classes' projections; twice the β of the formula.
        Equation: (4).
    gamma : float, default=0.0001
        γ, weight of the compactness over the sample graph. Equation: (4).
    squared : bool, default=False
        Graph weights 1/(1+‖x−y‖²) as the paper prints, not 1/(1+‖x−y‖) as its numbers need.
        Equation: (5).
    signed : bool, default=False
        Codes of either sign: NRDL-test, whose queries ridge codes instead of coder. Equation:
        (10).
    atoms : int, default=0
        K_c, atoms per class; 0 keeps every training sample as an atom of D₀.
    init_sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    init_error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    init_passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    init_min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    init_coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    init_monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    mu : float, default=1e-05
        μ, penalty of the splitting in the first pass; > 0. Equation: (9).
    growth : float, default=1.1
        Factor of μ from pass to pass; ≥ 1. Equation: (9).
    mu_max : float, default=100000000.0
        Largest μ. Equation: (9).
    tol : float, default=1e-06
        Converged when max(|WS−P|, |WS−J|) is below it. Equation: (18).
    passes : int, default=1000
        At most so many passes.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'perclass', 'classlasso', 'discriminative', 'probabilistic', 'constrained', 'omp', 'robust', 'blocks', 'augmented', 'fused', 'inner'}, default='nonnegative'
        How a query is coded, unless signed. Equation: (19).
    coder_solver : {'exact', 'admm', 'authors'}, default='exact'
        exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty,
        as the program of the paper.
    coder_rho : float, default=0.1
        With coder.solver=admm: ρ > 0, penalty of the splitting c = z.
    coder_passes : int, default=5
        With coder.solver=admm: 1 to 1000000, number of passes.
    coder_l1 : float, default=0.0
        β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near
        the optimum.
    coder_l2 : float, default=0.0
        α ≥ 0, weight of ‖s‖².
    ridge_lambda : float, default=0.001
        λ ≥ 0, weight of ‖s‖².
    proximity : float, default=1e-05
        Weight of the proximal terms where (11), (12) or (15) is singular, as a part of the mean
        of its diagonal.
    warm_mu : float, default=0.5
        Mu of a fit that starts from an earlier model, as a part of alpha; > 0.
    warm_growth : float, default=1.5
        Growth of such a fit; ≥ 1.
    warm_proximity : float, default=0.0001
        Proximity of such a fit.
    few_l2 : float, default=2.0
        Where there are fewer atoms K than training samples N, or whole, the exact non-negative
        coder has l2 = few_l2·K/N²; 0 codes as (19).
    refit : float, default=0.0
        there, W is fitted again to the codes of the training samples, with this ridge as a part
        of their mean squared norm; 0 keeps the W of the iteration.
    whole : bool, default=False
        few_l2 and refit hold where every training sample is an atom, too: nrdl-refit.
    samples : bool, default=False
        a query is coded over the training samples X instead of D; needs atoms = 0.
    residual : bool, default=True
        The class with the least residual instead of the classifier W.
    image_shape : tuple of int, optional
        Height and width of the images that the samples are, flattened in C order, for methods
        and coders that need images.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    model_ : bytes
        The model file, which ``nrdl predict`` reads too.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    components_ : ndarray of shape (n_atoms, n_features)
        The atoms.
    status_ : str
        Why the fit ended, such as ``'converged'``; after ``'exhausted'``, which is too few passes, there
        is a ``ConvergenceWarning``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'nrdl-ablation'
    _iterative = True
    _parameters = (
        ('lambda_', 'lambda', 0.0001),
        ('alpha', 'alpha', 1.0),
        ('beta', 'beta', 0.1),
        ('gamma', 'gamma', 0.0001),
        ('squared', 'squared', False),
        ('signed', 'signed', False),
        ('atoms', 'atoms', 0),
        ('init_sparsity', 'init.sparsity', None),
        ('init_error', 'init.error', 0.0),
        ('init_passes', 'init.passes', 10),
        ('init_min_uses', 'init.min_uses', 4),
        ('init_coherence', 'init.coherence', 0.99),
        ('init_monotone', 'init.monotone', False),
        ('mu', 'mu', 1e-05),
        ('growth', 'growth', 1.1),
        ('mu_max', 'mu_max', 100000000.0),
        ('tol', 'tol', 1e-06),
        ('passes', 'passes', 1000),
        ('coder', 'coder', 'nonnegative'),
        ('coder_solver', 'coder.solver', 'exact'),
        ('coder_rho', 'coder.rho', 0.1),
        ('coder_passes', 'coder.passes', 5),
        ('coder_l1', 'coder.l1', 0.0),
        ('coder_l2', 'coder.l2', 0.0),
        ('ridge_lambda', 'ridge.lambda', 0.001),
        ('proximity', 'proximity', 1e-05),
        ('warm_mu', 'warm_mu', 0.5),
        ('warm_growth', 'warm_growth', 1.5),
        ('warm_proximity', 'warm_proximity', 0.0001),
        ('few_l2', 'few_l2', 2.0),
        ('refit', 'refit', 0.0),
        ('whole', 'whole', False),
        ('samples', 'samples', False),
        ('residual', 'residual', True),
    )

    def __init__(
        self,
        *,
        lambda_: float = 0.0001,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 0.0001,
        squared: bool = False,
        signed: bool = False,
        atoms: int = 0,
        init_sparsity: int | None = None,
        init_error: float = 0.0,
        init_passes: int = 10,
        init_min_uses: int = 4,
        init_coherence: float = 0.99,
        init_monotone: bool = False,
        mu: float = 1e-05,
        growth: float = 1.1,
        mu_max: float = 100000000.0,
        tol: float = 1e-06,
        passes: int = 1000,
        coder: str = 'nonnegative',
        coder_solver: str = 'exact',
        coder_rho: float = 0.1,
        coder_passes: int = 5,
        coder_l1: float = 0.0,
        coder_l2: float = 0.0,
        ridge_lambda: float = 0.001,
        proximity: float = 1e-05,
        warm_mu: float = 0.5,
        warm_growth: float = 1.5,
        warm_proximity: float = 0.0001,
        few_l2: float = 2.0,
        refit: float = 0.0,
        whole: bool = False,
        samples: bool = False,
        residual: bool = True,
        image_shape: tuple[int, int] | None = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.squared = squared
        self.signed = signed
        self.atoms = atoms
        self.init_sparsity = init_sparsity
        self.init_error = init_error
        self.init_passes = init_passes
        self.init_min_uses = init_min_uses
        self.init_coherence = init_coherence
        self.init_monotone = init_monotone
        self.mu = mu
        self.growth = growth
        self.mu_max = mu_max
        self.tol = tol
        self.passes = passes
        self.coder = coder
        self.coder_solver = coder_solver
        self.coder_rho = coder_rho
        self.coder_passes = coder_passes
        self.coder_l1 = coder_l1
        self.coder_l2 = coder_l2
        self.ridge_lambda = ridge_lambda
        self.proximity = proximity
        self.warm_mu = warm_mu
        self.warm_growth = warm_growth
        self.warm_proximity = warm_proximity
        self.few_l2 = few_l2
        self.refit = refit
        self.whole = whole
        self.samples = samples
        self.residual = residual
        self.image_shape = image_shape
        self.params = params
        self.random_state = random_state
        self.verbose = verbose
