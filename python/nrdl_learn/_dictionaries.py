"""The learners of dictionaries, as transformers of scikit-learn.

Written by generate.py of what the program says of itself: do not change it.
"""

from __future__ import annotations

from nrdl_learn._dictionary import Dictionary, OnlineLearner

__all__ = [
    "KSVDDictionary",
    "OnlineDictionary",
]


class KSVDDictionary(Dictionary):
    """K-SVD: dictionary for sparse codes, learned from all samples.

    The problem that it solves::

        min_{D,Γ}  ‖X − DΓ‖²   s.t. ‖γ_j‖₀ ≤ T₀ or ‖x_j − Dγ_j‖ ≤ ε for every sample j

    Parameters
    ----------
    n_components : int or None, default=None
        K, number of atoms; None is 10, or as many as the samples have directions.
    sparsity : int or None, default=None
        T₀ ≥ 1, most atoms a sample; more than there are is all of them, and None is 30.
    error : float, default=0.0
        ε ≥ 0, length of the residual at which a sample has atoms enough.
    passes : int, default=10
        Passes over the samples; 0 leaves the atoms as they are.
    min_uses : int, default=4
        An atom that fewer samples use, or not all if they are fewer, is replaced by a sample.
    coherence : float, default=0.99
        An atom whose cosine to an earlier one is larger in magnitude is replaced likewise.
    monotone : bool, default=False
        a sample keeps its code where the new one is worse. Equation: [ksvd] IV.C.
    dict_init : array-like of shape (n_components, n_features), optional
        Atoms to start from; by default samples.
    code_init : array-like of shape (n_samples, n_components), optional
        Codes to start from, where no atoms are given: the first atoms are the best ones for these codes by
        least squares. With dict_init they are not used, as the first pass codes anew.
    callback : callable, optional
        Called after each pass with a dict, whose keys are scikit-learn's: 'ii', the pass from 0; 'errors', the
        objectives so far; 'current_cost', the last one; also 'self', 'n_iter' and 'residual'.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    status_ : str
        Why the fit ended, such as ``'complete'``.
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
        ('passes', 'passes', 10),
        ('min_uses', 'min_uses', 4),
        ('coherence', 'coherence', 0.99),
        ('monotone', 'monotone', False),
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        sparsity: int | None = None,
        error: float = 0.0,
        passes: int = 10,
        min_uses: int = 4,
        coherence: float = 0.99,
        monotone: bool = False,
        dict_init: object = None,
        code_init: object = None,
        callback: object = None,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.sparsity = sparsity
        self.error = error
        self.passes = passes
        self.min_uses = min_uses
        self.coherence = coherence
        self.monotone = monotone
        self.dict_init = dict_init
        self.code_init = code_init
        self.callback = callback
        self.params = params
        self.random_state = random_state
        self.verbose = verbose


class OnlineDictionary(OnlineLearner):
    """online dictionary learning: dictionary learned from small batches of samples.

    The problem that it solves::

        min_D  1/N Σ_j min_s ½‖x_j − D·s‖² + ψ(s)   s.t. ‖d_k‖ ≤ 1 for every atom k

    Parameters
    ----------
    n_components : int or None, default=None
        K, number of atoms; None is 10, or as many as the samples have directions.
    coder : {'nonnegative', 'lasso', 'ridge', 'local', 'omp', 'robust', 'inner'}, default='lasso'
        How samples are coded; one that needs no classes. Equation: [odl] (2).
    coder_lambda : float, default=0.1
        λ > 0, weight of ‖s‖₁, where the samples of the fit have a root mean square length of 1.
    coder_gap : float, default=1e-06
        Duality gap > 0 that a code may have, in units of ‖y‖².
    coder_positive : bool, default=False
        Ask for s ≥ 0.
    batch : int, default=256
        η, samples a batch, the last one the rest; ≥ 1. Equation: [odl] 3.4.3.
    passes : int, default=10
        Passes over the samples, each in an order of its own.
    rho : float, default=5.0
        ρ ≥ 0, how fast earlier codes are forgotten; 0 keeps all. Equation: [odl] 3.4.2.
    sweeps : int, default=1
        Updates of each atom a batch; ≥ 1. Equation: [odl] alg. 2.
    idle : int, default=10
        An atom that so many batches in a row do not use is replaced by a sample; 0 replaces
        none. Equation: [odl] 3.4.5.
    tol : float, default=0.0
        Converged when the mean change of an atom in a pass is below it; 0 makes all passes.
    dict_init : array-like of shape (n_components, n_features), optional
        Atoms to start from; by default samples.
    code_init : array-like of shape (n_samples, n_components), optional
        Codes to start from, where no atoms are given: the first atoms are the best ones for these codes by
        least squares. With dict_init they are not used, as the first pass codes anew.
    callback : callable, optional
        Called after each pass with a dict, whose keys are scikit-learn's: 'ii', the pass from 0; 'errors', the
        objectives so far; 'current_cost', the last one; also 'self', 'n_iter' and 'residual'.
    positive_code : bool, default=False
        Ask for codes ≥ 0, as coder_positive does.
    positive_dict : bool, default=False
        Ask for atoms ≥ 0.
    params : dict, optional
        Further parameters by their names in ``nrdl methods``, such as ``{'coder.lambda': 0.01}`` where another
        coder has other parameters.
    random_state : int, RandomState instance or None, default=0
        Seed of the fit.
    verbose : int, default=0
        Whether each pass is printed: its objective and residual.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.
    status_ : str
        Why the fit ended, such as ``'complete'``.
    n_iter_ : int
        Passes that were made.
    residual_ : float
        What the stopping test compared in the last pass.
    history_ : dict of str to ndarray of shape (n_iter_,)
        ``'objective'`` and ``'residual'`` after each pass; empty for a method that makes none.
    seed_ : int
        Seed of the fit.
    """

    _method = 'online'
    _iterative = True
    _parameters = (
        ('coder', 'coder', 'lasso'),
        ('coder_lambda', 'coder.lambda', 0.1),
        ('coder_gap', 'coder.gap', 1e-06),
        ('coder_positive', 'coder.positive', False),
        ('batch', 'batch', 256),
        ('passes', 'passes', 10),
        ('rho', 'rho', 5.0),
        ('sweeps', 'sweeps', 1),
        ('idle', 'idle', 10),
        ('tol', 'tol', 0.0),
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        coder: str = 'lasso',
        coder_lambda: float = 0.1,
        coder_gap: float = 1e-06,
        coder_positive: bool = False,
        batch: int = 256,
        passes: int = 10,
        rho: float = 5.0,
        sweeps: int = 1,
        idle: int = 10,
        tol: float = 0.0,
        dict_init: object = None,
        code_init: object = None,
        callback: object = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        params: dict | None = None,
        random_state: int | None = 0,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.coder = coder
        self.coder_lambda = coder_lambda
        self.coder_gap = coder_gap
        self.coder_positive = coder_positive
        self.batch = batch
        self.passes = passes
        self.rho = rho
        self.sweeps = sweeps
        self.idle = idle
        self.tol = tol
        self.dict_init = dict_init
        self.code_init = code_init
        self.callback = callback
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.params = params
        self.random_state = random_state
        self.verbose = verbose
