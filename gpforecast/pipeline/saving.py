"""What a forecaster is made of, piece by piece, for a file.

`KINDS` is the registry: a later model, covariance or propagation method adds one entry. A class
that keeps scikit-learn's convention (`by_convention`) or is a dataclass (`by_fields`) needs no
code of its own.
"""

import inspect
from dataclasses import fields
from typing import Any

import numpy as np

from gpforecast import covariances, models, propagation, transforms
from gpforecast.models.base import FitReport
from gpforecast.models.sparse import PiecewisePosterior, ProjectedPosterior
from gpforecast.pipeline.calibration import Calibration
from gpforecast.posteriors.augmented_reduced_rank import AugmentedReducedRank
from gpforecast.posteriors.augmented_relevance import AugmentedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.local_linear import LocalLinear
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation.recursion import Inputs
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import PANDAS_KINDS, Kind, decode, encode, read, write
from gpforecast.storage.archive import PathLike
from gpforecast.transforms.deterministic import FittedDeterministic
from gpforecast.transforms.warps import FittedBoxCox


def by_fields(cls: type) -> Kind:
    """Return how a dataclass is saved: by its fields, from which it is made anew."""
    names = [field.name for field in fields(cls)]
    return Kind(
        cls,
        lambda value: {name: getattr(value, name) for name in names},
        lambda parts: cls(**parts),
    )


def by_convention(cls: type) -> Kind:
    """Return how an estimator is saved: the parameters of its constructor, then what it learned."""
    parameters = inspect.signature(cls).parameters

    def make(parts: dict[str, Any]) -> Any:
        made = cls(**{name: value for name, value in parts.items() if name in parameters})
        vars(made).update({name: value for name, value in parts.items() if name not in parameters})
        return made

    return Kind(cls, lambda value: dict(vars(value)), make)


def _take_generator(generator: np.random.Generator) -> dict[str, Any]:
    return {"state": dict(generator.bit_generator.state)}


def _make_generator(parts: dict[str, Any]) -> np.random.Generator:
    name = parts["state"]["bit_generator"]
    known = {"MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
    if name not in known:
        raise ValueError(f"it holds a random generator {name}, which is none of NumPy's")
    bits = getattr(np.random, name)()
    bits.state = parts["state"]
    return np.random.Generator(bits)


KINDS = (
    *PANDAS_KINDS,
    Kind(range, lambda r: {"of": (r.start, r.stop, r.step)}, lambda parts: range(*parts["of"])),
    Kind(np.random.Generator, _take_generator, _make_generator),
    *map(by_fields, (Calibration, Exogenous, FitReport, Inputs, Mixture, Posterior)),
    Kind(
        transforms.Compose,
        lambda chain: {"steps": chain.steps},
        lambda parts: transforms.Compose(*parts["steps"]),
    ),
    *map(
        by_fields,
        (
            transforms.BoxCox,
            transforms.Chain,
            transforms.Deterministic,
            transforms.Difference,
            transforms.Log,
            transforms.SeasonalDifference,
            transforms.Standardise,
            FittedBoxCox,
            FittedDeterministic,
            TimeAxis,
        ),
    ),
    *map(
        by_fields,
        (
            covariances.Constant,
            covariances.Linear,
            covariances.SquaredExponential,
            covariances.Sum,
        ),
    ),
    *map(
        by_fields,
        (
            propagation.Cubature,
            propagation.ExactMoments,
            propagation.MonteCarlo,
            propagation.Naive,
            propagation.Taylor,
        ),
    ),
    by_convention(models.GaussianProcess),
    *map(
        by_convention,
        (
            models.AveragedGP,
            models.LinearAR,
            models.NearestNeighbours,
            models.ReducedRankGP,
            models.RelevanceVectorMachine,
            models.RelevanceVectorMachineStar,
            models.SparseGaussianProcess,
        ),
    ),
    *map(
        by_fields,
        (
            AugmentedPosterior,
            AugmentedReducedRank,
            LocalLinear,
            PiecewisePosterior,
            ProjectedPosterior,
        ),
    ),
    *map(by_fields, (models.FastMarginalLikelihood, models.FullEM, models.SubspaceEM)),
)


def save(thing: Any, path: PathLike) -> None:
    """Write an object that keeps scikit-learn's convention to one file.

    Parameters
    ----------
    thing : object
        Of a class of this package: what is read back is that class, not one derived from it.
    path : str or path-like

    Raises
    ------
    TypeError
        If it, or something in it, is of no kind that can be saved.
    FileNotFoundError, IsADirectoryError
        If there is no place for the file.
    """
    cls = type(thing)
    if not cls.__module__.startswith("gpforecast."):
        raise TypeError(
            f"only gpforecast's own classes can be saved without pickle; got {cls.__name__} of "
            f"{cls.__module__}."
        )
    content, arrays = encode(thing, (*KINDS, by_convention(cls)), cls.__name__)
    write(path, content, arrays)


def restore(path: PathLike, root: type) -> Any:
    """Return what `save` wrote.

    Parameters
    ----------
    path : str or path-like
    root : type
        The class that is expected.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, ValueError
        As `gpforecast.storage.read`, and if the file holds something else or something unknown.
    """
    content, arrays = read(path)
    try:
        thing = decode(content, arrays, (*KINDS, by_convention(root)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"{str(path)!r} cannot be restored: {error}. A file made with other versions of "
            f"gpforecast, pandas or the time zone database can cause this; load it where it was "
            f"saved, or fit and save again."
        ) from error
    if type(thing) is not root:
        raise ValueError(f"{str(path)!r} must hold a {root.__name__}; got {type(thing).__name__}.")
    return thing
