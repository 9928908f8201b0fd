"""What a forecast is made of: its components, and the sources of its variance.

The one-step model knows no trend: trend and season are what the transforms give back
(`gpforecast.transforms.split`). Inputs are the difference of the mean to that with all inputs known
to be at their means, and memory is the rest. The values at which the mean of many steps settles are
no memory: they belong to trend and season (`gpforecast.transforms.split.settled`).

Nothing is computed until it is needed. The forecast is then followed once more.
"""

from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.pipeline.origins import Origins
from gpforecast.propagation import Automatic, Method
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.joint_covariance import joint_of
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.sources import SOURCES, sources
from gpforecast.results.distribution import Distribution
from gpforecast.structural import Ensemble, Member
from gpforecast.transforms.base import Warp
from gpforecast.transforms.split import Split, settled, split, with_settled

_SETTLES = 200, 1000  # further steps, at least and at most, over which a path settles
_STRAIGHT = 1e-3  # of the scale of the series: how far the plug-in path may be from the mean
_SEASONS = 10  # as many seasons, between the two
_CLOSE = 1e-8  # of a value; over smaller changes a warp is taken as straight
_SMALLEST_SKEW = 1e-3  # of a standard deviation; a smaller one is not a component
_NAMES = (*SOURCES, "coefficients")
_INPUTS = _NAMES.index("inputs")

Named = dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class Explanation:
    """How an iterated forecast from one origin came about.

    Attributes
    ----------
    origins : Origins
        The one.
    method : propagation method
    own : Propagated
        Of the one-step model, in the units of the warp, before calibration.
    distribution : Distribution
        What it became.
    steps : ndarray of int or slice
        Which of its steps count, in any order.
    """

    origins: Origins
    method: Method
    own: Propagated
    distribution: Distribution
    steps: IntArray | slice

    def components(self) -> tuple[Named, Named]:
        """Return the components of the mean and their standard deviations, as `Components` has."""
        each, ensemble = [part.in_units() for part in self._parts], self._ensemble
        weights, widened = ensemble.weights, ensemble.factors(self.origins.horizon) ** 2
        mean, std = {}, {}
        for name in each[0][0]:
            at = np.array([means[name] for means, _ in each])
            if not {"season": at.any(), "inputs": self.origins.fitted.exog}.get(name, True):
                continue
            mean[name] = weights @ at
            var = weights @ np.array([stds[name] ** 2 for _, stds in each])
            std[name] = np.sqrt(var * widened + weights @ (at - mean[name]) ** 2)
        skew = self.distribution.mean - sum(mean.values())
        if np.abs(skew).max() > _SMALLEST_SKEW * np.sqrt(self.distribution.var.max()):
            mean, std = mean | {"skew": skew}, std | {"skew": np.zeros_like(skew)}
        else:
            mean["memory"] = mean["memory"] + skew
        return self._at_steps(mean), self._at_steps(std)

    def variance_parts(self) -> Named:
        """Return the parts of the variance, as `Forecast.variance_parts` has them."""
        shares = np.array([part.shares for part in self._parts])
        mixture = self.origins.mixed(self._ensemble, self.own, self.method).at(0)
        weights, made = mixture.weights, mixture.parts
        means, vars_ = np.array([z.mean for z in made]), np.array([z.var for z in made])
        of_each = np.resize(shares, (len(made), *shares.shape[1:]))
        found = dict(zip(_NAMES, np.einsum("k,kh,ksh->sh", weights, vars_, of_each), strict=True))
        found["models"] = weights @ (means - weights @ means) ** 2
        whole = sum(found.values())
        factor = self.distribution.var / np.where(whole > 0.0, whole, 1.0)
        return self._at_steps({name: part * factor for name, part in found.items()})

    def _at_steps(self, table: Named) -> Named:
        return {name: values[self.steps] for name, values in table.items()}

    @property
    def _ensemble(self) -> Ensemble:
        """What the forecast is a mixture of: without structural models, of one."""
        mixes = self.method.name == Automatic.name
        return (self.origins.fitted.ensemble if mixes else None) or Ensemble((), np.ones(1))

    @cached_property
    def _parts(self) -> list["Part"]:
        """What each of the models forecasts, the one-step model first."""
        origins, effects = self.origins, Effects.of(self.origins)
        parts = [_of_model(origins, self.method, self.own, effects)]
        parts += [_of_member(one, origins, effects) for one in self._ensemble.members]
        for one in origins.alternatives if len(self._ensemble.weights) > len(parts) else []:
            parts.append(_of_model(one, self.method, one.follow(self.method), effects))
        return parts


@dataclass(frozen=True, eq=False)
class Part:
    """One of the models whose forecasts are mixed.

    Attributes
    ----------
    mean, std : dict of ndarray (h,)
        Of its trend, season, inputs and memory, in the units of its warp.
    shares : ndarray (5, h)
        Of the sources and of coefficients in its variance; they add up to 1.
    warp : Warp or None
    """

    mean: Named
    std: Named
    shares: FloatArray
    warp: Warp | None

    def in_units(self) -> tuple[Named, Named]:
        r"""Return means and standard deviations of the components in the units of the series.

        Of values :math:`z = T + \sum_i c_i` of the warp the trend is :math:`w^{-1}(T)` and every
        other component :math:`c_i (w^{-1}(z) - w^{-1}(T)) / (z - T)`, which adds up to
        :math:`w^{-1}(z)`: the slope of the secant, for a logarithm the logarithmic mean (Ang 2005,
        "The LMDI approach to decomposition analysis", Energy Policy 33).
        """
        warp, trend, trend_std = self.warp, self.mean["trend"], self.std["trend"]
        if warp is None:
            return self.mean, self.std
        off = sum(self.mean.values()) - trend
        low, high = warp.backward(trend), warp.backward(trend + off)
        straight = np.abs(high - low) <= _CLOSE * np.abs(low)
        with np.errstate(divide="ignore", over="ignore"):
            slope = np.exp(-warp.log_gradient(low))
        slope = np.where(straight, slope, (high - low) / np.where(straight, 1.0, off))
        mean = {name: slope * part for name, part in self.mean.items()} | {"trend": low}
        std = {name: slope * part for name, part in self.std.items()}
        half = 0.5 * (warp.backward(trend + trend_std) - warp.backward(trend - trend_std))
        return mean, std | {"trend": half}


@dataclass(frozen=True, eq=False)
class Effects:
    """What columns explain next to trend and season (`gpforecast.transforms.InputEffects`).

    Attributes
    ----------
    path, var : ndarray (h,)
        Their sum ahead, and its variance; zeros if there are none.
    of_inputs : ndarray (h,)
        What uncertain inputs have of its variance; the rest is of the coefficients.
    level : float
        Their mean over the past, which belongs to the trend.
    """

    path: FloatArray
    var: FloatArray
    of_inputs: FloatArray
    level: float = 0.0

    @staticmethod
    def of(origins: Origins) -> "Effects":
        """Return those of an origin."""
        found, h = origins.fitted.chain.effects, origins.horizon
        if found is None:
            return Effects(*np.zeros((3, h)))
        at = Propagated.certain(np.zeros((1, h))), np.empty((1, 0)), origins.ends, origins.times
        every, certain = found.undo(*at), found.certain.undo(*at)
        var, of_beta = (z.var[0] for z in (every, certain))
        of_past = found.sums(origins.times.first + np.arange(int(origins.ends[0])))
        each = np.array([every.mean[0], var, np.maximum(var - of_beta, 0.0)])
        path, var, of_inputs = np.where(origins.closed[0], 0.0, each)
        return Effects(path, var, of_inputs, float(of_past.mean()))


def _of_member(member: Member, origins: Origins, effects: Effects) -> Part:
    """Return the part of a structural model."""
    end, h = int(origins.ends[0]), origins.horizon
    parts = member.parts(origins.without_effects, end, h, origins.times)
    of_source = {"noise": parts.noise, "past": parts.past, "map": parts.map}
    of_source |= {"inputs": effects.of_inputs, "coefficients": effects.var - effects.of_inputs}
    shares = np.array([of_source[name] for name in _NAMES])
    mean = parts.mean | {"inputs": effects.path - effects.level}
    mean["trend"] = mean["trend"] + effects.level
    level = origins.fitted.chain.closed_level(member.warp)
    down = level - sum(mean.values()) + mean["season"]
    mean["season"] = np.where(origins.closed[0], down, mean["season"])
    std = parts.std | {"inputs": np.sqrt(effects.var)}
    return Part(mean, std, shares / shares.sum(axis=0), member.warp)


def _of_model(origins: Origins, method: Method, own: Propagated, effects: Effects) -> Part:
    """Return the part of the one-step model; `own` is what it forecast, in units of the warp."""
    h, shares = origins.horizon, _shares(origins, method, own)
    flat = own.mean[0]
    if origins.fitted.exog:
        flat = _with_mean_inputs(origins, h).follow(method).mean[0]
    found = _split(origins, flat)
    mean = {
        "trend": found.trend[:h] + effects.level,
        "season": found.season[:h],
        "inputs": own.mean[0] - flat - effects.level,
    }
    mean["memory"] = own.mean[0] - sum(mean.values())
    of = dict(zip(_NAMES, own.var[0] * shares, strict=True))
    rest = own.latent_var[0] - of["inputs"] - of["coefficients"]
    var = {
        "trend": (found.trend_root[:h] ** 2).sum(axis=1),
        "season": (found.season_root[:h] ** 2).sum(axis=1),
        "inputs": effects.var if effects.var.any() else of["inputs"],
        "memory": np.maximum(rest, 0.0),
    }
    std = {name: np.sqrt(each) for name, each in var.items()}
    return Part(mean, std, shares, origins.fitted.chain.warp)


def _split(origins: Origins, flat: FloatArray) -> Split:
    """Return trend and season over the horizon and more; `flat` is the mean without inputs (h,)."""
    chain, h = origins.fitted.chain, origins.horizon
    gaps = chain.gaps
    season = max(gaps, default=1)
    n_more = int(np.clip(_SEASONS * season, *_SETTLES))
    n = h + n_more + 2 * season
    at = _with_mean_inputs(origins, n).through_gap()
    steps, end = at.fitted.chain.linear, int(at.ends[0])
    whole = split(steps, chain.period, at.levels, end, at.horizon, at.times)
    found = Split(*(part[at.gap :] for part in vars(whole).values()))
    path = _long_path(_with_mean_inputs(origins, h + n_more), flat)
    memory = path - (found.trend + found.season)[: len(path)]
    n_last = min(max(n_more // 2, 2 * season), len(path))
    rest = settled(memory, n_last, n, period=season, line=bool(gaps))
    return with_settled(found, rest, season)


def _long_path(origins: Origins, own: FloatArray) -> FloatArray:
    """Return the mean of all steps; that of the first is `own` (h,).

    It is the plug-in path, if that stays close to the mean over h steps. Otherwise it is found by
    moments, f drawn anew at each step. A path that runs away from every finite number ends with h.
    """
    fitted = origins.fitted
    try:
        path: FloatArray = origins.follow(PlugIn()).mean[0]
        if np.abs(path[: len(own)] - own).max() > _STRAIGHT * fitted.chain.unit:
            path = origins.follow(by_moments(fitted.predictive, function="step")).mean[0]
    except ValueError:
        return own
    return path


def _with_mean_inputs(origins: Origins, n: int) -> Origins:
    """Return the same origin over n steps, with all inputs at their means, less their effects."""
    chain, more = origins.fitted.chain, n - origins.horizon
    *steps, last = chain.linear
    kept = (step for step in steps if step is not chain.effects)
    return replace(
        origins,
        fitted=replace(origins.fitted, chain=replace(chain, linear=(*kept, last))),
        values=origins.without_effects,
        times=origins.times.extended(more),
        exog=np.zeros((len(origins.exog) + more, origins.exog.shape[1])),
        horizon=n,
        exog_cov=None,
    )


def _shares(origins: Origins, method: Method, own: Propagated) -> FloatArray:
    """Return the shares of the sources in each variance, (5, h), before calibration."""
    at = origins.through_gap()
    fitted, start, gap = at.fitted, at.start(method), at.gap
    each = sources(fitted.models, method, start, at.horizon, n_before=gap)
    if fitted.measurement is not None:
        np.einsum("hh->h", each[SOURCES.index("noise")])[:] += fitted.measurement.variance
    n_sources, h = each.shape[:2]
    nothing = np.zeros((n_sources + 1, h))
    alone = Propagated(nothing, joint_of(np.concatenate([each, np.zeros((1, h, h))])), nothing)
    ends = np.repeat(at.ends, n_sources + 1)
    given_back = (
        chain.undo(alone, at.levels, ends, at.times)
        for chain in (fitted.chain, fitted.chain.certain)
    )
    var, certain = (z.var[:, gap:] for z in given_back)
    parts = np.concatenate([var[:-1] - var[-1], certain[-1:]])
    parts[_INPUTS] += var[-1] - certain[-1]
    if at.bridge is not None:  # values that were bridged are not known exactly
        left = own.var[0] - parts.sum(axis=0)
        parts[SOURCES.index("past")] += np.maximum(left, 0.0)
    total = parts.sum(axis=0)
    return np.asarray(parts / np.where(total > 0.0, total, 1.0))
