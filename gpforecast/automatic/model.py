"""What a forecaster does where its user leaves the choice to it: the model, and how many rows."""

import copy
from typing import Any

import numpy as np

from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.models import (
    AveragedGP,
    GaussianProcess,
    LinearAR,
    ReducedRankGP,
    SparseGaussianProcess,
)

# When rows are few for a Gaussian process of the highest evidence; measured on short series.
_FEWEST_ROWS = 100
_ROWS_AN_INPUT = 10
_MANY_ROWS = 200  # where averaging costs more than it mends
FULL_ROWS = 1000  # beyond which a full Gaussian process, O(rows^3), makes its user wait
_INDUCING = 200
_SHARED = "one length-scale for all lags: the series has next to no noise"
_CHEAP = (LinearAR, ReducedRankGP, SparseGaussianProcess)  # time grows in proportion to the rows


def default_model(
    n_rows: int,
    n_inputs: int,
    *,
    wandered: bool = False,
    varies: bool = True,
    judged: GaussianProcess | None = None,
) -> tuple[Any, tuple[str, ...]]:
    """Return the model that suits so many rows and inputs, and why that.

    Few rows leave a length-scale for every lag, and the noise, to chance: the most likely ones fit
    the rows too closely and promise too much. One length-scale for all lags, a linear term, noise
    that starts from a fifth of the variance, a weak prior, and an average over draws of all of
    these bring intervals near their nominal coverage.

    Beyond 1000 rows it is a sparse Gaussian process on all of them: FITC on 200 rows chosen at
    random, with hyperparameters that start from a full one on a part.

    Parameters
    ----------
    n_rows, n_inputs : int
    wandered : bool
        Whether the series was differenced. Differences are linear in their past as far as they can
        be foretold at all, and a slope keeps its meaning where no row has been before; other
        series, chaotic ones foremost, are left to bumps alone.
    varies : bool
        Whether the targets are not all the same: of a constant there is nothing to average over.
    judged : GaussianProcess or None
        By which the lags of a series with next to no noise, and no other inputs, were judged; it is
        taken, or its covariance is.
    """
    if not varies:
        return GaussianProcess(), ()
    if judged is not None and n_rows <= FULL_ROWS:
        return copy.deepcopy(judged), (_SHARED,)
    enough = min(max(_FEWEST_ROWS, _ROWS_AN_INPUT * n_inputs), _MANY_ROWS)
    if n_rows < enough:
        shared = SquaredExponential(lengthscales=1.5 * float(np.sqrt(n_inputs)), variance=1.0)
        gp = GaussianProcess(shared + Linear(), noise_var=0.2, prior="weak")
        reason = (
            f"averaged over its hyperparameters, with one length-scale for all inputs: {n_rows} "
            f"rows of {n_inputs} input{'' if n_inputs == 1 else 's'} are few (fewer than {enough})"
        )
        return AveragedGP(gp, n_draws=8, n_warmup=8), (reason,)
    covariance: Covariance | None = None
    reasons: tuple[str, ...] = ()
    if judged is not None:
        covariance = judged.covariance
        reasons = (_SHARED,)
    elif wandered:
        covariance = SquaredExponential() + Linear() + Constant()
        reasons = ("bumps and slopes, because the series was differenced",)
    if n_rows <= FULL_ROWS:
        return GaussianProcess(covariance), reasons
    sparse = SparseGaussianProcess(
        covariance,
        noise_var=None if judged is None else judged.noise_var,
        approximation="fitc",
        n_inducing=_INDUCING,
        inducing="random",
        optimise_inducing=False,
        seed=0,
    )
    reason = (
        f"sparse: {n_rows} rows are more than a full Gaussian process should have ({FULL_ROWS})"
    )
    return sparse, (reason, *reasons)


def row_limit(max_rows: Any, model: Any) -> int | None:
    """Return how many rows to train on at most; None for no limit.

    Parameters
    ----------
    max_rows : int, None or "auto"
        "auto" is no limit for the default model, which suits itself to the rows, and for those
        whose time grows in proportion to them; 1000 for all others.
    model : one-step model or None
        The user's.
    """
    if not isinstance(max_rows, str):
        return None if max_rows is None else int(max_rows)
    return None if model is None or isinstance(model, _CHEAP) else FULL_ROWS
