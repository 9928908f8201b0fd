"""Which one-step model is taken where the user names none, and how many rows it is given."""

import copy
from collections.abc import Sequence

import numpy as np
import scipy

from gpforecast import models
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models.base import OneStepModel
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation.base import predictive_of

_SHARED = "all lags count alike, because the series has next to no noise"
_LINEAR_TOO = "a straight line beside the curve, because changes of the series are learned"
_LINE_EXPLODES = (
    "a linear autoregression, because forecasts by a line beside a curve would grow without bound"
)
# Their time grows in proportion to the rows.
_CHEAP = (models.BayesianAR, models.LinearAR, models.ReducedRankGP, models.SparseGaussianProcess)


def default_model(
    n_rows: int,
    n_inputs: int,
    *,
    differenced: bool = False,
    varies: bool = True,
    judged: models.GaussianProcess | None = None,
    linear: OneStepModel | None = None,
) -> Decision[OneStepModel]:
    """Return the model for a number of rows and inputs, and why it was selected.

    Fewer than 100 rows do not determine the noise and a length-scale for every lag: the most likely
    ones fit the rows too closely, and intervals are too narrow. One length-scale for all lags, a
    linear term, a weak prior, and an average over draws of all of these bring intervals near their
    nominal coverage.

    Fewer than 100 rows of differences have a linear autoregression with a prior: more flexible ones
    fit their noise.

    More than 1000 rows have a sparse Gaussian process on all of them: FITC on 200 rows chosen at
    random, with hyperparameters that start from a full one on a part, and are searched by at most
    4000 rows. Those of differences are searched by at most 600 rows.

    Parameters
    ----------
    n_rows, n_inputs : int
    differenced : bool
        Whether the series was differenced. Differences are linear in their past as far as they can
        be predicted at all, and a slope holds beyond the rows too. Other series, chaotic ones
        above all, have basis functions alone.
    varies : bool
        Whether the targets differ: a constant has no hyperparameters to average over.
    judged : GaussianProcess or None
        The model that judged the lags, of a series with next to no noise, or the one that inputs
        were judged with. It is used itself, or its covariance is.
    linear : one-step model or None
        What few rows are enough for, of a series that has no other inputs.
    """
    if not varies:
        return Decision(models.GaussianProcess())
    full = n_rows <= th.FULL_ROWS
    if judged is not None and full:
        return Decision(copy.deepcopy(judged), _SHARED)
    enough = th.FEWEST_ROWS if differenced else th.SHORTEST
    if linear is not None and n_rows < enough:
        what = "rows of changes" if differenced else "rows"
        why = f"{n_rows} {what} are too few to tell anything else from noise (fewer than {enough})"
        return Decision(linear, f"a linear model whose coefficients are kept small: {why}")
    if n_rows < th.FEWEST_ROWS:
        reason = (
            f"an average of {th.AVERAGED_DRAWS} models that fit about as well, as one would be too "
            f"sure of itself: {n_rows} rows are few (fewer than {th.FEWEST_ROWS})"
        )
        shared = SquaredExponential(lengthscales=float(np.sqrt(n_inputs)), variance=1.0) + Linear()
        gp = models.GaussianProcess(shared, prior="weak")
        draws = th.AVERAGED_DRAWS
        return Decision(models.AveragedGP(gp, n_draws=draws, n_warmup=draws), reason)
    covariance, why = None, ""
    if judged is not None:
        covariance, why = judged.covariance, _SHARED
    elif differenced:
        covariance, why = SquaredExponential() + Linear() + Constant(), _LINEAR_TOO
    if full:
        n_search = th.LAG_ROWS if differenced else None
        gp = models.GaussianProcess(covariance, n_search=n_search)
        return Decision(gp, "\n".join(filter(None, (why, _by_few(n_rows, n_search)))))
    n_search = 4 * th.FULL_ROWS
    sparse = models.SparseGaussianProcess(
        covariance,
        noise_var=None if judged is None else judged.noise_var,
        approximation="fitc",
        n_inducing=th.GRID_ROWS,
        inducing="random",
        optimise_inducing=False,
        n_search=n_search,
    )
    many = f"an approximation for long series: {n_rows} rows are more than a full Gaussian process"
    reasons = f"{many} should have ({th.FULL_ROWS})", why, _by_few(n_rows, n_search)
    return Decision(sparse, "\n".join(filter(None, reasons)))


def without_explosion(
    chosen: Decision[OneStepModel], fitted: OneStepModel, n_rows: int, lags: Sequence[int]
) -> Decision[OneStepModel]:
    """Return the same model, or a linear autoregression where iterating its line explodes.

    Near the rows the curve holds the line back. Far from them it is gone: one unusual value, fed
    back, would grow without bound, and take the mean of the forecast with it. A line without a
    curve has the slopes of the whole series, and forecasts better than a curve without a line.

    Parameters
    ----------
    chosen : Decision of one-step model
    fitted : one-step model
        The same, fitted.
    n_rows : int
        By which it was fitted.
    lags : sequence of int
        The first of the inputs.
    """
    found = predictive_of(fitted)
    if not isinstance(found, Posterior) or not len(found.weights):  # there is no curve
        return chosen
    if not _explodes(found.linear[: len(lags)], lags, n_rows):
        return chosen
    return Decision(models.LinearAR(), _LINE_EXPLODES)


def _explodes(slopes: FloatArray, lags: Sequence[int], n_rows: int) -> bool:
    """Return whether what is left of an impulse grows e-fold in as many steps as there are rows.

    Examples
    --------
    >>> [_explodes(np.array([1.1, rest]), [1, 2], 300) for rest in (-0.1, -0.05)]
    [False, True]
    """
    half = n_rows + max(lags)
    impulse = np.zeros(2 * half)
    impulse[0] = 1.0
    left = np.zeros(max(lags) + 1)
    left[0], left[np.array(lags)] = 1.0, -slopes
    response = np.abs(scipy.signal.lfilter([1.0], left, impulse))
    # Beyond the range of numbers, it is infinite and then NaN.
    return not response[half:].max() <= np.e * response[:half].max()


def _by_few(n_rows: int, n_search: int | None) -> str:
    """Return what is noted about hyperparameters that are searched by a part of the rows."""
    if n_search is None or n_rows <= n_search:
        return ""
    return f"its settings were found on {n_search} of the {n_rows} rows, for speed (n_search)"


def row_limit(max_rows: int | str | None, model: OneStepModel | None) -> int | None:
    """Return how many rows to train on at most; None for no limit.

    Parameters
    ----------
    max_rows : int, None or "auto"
        "auto" is no limit for the default model, which is selected by the number of rows, and for
        models whose time grows in proportion to it; 1000 for all others.
    model : one-step model or None
        The user's.
    """
    if max_rows == "auto":
        return None if model is None or isinstance(model, _CHEAP) else th.FULL_ROWS
    return None if max_rows is None else int(max_rows)
