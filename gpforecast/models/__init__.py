"""One-step models: each learns y = f(x) + noise and becomes a `Posterior`."""

from gpforecast.models.base import HasPosterior, OneStepModel
from gpforecast.models.gaussian_process import GaussianProcess

__all__ = ["GaussianProcess", "HasPosterior", "OneStepModel"]
