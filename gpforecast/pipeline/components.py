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
from gpforecast.common.types import FloatArray
from gpforecast.pipeline.origins import Origins, bridged, follow, without_effects
from gpforecast.propagation import Automatic, Method
from gpforecast.propagation.cubature import by_moments
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.sources import SOURCES, sources, sources_of_direct
from gpforecast.results.distribution import Distribution
from gpforecast.structural import Ensemble, Member
from gpforecast.transforms.base import Warp
from gpforecast.transforms.split import Split, settled, split, with_settled

_SETTLES = 200, 1000  # further steps, at least and at most, over which a path settles
_STRAIGHT = 1e-3  # of the scale of the series: how far the plug-in path may be from the mean
_SEASONS = 10  # as many seasons, between the two
_CLOSE = 1e-8  # of a value; over smaller changes a warp is taken as straight
_SMALLEST_SKEW = 1e-3  # of a standard deviation; a smaller one is not a component

Named = dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class Explanation:
    """How the forecast from one origin came about.

    Attributes
    ----------
    origins : Origins
        The one.
    method : propagation method
    own : Propagated
        Of the one-step model, in the units of the warp, before calibration.
    distribution : Distribution
        What it became.
    """

    origins: Origins
    method: Method
    own: Propagated
    distribution: Distribution

    def components(self) -> tuple[Named, Named]:
        """Return the components of the mean and their standard deviations, as `Components` has."""
        each = [part.in_units() for part in self._parts]
        names = ["trend", "season", "inputs", "memory"]
        widened = 1.0
        if (ensemble := self._ensemble) is not None:
            widened += ensemble.surprise * (ensemble.widening**2 - 1.0)
        none, weights = np.zeros(self.origins.horizon), self._weights[:, None]
        mean, std = {}, {}
        for name in names:
            if not any(name in means for means, _ in each):
                continue
            at = np.array([means.get(name, none) for means, _ in each])
            var = np.array([stds.get(name, none) ** 2 for _, stds in each])
            mean[name] = (weights * at).sum(axis=0)
            spread = (weights * (at - mean[name]) ** 2).sum(axis=0)
            std[name] = np.sqrt((weights * var).sum(axis=0) * widened + spread)
        skew = self.distribution.mean - sum(mean.values())
        if np.abs(skew).max() > _SMALLEST_SKEW * np.sqrt(self.distribution.var.max()):
            return mean | {"skew": skew}, std | {"skew": none}
        mean["memory"] = mean["memory"] + skew
        return mean, std

    def variance_parts(self) -> Named:
        """Return the parts of the variance, as `Forecast.variance_parts` has them."""
        names = [*SOURCES, "coefficients"]
        shares = np.array([[part.shares[name] for name in names] for part in self._parts])
        found = dict(zip(names, shares[0], strict=True)) | {"models": np.zeros_like(shares[0, 0])}
        if (ensemble := self._ensemble) is not None:
            warp, origins = self.origins.fitted.chain.warp, self.origins
            values, restored = without_effects(origins)
            at = values, origins.ends, origins.horizon
            mixture = ensemble.joint(self.own, warp, *at, restored=restored).at(0)
            total = np.zeros(shares.shape[1:])
            for i, (weight, part) in enumerate(zip(mixture.weights, mixture.parts, strict=True)):
                total += weight * part.var * shares[i % len(shares)]
            spread = sum(
                weight * (part.mean - mixture.mean) ** 2
                for weight, part in zip(mixture.weights, mixture.parts, strict=True)
            )
            found = dict(zip(names, total, strict=True)) | {"models": np.asarray(spread)}
        whole = sum(found.values())
        factor = self.distribution.var / np.where(whole > 0.0, whole, 1.0)
        return {name: part * factor for name, part in found.items()}

    @property
    def _ensemble(self) -> Ensemble | None:
        return self.origins.fitted.ensemble if isinstance(self.method, Automatic) else None

    @property
    def _weights(self) -> FloatArray:
        ensemble = self._ensemble
        return np.ones(1) if ensemble is None else ensemble.weights

    @cached_property
    def _parts(self) -> list["Part"]:
        """What each of the models forecasts, the one-step model first."""
        parts = [_of_model(self.origins, self.method, self.own)]
        if (ensemble := self._ensemble) is not None:
            parts += [_of_member(one, self.origins) for one in ensemble.members]
        return parts


@dataclass(frozen=True, eq=False)
class Part:
    """One of the models whose forecasts are mixed.

    Attributes
    ----------
    mean, std : dict of ndarray (h,)
        Of its components, in the units of its warp.
    shares : dict of ndarray (h,)
        Of the sources in its variance; they add up to 1.
    warp : Warp or None
    """

    mean: Named
    std: Named
    shares: Named
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
    rest : Origins
        The same origin of the series without them.
    path, std : ndarray (h,)
        Their sum ahead, and its standard deviation.
    of_inputs : ndarray (h,)
        What uncertain inputs have of its variance; the rest is of the coefficients.
    level : float
        Their mean over the past, which belongs to the trend.
    """

    rest: Origins
    path: FloatArray
    std: FloatArray
    of_inputs: FloatArray
    level: float = 0.0

    @staticmethod
    def of(origins: Origins) -> "Effects":
        """Return those of an origin; zeros if there are none."""
        fitted, h, none = origins.fitted, origins.horizon, np.zeros(origins.horizon)
        found = fitted.chain.effects
        if found is None:
            return Effects(origins, none, none, none)
        values, _ = without_effects(origins)
        nothing, past = Propagated.certain(none[None]), np.empty((1, 0))
        path = found.undo(nothing, past, origins.ends, origins.times)
        certain = found.certain.undo(nothing, past, origins.ends, origins.times)
        *steps, last = fitted.chain.linear
        kept = (step for step in steps if step is not found)
        without = replace(fitted, chain=replace(fitted.chain, linear=(*kept, last)))
        before = found.sums(origins.times.first + np.arange(int(origins.ends[0])))
        var, of_beta = (np.einsum("hh->h", z.covariance[0]) for z in (path, certain))
        assert len(var) == h
        rest = replace(origins, fitted=without, values=values)
        level, open_ = float(before.mean()), ~origins.closed[0]
        of_inputs = np.maximum(var - of_beta, 0.0)
        return Effects(rest, path.mean[0] * open_, np.sqrt(var) * open_, of_inputs * open_, level)

    def added_to(self, mean: Named) -> Named:
        """Return the components of the rest with them: less their level, which the trend has."""
        if self.path is self.std:
            return mean
        inputs = mean.get("inputs", 0.0) + self.path - self.level
        return mean | {"trend": mean["trend"] + self.level, "inputs": inputs}

    @property
    def stds(self) -> Named:
        """Their standard deviation, by the name of the component."""
        return {} if self.path is self.std else {"inputs": self.std}


def _of_member(member: Member, origins: Origins) -> Part:
    """Return the part of a structural model."""
    effects = Effects.of(origins)
    parts = member.parts(effects.rest.values, int(origins.ends[0]), origins.horizon)
    of_source = {"noise": parts.noise, "past": parts.past, "map": parts.map}
    of_source |= {"inputs": effects.of_inputs, "coefficients": effects.std**2 - effects.of_inputs}
    total = sum(of_source.values())
    shares = {name: part / total for name, part in of_source.items()}
    mean = effects.added_to(parts.mean)
    if (closing := origins.fitted.chain.closing) is not None:
        level = origins.fitted.chain.backward(np.array(closing.level))
        level = level if member.warp is None else member.warp.forward(level)
        season = mean.get("season", np.zeros(origins.horizon))
        down = float(level) - sum(mean.values()) + season
        mean = mean | {"season": np.where(origins.closed[0], down, season)}
    return Part(
        _without_absent_season(mean),
        parts.std | effects.stds,
        shares,
        member.warp,
    )


def _of_model(origins: Origins, method: Method, own: Propagated) -> Part:
    """Return the part of the one-step model from one origin.

    Parameters
    ----------
    origins : Origins
    method : propagation method
    own : Propagated
        What it forecast, in the units of the warp.
    """
    fitted, h = origins.fitted, origins.horizon
    shares = _shares(origins, method, own)
    var = np.einsum("hh->h", own.covariance[0])
    of_inputs, of_coefficients = (var * shares[name] for name in ("inputs", "coefficients"))
    effects = Effects.of(origins)
    found, inputs = _split(effects.rest, method, own.mean[0] - effects.path)
    mean = {"trend": found.trend[:h], "season": found.season[:h]}
    std = {
        "trend": np.sqrt((found.trend_root[:h] ** 2).sum(axis=1)),
        "season": np.sqrt((found.season_root[:h] ** 2).sum(axis=1)),
    }
    if fitted.exog:
        mean, std = mean | {"inputs": inputs}, std | {"inputs": np.sqrt(of_inputs)}
    mean, std = effects.added_to(mean), std | effects.stds
    mean["memory"] = own.mean[0] - sum(mean.values())
    rest = own.latent_var[0] - of_inputs - of_coefficients
    std["memory"] = np.sqrt(np.maximum(rest, 0.0))
    return Part(_without_absent_season(mean), std, shares, fitted.chain.warp)


def _without_absent_season(mean: Named) -> Named:
    return {name: part for name, part in mean.items() if name != "season" or part.any()}


def _split(origins: Origins, method: Method, own: FloatArray) -> tuple[Split, FloatArray]:
    """Return trend and season, and what the inputs change, (h,); `own` is the mean (h,)."""
    fitted, h, end = origins.fitted, origins.horizon, int(origins.ends[0])
    chain, inputs = fitted.chain, np.zeros(h)
    gaps = chain.gaps
    season = max(gaps, default=1)
    n_more = int(np.clip(_SEASONS * season, *_SETTLES))
    n, levels = h + n_more + 2 * season, origins.levels
    if origins.after_gap[0]:
        levels = bridged(origins, end).levels(end)
    times = origins.times.extended(n - h)
    found = split(chain.linear, chain.period, levels, end, n, times)
    if fitted.exog:
        inputs = own - _with_mean_inputs(origins, h, method)
    if fitted.leads is None:  # direct forecasts end with the largest lead
        path = _long_path(origins, own - inputs, h + n_more)
        memory = path - (found.trend + found.season)[: len(path)]
        n_last = max(n_more // 2, 2 * season)
        rest = settled(memory, n_last, n, period=season, line=bool(gaps))
        found = with_settled(found, rest, season)
    return found, inputs


def _long_path(origins: Origins, own: FloatArray, n: int) -> FloatArray:
    """Return the mean of n steps with all inputs at their means; that of h steps is `own`.

    It is the plug-in path, if that stays close to the mean over h steps. Otherwise it is found by
    moments, f drawn anew at each step. A path that runs away from every finite number ends with h.
    """
    h, unit = origins.horizon, origins.fitted.chain.unit
    method = by_moments(origins.fitted.predictive, function="step")
    try:
        path = _with_mean_inputs(origins, n, None)
        if np.abs(path[:h] - own).max() > _STRAIGHT * unit:
            path = _with_mean_inputs(origins, n, method)
    except ValueError:
        return own
    return path


def _with_mean_inputs(origins: Origins, n: int, method: Method | None) -> FloatArray:
    """Return the mean of n steps by a method, with all inputs at their means, (n,)."""
    more = n - origins.horizon
    exog = np.zeros((len(origins.exog) + more, origins.exog.shape[1]))
    times = origins.times.extended(more)
    longer = replace(origins, times=times, exog=exog, horizon=n, exog_cov=None)
    path: FloatArray = follow(longer, method).mean[0]
    return path


def _shares(origins: Origins, method: Method, own: Propagated) -> Named:
    """Return the shares of the sources in each variance, before calibration."""
    at, gap = origins, 0
    if origins.after_gap[0]:
        found = bridged(origins, int(origins.ends[0]))
        at, gap = found.origins, found.gap
    fitted, start = at.fitted, at.start(method)
    given = method, fitted.inputs, start, at.horizon
    if fitted.leads is None:
        each = sources(fitted.predictive, *given, n_before=gap)
    else:
        every = fitted.predictive, *fitted.leads.predictives
        each = sources_of_direct(every, fitted.leads.correlation, *given, n_before=gap)
    if fitted.measurement is not None:
        np.einsum("hh->h", each[SOURCES.index("noise")])[:] += fitted.measurement.variance
    n_sources, h = each.shape[:2]
    nothing = np.zeros((n_sources + 1, h))
    alone = Propagated(nothing, np.concatenate([each, np.zeros((1, h, h))]), nothing)
    ends = np.repeat(at.ends, n_sources + 1)
    given_back = (
        chain.undo(alone, at.levels, ends, at.times)
        for chain in (fitted.chain, fitted.chain.certain)
    )
    var, certain = (np.einsum("shh->sh", z.covariance)[:, gap:] for z in given_back)
    parts = dict(zip(SOURCES, var[:-1] - var[-1], strict=True)) | {"coefficients": certain[-1]}
    parts["inputs"] = parts["inputs"] + var[-1] - certain[-1]
    if origins.after_gap[0]:  # values that were bridged are not known exactly
        left = np.einsum("hh->h", own.covariance[0]) - sum(parts.values())
        parts["past"] = parts["past"] + np.maximum(left, 0.0)
    total = sum(parts.values())
    return {name: part / np.where(total > 0.0, total, 1.0) for name, part in parts.items()}
