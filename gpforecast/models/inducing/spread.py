"""Inducing inputs by where the inputs lie alone: at random, far apart, and centres of clusters."""

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.common.warnings import quietly

_ITERATIONS = 20  # of k-means; it is a start, not a result


def distinct_rows(X: FloatArray) -> IntArray:
    """Return the first row of every distinct input, in the order of the data.

    Two inducing inputs at one place make their covariance singular and add no information.

    Parameters
    ----------
    X : ndarray (n, d)

    Returns
    -------
    ndarray (m,) of int
        Costs O(n d log n).

    Examples
    --------
    >>> import numpy as np
    >>> distinct_rows(np.array([[2.0], [1.0], [2.0]]))
    array([0, 1])
    """
    return np.asarray(np.sort(np.unique(X, axis=0, return_index=True)[1]).astype(np.int64))


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
