"""Forecasts to reconcile, read and checked against their hierarchy."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.panel import PanelForecast
from gpforecast.reconciliation.hierarchy import Hierarchy
from gpforecast.results.forecast import Forecast

_DIFFERENT = 1e-6  # of the largest value of a total: less is rounding of the computer
_MOST_DECIMALS = 9  # more are no rounding


@dataclass(frozen=True, eq=False)
class Inputs:
    """Forecasts of all series of a hierarchy.

    Attributes
    ----------
    forecasts : mapping from name to Forecast
        As they were given.
    base : list of Forecast
        In the order of the hierarchy.
    errors : DataFrame or None
        Past one-step errors, of a panel.
    labels : tuple of str
        The names of the columns of series and times in tables.
    wide : bool
        Whether tables have a column for each series, as the panel has.
    notes : tuple of str
    """

    forecasts: Mapping[Hashable, Forecast]
    base: list[Forecast]
    errors: pd.DataFrame | None
    labels: tuple[str, str]
    wide: bool
    notes: tuple[str, ...]

    @staticmethod
    def of(forecasts: Mapping[Hashable, Forecast] | PanelForecast, to: Hierarchy) -> "Inputs":
        """Read a panel or a mapping.

        Raises
        ------
        TypeError, ValueError
            If it does not hold forecasts, or they or the past values do not fit the hierarchy.
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
        base = [forecasts[name] for name in to.names]
        for name, forecast in zip(to.names, base, strict=True):
            if not forecast.index.equals(base[0].index):
                first, other = (
                    f"{f.horizon} from {f.index[0]} to {f.index[-1]}" for f in (base[0], forecast)
                )
                raise ValueError(
                    f"all forecasts must be of the same steps; those of {to.names[0]!r} are "
                    f"{first}, those of {name!r} are {other}."
                )
        return Inputs(forecasts, base, errors, labels, wide, _on_sums(to, base))


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
