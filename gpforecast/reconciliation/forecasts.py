"""`reconcile`: forecasts of the series of a hierarchy, made to add up."""

from collections.abc import Hashable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_frame
from gpforecast.common.shapes import covariance_matrix
from gpforecast.common.types import FloatArray, Seed, show_without_types
from gpforecast.common.validation import finite_array, how_many, one_of, per_cent
from gpforecast.panel import PanelForecast
from gpforecast.reconciliation.coherent import Reconciled
from gpforecast.reconciliation.dependence import Dependence, errors_of
from gpforecast.reconciliation.hierarchy import Hierarchy, Tree
from gpforecast.reconciliation.projection import (
    incoherence,
    joint_covariance,
    joint_draws,
    projected_draws,
    projection,
)
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast

_N_DRAWS = 4000
_UNEXPECTED = 4.0  # times the expected squared differences between totals and sums
_DIFFERENT = 1e-6  # of the largest value of a total: less is rounding of the computer
_MOST_DECIMALS = 9  # more are no rounding


def reconcile(
    forecasts: Mapping[Hashable, Forecast] | PanelForecast,
    structure: Hierarchy | pd.DataFrame | Tree,
    *,
    residuals: "pd.DataFrame | Mapping[Hashable, pd.Series[float]] | None" = None,
    covariance: pd.DataFrame | FloatArray | None = None,
    weights: str = "auto",
    n: int = _N_DRAWS,
    seed: Seed = 0,
) -> Reconciled:
    r"""Make forecasts of a hierarchy coherent: totals become the sums of their parts.

    Of all unbiased coherent forecasts, that with the smallest total variance (minimum trace) is

    .. math:: \tilde y = S (S' W^{-1} S)^{-1} S' W^{-1} \hat y = P \hat y

    for the matrix S, which adds up the bottom series, and the covariance W of the errors, over all
    series and steps. The result has the covariance P W P' of its errors, and all totals, intervals
    and draws follow from that joint distribution.

    The covariance of each series over the steps is that of its forecast. Errors of different series
    are correlated as their one-step errors of the past: :math:`W_{ij} = R_{ij} L_i L_j'` with the
    correlations R, shrunk towards independence, and the triangular roots L of each.

    Parameters
    ----------
    forecasts : PanelForecast or mapping from name to Forecast
        Of all series of the hierarchy, over the same steps. A panel must be made with
        ``forecast_panel(..., keep=True)``; it has past errors.
    structure : DataFrame, mapping or Hierarchy
        The sum matrix (all series by bottom series); a mapping from each total to its parts; or key
        columns, a row for each bottom series. See `gpforecast.reconciliation.Hierarchy.of`.
    residuals : DataFrame or mapping from name to Series, optional
        Past one-step errors of each series, on its times: a wide frame, with a column for each
        series, or a long table with the column ``residual`` (or one other) of all. Only their
        correlations count. A panel has its own. Without any, errors of different series are taken
        as independent, and ``notes`` says so.
    covariance : DataFrame or array (series x steps, series x steps), optional
        W itself, where it is known: series by series in the order of `forecasts`, each with its
        steps. A frame with series and times as its labels may be in any order.
    weights : {"auto", "variance", "joint"}
        What P is found by: ``"joint"``, all of W; ``"variance"``, its diagonal, so that each series
        counts by its own variance at each step. ``"auto"`` is joint for a `covariance` that is
        given, and by variances where correlations were estimated: see the notes.
    n : int
        Draws of the joint distribution, where a forecast is no Gaussian.
    seed : int, Generator or None
        Of these draws.

    Returns
    -------
    Reconciled
        A mapping from each name to its coherent `Forecast`; with ``sample``, ``to_frame``, notes.

    Raises
    ------
    TypeError, ValueError
        If a series is missing or unknown, steps differ, past values do not add up (by more than
        their rounding explains), or the hierarchy is none; and if certain forecasts contradict
        each other.

    Notes
    -----
    Totals and sums of parts differ by little compared with the errors, and what follows from that
    depends on small differences in W, which estimated correlations do not have. In
    ``benchmarks/accuracy/hierarchies.py`` weights by variances are no worse at any level than the
    forecasts before, and the 80 % intervals of totals hold 76 to 80 % of the values; with joint
    weights they hold 73 to 76 %.

    Where a forecast is no Gaussian (a logarithm undone, a mixture, counts, paths), W is made of the
    moments of each. Then n draws of each forecast, put together with the ranks of draws of N(0, W)
    (a Gaussian copula), are projected as the mean is, and the result consists of them. Where a
    bottom series is never forecast below 0, draws below 0 are set to 0 and totals are the sums of
    what results; the mean is then that of the draws, and ``notes`` names the largest share. Whole
    numbers do not stay whole.

    For n series and h steps: memory O((n h)^2), time O((n h)^3).

    References
    ----------
    Wickramasuriya, Athanasopoulos and Hyndman (2019), Journal of the American Statistical
    Association 114, theorem 1; Panagiotelis, Gamakumara, Athanasopoulos and Hyndman (2023),
    European Journal of Operational Research 306 (draws).

    Examples
    --------
    >>> import gpforecast as gf
    >>> t = np.arange(60)
    >>> parts = pd.concat([
    ...     pd.DataFrame({"unique_id": name, "ds": t, "y": level + np.sin(t / 3)})
    ...     for name, level in [("north", 5.0), ("south", 9.0)]
    ... ])
    >>> from gpforecast.reconciliation import Hierarchy
    >>> tree = Hierarchy.of({"all": ["north", "south"]})
    >>> panel = gf.forecast_panel(
    ...     tree.aggregate(parts), 2, forecaster=gf.Forecaster(lags=3), keep=True
    ... )
    >>> found = gf.reconcile(panel, tree)
    >>> found.mean.round(1).to_numpy()
    array([[15.8,  5.9,  9.9],
           [16. ,  6. , 10. ]])
    """
    hierarchy = Hierarchy.of(structure)
    given, errors, labels, wide = _read(forecasts, hierarchy)
    base = [given[name] for name in hierarchy.names]
    rounded, n = _on_sums(hierarchy, base), how_many(n, "n", least=2)
    one_of(weights, "weights", ("auto", "variance", "joint"))
    if covariance is not None and residuals is not None:
        raise ValueError(
            "pass residuals= or covariance=, not both: each says how errors go together."
        )
    past = errors if residuals is None else residuals
    mean = np.array([f.distribution.mean for f in base])  # (n, h)
    if covariance is not None:
        W = _in_order(covariance, tuple(given), hierarchy.names, base[0].index)
        first = W[:: mean.shape[1], :: mean.shape[1]]  # of the first steps
        std = np.sqrt(np.diagonal(first))
        size = np.outer(std, std)
        R = first / np.where(size > 0.0, size, np.inf)
        np.fill_diagonal(R, 1.0)
        found = Dependence(R, 0.0)
    else:
        found = Dependence.independent(len(base), "no residuals= of the past were given")
        if past is not None:
            found = Dependence.of(errors_of(past, hierarchy.names, labels))
        own = np.array([f.distribution.covariance for f in base])
        bad = ~(np.isfinite(mean).all(axis=1) & np.isfinite(own).all(axis=(1, 2)))
        if bad.any():
            raise ValueError(
                f"forecasts must have finite means and variances; those of "
                f"{hierarchy.names[int(bad.argmax())]!r} are not, because of its transform; "
                f"forecast it with other transforms or fewer steps."
            )
        W = joint_covariance(own, found.R)
    jointly = weights == "joint" or (weights == "auto" and covariance is not None)
    G = projection(hierarchy, mean, W if jointly else np.diag(np.diagonal(W)))
    notes, apart = list(found.notes), incoherence(hierarchy, mean, W)
    if apart > _UNEXPECTED:
        notes.append(
            f"totals and sums of their parts were forecast {apart**0.5:.2g} times as far apart as "
            f"their intervals explain; some of the forecasts are wrong, or their intervals too "
            f"narrow"
        )
    joint, more = _joint(hierarchy, base, G, W, n, np.random.default_rng(seed))
    names = pd.Index(hierarchy.names, tupleize_cols=False)
    return Reconciled(
        hierarchy,
        dict(zip(hierarchy.names, base, strict=True)),
        joint,
        pd.DataFrame(found.R, names, names),
        found.shrinkage,
        apart,
        (*rounded, *notes, *more),
        labels,
        wide,
    )


show_without_types(reconcile)


def _in_order(
    covariance: pd.DataFrame | FloatArray,
    given: tuple[Hashable, ...],
    names: tuple[Hashable, ...],
    index: pd.Index,
) -> FloatArray:
    """Return a joint covariance in the order of the hierarchy."""
    h = len(index)
    if is_frame(covariance) and covariance.index.nlevels == 2:
        labels = pd.MultiIndex.from_product([names, index])
        try:
            covariance, given = covariance.loc[labels, labels], names
        except KeyError:
            raise ValueError(
                f"covariance must have a row and a column for each series and step, labelled "
                f"(name, time), {len(labels)} of each; some are missing."
            ) from None
    W = finite_array(covariance, "covariance", ndim=2)
    if W.shape != (len(names) * h, len(names) * h):
        raise ValueError(
            f"covariance must be of {len(names)} series x {h} steps, shape "
            f"{(len(names) * h, len(names) * h)}; got {W.shape}."
        )
    order = [given.index(name) for name in names]
    places = (np.array(order)[:, None] * h + np.arange(h)).ravel()
    return covariance_matrix(W[places[:, None], places], "covariance")


def _joint(
    hierarchy: Hierarchy,
    base: list[Forecast],
    G: FloatArray,
    W: FloatArray,
    n: int,
    rng: np.random.Generator,
) -> tuple[Distribution, tuple[str, ...]]:
    """Return the coherent distribution of the bottom series, and notes on it."""
    every = [f.distribution for f in base]
    mean, var = np.concatenate([d.mean for d in every]), np.concatenate([d.var for d in every])
    latent = np.concatenate([d.latent_var for d in every])
    moments = Gaussian(mean, W, latent).linear(G)
    # The share of the latent variance in that of each step stays as it was.
    share = np.clip(np.divide(latent, var, out=np.zeros_like(var), where=var > 0.0), 0.0, 1.0)
    moments = replace(moments, latent_var=moments.var * share[-len(moments.mean) :])
    others = [d for d in every if d.gaussian is not d]
    if not others:
        return moments, ()
    under = np.full(base[0].horizon, np.nextafter(0.0, -1.0))
    positive = np.array([not d.cdf(under).any() for d in every[hierarchy.n_totals :]])
    found, share_below = projected_draws(joint_draws(base, W, rng, n), G, moments, positive)
    note = (
        f"{len(others)} of {len(base)} forecasts are not Gaussian: their means and "
        f"variances were reconciled, and the result consists of {n} draws, as n says"
    )
    if not share_below:
        return found, (note,)
    moved = (
        f"up to {per_cent(share_below)} of the draws of a step lay below 0 in series that are "
        f"never negative; they were set to 0, and totals are the sums of that"
    )
    return found, (note, moved)


def _read(
    forecasts: Mapping[Hashable, Forecast] | PanelForecast, to: Hierarchy
) -> tuple[Mapping[Hashable, Forecast], pd.DataFrame | None, tuple[str, str], bool]:
    """Return the forecasts of a panel or a mapping, past errors, names of columns, and the form.

    The errors are one-step ones, of a panel; the names are those of the columns of series and times
    in tables, which may have a column for each series, as the panel has.

    Raises
    ------
    TypeError, ValueError
        If it does not hold forecasts of the same steps of all series of the hierarchy alone.
    """
    errors, labels, wide = None, ("unique_id", "ds"), False
    reasons: dict[Hashable, str] = {}
    if isinstance(forecasts, PanelForecast):
        id_, wide = str(forecasts.failures.columns[0]), forecasts.wide
        reasons = forecasts.failures.set_index(id_)["reason"].to_dict()
        time = labels[1] if wide else str(forecasts.frame.columns[1])
        errors, labels = forecasts.errors, (id_, time)
        if forecasts.forecasts is None:
            raise ValueError(
                "forecasts must hold joint distributions, and this panel has tables only; make "
                "it with forecast_panel(..., keep=True)."
            )
        forecasts = forecasts.forecasts
    if not isinstance(forecasts, Mapping):
        raise TypeError(
            f"forecasts must be a mapping from names to Forecasts, or a PanelForecast; got "
            f"{type(forecasts).__name__}."
        )
    for name, forecast in forecasts.items():
        if not isinstance(forecast, Forecast):
            raise TypeError(
                f"forecasts must map names to Forecasts; got {type(forecast).__name__} for "
                f"{name!r}."
            )
    absent = [name for name in to.names if name not in forecasts]
    if absent:
        reason = reasons.get(absent[0])
        because = f", which could not be forecast: {reason}" if reason else ""
        raise ValueError(
            f"forecasts must have all {len(to.names)} series of the hierarchy; they lack "
            f"{len(absent)}, the first {absent[0]!r}{because}."
        )
    unknown = [name for name in forecasts if name not in set(to.names)]
    if unknown:
        raise ValueError(
            f"structure must have every series that is forecast; it lacks {len(unknown)}, "
            f"the first {unknown[0]!r}. Leave them out of forecasts."
        )
    base = forecasts[to.names[0]]
    for name in to.names:
        forecast = forecasts[name]
        if not forecast.index.equals(base.index):
            first, other = (
                f"{f.horizon} from {f.index[0]} to {f.index[-1]}" for f in (base, forecast)
            )
            raise ValueError(
                f"all forecasts must be of the same steps; those of {to.names[0]!r} are "
                f"{first}, those of {name!r} are {other}."
            )
    return forecasts, errors, labels, wide


def _on_sums(hierarchy: Hierarchy, base: list[Forecast]) -> tuple[str, ...]:
    """Refuse past values that do not add up, where all parts are known; say if they are rounded."""
    past = pd.concat([f.history for f in base], axis=1)
    values, n = past.to_numpy(dtype=np.float64), hierarchy.n_totals
    totals, added, A = values[:, :n], hierarchy.sums(values[:, n:])[:, :n], hierarchy.matrix[:n]
    off = np.nan_to_num(abs(totals - added))
    most, grains = off.max(axis=0, initial=0.0), _grains(values)
    largest = np.nan_to_num(np.fmax(abs(totals), abs(added))).max(axis=0, initial=0.0)
    # The finest of the parts: one that is constant has few decimals by chance.
    finest = np.where(A != 0.0, grains[n:], np.inf).min(axis=1)
    differ = most > _DIFFERENT * largest
    wrong = most > _DIFFERENT * largest + 0.5 * (grains[:n] + finest * abs(A).sum(axis=1))
    if wrong.any():
        k = int(wrong.argmax())
        t = int(off[:, k].argmax())
        raise ValueError(
            f"past values must add up; those of {hierarchy.names[k]!r} do not at {past.index[t]}, "
            f"where it is {totals[t, k]:g} and its parts add up to {added[t, k]:g}, "
            f"{totals[t, k] - added[t, k]:+g} apart. Correct the structure or the values; "
            f"Hierarchy.aggregate makes totals of the bottom series."
        )
    note = (
        f"past totals differ from the sums of their parts by up to {most.max(initial=0.0):g}, no "
        f"more than their rounding explains"
    )
    return (note,) if differ.any() else ()


def _grains(values: FloatArray) -> FloatArray:
    """Return a unit of the last decimal that each column (t, n) has; 0 where there is none."""
    grains = np.zeros(values.shape[1])
    for decimals in range(_MOST_DECIMALS, -1, -1):
        off = abs(values - np.round(values, decimals))
        exact = ~(off > 4.0 * np.finfo(np.float64).eps * abs(values)).any(axis=0)  # NaN is none
        grains[exact] = 10.0**-decimals
    return grains
