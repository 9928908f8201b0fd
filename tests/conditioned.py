"""Posteriors of Gaussian processes at given hyperparameters, for tests of what is asked of them."""

from gpforecast.models.conditioning import conditioned


def gp_posterior(covariance, noise_var, X, y):
    """Return the posterior and the jitter it took."""
    result = conditioned(covariance, noise_var, X, y)
    return result.posterior, result.jitter
