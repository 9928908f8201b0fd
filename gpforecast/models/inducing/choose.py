"""One door to every way of choosing inducing inputs."""

from typing import Any

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.common.validation import is_number, one_of, positive_integer
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.models.base import check_rows
from gpforecast.models.evidence import column_spread
from gpforecast.models.inducing.greedy import CRITERIA, greedy_rows
from gpforecast.models.inducing.information import information_gain_rows
from gpforecast.models.inducing.spread import distinct_rows, kmeans_centers, random_rows

_OF_ROWS = ("random", *CRITERIA, "information_gain")
METHODS = ("random", "kmeans", *CRITERIA, "information_gain")


def choose_inducing(
    method: str,
    X: Any,
    y: Any,
    n_inducing: int,
    *,
    covariance: Covariance | None = None,
    noise_var: float | None = None,
    seed: Seed = None,
    n_candidates: int | None = None,
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
    if method != "kmeans":
        rows = choose_rows(
            method,
            X,
            y,
            n_inducing,
            covariance=covariance,
            noise_var=noise_var,
            seed=seed,
            n_candidates=n_candidates,
        )
        inputs: FloatArray = X[rows]
        return inputs
    _check_number(n_inducing, X)
    known = None if covariance is None or covariance.unset else covariance
    scale = scales_of(known, column_spread(X))
    return kmeans_centers(X, n_inducing, lengthscales=scale, seed=seed)


def choose_rows(
    method: str,
    X: Any,
    y: Any,
    n_inducing: int,
    *,
    covariance: Covariance | None = None,
    noise_var: float | None = None,
    seed: Seed = None,
    n_candidates: int | None = None,
) -> IntArray:
    """Return which rows of X a method chooses, in the order in which it chose them.

    Parameters and errors are those of `choose_inducing`, which ``"kmeans"`` alone is left to.

    Returns
    -------
    ndarray (m,) of int

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> from gpforecast.models.inducing import choose_rows
    >>> X = np.linspace(0, 4, 9)[:, None]
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0)
    >>> choose_rows("sggp", X, np.exp(-X[:, 0]), 2, covariance=k, noise_var=0.1)
    array([0, 1])
    """
    one_of(method, "method", _OF_ROWS)
    X, y = check_rows(X, y)
    _check_number(n_inducing, X)
    if n_candidates is not None:
        positive_integer(n_candidates, "n_candidates")
    if method == "random":
        return random_rows(X, n_inducing, seed=seed)
    covariance, noise_var = _required(method, covariance, noise_var, X)
    if method == "information_gain":
        found = information_gain_rows(X, n_inducing, covariance=covariance, noise_var=noise_var)
        return found.rows
    return greedy_rows(
        method,
        X,
        y,
        n_inducing,
        covariance=covariance,
        noise_var=noise_var,
        seed=seed,
        n_candidates=n_candidates,
    ).rows


def _check_number(n_inducing: int, X: FloatArray) -> None:
    positive_integer(n_inducing, "n_inducing")
    n_distinct = len(distinct_rows(X))
    if n_inducing > n_distinct:
        raise ValueError(
            f"n_inducing is {n_inducing} but X has only {n_distinct} distinct rows; "
            f"ask for no more than that."
        )


def _required(
    method: str, covariance: Covariance | None, noise_var: float | None, X: FloatArray
) -> tuple[Covariance, float]:
    """Return the hyperparameters that a greedy method needs, or say which is missing."""
    if not isinstance(covariance, Covariance):
        raise TypeError(
            f"method {method!r} needs a covariance from gpforecast.covariances with all its "
            f"values, such as SquaredExponential(1.0, 1.0); got {covariance!r}."
        )
    covariance.diag(X[:1])  # says so if a value is missing, or is for other inputs
    if not (is_number(noise_var) and np.isfinite(noise_var) and noise_var > 0):
        raise ValueError(
            f"method {method!r} needs noise_var, a positive number: the variance of the "
            f"observation noise; got {noise_var!r}."
        )
    return covariance, float(noise_var)
