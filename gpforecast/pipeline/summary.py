"""What a fitted forecaster is, as text a person can read."""

import inspect
from typing import Any

import numpy as np

from gpforecast.transforms import Standardise


def summarise(forecaster: Any) -> str:
    """Return transforms with their reasons, lags, model, rows, noise and notes, line by line.

    Parameters
    ----------
    forecaster : Forecaster
        Fitted.
    """
    chain = forecaster.transforms_
    history = forecaster.history_
    span = f"{history.index[0]} to {history.index[-1]}" if len(history) else "empty"
    missing = int(history.isna().sum())
    gaps = f", {missing} missing" if missing else ""
    lines = [
        ("series", f"{len(history)} values{gaps}, {span}"),
        ("transforms", " -> ".join(_steps(chain.spec.steps))),
        *(("", reason) for reason in chain.reasons),
        ("lags", ", ".join(map(str, forecaster.lags_))),
        *(("", reason) for reason in getattr(forecaster, "_lags_reason", "").splitlines()),
        ("model", repr(forecaster.model_)),
        *(("", reason) for reason in getattr(forecaster, "_model_reasons", ())),
        ("rows", str(forecaster.n_rows_)),
    ]
    noise = getattr(forecaster.model_, "noise_var_", None)
    if noise is not None:
        lines.append(("noise", f"standard deviation {_noise(chain, float(noise))}"))
    covariance = getattr(forecaster.model_, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", " ".join(repr(covariance).split())))
    lines.append(("propagation", str(forecaster.propagation)))
    lines += [("note", note) for note in forecaster.notes_]
    return "\n".join(f"{name:<12} {text}".rstrip() for name, text in lines)


def _steps(steps: Any) -> list[str]:
    """Name the transforms; the last one is always a standardisation."""
    given = bool(steps) and isinstance(steps[-1], Standardise)
    return [*map(repr, steps), *([] if given else ["Standardise"])]


def _noise(chain: Any, noise_var: float) -> str:
    scale = chain.linear[-1].scale
    unit = {"Log": " of the logarithm", "FittedBoxCox": " of the power"}
    where = "" if chain.warp is None else unit.get(type(chain.warp).__name__, " warped")
    return f"{scale * np.sqrt(noise_var):.4g}{where} a step"


def described(forecaster: Any) -> str:
    """Return the call that would make a forecaster, with what differs from the defaults."""
    parameters = inspect.signature(type(forecaster)).parameters.values()
    shown = [f"lags={forecaster.lags!r}"]
    for parameter in parameters:
        value = getattr(forecaster, parameter.name)
        default = parameter.default
        if parameter.name != "lags" and value is not default and not _equal(value, default):
            shown.append(f"{parameter.name}={value!r}")
    call = f"Forecaster({', '.join(shown)})"
    fitted = getattr(forecaster, "model_", None)
    if forecaster.model is None and type(fitted).__name__ == "SparseGaussianProcess":
        call += f"  # fitted: a SparseGaussianProcess on {forecaster.n_rows_} rows"
    return call


def _equal(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)
