"""Whether the model that judged the lags is trained further: decided by held-out forecasts."""

import logging

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.held_out import Conditioning, held_out_crps
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.covariances import Covariance
from gpforecast.models import GaussianProcess
from gpforecast.models.measured import LearnsMeasured
from gpforecast.propagation.recursion import Inputs

logger = logging.getLogger(__name__)


def trained_or_kept(
    judged: GaussianProcess,
    X: FloatArray,
    y: FloatArray,
    places: IntArray,
    *,
    z: FloatArray,
    inputs: Inputs,
) -> Decision[GaussianProcess]:
    """Return the model that judged the lags, or that of greatest evidence.

    The grid that judged has few values, on a part of the rows, and at least a little noise: over
    many steps that is most of the spread of a forecast. The evidence finds what fits rows without
    noise best. Of some series it makes the model so sure of itself, or so free away from the rows,
    that its forecasts are worse. So both forecast parts of the series by what the others show, and
    the second must be far better; an error counts as at most one standard deviation of the series.

    Parameters
    ----------
    judged : GaussianProcess
        Not fitted, its hyperparameters held.
    X, y : ndarray (n, d) and (n,)
        All rows, without exogenous inputs.
    places : ndarray (n,)
        Positions of their targets in z.
    z : ndarray (T,)
        The transformed series.
    inputs : Inputs

    Returns
    -------
    Decision of GaussianProcess
        Not fitted, its hyperparameters held.

    Notes
    -----
    A search of three hyperparameters, 12 factorisations, and 12 forecasts of at most 200 steps.
    Fewer steps or rows cost less, and find models that are too sure of themselves less often.
    """
    horizon = min(th.TRAINED_STEPS, 2 * len(z) // (3 * th.NOISE_PARTS))
    try:
        best = GaussianProcess(judged.covariance, noise_var=judged.noise_var).fit(X, y)
        models = {
            "hyperparameters of the grid that judged the lags": judged,
            "hyperparameters of greatest evidence": _held(best.covariance_, best.noise_var_),
        }
        scores = held_out_crps(
            [_on(model, X, y) for model in models.values()], places, z=z,
            exog=np.empty((len(z), 0)), inputs=inputs, horizon=horizon,
            n_origins=th.TRAINED_ORIGINS, largest=th.LAG_LARGEST_ERROR,
        )  # fmt: skip
    except (ValueError, np.linalg.LinAlgError) as error:
        logger.debug("the model that judged the lags is kept: %s", error)
        scores = []
    if not scores:
        return Decision(judged)
    candidates = [
        Candidate(
            model,
            name,
            score,
            1.0 if model is judged else th.TRAINED_HANDICAP,
            "the settings that judged the lags" if model is judged else "settings trained further",
        )
        for (name, model), score in zip(models.items(), scores, strict=True)
    ]
    trials = (
        f"forecasts of {counted(horizon, 'step')} in each of {th.NOISE_PARTS} parts of the series, "
        f"made from the others,"
    )
    return best_of(candidates, judged=trials, unit="standard deviations")


def _held(covariance: Covariance | None, noise_var: float) -> GaussianProcess:
    return GaussianProcess(covariance, noise_var=noise_var, optimizer=None)


def _on(model: GaussianProcess, X: FloatArray, y: FloatArray) -> Conditioning:
    def conditioned(rest: BoolArray) -> LearnsMeasured:
        return _held(model.covariance, model.noise_var or 0.0).fit(X[rest], y[rest])

    return conditioned
