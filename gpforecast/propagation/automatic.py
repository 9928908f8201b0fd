"""One Gaussian as long as it can be trusted, and paths where it cannot."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import instance
from gpforecast.common.types import Seed
from gpforecast.common.validation import counted
from gpforecast.posteriors.base import supported
from gpforecast.propagation.base import Propagation
from gpforecast.propagation.cubature import ByMoments, by_moments
from gpforecast.propagation.curvature import non_gaussian
from gpforecast.propagation.layout import Columns, Start
from gpforecast.propagation.monte_carlo import MonteCarlo
from gpforecast.propagation.propagated import Propagated
from gpforecast.storage import storable

_PATHS = 20_000  # of all origins together
_PATHS_EACH = 100, 1000  # at least, and at most
_FAR = 10.0  # ranges of the inputs of the rows; beyond them a path is left out
_FEW = 0.05  # of the paths, at most
_LONGEST = 1000  # steps, for which one function is followed
_BY_STEP = (
    f"with more than {_LONGEST} steps, the learned function is drawn anew at each of them, for "
    'speed: its errors do not last, and intervals may be too narrow; propagation="exact" follows '
    "one function"
)


@storable
@dataclass(frozen=True)
class Automatic(ByMoments):
    """Exact moments, or another method for the origins where one Gaussian is not the forecast.

    A Gaussian is not trusted where the model folds the distribution of its inputs, or where its
    standard deviation grows beyond 1.5 times that of the training values; see
    `gpforecast.propagation.curvature`. The forecast's notes say so. Models without a closed form
    are propagated by cubature instead of exact moments.

    Parameters
    ----------
    instead : propagation method, optional
        For those origins, from their first step on. By default Monte Carlo, of whole
        functions where the model allows it and has no other inputs than the series: a system
        that is driven comes back to where it was learned, which a function drawn once would keep
        it from. 1000 paths, or from 20 origins on 20,000 paths for all of them together, 100 at
        least. Paths that go further beyond the range of the rows than 10 times that range are left
        out if they are a twentieth or fewer, and a note counts them. In a batch with other
        origins, these get paths, too, if the method draws some: their moments stay those of the
        Gaussian.
    seed : int, Generator or None
        For the paths of that default.

    Notes
    -----
    A forecast of more than 1000 steps draws the function anew at each step, and says so, where one
    function would take time in proportion to their square.
    The test costs at most 192 gradients of the mean for each origin, a few per cent of a long
    forecast.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.Automatic().name
    'auto'
    """

    instead: Propagation | None = None
    seed: Seed = 0

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        expected = "a propagation method such as gf.propagation.MonteCarlo(500)"
        instance(Propagation, expected).or_none("for the default")(self.instead, "instead")

    def choose(
        self,
        run: Callable[[Propagation, Start], Propagated],
        models: Columns,
        start: Start,
        horizon: int = 1,
    ) -> Propagated:
        """Forecast by moments, and again by `instead` where they are not trusted.

        Of one function along the path, unless that takes too long.
        """
        (predictive,) = models.predictives
        gaussian, found, remarks = by_moments(predictive), None, tuple[str, ...]()
        if horizon > _LONGEST and gaussian.shares_far(predictive, horizon):
            gaussian, remarks = by_moments(predictive, function="step"), (_BY_STEP,)
        try:
            found = run(gaussian, start).made_by(gaussian.name)
            found = replace(found, remarks=(*found.remarks, *remarks))
        except ValueError:  # it is no longer a finite number
            where = np.ones(len(start.past), dtype=bool)
            why = "a forecast by a bell curve (a Gaussian) grows beyond all numbers"
        else:
            where, why = non_gaussian(models, start, found)
            if not where.any():
                return found
        instead = self.instead or self._paths(models, int(where.sum()))
        there = start.rows(np.flatnonzero(where))
        again = _without_runaways(run(instead, there), there, predictive.noise_var)
        note = (
            f'forecast by the method "{instead.name}", because {why}; propagation= takes the '
            f"method of your choice"
        )
        again = replace(again.made_by(instead.name), remarks=(note, *again.remarks))
        if found is None or where.all():
            return again
        together = Propagated.joined([found.ahead(np.flatnonzero(~where)), again])
        return together.ahead(np.argsort(np.argsort(where, kind="stable")))

    def _paths(self, models: Columns, n_origins: int) -> MonteCarlo:
        """Return the sampling that a model allows, with as many paths as the origins allow."""
        # Models that draw functions but have no covariance at two inputs draw them slowly.
        (predictive,), (inputs,) = models.predictives, models.inputs
        whole = not inputs.exog and {"function", "joint"} <= supported(predictive)
        n_paths = int(np.clip(_PATHS // n_origins, *_PATHS_EACH))
        return MonteCarlo(n_paths, "function" if whole else "step", seed=self.seed)


def _without_runaways(found: Propagated, start: Start, noise_var: float) -> Propagated:
    """Leave out the few paths that run away from all that was learned; others take their place.

    Far from the rows a function that was drawn has slopes that nothing holds back. One path in a
    thousand can then be a million times as far away as the others, and the mean with it. Where
    they are not few, the model does not know better, and all are kept.
    """
    if found.paths is None or start.input_range is None:
        return found
    low, high = start.input_range.min(), start.input_range.max()
    far = _FAR * (high - low)
    near = (found.paths >= low - far) & (found.paths <= high + far)
    away = ~near.all(axis=1)  # (b, n)
    b, n = away.shape
    few = away.any(axis=1) & (away.mean(axis=1) <= _FEW)
    if not few.any():
        return found
    paths = found.paths.copy()
    for i in np.flatnonzero(few):
        paths[i] = paths[i][:, np.resize(np.flatnonzero(~away[i]), n)]
    kept = Propagated.of_paths(paths, found.latent_var, found.n_clipped)
    latent_var = np.where(few[:, None], kept.var - noise_var, np.inf)
    least = np.clip(latent_var, 0.0, found.latent_var)
    left_out = counted(int(away[few].sum()), "sample path")
    note = (
        f"{left_out} of {b * n} went further beyond the range of the values than {_FAR:g} times "
        f"that range, and were left out"
    )
    return replace(found, paths=paths, mean=kept.mean, joint=kept.joint,
                   latent_var=least, remarks=(*found.remarks, note))  # fmt: skip
