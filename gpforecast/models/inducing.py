"""Inducing inputs: random rows, rows far apart, centres of clusters, rows by evidence."""

import numpy as np
import scipy

from gpforecast.common.parameters import POSITIVE, POSITIVE_INTEGER
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import finite_array, one_of
from gpforecast.common.warnings import quietly
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.models.base import COVARIANCE, check_rows
from gpforecast.models.evidence import column_spread
from gpforecast.models.greedy import CRITERIA, distinct_rows, greedy_rows

_ITERATIONS = 20  # of k-means; it is a start, not a result


def random_rows(X: FloatArray, n_inducing: int, *, seed: Seed = None) -> IntArray:
    """Return so many distinct inputs, each set of them as likely as any other.

    Parameters
    ----------
    X : ndarray (n, d)
    n_inducing : int
        At most the number of distinct rows of X.
    seed : int, Generator or None

    Returns
    -------
    ndarray (n_inducing,) of int

    Examples
    --------
    >>> import numpy as np
    >>> len(random_rows(np.arange(10.0)[:, None], 3, seed=0))
    3
    """
    return np.asarray(np.random.default_rng(seed).permutation(distinct_rows(X))[:n_inducing])


def farthest_rows(
    X: FloatArray, n_inducing: int, *, lengthscales: FloatArray, seed: Seed = None
) -> IntArray:
    """Return rows of which each is the one farthest from all before it; the first is random.

    Parameters
    ----------
    X : ndarray (n, d)
    n_inducing : int
        At most the number of distinct rows of X.
    lengthscales : ndarray (d,)
        Units of distances.
    seed : int, Generator or None

    Returns
    -------
    ndarray (n_inducing,) of int
        In the order of their choice. Costs O(n n_inducing d) time.

    References
    ----------
    Gonzalez (1985), "Clustering to minimize the maximum intercluster distance"; Snelson (2007),
    section 3.2.3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> np.sort(farthest_rows(X, 2, lengthscales=np.ones(1), seed=0))
    array([0, 3])
    """
    scaled = X / lengthscales
    chosen = np.empty(n_inducing, dtype=np.int64)
    chosen[0] = np.random.default_rng(seed).integers(len(X))
    nearest = np.full(len(X), np.inf)  # squared distance of each row to those chosen
    for i in range(1, n_inducing):
        nearest = np.minimum(nearest, ((scaled - scaled[chosen[i - 1]]) ** 2).sum(axis=1))
        chosen[i] = nearest.argmax()
    return chosen


def kmeans_centers(
    X: FloatArray, n_inducing: int, *, lengthscales: FloatArray, seed: Seed = None
) -> FloatArray:
    """Return the centres of so many clusters of the inputs; they need not be inputs themselves.

    Distances are in units of the length-scales, so that an input that does not matter to the
    covariance does not draw the centres apart.

    Parameters
    ----------
    X : ndarray (n, d)
    n_inducing : int
        At most the number of distinct rows of X.
    lengthscales : ndarray (d,)
    seed : int, Generator or None

    Returns
    -------
    ndarray (n_inducing, d)

    Notes
    -----
    SciPy's k-means from k-means++ starts: O(n n_inducing d) time for each of 20 iterations, and
    O(n d) memory. A cluster that loses all its members keeps its centre.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [5.0], [5.2]])
    >>> np.sort(kmeans_centers(X, 2, lengthscales=np.ones(1), seed=0)[:, 0]).round(3)
    array([0.1, 5.1])
    """
    rng = np.random.default_rng(seed)
    with quietly():  # a cluster may be empty
        centers, _ = scipy.cluster.vq.kmeans2(
            X / lengthscales, n_inducing, iter=_ITERATIONS, minit="++", missing="warn", seed=rng
        )
    return np.asarray(centers * lengthscales)


METHODS = ("random", "kmeans", *CRITERIA)


def choose_inducing(
    method: str,
    X: ArrayLike,
    y: ArrayLike,
    n_inducing: int,
    *,
    covariance: Covariance | None = None,
    noise_var: float | None = None,
    seed: Seed = None,
    n_candidates: int | None = None,
    max_rows: int | None = None,
) -> FloatArray:
    """Return inducing inputs for a sparse Gaussian process.

    Parameters
    ----------
    method : {"random", "kmeans", "sgev", "sggp", "kl", "information_gain"}
        ``"random"``: rows of X, each set as likely as any other. ``"kmeans"``: centres of clusters.
        ``"sgev"``: rows, greedily by the evidence of the reduced-rank process (see `greedy_rows`).
        ``"sggp"``: likewise by the posterior (Smola and Bartlett). ``"kl"``: likewise by how far
        the posterior moves (Seeger, Williams and Lawrence). ``"information_gain"``: likewise by the
        fall of the entropy of f, whatever the targets (see `information_gain_rows`).
    X : array-like (n, d)
    y : array-like (n,)
        Only ``"sgev"``, ``"sggp"`` and ``"kl"`` read it.
    n_inducing : int
        At most the number of distinct rows of X.
    covariance : Covariance, optional
        With all its values. The greedy ones need it; ``"kmeans"`` takes its length-scales as the
        units of distance, and without it the spread of each input.
    noise_var : float, optional
        Positive. The greedy ones need it.
    seed : int, Generator or None
    n_candidates : int or None
        Of ``"sgev"`` and ``"sggp"``: rows judged at each step. ``None``: all of up to 256, else 59.
    max_rows : int or None
        Of the greedy ones: rows that they choose from; of more, a random part is taken.

    Returns
    -------
    ndarray (m, d)
        m is `n_inducing`; ``"sgev"``, ``"sggp"`` and ``"kl"`` stop before it where f at every row
        is determined by f at those chosen, to ten digits.

    Raises
    ------
    TypeError, ValueError
        If an argument makes no sense, or a greedy method lacks the covariance or the noise.

    Notes
    -----
    Time is O(n log n) at random, O(n m d) an iteration of k-means, O(n m^2 c) by ``"sgev"`` and
    ``"sggp"`` with c candidates a step, and O(n m^2) by ``"kl"`` and information gain; memory
    O(n m).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> from gpforecast.models.inducing import choose_inducing
    >>> X = np.linspace(-5, 5, 50)[:, None]
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0)
    >>> choose_inducing("sgev", X, np.sin(X[:, 0]), 6, covariance=k, noise_var=0.01).shape
    (6, 1)
    """
    one_of(method, "method", METHODS)
    X, y = check_rows(X, y)
    POSITIVE_INTEGER(n_inducing, "n_inducing")
    POSITIVE_INTEGER.or_none()(n_candidates, "n_candidates")
    POSITIVE_INTEGER.or_none()(max_rows, "max_rows")
    COVARIANCE.or_none()(covariance, "covariance")
    POSITIVE.or_none()(noise_var, "noise_var")
    n_distinct = len(distinct_rows(X))
    if n_inducing > n_distinct:
        raise ValueError(
            f"n_inducing is {n_inducing} but X has only {n_distinct} distinct rows; "
            f"ask for no more than that."
        )
    if method == "random":
        return X[random_rows(X, n_inducing, seed=seed)]
    if method == "kmeans":
        known = None if covariance is None or covariance.unset else covariance
        scales = scales_of(known, column_spread(X))
        return kmeans_centers(X, n_inducing, lengthscales=scales, seed=seed)
    if covariance is None or noise_var is None:
        raise ValueError(
            f"method {method!r} needs a covariance with all its values, such as "
            f"SquaredExponential(1.0, 1.0), and noise_var, the variance of the observation noise; "
            f"got {covariance!r} and {noise_var!r}."
        )
    covariance.diag(X[:1])  # raises if a value is missing, or is for other inputs
    rows = greedy_rows(
        method, X, y, n_inducing, covariance=covariance, noise_var=noise_var, seed=seed,
        n_candidates=n_candidates, max_rows=max_rows,
    )  # fmt: skip
    return X[rows]


def given_inputs(
    value: ArrayLike, name: str, n_inputs: int, methods: tuple[str, ...] = METHODS
) -> FloatArray | None:
    """Return inputs (m, d) that were given; None for the name of a method to choose them."""
    if isinstance(value, str):
        one_of(value, name, methods)
        return None
    array = finite_array(value, name, ndim=2)
    if array.shape[1] != n_inputs or len(array) == 0:
        raise ValueError(
            f"{name} must have a column for each of the {n_inputs} inputs and at least one row; "
            f"got shape {array.shape}."
        )
    return array
