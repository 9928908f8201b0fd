"""cleanGP: the most likely inputs and hyperparameters, while the output noise is lowered."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.noisy_inputs.problem import NoisyInputs, climbed_down
from gpforecast.storage import storable

_MAX_ITER = 200  # of one value of the noise variance
_LOWEST = 1e-4  # of the targets' mean square, where the path ends if nothing else is given


@storable
@dataclass(frozen=True, eq=False)
class CleaningPath:
    r"""What cleaning found at each output noise variance, from the highest to the lowest.

    Attributes
    ----------
    noise_vars : ndarray (k,)
        Squared units of the target.
    inputs : ndarray (k, n, d)
        The most likely inputs.
    covariances : tuple of Covariance
        With the most likely hyperparameters.
    slopes : ndarray (k,)
        :math:`|\partial P / \partial \log \sigma^2|`.
    negative_log_posteriors : ndarray (k,)
        P, eq. (4.33), in nats. It has no lower bound: it says nothing on where to stop.
    stopped_at : int
        Which of them the model uses.
    """

    noise_vars: FloatArray
    inputs: FloatArray
    covariances: tuple[Covariance, ...]
    slopes: FloatArray
    negative_log_posteriors: FloatArray
    stopped_at: int


def annealing_schedule(highest: float, lowest: float, factor: float) -> FloatArray:
    """Return noise variances from the highest down by a factor, and the lowest at the end."""
    n = max(int(np.ceil(np.log(lowest / highest) / np.log(factor) - 1e-9)), 0)
    return np.append(highest * factor ** np.arange(n), lowest)


def clean(
    problem: NoisyInputs,
    noise_var: float | None,
    factor: float,
) -> tuple[CleaningPath, int]:
    """Follow the most likely inputs and hyperparameters as the noise variance is lowered.

    Parameters
    ----------
    problem : NoisyInputs
        With a given variance of the input noise.
    noise_var : float or None
        Where to stop. None: at the minimum of the slope, on a path down to a 1e-4th of the
        targets' mean square.
    factor : float
        Between 0 and 1.

    Returns
    -------
    path : CleaningPath
    n_evaluations : int
    """
    lowest = _LOWEST * problem.mean_square if noise_var is None else noise_var
    schedule = annealing_schedule(problem.mean_square, lowest, factor)
    k, n_theta = problem.at_noise, len(problem.start)
    variances = np.broadcast_to(problem.unpack(problem.start)[2], problem.U.shape)
    constant = 0.5 * float(np.log(2.0 * np.pi * variances[variances > 0.0]).sum())

    def negative(q: FloatArray) -> tuple[float, FloatArray]:
        value, by_theta, by_z = problem.negative(q[:n_theta], q[n_theta:])
        return value, np.append(by_theta, by_z)

    q = np.append(problem.start, np.zeros(problem.U.size))
    bounds = np.vstack([problem.bounds, np.tile([-np.inf, np.inf], (problem.U.size, 1))])
    inputs, covariances, slopes, values, n_evaluations = [], [], [], [], 0
    with bar("cleaning the inputs", total=len(schedule), unit="noise variances") as shown:
        for level in schedule:
            q[k] = bounds[k] = np.log(level)
            run = climbed_down(negative, q, bounds, _MAX_ITER)
            q, theta = run.x, run.x[:n_theta]
            inputs.append(problem.inputs(theta, q[n_theta:]))
            covariances.append(problem.unpack(theta)[0])
            slopes.append(abs(float(negative(q)[1][k])))
            values.append(float(run.fun) + constant)
            n_evaluations += int(run.nfev) + 1
            shown.update()
    stopped_at = len(schedule) - 1 if noise_var is not None else int(np.argmin(slopes))
    path = CleaningPath(
        schedule, np.array(inputs), tuple(covariances), np.array(slopes), np.array(values),
        stopped_at,
    )  # fmt: skip
    return path, n_evaluations
