"""Effects of exogenous columns beside trend and season: found, subtracted, put into words."""

import numpy as np
import pandas as pd

from gpforecast.automatic.events import HABIT
from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.wording import in_digits, listed, named_lags, number
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Log
from gpforecast.transforms.base import Warp
from gpforecast.transforms.input_effects import FittedEffects, KnownInputs, Term


def inputs_at(
    exog: Exogenous, exog_lags: ExogLags
) -> tuple[KnownInputs, tuple[Term, ...], list[str]]:
    """Return what `InputEffects.with_inputs` takes of columns at their lags."""
    embedding = LagEmbedding(1, exog_lags=exog.lags(exog_lags))
    terms = embedding.exog_plan(exog.columns)
    embedding.first_target(len(exog.past), [lag for _, lag in terms])
    names = [f"{exog.columns[j]} lag {lag}" if lag else str(exog.columns[j]) for j, lag in terms]
    return KnownInputs.of(exog.past, exog.location), terms, names


def rarely_on(columns: FloatArray) -> BoolArray:
    """Return where columns (n, q) leave the value that they nearly always have, if there is one."""
    known = ~np.isnan(columns)
    on = known & (columns != pd.DataFrame(columns).median().to_numpy())
    return np.asarray(on & (on.sum(axis=0) <= HABIT * known.sum(axis=0)))


def explains(chain: Chain) -> bool:
    """Whether any input of a chain has an effect."""
    return chain.effects is not None and chain.effects.explains


def without_effects(y: "pd.Series[float]", chain: Chain, times: TimeAxis) -> "pd.Series[float]":
    """Return a series (n,) at some times without what its inputs explain, in its own units.

    Values that the warp of the chain refuses are missing then.
    """
    if chain.effects is None or not explains(chain):
        return y
    possible = chain.forward(values_of(y.mask(chain.refused(values_of(y)))))
    rest = chain.backward(chain.effects.apply(possible, times))
    return pd.Series(rest, index=y.index, name=y.name)


def table_of(effects: FittedEffects | None, warp: Warp | None) -> pd.DataFrame:
    """Return the effect of one unit of each input, its standard error, and the unit of both.

    One on a logarithm is a percentage. The clearest comes first, those that are 0 last.
    """
    if effects is None:
        return pd.DataFrame({"effect": [], "std_error": [], "unit": []}, pd.Index([], name="input"))
    beta, std, unit = effects.beta, effects.std, "series"
    if warp is not None:
        unit = "square root or power"
        if warp == Log():
            unit, std, beta = "%", 100 * np.exp(beta) * std, 100 * np.expm1(beta)
    names = pd.Index(effects.spec.names, name="input", tupleize_cols=False)
    std = np.where(effects.beta != 0.0, std, np.nan)
    order = np.argsort(-np.abs(effects.beta) / np.maximum(effects.std, 1e-300), kind="stable")
    return pd.DataFrame({"effect": beta, "std_error": std, "unit": unit}, names).iloc[order]


def in_words(effects: FittedEffects, warp: Warp | None) -> str:
    """Return what is known of the effects: the largest ones, and what explains nothing."""
    table, beta = table_of(effects, warp), effects.beta
    names, unit = [str(name) for name in effects.spec.names], str(table["unit"].iloc[0])
    per, on = (" %", "") if unit == "%" else ("", "" if unit == "series" else f" on the {unit}")
    each = []
    for name, effect, std in table[table["effect"] != 0.0][["effect", "std_error"]].itertuples():
        size, error = number(effect, std), in_digits(std, 2)
        each.append(f"{name} {'+' * (effect > 0)}{size}{per} (standard error {error}{per})")
    parts = [f"effect of one unit{on}: {listed(each)}"] if each else []
    never = [str(names[j]) for j in effects.never_seen]
    if never:
        parts.append(f"left out, as they never changed: {listed(never)}")
    nothing: dict[str, list[int]] = {}
    for j, (_, lag) in enumerate(effects.terms):
        if not beta[j] and j not in effects.never_seen:
            nothing.setdefault(names[j].removesuffix(f" lag {lag}"), []).append(lag)
    if nothing:
        left = [n if lags == [0] else f"{n} at {named_lags(lags)}" for n, lags in nothing.items()]
        parts.append(f"left out, as they explain no more than chance: {listed(left)}")
    return "; ".join(parts)
