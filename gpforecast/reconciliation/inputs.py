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
    """Forecasts of all series, their past errors, and why some could not be forecast."""

    forecasts: Mapping[Hashable, Forecast]
    errors: pd.DataFrame | None = None
    reasons: Mapping[Hashable, str] | None = None
    labels: tuple[str, str] = ("unique_id", "ds")

    @staticmethod
    def of(forecasts: Mapping[Hashable, Forecast] | PanelForecast) -> "Inputs":
        """Read a panel or a mapping."""
        if isinstance(forecasts, PanelForecast):
            if forecasts.forecasts is None:
                raise ValueError(
                    "forecasts must hold joint distributions, and this panel has tables only; make "
                    "it with forecast_panel(..., keep=True)."
                )
            id_, time = (str(column) for column in forecasts.frame.columns[:2])
            reasons = forecasts.failures.set_index(id_)["reason"].to_dict()
            return Inputs(forecasts.forecasts, forecasts.errors, reasons, (id_, time))
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
        return Inputs(forecasts)

    def in_order(self, hierarchy: Hierarchy) -> tuple[list[Forecast], tuple[str, ...]]:
        """Return the forecasts in the order of the hierarchy, and notes on past values.

        Raises
        ------
        ValueError
            If forecasts or past values do not fit the hierarchy.
        """
        names = hierarchy.names
        unknown = [name for name in self.forecasts if name not in set(names)]
        absent = [name for name in names if name not in self.forecasts]
        if absent:
            reason = (self.reasons or {}).get(absent[0])
            because = f", which could not be forecast: {reason}" if reason else ""
            other = f" Not in the hierarchy: {unknown[0]!r}." if unknown else ""
            raise ValueError(
                f"forecasts must have all {len(names)} series of the hierarchy; {len(absent)} are "
                f"missing, the first {absent[0]!r}{because}.{other}"
            )
        if unknown:
            raise ValueError(
                f"structure must have every series that is forecast; {len(unknown)} are not in it, "
                f"the first {unknown[0]!r}. Leave them out of forecasts."
            )
        base = [self.forecasts[name] for name in names]
        for name, forecast in zip(names, base, strict=True):
            if not forecast.index.equals(base[0].index):
                raise ValueError(
                    f"all forecasts must be of the same steps; those of {names[0]!r} are "
                    f"{_steps(base[0])}, those of {name!r} are {_steps(forecast)}."
                )
        return base, _check_sums(hierarchy, base)


def _steps(forecast: Forecast) -> str:
    """Say which steps a forecast has."""
    return f"{forecast.horizon} from {forecast.index[0]} to {forecast.index[-1]}"


def _check_sums(hierarchy: Hierarchy, base: list[Forecast]) -> tuple[str, ...]:
    """Refuse past values that do not add up, where all parts are known; say if they are rounded."""
    past = pd.concat([f.history for f in base], axis=1, keys=list(hierarchy.names))
    values = past.to_numpy(dtype=np.float64)
    parts, grains, rounded = values[:, hierarchy.n_totals :], _grains(values), 0.0
    for k, name in enumerate(hierarchy.names[: hierarchy.n_totals]):
        used = hierarchy.matrix[k] != 0.0
        weights = hierarchy.matrix[k, used]
        total, added = values[:, k], parts[:, used] @ weights
        off = np.nan_to_num(abs(total - added))
        most = off.max(initial=0.0)
        largest = max(np.nanmax(abs(values[:, k]), initial=0.0), np.nanmax(abs(added), initial=0.0))
        # The finest of the parts: one that is constant has few decimals by chance.
        finest = grains[hierarchy.n_totals :][used].min()
        rounding = 0.5 * (grains[k] + finest * abs(weights).sum())
        if most > _DIFFERENT * largest + rounding:
            t = int(off.argmax())
            raise ValueError(
                f"past values must add up; those of {name!r} do not at {past.index[t]}, where it "
                f"is {total[t]:g} and its parts add up to {added[t]:g}, {total[t] - added[t]:+g} "
                f"apart. Correct the structure or the values; Hierarchy.aggregate makes totals of "
                f"the bottom series."
            )
        rounded = max(rounded, most) if most > _DIFFERENT * largest else rounded
    if not rounded:
        return ()
    note = (
        f"past totals differ from the sums of their parts by up to {rounded:g}, no more than their "
        f"rounding explains"
    )
    return (note,)


def _grains(values: FloatArray) -> FloatArray:
    """Return a unit of the last decimal that each column (t, n) has; 0 where there is none."""
    grains = np.zeros(values.shape[1])
    for decimals in range(_MOST_DECIMALS, -1, -1):
        off = abs(values - np.round(values, decimals))
        exact = ~(off > 4.0 * np.finfo(np.float64).eps * abs(values)).any(axis=0)  # NaN is none
        grains[exact] = 10.0**-decimals
    return grains
