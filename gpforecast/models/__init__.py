"""One-step models: each learns y = f(x) + noise and becomes a `Posterior` or a `Predictive`.

A model is an `estimator.Estimator`. What they share, from the bottom up: `base` (protocols and the
report of a fit), `conditioning` (a Gaussian process given rows), `evidence` (what a search climbs:
the marginal likelihood and its kind), `search` (starts, bounds, L-BFGS) and `measured` (rows of a
series with measurement noise). `inducing` and `greedy` choose rows; `sparse` has the approximations
by inducing inputs, `sparse_bayes` relevance vectors, and `events` classes.
"""

from typing import TYPE_CHECKING

from gpforecast.common.imports import imported_late
from gpforecast.models.averaged_gp import AveragedGP
from gpforecast.models.base import HasPosterior, HasPredictive, OneStepModel
from gpforecast.models.bayesian_ar import BayesianAR
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.linear_ar import LinearAR
from gpforecast.models.minnesota_ar import MinnesotaAR
from gpforecast.models.sparse_gaussian_process import SparseGaussianProcess
from gpforecast.posteriors.base import Predictive
from gpforecast.storage import registered_late

if TYPE_CHECKING:
    from gpforecast.models.nearest_neighbours import NearestNeighbours
    from gpforecast.models.noisy_input_gp import NoisyInputGP
    from gpforecast.models.noisy_inputs import CleaningPath
    from gpforecast.models.ordinal_gp import NullCategoryGP, OrdinalGP
    from gpforecast.models.reduced_rank_gp import ReducedRankGP
    from gpforecast.models.relevance_vector_classifier import RelevanceVectorClassifier
    from gpforecast.models.relevance_vector_machine import (
        RelevanceVectorMachine,
        RelevanceVectorMachineStar,
    )
    from gpforecast.models.sparse_bayes import FastMarginalLikelihood, FullEM, SubspaceEM
    from gpforecast.models.warped_gp import WarpedGP
else:  # imported when they are used
    _LATE = {
        "CleaningPath": "gpforecast.models.noisy_inputs",
        "FastMarginalLikelihood": "gpforecast.models.sparse_bayes",
        "FullEM": "gpforecast.models.sparse_bayes",
        "NearestNeighbours": "gpforecast.models.nearest_neighbours",
        "NoisyInputGP": "gpforecast.models.noisy_input_gp",
        "NullCategoryGP": "gpforecast.models.ordinal_gp",
        "OrdinalGP": "gpforecast.models.ordinal_gp",
        "ReducedRankGP": "gpforecast.models.reduced_rank_gp",
        "RelevanceVectorClassifier": "gpforecast.models.relevance_vector_classifier",
        "RelevanceVectorMachine": "gpforecast.models.relevance_vector_machine",
        "RelevanceVectorMachineStar": "gpforecast.models.relevance_vector_machine",
        "SubspaceEM": "gpforecast.models.sparse_bayes",
        "WarpedGP": "gpforecast.models.warped_gp",
    }
    __getattr__ = imported_late(__name__, _LATE)
    registered_late(
        {
            **_LATE,
            "NullCategory": "gpforecast.models.events.likelihoods",
            "Ordinal": "gpforecast.models.events.likelihoods",
            "LocalLinear": "gpforecast.posteriors.local_linear",
            "Sites": "gpforecast.models.events.expectation_propagation",
        }
    )

__all__ = [
    "AveragedGP",
    "BayesianAR",
    "CleaningPath",
    "FastMarginalLikelihood",
    "FullEM",
    "GaussianProcess",
    "HasPosterior",
    "HasPredictive",
    "LinearAR",
    "MinnesotaAR",
    "NearestNeighbours",
    "NoisyInputGP",
    "NullCategoryGP",
    "OneStepModel",
    "OrdinalGP",
    "Predictive",
    "ReducedRankGP",
    "RelevanceVectorClassifier",
    "RelevanceVectorMachine",
    "RelevanceVectorMachineStar",
    "SparseGaussianProcess",
    "SubspaceEM",
    "WarpedGP",
]


def __dir__() -> list[str]:
    return __all__
