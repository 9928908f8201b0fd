"""Pictures of what depends on what: forecasts on lags, and errors of steps on each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array, one_of
from gpforecast.plotting.matplotlib_drawing import axes_or_new, quiet
from gpforecast.plotting.picture import PALETTE
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.base import predictive_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def lag_relevance(
    forecaster_or_model: object,
    ax: "Axes | None" = None,
    *,
    X: ArrayLike | None = None,
    measure: str = "gradient",
    color: str = PALETTE[0],
) -> "Axes":
    r"""Draw how much each lag matters to a trained model, as shares of their sum.

    ``"gradient"`` is what moving one input alone by its own spread does to the prediction, squared
    and averaged over the rows the model learned from:

    .. math:: r_d \propto \operatorname{var}(x_d) \, E[(\partial f / \partial x_d)^2]

    ``"lengthscale"`` is automatic relevance determination as it is usually shown,
    :math:`r_d \propto \operatorname{var}(x_d) / \ell_d^2`. It measures how fast f bends along an
    input, so that an input in which f is linear seems to have no relevance.

    Parameters
    ----------
    forecaster_or_model : Forecaster or one-step model
        Fitted.
    ax : Axes, optional
        Where to draw; a new figure by default.
    X : array-like (n, d), optional
        Inputs to average over, in the units of the model's inputs; by default the inputs it
        learned from, or the inducing inputs that stand for them.
    measure : {"gradient", "lengthscale"}
    color : str
        A matplotlib colour.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure, one bar for each input.

    Raises
    ------
    TypeError
        If what is given has no gradient, or is not fitted.
    ValueError
        If `X` does not fit the model, or is needed.

    References
    ----------
    Quinonero-Candela (2004), section 2.3, and Neal (1996), for relevance by length-scales;
    Sobol and Kucherenko (2009), "Derivative based global sensitivity measures", Mathematics and
    Computers in Simulation 79, 3009-3017, for relevance by gradients.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> fc = gf.Forecaster(lags=[1, 2, 8]).fit(gf.datasets.mackey_glass(200))
    >>> ax = lag_relevance(fc)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '2', '8']
    >>> plt.close(ax.figure)
    """
    one_of(measure, "measure", ("gradient", "lengthscale"))
    lags = getattr(forecaster_or_model, "lags_", ())
    model = getattr(forecaster_or_model, "model_", forecaster_or_model)
    try:
        predictive = predictive_of(model)
    except (TypeError, RuntimeError):
        raise TypeError(
            f"forecaster_or_model must be a fitted Forecaster or one-step model with a posterior; "
            f"got {type(model).__name__}. If it is not fitted yet, call fit first."
        ) from None
    inputs = _inputs(predictive, X)
    if measure == "gradient":
        raw = inputs.var(axis=0) * (predictive.gradient(inputs) ** 2).mean(axis=0)
    else:
        raw = inputs.var(axis=0) / predictive.lengthscales**2
    share = raw / raw.sum() if raw.any() else raw  # zeros for a model that depends on no input
    ax = axes_or_new(ax)
    at = np.arange(len(share))
    ax.bar(at, share, color=color, width=0.7)
    names = [*map(str, lags), *(f"input {i + 1}" for i in at[len(lags) :])]
    ax.set_xticks(at, names, rotation=90 if len(names) > 24 else 0)
    quiet(ax, "lag" if len(lags) == len(share) else "", "share of relevance")
    return ax


def _inputs(predictive: Predictive, X: ArrayLike | None) -> FloatArray:  # (n, d)
    if X is None:
        known = getattr(predictive, "centers", getattr(predictive, "X", ()))
        if len(known) < 2:
            raise ValueError(
                "X must be given for a model that keeps none of its inputs: the rows to average "
                "over, for instance LagEmbedding(lags).transform(series).X."
            )
        return np.asarray(known, dtype=np.float64)
    rows = finite_array(X, "X", ndim=2)
    if rows.shape[1] != predictive.n_inputs or len(rows) < 2:
        raise ValueError(
            f"X must have at least 2 rows and {predictive.n_inputs} columns, one for each input of "
            f"the model; got shape {rows.shape}."
        )
    return rows


def correlation_heat_map(forecast: object, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how the errors of the steps of a forecast are correlated.

    Parameters
    ----------
    forecast : Forecast, or covariance matrix (h, h)
        Anything with an attribute ``covariance``, or the matrix itself.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The image is ``ax.images[0]``: correlations from -1 (blue) to 1 (red), steps from 1.

    Raises
    ------
    ValueError
        If there is no square matrix with a positive diagonal.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = correlation_heat_map([[4.0, 1.0], [1.0, 1.0]])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> plt.close(ax.figure)
    """
    S = finite_array(getattr(forecast, "covariance", forecast), "forecast", ndim=2)
    h = len(S)
    if S.shape != (h, h) or not h or (np.diag(S) <= 0).any():
        raise ValueError(
            f"forecast must be a Forecast, or a square covariance with positive variances; got "
            f"shape {S.shape}."
        )
    root = np.sqrt(np.diag(S))
    ax = axes_or_new(ax, 5.2, 4.4)
    image = ax.imshow(
        np.clip(S / root[:, None] / root, -1.0, 1.0), cmap="RdBu_r", vmin=-1, vmax=1,
        extent=(0.5, h + 0.5, h + 0.5, 0.5), interpolation="nearest",
    )  # fmt: skip
    ax.set(xlabel="step", ylabel="step")
    ax.figure.colorbar(image, ax=ax, label="correlation", shrink=0.85)
    return ax


def cross_correlations(
    covariance: FloatArray, names: Sequence[str], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw how the errors of several series are correlated, at one step or over a horizon.

    Parameters
    ----------
    covariance : ndarray (k m, k m)
        Of m series after each other, k steps of each.
    names : sequence of str (m,)
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The image is ``ax.images[0]``: correlations from -1 (blue) to 1 (red).

    Raises
    ------
    ValueError
        If the covariance does not have the same number of rows for each series.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = cross_correlations(np.array([[4.0, 1.0], [1.0, 1.0]]), ["gdp", "unemp"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['gdp', 'unemp']
    >>> plt.close(ax.figure)
    """
    m, n = len(names), len(covariance)
    if not m or n % m:
        raise ValueError(
            f"covariance must have the same number of rows for each of the {m} series; got {n}."
        )
    each = n // m
    ax = correlation_heat_map(covariance, ax=ax)
    middles = each * (np.arange(m) + 0.5) + 0.5
    ax.set(xlabel="", ylabel="")
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names)
    ax.tick_params(length=0)
    return ax
